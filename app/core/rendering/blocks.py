"""The text of a section as typed blocks, and their Markdown and HTML.

One parse serves the checks, both representations and the revision. Links, images, HTML and headings
of level 1 and 2 stay as shown text, so nothing in a text becomes active.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape as escape_html
from typing import TYPE_CHECKING, TypeVar

from app.core.rendering.inline import (
    NOT_READ,
    Run,
    Text,
    bounded_inline,
    inline_html,
    inline_markdown,
    joined,
    plain_text,
    read_inline,
)
from app.core.rendering.plain_markdown import DROPPED

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: Text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section; only the renderer makes headings of level 2."""

    text: Text
    level: int = 3


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list and, on the first level, the list below it."""

    text: Text
    children: "BulletList | NumberedList | None" = None


@dataclass(frozen=True, slots=True)
class BulletList:
    """A list without order, of at most two levels."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class NumberedList:
    """A list in order, such as steps; ``start`` is the number of the first item, 0 to 99."""

    items: tuple[Item, ...]
    start: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table; each row has as many cells as the header."""

    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation of one paragraph."""

    text: Text


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of code, shown as they are."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the page, which only the renderer makes."""


@dataclass(frozen=True, slots=True)
class LinkPlaceholder:
    """A paragraph for a link to a related page of the site, which only the renderer makes."""

    words: str


List = BulletList | NumberedList
Block = Paragraph | Heading | BulletList | NumberedList | Table | Quotation | Code
PageBlock = Block | Rule | LinkPlaceholder
Blocks = tuple[Block, ...]
B = TypeVar("B", bound=PageBlock)

