"""A Markdown file as the desk reads it: its passages, and the place of each of their characters.

`markdown-it-py` knows the lines of every block, including tables and nested lists.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from app.core.checks.layout import Block, BlockKind, Entry, Layout
from app.core.checks.passage import Kind, Passage
from app.core.rendering.inline import bounded_inline
from app.core.text import Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n.*?\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ACTIVE = re.compile(r"<(?:script|style|iframe|object|embed)\b|\bon\w{3,20}\s{0,5}=", re.IGNORECASE)
# `<insert name>` and `<CITY>`: no elements of HTML, whose attributes without a value are few.
_NO_TAG = re.compile(
    r"<(?!(?:input|button|select|option|textarea|details|dialog|video|audio|script|iframe|ol|form|a)\b)"
    r"(?:[a-z]{2,20}(?: [a-z]{1,20}){1,6}|[A-Z]{3,20}(?: [A-Z]{1,20}){0,4}"
    r"|City|Name|Company|Date|Price|Product|Brand|Year|Number|Topic)>"
)
_FRONT_FIELD = re.compile(
    r"^(title|description):[ \t]{0,9}[\"']?([^\n]{1,300}?)[\"']?[ \t]{0,9}$", re.MULTILINE
)
_HTML_BLOCK = re.compile(
    r"<(?:(table)|(img|picture|svg|figure)|(video|audio|iframe|embed|object)|(a))\b",
    re.IGNORECASE,
)
_ID = re.compile(r"(?:\b(?:id|name)\s{0,3}=\s{0,3}[\"']?|\{#)([\w:.-]{1,80})")
_INDENTED_HEADING = re.compile(r"#{2,6} [A-ZÀ-Þ¿][^\n]{2,120}\n?")
_CELL_END = re.compile(r"(?<!\\)\|")
# "", "#", "https://", "http://http://www…", and words of a draft: INSERT-LINK, url
_NO_ADDRESS = re.compile(
    r"#?|[a-z]{3,5}:/*|(?:https?:/{0,2}){2,}.*|\.\.\."
    r"|(?=.*(?:insert|your|url|link|todo|tbd|xxx|placeholder))(?:(?:insert|add|your|the|link|url|address|page|site|website|domain|here|todo|tbd|xxx"
    r"|placeholder)(?:[-_]|%20)?){1,5}",
    re.IGNORECASE,
)
# Tags and comments of office, translation and publishing programs; no author types them.
_PROGRAM_TAG = re.compile(
    r"<(?:/?(?:(?:think(?:ing)?|scratchpad|reasoning|instructions?|prompt)>|bpt|ept|st1:|o:p|w:|v:)"
    r"|[gx] id=|ph (?:id|x)=|it (?:i|pos)=|font\b|!-- ?/?wp:"
    r"|[a-z]{1,10} [^<>]{0,200}(?:\bmso-|\bMso[A-Z]|data-(?:sheets|start|mce|pm-slice)))",
    re.IGNORECASE,
)
# A picture whose file nobody put in.
_NO_PICTURE = re.compile(
    r"(?:image|img|picture|photo|pic|file|path)?[-_/ ]?(?:placeholder|to[-_]come|todo|tbd|missing"
    r"|needed|here)\S{0,12}|(?:image[-_]?|img[-_]?|photo[-_]?|picture[-_]?)?(?:url|src|link|path)"
    r"|(?:path|link)/(?:to|of)/\S{0,40}|(?:file)?name\.(?:png|jpe?g|gif|webp)|#?|\.\.\.",
    re.IGNORECASE,
)
_UNSAFE_ADDRESS = re.compile(r"\s*(?:javascript|vbscript|data):", re.IGNORECASE)


@dataclass(frozen=True)
class Located:
    """A passage and its place in the file.

    ``starts`` pairs positions in the passage with positions in the file. ``whole`` marks running
    prose: a paragraph that is not in a list, table or quotation and does not introduce the next
    block.
    """

    passage: Passage
    starts: tuple[tuple[int, int], ...]
    whole: bool = False

    def offset(self, position: int) -> int:
        """Return the position in the file of a character of the passage."""
        index = max(0, bisect_right(self.starts, (position, 1 << 62)) - 1)
        inside, outside = self.starts[index]
        return outside + position - inside


@dataclass
class Document:
    """``source`` has \\n for every line end; ``active`` are the positions of scripts and frames,
    ``open_fences`` those of fences of code that are never closed, ``dead_links`` those of links
    without an address, ``program_tags`` those of tags that a program left. ``faults`` are the
    positions of broken blocks, each with what is wrong.

    ``blocks`` is the layout; the section of a block is the index of its text in ``places``.
    ``anchors`` are the places in the file that links lead to. ``front`` has the title and the
    description of the front matter. ``given_title`` is a title that is not in the file.
    """

    source: str
    given_title: str = ""
    title: str = ""
    headings: list[Located] = field(default_factory=list)
    passages: list[Located] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    open_fences: list[int] = field(default_factory=list)
    dead_links: list[int] = field(default_factory=list)
    program_tags: list[int] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    places: list[Located] = field(default_factory=list)
    front: dict[str, str] = field(default_factory=dict)
    has_links: bool = False
    anchors: list[tuple[str, str]] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        """The layout; its title is the given one, else a heading before any text, else that of the
        front matter."""
        first = self.blocks[0] if self.blocks and not self.given_title else None
        # Most pages begin with their title; a fragment may begin with any heading.
        heading = first if first and first.kind is BlockKind.HEADING else None
        return Layout(
            heading.text if heading else self.given_title or self.front.get("title", ""),
            self.front.get("description", ""),
            self.blocks,
            title_section=heading.section if heading else "0",
            in_file=True,
            has_links=self.has_links,
            anchors=self.anchors,
            ids=frozenset(_ID.findall(self.source)) if self.anchors else frozenset(),
        )

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a position, both counted from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def __post_init__(self) -> None:
        self._lines = [0, *(match.end() for match in re.finditer("\n", self.source))]

    def is_stray(self, offset: int) -> bool:
        """Return whether the fence at a position has no code: it is the last line, or it begins
        the text or the rest of it as Markdown."""
        line = self.position(offset)[0] - 1
        end = self._lines[line + 1] if line + 1 < len(self._lines) else len(self.source)
        said = self.source[offset:end].strip("`~ \n").lower()
        before = self.source[:offset].strip()
        return line == self.last_line[0] or not before or said in {"markdown", "md", "html", "text"}

    @cached_property
    def last_line(self) -> tuple[int, str]:
        """Return the number, from 0, and the text of the last line that is not blank."""
        written = self.source.rstrip()
        return written.count("\n"), written[written.rfind("\n") + 1 :]

    def line_start(self, line: int) -> int:
        return self._lines[min(line, len(self._lines) - 1)]


def read_document(text: str, title: str = "") -> Document:
    """Split a Markdown text into passages, without its front matter and code.

    Args:
        title: the title, if it is not in the text.
    """
    # Imported here: only files need it, not posts.
    from app.core.rendering.commonmark import MarkdownIt

    source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    document = Document(source, title, title)
    front = _FRONT_MATTER.match(source)
    # Blank lines in place of the front matter keep the line numbers.
    shown = "\n" * front.group().count("\n") + source[front.end() :] if front else source
    # Unless joined with the text around it, an escaped character keeps its markup.
    markdown = MarkdownIt("commonmark").enable("table").disable("text_join")
    markdown.core.ruler.at("inline", bounded_inline)
    if front:
        document.front.update(_FRONT_FIELD.findall(front.group()))
    # A place for findings about a title or a description that is in the front matter.
    document.places.append(
        Located(Passage("front matter", Kind.TITLE, "", in_file=True), ((0, 0),))
    )
    _Reader(document).read(markdown.parse(shown))
    return document


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.cursor = 0
        self.containers: list[str] = []
        self.heading = ""
        self.section = 0
        # The spans of code in the text that was read last.
        self.code: tuple[Span, ...] = ()
        self.lists: list[Block] = []
        self._level = 0

    def read(self, tokens: "Sequence[Token]") -> None:
        opened = ""
        for index, token in enumerate(tokens):
            start = self.document.line_start(token.map[0]) if token.map else self.cursor
            if token.nesting > 0:
                opened = token.type
                self.containers.append(token.type)
                if token.type == "list_item_open" and _has_two_signs(*tokens[index : index + 3]):
                    self.document.faults.append((start, "An item of a list begins with two signs."))
                self._open(token, start)
            elif token.nesting < 0:
                self.containers.pop()
                if token.type in {"bullet_list_close", "ordered_list_close"}:
                    self.lists.pop()
            elif token.type in {"fence", "code_block"}:
                self._content(BlockKind.CODE, token.content, start)
                if token.type == "code_block" and _INDENTED_HEADING.fullmatch(token.content):
                    problem = "A heading is indented, so that it is shown as code."
                    self.document.faults.append((start, problem))
                if token.type == "fence" and self._is_open(token):
                    self.document.open_fences.append(start)
            elif token.type == "inline":
                # After the inline token comes the end of its block, then the next block.
                following = tokens[index + 2].type if index + 2 < len(tokens) else ""
                is_cell = opened in {"th_open", "td_open"}
                start = max(start, self.cursor) if is_cell else start
                self._inline(token, start, opened, following)
            elif token.type == "html_block":
                self._html(token.content, start)

    def _inline(self, token: "Token", start: int, opened: str, following: str) -> None:
        end = self.document.line_start(token.map[1]) if token.map else 0
        text, starts = self._text(token.children or [], start, end or len(self.document.source))
        place = self._place(text, starts)
        self._layout(token, text, place, opened)
        if not text.strip():
            return
        self.cursor = starts[-1][1]
        if opened == "heading_open":
            if token.map and self.containers == ["heading_open"]:
                self.section += 1
                self.heading = text
            if not self.document.title:
                self.document.title = text
            passage = Passage(
                f"heading[{self.section}]", Kind.HEADING, text, in_file=True, code=self.code
            )
            self.document.headings.append(Located(passage, starts))
            return
        alone = self.containers == ["paragraph_open"]
        leads = text.rstrip().endswith((":", "：")) or following in {
            "bullet_list_open", "ordered_list_open", "fence", "code_block", "table_open",
            "blockquote_open", "html_block",
        }  # fmt: skip
        kind = Kind.PROSE if opened == "paragraph_open" else Kind.LABEL
        passage = Passage(
            f"section[{self.section}]", kind, text, self.heading, in_file=True, code=self.code
        )
        self.document.passages.append(Located(passage, starts, alone and not leads))

    def _text(
        self, children: "Sequence[Token]", start: int, end: int
    ) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the text of inline tokens and, for each run of it, its position."""
        source, cursor, length = self.document.source, start, 0
        code: list[Span] = []
        parts: list[str] = []
        starts: list[tuple[int, int]] = [(0, start)]
        for child in children:
            if child.type in {"softbreak", "hardbreak"}:
                content, written = "\n" if child.type == "hardbreak" else " ", "\n"
            elif child.type == "html_inline":
                self._html(child.content, cursor)
                is_shown = _NO_TAG.fullmatch(child.content) is not None
                content, written = child.content if is_shown else "", child.content
            elif child.type == "image":
                if _NO_PICTURE.fullmatch(str(child.attrs.get("src", ""))):
                    self.document.faults.append((cursor, "A picture has no file."))
                content, written = "", "!["
            elif child.type == "link_open":
                address = str(child.attrs.get("href", ""))
                if _UNSAFE_ADDRESS.match(address):
                    self.document.active.append(cursor)
                if _NO_ADDRESS.fullmatch(address):
                    self.document.dead_links.append(cursor)
                continue
            elif child.type == "text_special":
                content, written = child.content, child.markup
            elif child.type in {"text", "code_inline"}:
                content = written = child.content
            else:
                continue
            found = source.find(written, cursor, end) if written else cursor
            if found < 0:
                # Between lines the source may have indents or quotation marks.
                found = cursor
            if content:
                starts.append((length, found))
                if child.type == "code_inline":
                    code.append((length, length + len(content)))
                parts.append(content)
                length += len(content)
            cursor = max(cursor, min(found + len(written), end))
        self.code = tuple(code)
        return "".join(parts), tuple(starts[1:]) or ((0, start),)

    def _is_open(self, token: "Token") -> bool:
        """Return whether a fence is open at the end of the file, outside lists and quotations."""
        begin, end = token.map or (0, 0)
        last, line = self.document.last_line
        if self.containers or end <= last:
            return False
        return begin == last or token.markup not in line

    def _place(self, text: str, starts: tuple[tuple[int, int], ...]) -> str:
        """Return the name of a place, for findings about the layout."""
        passage = Passage(f"section[{self.section}]", Kind.PROSE, text, in_file=True)
        self.document.places.append(Located(passage, starts))
        return f"{len(self.document.places) - 1}"

    def _open(self, token: "Token", start: int) -> None:
        """Begin a list, an item, a table or a row."""
        blocks = self.document.blocks
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            found = Block(BlockKind.LIST, self._place("", ((0, start),)))
            if not self.lists:
                blocks.append(found)
            self.lists.append(found)
        elif token.type == "list_item_open":
            if token.info.isdecimal():
                self.lists[-1].numbers.append(int(token.info))
            self.lists[-1].items.append(Entry("", self._place("", ((0, start),))))
        elif token.type == "heading_open":
            self._level = int(token.tag[1])
        elif self.lists:
            return
        elif token.type == "table_open":
            blocks.append(Block(BlockKind.TABLE, self._place("", ((0, start),))))
        elif token.type == "tr_open" and blocks[-1].header and token.map:
            line = self.document.source[start : self.document.line_start(token.map[1])].strip()
            cells = len(_CELL_END.findall(line.removeprefix("|").removesuffix("|"))) + 1
            blocks[-1].rows.append([])
            blocks[-1].written.append(cells)

    def _content(self, kind: BlockKind, text: str, start: int) -> None:
        """Add a block without a passage; inside a list it belongs to the item."""
        if not self.lists:
            self.document.blocks.append(Block(kind, self._place("", ((0, start),)), text))
        elif items := self.lists[-1].items:
            items[-1] = items[-1]._replace(has_more=True)

    def _aside(self, kind: BlockKind, place: str) -> None:
        """Add a picture or such; before the list or table that it is in."""
        blocks = self.document.blocks
        inside = self.lists or {"th_open", "td_open"}.intersection(self.containers)
        blocks.insert(len(blocks) - 1 if inside else len(blocks), Block(kind, place))

    def _layout(self, token: "Token", text: str, place: str, opened: str) -> None:
        """Add an inline text to the layout."""
        blocks, children = self.document.blocks, token.children or []
        has_link = any(child.type == "link_open" for child in children)
        self.document.has_links |= has_link
        for child in children:
            address = str(child.attrGet("href") or "") if child.type == "link_open" else ""
            if address.startswith("#"):
                self.document.anchors.append((address[1:], place))
        if any(child.type == "image" for child in children):
            self._aside(BlockKind.IMAGE, place)
        if self.lists:
            self.lists[0].has_link |= has_link
            items = self.lists[-1].items
            last = items[-1]
            if last.text or len(self.lists) > 1:
                # A list inside an item belongs to that item.
                for outer in self.lists[:1] if len(self.lists) > 1 else self.lists:
                    outer.items[-1] = outer.items[-1]._replace(has_more=True)
            if not last.text:
                items[-1] = items[-1]._replace(text=text.strip(), section=place)
        elif opened in {"th_open", "td_open"}:
            blocks[-1].has_link |= has_link
            row = blocks[-1].rows[-1] if blocks[-1].rows else blocks[-1].header
            row.append(Entry(text.strip(), place))
        elif opened == "heading_open":
            level = self._level
            if text.strip() and self.containers == ["heading_open"]:
                blocks.append(Block(BlockKind.HEADING, place, text, level, has_link=has_link))
        elif text.strip():
            quoted = "blockquote_open" in self.containers
            kind = BlockKind.QUOTATION if quoted else BlockKind.PARAGRAPH
            blocks.append(Block(kind, place, text, has_link=has_link))

    def _html(self, content: str, start: int) -> None:
        for tag in _HTML_BLOCK.finditer(content):
            if tag[4]:
                self.document.has_links = True
            else:
                kind = (BlockKind.TABLE, BlockKind.IMAGE, BlockKind.MEDIA)[(tag.lastindex or 1) - 1]
                self._aside(kind, self._place("", ((0, start),)))
        if _PROGRAM_TAG.match(content):
            self.document.program_tags.append(start)
        if match := _ACTIVE.search(content):
            found = self.document.source.find(match.group(), start)
            self.document.active.append(max(found, start))


def _has_two_signs(item: "Token", inside: "Token", inner: "Token") -> bool:
    """Whether an item has nothing but a list on its line: `- - a`, `1. - a`, `4. 4. a`."""
    if inside.type not in {"bullet_list_open", "ordered_list_open"} or item.map is None:
        return False
    if inside.map is None or inside.map[0] != item.map[0]:
        return False
    # "1. 2. Bundesliga" has a number of its own.
    return item.info == inner.info or not (item.info and inner.info)


def prose(document: Document) -> Iterator[Located]:
    """Return the paragraphs, quotations and list items: text made of sentences."""
    return (located for located in document.passages if located.passage.kind is Kind.PROSE)
