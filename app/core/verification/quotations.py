"""Quotations: the words of somebody between quotation marks."""

import re
from collections.abc import Iterator, Sequence

from app.core.facts.fact import Fact, FactKind
from app.core.text import Span

# The marks that close each mark. German books reverse the angles, Swedish ones use one for both.
_CLOSERS = {
    "“": "”\"“", "„": "“”\"", "«": "»", "»": "«»", "‹": "›", "›": "‹", "\"": "\"”", "”": "”",
    "‘": "’", "‚": "‘’", "「": "」", "『": "』", "'": "'",
}  # fmt: skip
_SINGLE = {"‘", "'", "‚"}
_OPENERS = re.compile("[" + "".join(map(re.escape, _CLOSERS)) + "]")
_WORD = re.compile(r"[^\W_]+|…|\.\.\.")
# Two words between marks are a term or a title, not a statement.
MIN_WORDS = 3
_MAX_CHARS = 1200
ELLIPSIS = "…"
_MAX_OMITTED = 60


def quoted_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, case and punctuation aside; an ellipsis is one of them."""
    return tuple(map(str.casefold, _WORD.findall(text.replace("...", ELLIPSIS))))


def find_quotation(text: str, quotation: str) -> Span | None:
    """Return where the words of a quotation are in a text; None if they are not, or there are none.
    Case and punctuation do not matter."""
    places = [match.span() for match in _WORD.finditer(text)]
    found = find_words(quoted_words(text), quoted_words(quotation))
    return (places[found[0]][0], places[found[1] - 1][1]) if found else None


def quotations(text: str, start: int = 0) -> Iterator[Fact]:
    """Yield each quotation of three words or more; ``span`` excludes the marks.

    Args:
        start: the place of the text in the one that spans are in.
    """
    at = 0
    while match := _OPENERS.search(text, at):
        begin = match.end()
        end = _end(text, match.group(), begin)
        if end is None:
            at = begin
            continue
        words = quoted_words(text[begin:end])
        if sum(word != ELLIPSIS for word in words) >= MIN_WORDS:
            said, span = text[begin:end].strip(), (start + begin, start + end)
            yield Fact(FactKind.QUOTATION, said, span, words=words)
        at = end + 1


def _end(text: str, mark: str, begin: int) -> int | None:
    """The end of the quotation that a mark opens; None if it opens none."""
    before = text[begin - 2] if begin > 1 else " "
    if begin >= len(text) or (mark in _SINGLE and before.isalnum()):
        return None
    if text[begin].isspace() and mark != "«":  # French puts a space inside its angles
        return None
    closers = _CLOSERS[mark]
    for at in range(begin, min(begin + _MAX_CHARS, len(text))):
        if text[at] == "\n":
            return None
        if text[at] in closers:
            after = text[at + 1] if at + 1 < len(text) else " "
            if mark not in _SINGLE or not after.isalnum():
                return at
    return None


def find_words(
    words: Sequence[str], wanted: Sequence[str], start: int = 0
) -> tuple[int, int] | None:
    """Return where a quotation is in the words of a source, from ``start`` on; None if it is not.

    Its parts must be in order; an ellipsis between them stands for up to 60 words.
    """
    parts: list[list[str]] = [[]]
    for word in wanted:
        if word == ELLIPSIS:
            parts.append([])
        else:
            parts[-1].append(word)
    parts = [part for part in parts if part]
    if not parts:
        return None
    for begin in _places(words, parts[0], start, len(words)):
        end = begin + len(parts[0])
        for part in parts[1:]:
            found = next(_places(words, part, end, end + _MAX_OMITTED), None)
            if found is None:
                break
            end = found + len(part)
        else:
            return begin, end
    return None


def _places(words: Sequence[str], part: Sequence[str], low: int, high: int) -> Iterator[int]:
    end = min(high, len(words) - len(part) + 1)
    while low < end:
        try:
            low = words.index(part[0], low, end)
        except ValueError:
            return
        if list(words[low : low + len(part)]) == list(part):
            yield low
        low += 1


def shared_in_order(some: Sequence[str], others: Sequence[str]) -> int:
    """Return how many words two texts share, each in its order."""
    row = [0] * (len(others) + 1)
    for one in some:
        before = 0
        for at, other in enumerate(others, 1):
            before, row[at] = row[at], before + 1 if one == other else max(row[at], row[at - 1])
    return row[-1]