_LONG_NUMBER = re.compile(r"\d{3}")
_LARGE_HEADING = re.compile(r"#{1,2}(?!#)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_BACKTICKS = re.compile(r"`{3,}")
# Blocks that are deeper inside each other are skipped by the parser.
_MOST_NESTED = 20


# --- reading


@lru_cache(maxsize=512)
def parse(markdown: str) -> Blocks:
    """Return the blocks of a section's Markdown (CommonMark with tables).

    Quotations and items keep only their text: further blocks inside them are joined to it, and
    deeper lists to the second level. Code below the text of an item stands between two lists:
    editors of sites have no code inside of items. Headings of levels 4 to 6 become level 3.
    Control characters become U+FFFD, which the checks reject.
    """
    source = markdown.replace("\r\n", "\n").replace("\r", "\n")
    source = DROPPED.sub("\N{REPLACEMENT CHARACTER}", source)
    return tuple(together(_Reader(_parser().parse(source)).blocks()))


@cache
def _parser() -> "MarkdownIt":
    # Imported here: most commands read no Markdown.
    from markdown_it.rules_block import heading, list_block

    from app.core.rendering.commonmark import MarkdownIt

    def begins(state: "StateBlock", line: int, pattern: re.Pattern[str]) -> bool:
        return pattern.match(state.src, state.bMarks[line] + state.tShift[line]) is not None

    def read_heading(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        return not begins(state, start, _LARGE_HEADING) and heading(state, start, end, silent)

    def read_list(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        # A paragraph may begin with a year.
        return not begins(state, start, _LONG_NUMBER) and list_block(state, start, end, silent)

    markdown = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTED}).enable("table")
    markdown.disable([*NOT_READ, "html_block", "reference", "code", "lheading"])
    interrupted = ["paragraph", "reference", "blockquote"]
    markdown.block.ruler.at("heading", read_heading, {"alt": interrupted})
    markdown.block.ruler.at("list", read_list, {"alt": interrupted})
    markdown.core.ruler.at("inline", bounded_inline)
    return markdown


class _Reader:
    def __init__(self, tokens: "Sequence[Token]") -> None:
        self._tokens, self._at = tokens, 0

    def blocks(self, end: str = "") -> Iterator[Block]:
        """Yield the blocks up to a closing token, or all of them."""
        while self._at < len(self._tokens):
            token = self._next()
            if token.type == end:
                return
            if token.type == "inline":
                if text := read_inline(token):
                    yield Paragraph(text)
            elif token.type == "heading_open":
                for block in self.blocks("heading_close"):
                    yield Heading(_text_of(block))
            elif token.type == "bullet_list_open":
                yield from self._list("bullet_list_close")
            elif token.type == "ordered_list_open":
                yield from self._list("ordered_list_close", int(token.attrs.get("start", 1)))
            elif token.type == "table_open":
                header, *rows = self._rows()
                yield Table(header, tuple(rows))
            elif token.type == "blockquote_open":
                if text := joined(map(_text_of, self.blocks("blockquote_close"))):
                    yield Quotation(text)
            elif token.type == "fence":
                if code := token.content.strip("\n").rstrip():
                    language = _LANGUAGE.match(token.info.strip())
                    yield Code(code, language.group() if language else "")
            elif token.type == "hr":
                yield Paragraph(plain_text(token.markup[0] * 3))

    def _next(self) -> "Token":
        self._at += 1
        return self._tokens[self._at - 1]

    def _list(self, end: str, start: int | None = None) -> Iterator[Block]:
        """Yield a list, which goes on behind the code of an item; without a start, it is one of
        bullets."""
        items: list[Item] = []
        is_over = False
        while not is_over:
            is_over = self._next().type == end
            blocks = [] if is_over else list(self.blocks("list_item_close"))
            ends = [at for at, block in enumerate(blocks) if at and isinstance(block, Code)]
            own = blocks[: ends[0]] if ends else blocks
            items += _item(own)
            if items and (is_over or ends):
                listed = tuple(items)
                yield BulletList(listed) if start is None else NumberedList(listed, start)
                yield from blocks[len(own) :]
                start = None if start is None else start + len(items)
                items = []

    def _rows(self) -> list[tuple[Text, ...]]:
        rows: list[list[Text]] = []
        while (token := self._next()).type != "table_close":
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(read_inline(token))
        return [tuple(row) for row in rows]


def _item(blocks: list[Block]) -> Iterator[Item]:
    lists = [block for block in blocks if isinstance(block, List)]
    text = joined(_text_of(block) for block in blocks if not isinstance(block, List))
    children = tuple(Item(item.text) for each in lists for item in _flat(each))
    if not text:
        yield from children
    elif not children:
        yield Item(text)
    elif isinstance(lists[0], NumberedList):
        # A number other than 1 would not begin a list below a line of text.
        yield Item(text, NumberedList(children))
    else:
        yield Item(text, BulletList(children))


def _flat(block: List) -> Iterator[Item]:
    for item in block.items:
        yield item
        yield from _flat(item.children) if item.children else ()


def _text_of(block: Block) -> Text:
    """Return all text of a block as one line."""
    match block:
        case Code():
            return (Run(" ".join(block.text.split()), code=True),)
        case BulletList() | NumberedList():
            return joined(item.text for item in _flat(block))
        case Table():
            return joined(cell for row in (block.header, *block.rows) for cell in row)
        case _:
            return block.text


def together(blocks: Iterable[B]) -> Iterator[B]:
    """Join lists of the same kind that follow each other, as converters do."""
    before: B | None = None
    for block in blocks:
        if isinstance(before, List) and isinstance(block, List) and type(before) is type(block):
            before = replace(before, items=(*before.items, *block.items))
            continue
        if before is not None:
            yield before
        before = block
    if before is not None:
        yield before


# --- writing


def to_markdown(blocks: Sequence[PageBlock]) -> str:
    """Return the Markdown of blocks, without a line break at its end."""
    return "\n\n".join(map(_markdown, blocks))


def _markdown(block: PageBlock) -> str:
    match block:
        case Paragraph():
            return inline_markdown(block.text)
        case Heading():
            return f"{'#' * block.level} {inline_markdown(block.text)}"
        case BulletList() | NumberedList():
            return "\n".join(_list_lines(block))
        case Table():
            rows = [_row_markdown(row) for row in (block.header, *block.rows)]
            rows.insert(1, f"|{' --- |' * len(block.header)}")
            return "\n".join(rows)
        case Quotation():
            return f"> {inline_markdown(block.text)}"
        case Code():
            longest = max((len(run) for run in _BACKTICKS.findall(block.text)), default=2)
            fence = "`" * (longest + 1)
            return f"{fence}{block.language}\n{block.text}\n{fence}"
        case Rule():
            return "---"
        case LinkPlaceholder():
            return f"[[internal-link: {inline_markdown(plain_text(block.words))}]]"


def _list_lines(block: List) -> Iterator[str]:
    number = block.start if isinstance(block, NumberedList) else None
    for item in block.items:
        marker = "-" if number is None else f"{number}."
        yield f"{marker} {inline_markdown(item.text)}"
        # Some converters read fewer than four spaces as the same level.
        indent = " " * max(4, len(marker) + 1)
        for line in _list_lines(item.children) if item.children else ():
            yield f"{indent}{line}"
        number = None if number is None else number + 1


def _row_markdown(row: Sequence[Text]) -> str:
    cells = (inline_markdown(cell, line_start=False).replace("|", "\\|") for cell in row)
    return f"| {' | '.join(cells)} |"


def to_html(blocks: Sequence[PageBlock]) -> str:
    """Return the HTML of blocks: the page that a CommonMark converter makes of their Markdown."""
    return "\n".join(map(_html, blocks))


def _html(block: PageBlock) -> str:
    match block:
        case Paragraph():
            return f"<p>{inline_html(block.text)}</p>"
        case Heading():
            return f"<h{block.level}>{inline_html(block.text)}</h{block.level}>"
        case BulletList() | NumberedList():
            return _list_html(block)
        case Table():
            header = _row_html(block.header, "th")
            rows = "".join(_row_html(row, "td") for row in block.rows)
            body = f"<tbody>\n{rows}</tbody>\n" if rows else ""
            return f"<table>\n<thead>\n{header}</thead>\n{body}</table>"
        case Quotation():
            return f"<blockquote>\n<p>{inline_html(block.text)}</p>\n</blockquote>"
        case Code():
            return f"<pre><code>{escape_html(block.text, quote=False)}\n</code></pre>"
        case Rule():
            return "<hr>"
        case LinkPlaceholder():
            shown = inline_html(plain_text(block.words))
            return f"<p>[[internal-link: {shown}]]</p>"


def _list_html(block: List) -> str:
    tag, attributes = "ul", ""
    if isinstance(block, NumberedList):
        tag, attributes = "ol", f' start="{block.start}"' if block.start != 1 else ""
    items = "".join(f"<li>{_item_html(item)}</li>\n" for item in block.items)
    return f"<{tag}{attributes}>\n{items}</{tag}>"


def _item_html(item: Item) -> str:
    text = inline_html(item.text)
    return f"{text}\n{_list_html(item.children)}\n" if item.children else text


def _row_html(row: Sequence[Text], tag: str) -> str:
    cells = "".join(f"<{tag}>{inline_html(cell)}</{tag}>\n" for cell in row)
    return f"<tr>\n{cells}</tr>\n"
