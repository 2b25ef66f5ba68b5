"""Names that no source has.

A word with a capital inside a sentence is a name. In German, where nouns have one too, it is a name
only beside another such word that the sources have: a forename or a title with another surname. Who
did what to whom is not compared; that takes a judge.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from app.core.facts.scanner import Token, Vocabulary
from app.core.text import Span, stem

_SHORTEST = 3
# Norwegian and Norway begin alike.
_OF_PLACES = ("ian", "ians", "ish", "ese", "an", "ans")
_START = 4


class KnownWords:
    """The words that need no source, in lower case: those of the sources, and of the request."""

    def __init__(self, words: Iterable[str], language: str) -> None:
        self._language = language
        self._words = frozenset(words)
        self._stems = frozenset(stem(word, language) for word in self._words)
        self._starts = frozenset(word[:_START] for word in self._words)

    def __contains__(self, word: str) -> bool:
        return (
            word in self._words
            or stem(word, self._language) in self._stems
            or (word.endswith(_OF_PLACES) and word[:_START] in self._starts)
        )


def capitalised(
    tokens: Sequence[Token], pronouns: Collection[str] = ()
) -> Iterator[tuple[Token, ...]]:
    """Yield the runs of capitalised words of a sentence, which these pronouns end."""
    run: list[Token] = []
    for token in (*tokens, None):
        is_part = token is not None and token.is_word and token.is_capitalised
        if token is not None and is_part and token.low not in pronouns:
            run.append(token)
        elif run:
            yield tuple(run)
            run = []


def speaker(tokens: Sequence[Token], words: Vocabulary, known: Collection[str]) -> str:
    """Return the last word of the name beside a verb of saying, case-folded; "" without any.

    Args:
        tokens: the words of a sentence.
        known: the words that its source writes with a capital inside a sentence.
    """
    verbs = {at for at, token in enumerate(tokens) if token.low in words.words.saying}
    for run in capitalised(tokens):
        first = tokens.index(run[0])
        if not {first - 1, first + len(run)} & verbs or run[-1].low not in known:
            continue
        named = [token for token in run if token.low not in words.function_words]
        if named and len(named) > words.capitalises_nouns:
            return named[-1].text.casefold()
    return ""


def unknown_names(
    tokens: Sequence[Token],
    words: Vocabulary,
    known: KnownWords,
    ordinary: Collection[str],
    taken: Sequence[Span],
) -> Iterator[Span]:
    """Yield the places of the names of a sentence that no source has.

    Args:
        ordinary: words that the post writes in lower case as well.
        taken: the places of facts, whose words are not names.
    """
    for run in capitalised(tokens, words.pronouns):
        # The first word of a sentence, or after a mark, has a capital in any case, and an acronym
        # may stand for words of a source.
        begins = run[0] is tokens[0] or not tokens[tokens.index(run[0]) - 1].is_word
        inside = [
            token
            for token in run[begins:]
            if len(token.low) >= _SHORTEST
            and not token.text.isupper()
            and token.low not in words.function_words
            and token.low not in ordinary
            and not any(low <= token.start < high for low, high in taken)
        ]
        unknown = [token for token in inside if token.low not in known]
        if unknown and (not words.capitalises_nouns or len(unknown) < len(inside)):
            yield run[0].start, run[-1].end
