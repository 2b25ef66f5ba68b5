"""A Markdown file as the desk sees it: its passages, and where each of their characters stands.

`markdown-it-py` says on which lines a block is, for every block, tables and nested lists included;
the `markdown` library, which renders our posts, knows no positions at all.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.core.quality.passage import Kind, Passage

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n.*?\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ACTIVE = re.compile(r"<(?:script|style|iframe|object|embed)\b|\bon\w{3,20}\s{0,5}=", re.IGNORECASE)
_UNSAFE_ADDRESS = re.compile(r"\s*(?:javascript|vbscript|data):", re.IGNORECASE)


@dataclass(frozen=True)
class Located:
    """A passage and, piece by piece, where its text begins in the file.

    ``whole`` says that it is running prose: a paragraph by itself, not the item of a list, the
    cell of a table or a line that leads to what follows it.
    """

    passage: Passage
    starts: tuple[tuple[int, int], ...]
    whole: bool = False

    def offset(self, position: int) -> int:
        """The place in the file of a character of the passage."""
        index = max(0, bisect_right(self.starts, (position, 1 << 62)) - 1)
        inside, outside = self.starts[index]
        return outside + position - inside


@dataclass
class Document:
    """``source`` has \\n for every line end; ``active`` are places of scripts and their like."""

    source: str
    title: str = ""
    headings: list[Located] = field(default_factory=list)
    passages: list[Located] = field(default_factory=list)
    active: list[int] = field(default_factory=list)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place, both from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def __post_init__(self) -> None:
        self._lines = [0, *(match.end() for match in re.finditer("\n", self.source))]

    def line_start(self, line: int) -> int:
        return self._lines[min(line, len(self._lines) - 1)]


def read_document(text: str) -> Document:
    """Take a Markdown text apart; what stands in front matter and in code is left out."""
    source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    document = Document(source)
    front = _FRONT_MATTER.match(source)
    # Blank lines in its place keep every line number as it is.
    shown = "\n" * front.group().count("\n") + source[front.end() :] if front else source
    # Not joined with the text around it, what is escaped in the file says so.
    tokens = MarkdownIt("commonmark").enable("table").disable("text_join").parse(shown)
    _Reader(document, tokens).read()
    return document


class _Reader:
    def __init__(self, document: Document, tokens: Sequence[Token]) -> None:
        self.document = document
        self.tokens = tokens
        self.cursor = 0
        self.containers: list[str] = []
        self.heading = ""
        self.section = 0

    def read(self) -> None:
        opened = ""
        for index, token in enumerate(self.tokens):
            if token.nesting > 0:
                opened = token.type
                self.containers.append(token.type)
            elif token.nesting < 0:
                self.containers.pop()
            elif token.type == "inline":
                self._inline(token, opened, self._next_block(index))
            elif token.type == "html_block":
                self._html(token.content, self._start(token))

    def _start(self, token: Token) -> int:
        return self.document.line_start(token.map[0]) if token.map else self.cursor

    def _next_block(self, index: int) -> str:
        """The type of what follows the block that an inline token is the text of."""
        following = self.tokens[index + 2 : index + 3]
        return following[0].type if following else ""

    def _inline(self, token: Token, opened: str, following: str) -> None:
        start = max(self._start(token), self.cursor)
        end = self.document.line_start(token.map[1]) if token.map else len(self.document.source)
        if opened not in {"th_open", "td_open"}:
            start = self._start(token)
        text, starts = self._text(token.children or [], start, end or len(self.document.source))
        if not text.strip():
            return
        self.cursor = starts[-1][1]
        if opened == "heading_open":
            if token.map and self.containers == ["heading_open"]:
                self.section += 1
                self.heading = text
            located = Located(Passage(f"heading[{self.section}]", Kind.HEADING, text), starts)
            if not self.document.title and not self.document.headings:
                self.document.title = text
            self.document.headings.append(located)
            return
        alone = self.containers == ["paragraph_open"]
        leads = text.rstrip().endswith((":", "：")) or following in {
            "bullet_list_open", "ordered_list_open", "fence", "code_block", "table_open",
            "blockquote_open", "html_block",
        }  # fmt: skip
        kind = Kind.PROSE if opened == "paragraph_open" else Kind.LABEL
        passage = Passage(f"section[{self.section}]", kind, text, self.heading)
        self.document.passages.append(Located(passage, starts, alone and not leads))

    def _text(
        self, children: Sequence[Token], start: int, end: int
    ) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The words of inline tokens, and for each run of them its place."""
        source, cursor, length = self.document.source, start, 0
        parts: list[str] = []
        starts: list[tuple[int, int]] = [(0, start)]
        for child in children:
            if child.type in {"softbreak", "hardbreak"}:
                content, written = "\n" if child.type == "hardbreak" else " ", "\n"
            elif child.type == "html_inline":
                self._html(child.content, cursor)
                content, written = "", child.content
            elif child.type == "image":
                content, written = "", "!["
            elif child.type == "link_open":
                if _UNSAFE_ADDRESS.match(str(child.attrs.get("href", ""))):
                    self.document.active.append(cursor)
                continue
            elif child.type in {"text", "code_inline", "text_special"}:
                content, written = child.content, child.content
                if child.type == "text_special":
                    written = child.markup
            else:
                continue
            found = source.find(written, cursor, end) if written else cursor
            if found < 0:
                # Across lines the source may hold indents or the marks of a quotation.
                found = cursor
            if content:
                starts.append((length, found))
                parts.append(content)
                length += len(content)
            cursor = max(cursor, min(found + len(written), end))
        return "".join(parts), tuple(starts[1:]) or ((0, start),)

    def _html(self, content: str, start: int) -> None:
        if match := _ACTIVE.search(content):
            found = self.document.source.find(match.group(), start)
            self.document.active.append(max(found, start))


def prose(document: Document) -> Iterator[Located]:
    """The paragraphs, quotations and items of lists: what is made of sentences."""
    return (located for located in document.passages if located.passage.kind is Kind.PROSE)
