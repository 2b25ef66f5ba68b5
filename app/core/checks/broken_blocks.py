"""Blocks that Markdown does not recognise: tables, lists and headings shown as running text."""

import re
from collections.abc import Iterator

from app.core.checks.check import BLOCKER, WARNING, FilePart, Finding, Scope, ScorePart, check
from app.core.checks.passage import Kind, Passage

# Each line of a table is a row; read as one line, a rule or two bars side by side are left of it.
_TABLE = re.compile(r"\s?\|[^|\n]{0,200}\|(?:[^|\n]{0,200}\|){1,100}")
_RULE = re.compile(r"\|\s?:?-{3,}:?\s?\|")
_HEADING = re.compile(r"#{1,6}(?:\s\S|[A-ZÀ-Þ¿][^\s#]{1,30}\s\S)")
_PICTURE = re.compile(
    r"(?<![\w!])!\s?\((?=[^)\n]{3,80}\))(?:[^)\n]{0,40}\.(?:png|jpe?g|gif|webp|svg)\)"
    r"|(?:photo|picture|image|screenshot|chart|diagram|foto|bild|imagen|immagine|afbeelding|imagem)\b)"
    r"|(?<![\w!])!\[[^\]\n]{0,80}\]\s\((?=\S)",
    re.IGNORECASE,
)
# "1. … 2. … 3. …"; a sentence may end before the next number.
_STEP = re.compile(r"(?:^|(?<=[.!?;:)”]\s))(\d{1,2})[.)]\s(?=[A-ZÀ-Þ¿¡(“])")
_LEAST_STEPS, _MOST_FIRST = 3, 20
# "• … • …", and "- … - …" at the beginning of a paragraph
_BULLETS = re.compile(r"(?:^|\s)([•◦▪‣●○■□➤✓✔\uf0b7\uf0a7])\s?(?=\S)")
_DASHES = re.compile(r"(?:^|(?<=[^\d\s]\s))([–—*+-]|[o·])\s(?=\S)")
_OPENING = frozenset("–—-*+·o")
_LEAST_BULLETS = 3


@check(
    "broken_block", ScorePart.STRUCTURE, Scope.PASSAGE, WARNING,
    "Put each row, item or heading on a line of its own, with the sign that Markdown expects.",
    sometimes=BLOCKER, in_files=FilePart.PROSE, fixable=True,
)  # fmt: skip
def check_broken_block(passage: Passage, language: str) -> Iterator[Finding]:
    """Tables, lists, headings, pictures and code that show as running text.

    A block of code that never ends is a blocker in a file.
    """
    if passage.kind not in {Kind.PROSE, Kind.ANSWER, Kind.ITEM}:
        return
    text = passage.text_without_code
    if text[:1] == "#" and not passage.in_file:
        return  # in a post, the check of markup blocks it
    if found := broken(text):
        problem, begin, end = found
        yield check_broken_block.found(passage.section, problem, (begin, end))


def broken(text: str) -> tuple[str, int, int] | None:
    """Return what kind of block a paragraph was, and its place."""
    first = text[:1]
    if first == "#" and (match := _HEADING.match(text)):
        return "A heading shows as a paragraph with its sign.", 0, match.end()
    if "|" in text and (first == "|" or "---" in text):
        if match := _RULE.search(text):
            return "A table shows as running text.", *match.span()
        if (match := _TABLE.match(text)) and match.end() >= len(text.rstrip()):
            return "Rows of a table show as running text.", *match.span()
    if "!" in text and (match := _PICTURE.search(text)):
        return "A picture shows as text.", *match.span()
    if ("2" in text or "1" in text) and (found := _steps(text)):
        return "Steps of a list show as running text.", *found
    signs = [match.start(1) for match in _BULLETS.finditer(text)] if not text.isascii() else []
    if len(signs) < _LEAST_BULLETS and first in _OPENING and text[1:2] == " ":
        signs = [match.start(1) for match in _DASHES.finditer(text) if match[1] == first]
    if len(signs) >= _LEAST_BULLETS and signs[0] == 0:
        return "Items of a list show as running text.", signs[0], signs[-1] + 1
    return None


def _steps(text: str) -> tuple[int, int] | None:
    """The place of three numbers that count on, each before a sentence.

    Markdown takes the first number of a paragraph for that of an item.
    """
    begin, last, count = 0, 1, 1
    for match in _STEP.finditer(text):
        number = int(match[1])
        if number == last + 1:
            begin, last, count = begin or match.start(1), number, count + 1
        elif match.start() == 0 and number < _MOST_FIRST:
            last = number
        if count == _LEAST_STEPS:
            return begin, match.end()
    return None
