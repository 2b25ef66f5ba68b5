"""Markdown of models in the form that Python-Markdown reads, and its HTML.

Python-Markdown is not CommonMark: a list needs a blank line before it, nested items need four
spaces, fences stand at the beginning of a line, and raw HTML passes through.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from threading import get_ident
from xml.etree.ElementTree import Element

import nh3
from markdown import Markdown
from markdown.blockprocessors import BlockQuoteProcessor
from markdown.util import HTML_PLACEHOLDER_RE

from app.rendering.escape import DROPPED, escape_start

_FENCE = re.compile(r"( *)((?:[-*+]|\d{1,2}[.)]) +)?(`{3,}(?=[^`]*\Z)|~{3,}) *([\w+#.-]{0,30}).*")
# A rule, or the line below a heading.
_RULE = re.compile(r" *[-=*_](?: *[-=*_])* *")
_HEADING = re.compile(r" {0,3}#{1,6} +(.*?)[ #]*")
# A paragraph may begin with a year: a number has at most two digits.
_ITEM = re.compile(r"( *)([-*+]|\d{1,2}[.)]) +(?=\S)")
_BLANK_LINES = re.compile(r"\n{3,}")
_QUOTE = re.compile(r" {0,3}> ?")
_TICKS = re.compile("`+")
# An escaped sign, code, or what would begin code, a link or HTML.
_TOKEN = re.compile(r"\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<code>(`+)(?!`).+?(?<!`)\3(?!`))|`+|[<\[]")
# Most lines have none of these, and searching for tokens takes several times as long.
_BEGINS = re.compile(r"[\\`<\[]")
# Of quotations around a quotation.
_MOST_QUOTES = 2
_SHOWN_SIGNS = str.maketrans({"<": "&lt;", "[": r"\[", "`": r"\`", "\\": r"\\"})
_MARKUP = re.compile(r"[\\`*_\[\]<>&|~]")
_PUNCTUATION = r"[^\w\s*`|\\<>\[\]&;]{0,20}"
_BOLD = re.compile(
    r"(?P<code>(`+)(?!`).{1,1000}?(?<!`)\2(?!`))"
    rf"|(?<![*\\])\*\*(?P<opening>{_PUNCTUATION})(?P<words>\w(?:[^*`\n]{{0,500}}?\w)?)"
    rf"(?P<closing>{_PUNCTUATION})\*\*(?!\*)"
)
# Bold type at the start of a text, with a space inside that small models put there.
_SPACED_BOLD = re.compile(r"\A\*\* ++(?=[^*`]*+(?<! )\*\*(?!\*))")
# Python-Markdown takes quadratic time in the marks of a paragraph.
_MARK, _MOST_MARKS = re.compile(r"[*_`]"), 300
# It fills each row of a table up to the width of the header.
_PIPE, _MOST_CELLS, _MOST_FILLED = re.compile(r"(?<!\\)\|"), 40, 500
_SEPARATOR = re.compile(r"(?=.*\|)(?=.*-)[ |:-]+")
_ELEMENT_TAG = re.compile(r"<[^>]*>")
_TAGS = {
    "a", "blockquote", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


@lru_cache(maxsize=128)
def normalise(markdown: str) -> str:
    """Return Markdown with the same words and without links, HTML, rules and large headings.

    Lists have two levels, quotations three, of which the innermost has text alone; code in an item
    stands between two lists, and each line of code in a quotation is code within a text.
    """
    text = DROPPED.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n")).expandtabs(4)
    return _joined(_blocks([line.rstrip() for line in text.split("\n")], _MOST_QUOTES))


def _joined(lines: Iterable[str]) -> str:
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def _blocks(lines: list[str], quotes: int) -> Iterator[str]:
    """Yield the lines, with a blank line wherever another kind of block begins."""
    before = ""  # the kind of the last line: item, text, row, or nothing after a blank line
    in_list = is_bullet = False
    number = base = marks = width = filled = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if fence := _FENCE.fullmatch(line):
            code = _code(lines, number, fence)
            if quotes < _MOST_QUOTES:
                # Python-Markdown knows no blocks of code there, and a link in one would work.
                lines[number - 1 : number + len(code) + 1] = ["", *map(_code_in_text, code), ""]
                number -= 1
                continue
            number += len(code) + 1
            ticks = max(["``", *_TICKS.findall("\n".join(code))], key=len) + "`"
            shown = [_dedented(each, fence.start(3)) for each in code]
            yield from ("", ticks + fence[4], *shown, ticks, "")
            before, in_list = "", False
            continue
        while (len(line) - len(line.rstrip("\\"))) % 2:  # a hard break
            line = line[:-1].rstrip()
        if not line or (_RULE.fullmatch(line) and "|" not in line):
            yield ""
            before = ""
        elif heading := _HEADING.fullmatch(line):
            yield from ("", f"### {_safe(heading[1])}" if heading[1] else "", "")
            before, in_list = "", False
        elif _QUOTE.match(line):
            end = next(
                (n for n in range(number, len(lines)) if not _QUOTE.match(lines[n])), len(lines)
            )
            inside = [_QUOTE.sub("", each, count=1) for each in lines[number - 1 : end]]
            number = end
            deepest = (escape_start(_safe(each.lstrip("> "))) for each in inside)
            quoted = _blocks(inside, quotes - 1) if quotes else deepest
            yield ""
            yield from (f"> {each}".rstrip() for each in _joined(quoted).split("\n"))
            yield ""
            before, in_list = "", False
        elif (item := _ITEM.match(line)) and (in_list or before != "text" or item[2] in "-*+1.1)"):
            base = min(base, len(item[1])) if in_list else len(item[1])
            level = int(len(item[1]) >= base + 2)
            mark = f"{item[2][:-1]}." if item[2][:-1] else "-"
            if before not in {"item", ""} or (not level and in_list and (mark == "-") != is_bullet):
                yield ""
            is_bullet = is_bullet if level else mark == "-"
            marks = _marks(line)
            yield f"{'    ' * level}{mark} {escape_start(_safe(line[item.end() :], marks))}"
            before, in_list = "item", True
        else:
            below = lines[number] if number < len(lines) else ""
            is_row = "|" in line and (
                before == "row"
                or line.lstrip().startswith("|")
                or bool(_SEPARATOR.fullmatch(below))
            )
            goes_on = in_list and line.startswith("  ") and not is_row
            missing = max(0, width - _cells(line)) if is_row and before == "row" else 0
            filled += missing
            if before and (is_row != (before == "row") or (missing and filled > _MOST_FILLED)):
                yield ""
                before = ""
            marks = _marks(line) + (0 if is_row or not before else marks)
            width = width if before == "row" else _cells(line)
            text = _safe(line.strip(), marks)
            text = text if text.startswith("|") else escape_start(text)
            yield f"{'    ' if goes_on else ''}{text}"
            before = "row" if is_row else before if before == "item" else "text"
            in_list = in_list and (goes_on or before == "item")


def _code(lines: list[str], number: int, fence: re.Match[str]) -> list[str]:
    """Return the lines of code from a line on; code that is never closed goes to the end."""
    closing = re.compile(rf" *{fence[3][0]}{{{len(fence[3])},}} *")
    end = next((n for n in range(number, len(lines)) if closing.fullmatch(lines[n])), len(lines))
    return lines[number:end]


def _code_in_text(line: str) -> str:
    ticks = max(["", *_TICKS.findall(line)], key=len) + "`"
    return f"{ticks} {line.strip()} {ticks}" if line.strip() else ""


def _dedented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


def _cells(row: str) -> int:
    return row.strip().removeprefix("|").removesuffix("|").count("|") + 1


def _marks(line: str) -> int:
    return len(_MARK.findall(line))


def _safe(line: str, marks: int | None = None) -> str:
    """Return a line whose links and HTML are shown as they are.

    Args:
        marks: those of the paragraph up to here, if it has other lines.
    """
    if (_marks(line) if marks is None else marks) > _MOST_MARKS:
        line = _MARK.sub("", line)
    if line.count("|") > _MOST_CELLS:
        line = _PIPE.sub(r"\\|", line)
    if "**" in line:
        line = _BOLD.sub(_bold, _SPACED_BOLD.sub("**", line))
    return _TOKEN.sub(_shown, line) if _BEGINS.search(line) else line


def _is_shown(bold: re.Match[str]) -> bool:
    """Return whether readers see the marks of bold type, by the rules of CommonMark.

    A mark between a letter and punctuation is text, as in ``**Tip:**Let``. Languages without spaces
    have a letter there more often than not.
    """
    before = bold.string[max(0, bold.start() - 1) : bold.start()]
    behind = bold.string[bold.end() : bold.end() + 1]
    return bool(bold["opening"] and before.isalnum()) or bool(bold["closing"] and behind.isalnum())


def _bold(match: re.Match[str]) -> str:
    """Return bold type with the punctuation at its ends outside, if it would show its marks."""
    if not _is_shown(match):
        return match[0]
    return f"{match['opening']}**{match['words']}**{match['closing']}"


def _shown(token: re.Match[str]) -> str:
    # Other converters look for cells before they look for code.
    if token["code"] and not ("|" in token["code"] and re.search(r"[<\[]", token["code"])):
        return token[0]
    if token["escaped"]:
        return "&lt;" if token["escaped"] == "<" else token[0]
    return token[0].translate(_SHOWN_SIGNS)


def is_plain(text: str) -> bool:
    """Return whether a text is one line, and shown as it is written unless it begins a block."""
    return text.isprintable() and not _MARKUP.search(text)


@lru_cache(maxsize=1024)
def plain_text(markdown: str) -> str:
    """Return what a reader sees of one paragraph, on one line; marks of blocks are text."""
    line = " ".join(markdown.split())
    if is_plain(line):
        return line
    return unescape(_ELEMENT_TAG.sub("", to_html(escape_start(_safe(line))))).strip()


class _Quotations(BlockQuoteProcessor):
    """Quotations that end with a blank line, as elsewhere: a box behind one is another one."""

    def lastChild(self, parent: object) -> None:  # noqa: N802
        return None


# What normalised Markdown does not have, or has on purpose to be shown.
_UNUSED = (
    "reference", "image_link", "image_reference", "short_reference", "short_image_ref",
    "autolink", "automail", "linebreak", "html",
)  # fmt: skip


def _converter(*, links: bool) -> Markdown:
    return _converter_of(get_ident(), links=links).reset()


@lru_cache(maxsize=64)
def _converter_of(_thread: int, *, links: bool) -> Markdown:
    """Return a thread's converter: making one takes longer than most texts."""
    converter = Markdown(extensions=["tables", "fenced_code", "sane_lists"])
    converter.parser.blockprocessors.register(_Quotations(converter.parser), "quote", 20)
    converter.preprocessors.deregister("html_block")
    for name in _UNUSED if links else (*_UNUSED, "link"):
        converter.inlinePatterns.deregister(name)
    return converter


