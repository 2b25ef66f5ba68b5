"""Who did what to whom: find two names that a post has swapped.

"Norvik bought Halden" is made of supported names in either order. Two names in a row are compared
with the sentences of the sources that have both with the same verb between them. Not seen: verbs
elsewhere in the sentence, other verbs of the same meaning, roles without a second name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.facts.fact import Fact, FactKind
from app.core.facts.scanner import Token, Vocabulary, tokenize
from app.core.text import stem
from app.core.verification.annotate import AnnotatedSentence
from app.core.verification.claims import Claim
from app.core.verification.heuristics import word_set
from app.core.verification.indexed_source import IndexedSource

# The most words between two names of one statement.
_REACH = 9


@dataclass(frozen=True)
class SwappedAgents:
    """The sentence of the source, and the names in the order of the post."""

    source: IndexedSource
    said: str
    names: tuple[str, str]


def swapped_agents(claim: Claim, sources: Sequence[IndexedSource]) -> SwappedAgents | None:
    """Return a sentence in which a name and the next one of its claim have each other's role.

    None if a source has them as the claim does, or no source has both.
    """
    pair = _pair(claim)
    if pair is None:
        return None
    first, second, ours = pair
    found: SwappedAgents | None = None
    for source in sources:
        verbs = _verbs(ours, source.vocabulary)
        for sentence in (
            source.sentences_with_any((second.words[0], second.words[-1])) if verbs else ()
        ):
            for same_order, theirs in _between(sentence, first.words, second.words):
                if not verbs & _verbs(theirs, source.vocabulary):
                    continue
                if same_order == (_is_passive(theirs) == _is_passive(ours)):
                    return None
                found = found or SwappedAgents(source, sentence.text, (first.text, second.text))
    return found


def _pair(claim: Claim) -> tuple[Fact, Fact, Sequence[Token]] | None:
    """The claim's name, the next one, and the words between them."""
    if claim.fact.kind is not FactKind.NAME:
        return None
    after = [
        f for f in claim.sentence.facts if f.kind is FactKind.NAME and f.span > claim.fact.span
    ]
    if not after or set(after[0].words) & set(claim.fact.words):
        return None
    start = claim.sentence.span[0]
    low, high = claim.fact.span[1] - start, after[0].span[0] - start
    between = [t for t in tokenize(claim.sentence.text) if low <= t.start < high]
    return claim.fact, after[0], between


def _between(
    sentence: AnnotatedSentence, first: Sequence[str], second: Sequence[str]
) -> Iterator[tuple[bool, Sequence[Token]]]:
    """Whether the names are in that order and what is between them, for each time that one follows
    the other in a sentence.
    """
    inside = tokenize(sentence.text)
    last: tuple[int, bool] | None = None
    for index, token in enumerate(inside):
        is_first = token.is_capitalised and token.low in first
        is_second = token.is_capitalised and token.low in second
        if is_first == is_second:
            continue
        if last and last[1] != is_first:
            yield not is_first, inside[last[0] + 1 : index]
        last = index, is_first


def _verbs(between: Sequence[Token], vocabulary: Vocabulary) -> frozenset[str]:
    """The stems of the lower-case words that may say what one does to the other; none if the two
    are in different statements.
    """
    words = [token.low for token in between]
    if (
        len(words) > _REACH
        or not word_set("swapped_agents.breaks").isdisjoint(words)
        or not word_set("swapped_agents.mutual").isdisjoint(words)
    ):
        return frozenset()
    small = (
        (vocabulary.function_words - word_set("swapped_agents.verbs"))
        | word_set("swapped_agents.auxiliaries")
        | word_set("swapped_agents.passive")
    )
    return frozenset(
        stem(token.low, vocabulary.language)
        for token in between
        if token.is_word
        and token.text == token.low
        and len(token.low) > 2
        and token.low not in small
    )


def _is_passive(between: Sequence[Token]) -> bool:
    return any(token.low in word_set("swapped_agents.passive") for token in between)
