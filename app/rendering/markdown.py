"""Markdown of models in one form that all converters read alike, and its HTML.

In that form each paragraph, item and row is one line, and a blank line separates blocks. It has no
links, images, HTML, rules and headings other than of level 3.
"""

import re

import nh3
from markdown import Markdown
from markdown.blockprocessors import BlockQuoteProcessor
from markdown.extensions import Extension

from app.rendering.escape import DROPPED, backslashed, escape, escape_start
from app.rendering.inline import CODE, safe_line

# More than any line of prose has; Python-Markdown takes quadratic time in a line.
_MAX_CHARS = 8_000
_FENCE = re.compile(
    r"(?P<before>(?:[ \t>]|[-*+] |\d{1,2}[.)] )*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*"
    r"(?P<language>[\w+#.-]{0,30})"
)
# Blank lines, rules, underlines of headings, and markers without a text.
_EMPTY = re.compile(r"(?:\d{1,2}[.)] )?[-=_*+#>\\ ]*")
_QUOTE = re.compile(r" *(?: *> ?)+")
_HEADING, _CLOSING = re.compile(r"#{1,6} +"), re.compile(r"(?<![\\#])#+$")
# A paragraph may begin with a year: a number has at most two digits.
_ITEM = re.compile(r"([-*+]|\d{1,2}[.)]) +")
_BULLETS, _FIRST_NUMBERS = ("-", "*", "+"), ("1.", "1)")
_SEPARATOR = re.compile(r"(?=.*\|)(?=.*-)[ |:-]+")
_PIPE = re.compile(r"(?<!\\)\|")
_CODE_SPAN = re.compile(rf"\\.|{CODE}")
_HARD_BREAK = re.compile(r"(?<!\\)\\$")
_TAGS = {
    "a", "blockquote", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


def normalise(markdown: str) -> str:
    """Return Markdown in the form above, with all its words.

    Lists have two levels, and code in an item stands between two lists.
    """
    text = DROPPED.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    return _Normaliser(text.split("\n")[::-1]).text()


class _Normaliser:
    def __init__(self, lines: list[str]) -> None:
        """Args: the lines, the last one first."""
        self._lines = lines
        self._blocks: list[list[str]] = []
        # Whether the next line may go on with the last one.
        self._is_open = False
        # Of the open list: the marker of its last item, how far the markers above the next item
        # stand in, and the markers of the list below the last item.
        self._marker, self._indents, self._below = "", list[int](), list[str]()

    def text(self) -> str:
        while self._lines:
            self._read()
        # A block of code is all that has line breaks.
        return "\n\n".join(
            "\n".join(line if "\n" in line else safe_line(line) for line in block)
            for block in self._blocks
        )

    def _read(self) -> None:
        if fence := _FENCE.match(self._lines[-1]):
            self._add(*self._code(fence))
            return
        line = self._next_line()
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        item = _ITEM.match(text)
        if _EMPTY.fullmatch(text):
            self._is_open = False
        elif text[0] == ">":
            self._add(*self._quotation(line))
        elif heading := _HEADING.match(text):
            shown = re.sub(" #+$", "", text[heading.end() :]).rstrip()
            self._add(f"### {_CLOSING.sub(lambda found: backslashed(found[0]), shown)}")
        elif self._is_header(text):
            self._add(*self._table(text))
        # A number begins a line of a paragraph as well.
        elif item and (
            self._marker or not self._is_open or item[1] in _BULLETS or item[1] in _FIRST_NUMBERS
        ):
            self._add_item(indent, item[1], escape_start(text[item.end() :]))
        else:
            self._add_text(indent, text)

    def _next_line(self) -> str:
        line = self._lines.pop().expandtabs(4).rstrip()
        if len(line) > _MAX_CHARS:
            end = max(line.rfind(" ", 1, _MAX_CHARS), 0) or _MAX_CHARS
            self._lines.append(line[end:])
            line = line[:end]
        return line

    def _add(self, *lines: str) -> None:
        """Add a block, which ends what is open."""
        self._blocks += [list(lines)] if lines else []
        self._is_open, self._marker, self._indents = False, "", []

    def _add_text(self, indent: int, text: str) -> None:
        """Go on with a paragraph or an item, or begin a paragraph."""
        goes_on = self._is_open or (self._marker and indent >= 2)
        if goes_on and len(self._blocks[-1][-1]) + len(text) <= _MAX_CHARS:
            before = _HARD_BREAK.sub("", self._blocks[-1][-1]).rstrip()
            self._blocks[-1][-1] = f"{before} {text}"
        else:
            self._add(escape_start(text))
        self._is_open = True

    def _add_item(self, indent: int, marker: str, text: str) -> None:
        marker = "-" if marker in _BULLETS else f"{marker[:-1]}."
        while self._indents and indent < self._indents[-1]:
            self._indents.pop()
        if not self._indents or indent >= self._indents[-1] + 2:
            self._indents.append(indent)
        if len(self._indents) > 1:
            # Lists of one kind, and numbers from 1: another one begins no list below a text.
            is_numbered = (self._below or [marker])[0] != "-"
            self._below.append(f"{len(self._below) + 1}." if is_numbered else "-")
            self._blocks[-1].append(f"    {self._below[-1]} {text}")
        else:
            if not self._marker or (marker == "-") != (self._marker == "-"):
                self._blocks.append([])
            self._marker, self._below = marker, []
            self._blocks[-1].append(f"{marker} {text}")
        self._is_open = True

    def _quotation(self, line: str) -> list[str]:
        lines = [line]
        while self._lines and self._lines[-1].lstrip().startswith(">"):
            if _FENCE.match(self._lines[-1]):
                break
            lines.append(self._lines.pop())
        quoted = normalise("\n".join(_QUOTE.sub("", each, count=1) for each in lines))
        return [f"> {each}".rstrip() for each in quoted.split("\n")] if quoted else []

    def _code(self, opening: re.Match[str]) -> list[str]:
        """Return a block of code, which ends with its fence or with the text."""
        before, fence, language = opening.group("before", "fence", "language")
        inside = re.compile(rf"[ \t{'>' if '>' in before else ''}]{{0,{len(before)}}}")
        closing = re.compile(rf"[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*")
        self._lines.pop()
        code: list[str] = []
        while self._lines and not closing.fullmatch(line := self._lines.pop()):
            code.append(inside.sub("", line, count=1))
        text = "\n".join(code).strip("\n").rstrip()
        ticks = max(["``", *re.findall("`+", text)], key=len) + "`"
        return [f"{ticks}{language}\n{text}\n{ticks}"] if text else []

    def _is_header(self, text: str) -> bool:
        below = self._lines[-1].strip() if self._lines else ""
        columns = text.count("|")
        return 0 < columns <= len(below) and _SEPARATOR.fullmatch(below) is not None

    def _table(self, header: str) -> list[str]:
        """Return a table whose rows have at most as many cells as its header.

        Converters fill up each row, so a line that is too short for its cells is no row.
        """
        self._lines.pop()
        names = _cells(header)
        last, rows = len(names) - 1, [names, ["---"] * len(names)]
        while self._lines and "|" in self._lines[-1]:
            if not 2 * last < len(self._lines[-1]) <= _MAX_CHARS:
                break
            cells = _cells(self._lines.pop().strip())
            rows.append([*cells[:last], *filter(None, [" ".join(cells[last:])])])
        return [f"| {' | '.join(row)} |" for row in rows]


def _cells(row: str) -> list[str]:
    """Return the cells of a row. Converters differ in how they read a pipe in code: it is none."""
    cells = _PIPE.split(_CODE_SPAN.sub(_without_pipes, row))
    first, end = int(not cells[0]), len(cells) - int(not cells[-1])
    return [safe_line(cell.strip()) for cell in cells[first:end] or [""]]


def _without_pipes(found: re.Match[str]) -> str:
    code = found["code"] or ""
    return escape(code.replace("\\|", "|")).replace("|", "\\|") if "|" in code else found[0]


def to_html(markdown: str, *, links: bool = False) -> str:
    """Return the HTML of normalised Markdown.

    Args:
        links: whether the text has links, which are sponsored and open in a new tab.
    """
    # One converter a call, in a tenth of a millisecond: no two threads can use the same one.
    converter = Markdown(extensions=["tables", "fenced_code", "sane_lists", _CommonMark()])
    return nh3.clean(
        converter.convert(markdown),
        tags=_TAGS if links else _TAGS - {"a"},
        attributes={"a": {"href"}, "ol": {"start"}},
        link_rel="sponsored noopener",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https"},
    )


class _CommonMark(Extension):
    """No HTML, which takes quadratic time, and quotations that a blank line ends."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.deregister("html_block")
        md.inlinePatterns.deregister("html")
        md.parser.blockprocessors.register(_Quotations(md.parser), "quote", 20)


class _Quotations(BlockQuoteProcessor):
    def lastChild(self, parent: object) -> None:  # noqa: N802
        return None
