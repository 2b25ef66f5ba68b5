"""The layout of a text: its headings, paragraphs, lists, tables and questions in reading order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from app.core.rendering.block_edits import leaves
from app.core.rendering.blocks import (
    BulletList,
    Code,
    Heading,
    NumberedList,
    Quotation,
    Table,
    parse,
)
from app.core.rendering.inline import plain
from app.core.schemas.post import Section, SectionType, SEOPost

_SECTION_LEVEL = 2
_MARKER = re.compile(r"(\d{1,3})[.)](?=\s|$)")


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTATION = "quotation"
    QUESTION = "question"
    ANSWER = "answer"
    IMAGE = "image"
    MEDIA = "media"


class Entry(NamedTuple):
    """An item of a list or a cell of a table; ``section`` is the path that a finding names.

    ``has_more`` says that the item has more than the text: a list, code or further paragraphs.
    """

    text: str
    section: str
    has_more: bool = False


@dataclass(slots=True)
class Block:
    """One block of a text; ``section`` is the path that a finding about it names.

    ``level`` is that of a heading, 1 to 6. A heading without text only ends a section, as the
    conclusion of a post does. ``numbers`` are those written before the items of a numbered list.
    ``rows`` are the rows of a table below its header; ``written`` counts the cells of each one as
    they are written. ``has_link`` marks a block with a link.
    """

    kind: BlockKind
    section: str
    text: str = ""
    level: int = 0
    items: list[Entry] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    header: list[Entry] = field(default_factory=list)
    rows: list[list[Entry]] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    has_link: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A heading, the blocks right below it, and those up to the next heading of its level.

    The heading of the text before the first one is None.
    """

    heading: Block | None
    own: tuple[Block, ...]
    all: tuple[Block, ...]

    @property
    def subheadings(self) -> list[Block]:
        return [block for block in self.all if block.kind is BlockKind.HEADING and block.text]


class Written(NamedTuple):
    """A text, the path that a finding names, and the index of its block."""

    text: str
    section: str
    at: int


@dataclass
class Layout:
    """The title, the description and the blocks of a text; both may be empty.

    The title of a file is also its first block. ``has_links`` says that the text has a link
    somewhere. ``anchors`` are the places inside the text that links lead to, each with the path
    that a finding names, and ``ids`` the places that have a name of their own.
    """

    title: str
    description: str
    blocks: list[Block]
    title_section: str = "title"
    in_file: bool = False
    has_links: bool = False
    anchors: Sequence[tuple[str, str]] = ()
    ids: frozenset[str] = frozenset()

    @cached_property
    def kinds(self) -> frozenset[BlockKind]:
        return frozenset(block.kind for block in self.blocks)

    @cached_property
    def headings(self) -> list[Block]:
        """The headings that have text."""
        return [each for each in self.blocks if each.kind is BlockKind.HEADING and each.text]

    @cached_property
    def section_headings(self) -> list[Block]:
        """The headings without the title of a file."""
        has_title = self.blocks and self.blocks[0].section == self.title_section
        return self.headings[1:] if has_title else self.headings

    @cached_property
    def texts(self) -> list[Written]:
        """Paragraphs, items, quotations, questions and answers in reading order."""
        return list(self._texts())

    def _texts(self) -> Iterator[Written]:
        for at, block in enumerate(self.blocks):
            if block.kind is BlockKind.LIST:
                yield from (Written(item.text, item.section, at) for item in block.items)
            elif block.kind is BlockKind.TABLE:
                for row in (block.header, *block.rows):
                    yield from (Written(cell.text, cell.section, at) for cell in row)
            elif block.text and block.kind not in {BlockKind.HEADING, BlockKind.CODE}:
                yield Written(block.text, block.section, at)

    @cached_property
    def parts(self) -> list[Part]:
        """The text before the first heading, then a part for each heading."""
        heads = [n for n, each in enumerate(self.blocks) if each.kind is BlockKind.HEADING]
        first = heads[0] if heads else len(self.blocks)
        before = tuple(self.blocks[:first])
        parts = [Part(None, before, before)]
        ends = self._ends(heads)
        for index, at in enumerate(heads):
            own = heads[index + 1] if index + 1 < len(heads) else len(self.blocks)
            # At most six levels: each block is in at most six parts.
            all_ = tuple(self.blocks[at + 1 : ends[at]])
            parts.append(Part(self.blocks[at], tuple(self.blocks[at + 1 : own]), all_))
        return parts

    def _ends(self, heads: list[int]) -> dict[int, int]:
        """For each heading, where the next one of its level or above stands."""
        ends: dict[int, int] = {}
        open_: list[int] = []
        for at in heads:
            while open_ and self.blocks[open_[-1]].level >= self.blocks[at].level:
                ends[open_.pop()] = at
            open_.append(at)
        return ends | dict.fromkeys(open_, len(self.blocks))

    @cached_property
    def introduction(self) -> tuple[Block, ...]:
        """The blocks before the first heading; in a file, those below its title."""
        if not self.blocks:
            return ()
        before = self.parts[0].own
        if not before and len(self.parts) > 1 and self.blocks[0].section == self.title_section:
            return self.parts[1].own
        return before

    @cached_property
    def questions(self) -> list[tuple[str, str, Block]]:
        """Each question, the path of it, and the block that answers it."""
        found = []
        for part in self.parts:
            heading = part.heading
            if heading and heading.text.rstrip(" *_”\"'").endswith(("?", "？")) and part.own:
                found.append((heading.text, heading.section, part.own[0]))
        for one, two in zip(self.blocks, self.blocks[1:], strict=False):
            if one.kind is BlockKind.QUESTION and two.kind is BlockKind.ANSWER:
                found.append((one.text, one.section, two))
        return found


