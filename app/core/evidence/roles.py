"""Who did what to whom: whether a post has exchanged two names that its sources have both.

"Norvik bought Halden" is made of supported names in either order. Two names that follow each other
are held against the sources' sentences that have both with the same verb between them. What is not
seen: verbs that stand elsewhere, other verbs of the same meaning, roles without a second name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.evidence.archive import Page
from app.core.evidence.claims import Claim
from app.core.evidence.fact import Fact, Kind
from app.core.evidence.reading import Line
from app.core.evidence.tokens import Token, tokens
from app.core.evidence.words import SMALL, word_set
from app.core.text import stem

# Between two names that belong to one statement.
_REACH = 9
_PASSIVE = word_set("by von vom durch par por da dal dalla dai pelo pela door")
# With these, either may be named first; after the others another statement begins.
_MUTUAL = word_set(
    "with mit avec con com met meet meets marry married marries join joined joins border borders"
    " face faced faces play played plays trifft traf treffen heiratet heiratete rencontre rencontré"
    " and und et y e en or oder ou o of"
)
_BREAKS = word_set(", ; : ( ) – — that dass que che dat which who")
_AUXILIARIES = word_set(
    "has had was are were will the its their his her der die das den les los las"
)
# Small words elsewhere, verbs here.
_VERBS = word_set("take takes took said told")


@dataclass(frozen=True)
class Exchange:
    """The source's sentence, and the names as the post has them."""

    page: Page
    said: str
    names: tuple[str, str]


def exchange(claim: Claim, pages: Sequence[Page]) -> Exchange | None:
    """Where the sources have the roles of a name and the one after it the other way round, and
    nowhere as the claim has them; None where they do not. A claim that is no name has none.
    """
    pair = _pair(claim)
    if pair is None:
        return None
    first, second, ours = pair
    found: Exchange | None = None
    for page in pages:
        verbs = _verbs(ours, page.language)
        for line in page.lines_with_any((second.words[0], second.words[-1])) if verbs else ():
            for same_order, theirs in _between(line, first.words, second.words):
                if not verbs & _verbs(theirs, page.language):
                    continue
                if same_order == (_is_passive(theirs) == _is_passive(ours)):
                    return None
                found = found or Exchange(page, line.text, (first.text, second.text))
    return found


def _pair(claim: Claim) -> tuple[Fact, Fact, Sequence[Token]] | None:
    """The claim's name, the next one, and the words between them."""
    if claim.fact.kind is not Kind.NAME:
        return None
    after = [f for f in claim.line.facts if f.kind is Kind.NAME and f.span > claim.fact.span]
    if not after or set(after[0].words) & set(claim.fact.words):
        return None
    start = claim.line.span[0]
    low, high = claim.fact.span[1] - start, after[0].span[0] - start
    between = [t for t in tokens(claim.line.text) if low <= t.start < high]
    return claim.fact, after[0], between


def _between(
    line: Line, first: Sequence[str], second: Sequence[str]
) -> Iterator[tuple[bool, Sequence[Token]]]:
    """Whether a sentence has two names in that order, and what stands between them, each time that
    they follow each other.
    """
    inside = tokens(line.text)
    last: tuple[int, bool] | None = None
    for index, token in enumerate(inside):
        is_first = token.is_capitalised and token.low in first
        is_second = token.is_capitalised and token.low in second
        if is_first == is_second:
            continue
        if last and last[1] != is_first:
            yield not is_first, inside[last[0] + 1 : index]
        last = index, is_first


def _verbs(between: Sequence[Token], language: str) -> frozenset[str]:
    """The stems of the small-written words that may say what one does to the other; none where the
    two are no such pair.
    """
    words = [token.low for token in between]
    if len(words) > _REACH or not _BREAKS.isdisjoint(words) or not _MUTUAL.isdisjoint(words):
        return frozenset()
    small = (SMALL.get(language, frozenset()) - _VERBS) | _AUXILIARIES | _PASSIVE
    return frozenset(
        stem(token.low, language)
        for token in between
        if token.is_word
        and token.text == token.low
        and len(token.low) > 2
        and token.low not in small
    )


def _is_passive(between: Sequence[Token]) -> bool:
    return any(token.low in _PASSIVE for token in between)