def to_html(markdown: str, *, links: bool = False) -> str:
    """Return the HTML of normalised Markdown.

    Args:
        links: whether the text has links, which are sponsored and open in a new tab.
    """
    return nh3.clean(
        _converter(links=links).convert(markdown),
        tags=_TAGS if links else _TAGS - {"a"},
        attributes={"a": {"href"}, "ol": {"start"}},
        link_rel="sponsored noopener",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https"},
    )


def tree(markdown: str) -> Element:
    """Return the elements that the HTML of normalised Markdown without links has.

    Entities are as they are written, and code has some in place of angle brackets.
    """
    converter = _converter(links=False)
    lines = markdown.split("\n")
    for preprocessor in converter.preprocessors:
        lines = preprocessor.run(lines)
    root = Element("div")
    converter.parser.parseChunk(root, "\n".join(lines))
    for name in ("inline", "unescape"):
        converter.treeprocessors[name].run(root)
    # Blocks of code are put in when the tree is written.
    for paragraph in root.iter("p"):
        if stored := HTML_PLACEHOLDER_RE.fullmatch(paragraph.text or ""):
            code = str(converter.htmlStash.rawHtmlBlocks[int(stored[1])])
            paragraph.tag, paragraph.text = "pre", _ELEMENT_TAG.sub("", code)
    return root