def layout_of(post: SEOPost) -> Layout:
    """Return the layout of a post."""
    blocks: list[Block] = []
    for index, section in enumerate(post.sections):
        path = f"sections[{index}]"
        if section.heading:
            blocks.append(
                Block(BlockKind.HEADING, f"{path}.heading", section.heading, _SECTION_LEVEL)
            )
        elif section.type is SectionType.CONCLUSION:
            blocks.append(Block(BlockKind.HEADING, path, "", _SECTION_LEVEL))
        if section.callout:
            text = f"{section.callout.label}: {section.callout.text}"
            blocks.append(Block(BlockKind.QUOTATION, f"{path}.callout.text", text))
        if section.type is SectionType.FAQ:
            for number, faq in enumerate(post.faqs):
                at = f"faqs[{number}]"
                blocks.append(Block(BlockKind.QUESTION, f"{at}.question", faq.question))
                blocks.append(Block(BlockKind.ANSWER, f"{at}.answer", faq.answer))
        elif section.type is not SectionType.CALLOUT:
            blocks += _blocks_of(path, section)
    return Layout(post.title, post.meta.description, blocks)


def _blocks_of(path: str, section: Section) -> Iterator[Block]:
    parsed = parse(section.content_markdown)
    alone = len(parsed) < 2
    for number, block in enumerate(parsed):
        at = f"{path}.blocks[{number}]"
        match block:
            case BulletList() | NumberedList():
                items = [
                    Entry(plain(item.text), f"{at}.items[{index}]", item.children is not None)
                    for index, item in enumerate(block.items)
                ]
                numbers = []
                if isinstance(block, NumberedList):
                    numbers = _written_numbers(section.content_markdown, len(items))
                    numbers = numbers or [block.start + n for n in range(len(items))]
                yield Block(BlockKind.LIST, at, items=items, numbers=numbers)
            case Table():
                cells = {leaf.path: leaf.text for leaf in leaves((block,))}
                header, *rows = (
                    [
                        Entry(cells.get(f"blocks[0].{row}[{column}]", ""), f"{at}.{row}[{column}]")
                        for column in range(len(block.header))
                    ]
                    for row in ("header", *(f"rows[{n}]" for n in range(len(block.rows))))
                )
                written = [len(row) for row in rows]
                yield Block(BlockKind.TABLE, at, header=header, rows=rows, written=written)
            case Code():
                yield Block(BlockKind.CODE, at, block.text)
            case Heading():
                yield Block(BlockKind.HEADING, at, plain(block.text), block.level)
            case Quotation():
                yield Block(BlockKind.QUOTATION, at, plain(block.text))
            case _:
                yield Block(BlockKind.PARAGRAPH, path if alone else at, plain(block.text))


def _written_numbers(markdown: str, items: int) -> list[int]:
    """The numbers before the items of the only numbered list of a text, as they are written."""
    found = [int(match[1]) for line in markdown.split("\n") if (match := _MARKER.match(line))]
    return found if len(found) == items else []
