"""Passages: every piece of text in a post that a reader or a search engine sees."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from app.core.rendering.block_edits import Leaf, leaves
from app.core.rendering.blocks import (
    BulletList,
    Code,
    Heading,
    NumberedList,
    Paragraph,
    Table,
    parse,
)
from app.core.schemas.post import Section, SectionType, SEOPost
from app.core.text import Span, word_count

_IN_ROW = re.compile(r"(.*\.(?:header|rows\[\d+\]))\[(\d+)\]")


class Kind(StrEnum):
    TITLE = "title"
    DESCRIPTION = "description"
    HEADING = "heading"
    PROSE = "prose"
    QUESTION = "question"
    ANSWER = "answer"
    LABEL = "label"
    ITEM = "item"
    CELL = "cell"
    CODE = "code"


_PROSE = frozenset({Kind.PROSE, Kind.ANSWER, Kind.DESCRIPTION, Kind.ITEM})


@dataclass(frozen=True)
class Passage:
    """A piece of text, without markup.

    ``section`` is its path in the post, ``heading`` the heading above it. ``in_file`` marks a
    passage of a Markdown file, which may have links, code and notes of its own. ``about`` says what
    an item or a cell is about: the item above it, or the header of its column and the first cell of
    its row. ``leads`` marks a paragraph that introduces the list, table or code below it. ``code``
    are the spans of code. ``asked_for`` are the words of another script that the keywords have.
    """

    section: str
    kind: Kind
    text: str
    heading: str = ""
    in_file: bool = False
    about: str = ""
    leads: bool = False
    code: tuple[Span, ...] = ()
    asked_for: frozenset[str] = frozenset()

    @property
    def is_prose(self) -> bool:
        """Whether the passage consists of sentences; items often do."""
        return self.kind in _PROSE

    @property
    def text_without_code(self) -> str:
        """The text with an x for each character of code."""
        if not self.code:
            return self.text
        parts, at = [], 0
        for begin, end in self.code:
            parts += [self.text[at:begin], "x" * (end - begin)]
            at = end
        return "".join([*parts, self.text[at:]])

    @property
    def row(self) -> str:
        """The path of the row that a cell is in; "" for other texts."""
        return match[1] if (match := self._in_row) else ""

    @property
    def is_header(self) -> bool:
        """Whether it is the name of a column."""
        return self.row.endswith(".header")

    @property
    def column(self) -> int:
        """The column of a cell, from 0."""
        return int(match[2]) if (match := self._in_row) else 0

    @property
    def _in_row(self) -> re.Match[str] | None:
        return _IN_ROW.fullmatch(self.section) if self.kind is Kind.CELL else None

    @property
    def part(self) -> str:
        """The path of the section, callout or FAQ that the passage belongs to."""
        return self.section.partition(".blocks[")[0].removesuffix(".heading")


def passages(post: SEOPost) -> Iterator[Passage]:
    """Yield the passages of a post in reading order; its conclusion, stored twice, comes once."""
    yield Passage("title", Kind.TITLE, post.title)
    yield Passage("meta.description", Kind.DESCRIPTION, post.meta.description)
    for index, section in enumerate(post.sections):
        path = f"sections[{index}]"
        if section.heading:
            yield Passage(f"{path}.heading", Kind.HEADING, section.heading)
        if section.callout:
            yield Passage(f"{path}.callout.label", Kind.LABEL, section.callout.label)
            yield Passage(f"{path}.callout.text", Kind.PROSE, section.callout.text)
        if section.type is SectionType.FAQ:
            for number, faq in enumerate(post.faqs):
                yield Passage(f"faqs[{number}].question", Kind.QUESTION, faq.question)
                yield Passage(f"faqs[{number}].answer", Kind.ANSWER, faq.answer, faq.question)
        elif section.type is not SectionType.CALLOUT:
            yield from _of_blocks(path, section)


def _of_blocks(path: str, section: Section) -> Iterator[Passage]:
    """Yield a passage for each text of a section's blocks.

    A section of one paragraph has no further path.
    """
    blocks, heading = parse(section.content_markdown), section.heading or ""
    if len(blocks) < 2 and all(isinstance(block, Paragraph) for block in blocks):
        leaf = next(leaves(blocks), None)
        text, code = (leaf.text, leaf.code) if leaf else ("", ())
        yield Passage(path, Kind.PROSE, text, heading, code=code)
        return
    for leaf in leaves(blocks):
        kind, at = _kind(leaf), f"{path}.{leaf.path}"
        above = "" if kind is Kind.HEADING else heading
        yield Passage(
            at, kind, leaf.text, above, about=leaf.about, leads=leaf.leads, code=leaf.code
        )
        if kind is Kind.HEADING:
            heading = leaf.text


def _kind(leaf: Leaf) -> Kind:
    match leaf.block:
        case BulletList() | NumberedList():
            return Kind.ITEM
        case Table():
            return Kind.CELL
        case Code():
            return Kind.CODE
        case Heading():
            return Kind.HEADING
        case _:
            return Kind.PROSE


_PLACE = re.compile(r"sections\[(\d+)\](?:\.(blocks\[\d+\].*))?")


def block_place(section: str) -> tuple[int, str] | None:
    """Return the number of a section and the path of a text among its blocks, for `edit_text`.

    ``section`` is the path of a finding; None if it is outside of the text of a section.
    """
    match = _PLACE.fullmatch(section)
    return (int(match[1]), match[2] or "blocks[0]") if match else None


def by_part(everything: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Yield the passages of each section together, with its heading."""
    return (list(group) for _, group in groupby(everything, key=lambda passage: passage.part))


def reading_text(post: SEOPost) -> Iterator[Passage]:
    """Return the passages that count as words of the post: everything below the title."""
    return (each for each in passages(post) if each.kind not in {Kind.TITLE, Kind.DESCRIPTION})


def post_words(post: SEOPost) -> int:
    """Return the number of words in a post's headings, blocks, callouts and FAQs."""
    return sum(word_count(passage.text) for passage in reading_text(post))


def text_of(post: SEOPost) -> str:
    """Return what a reader sees: title, headings, sections, questions and answers."""
    return "\n".join(p.text for p in passages(post) if p.kind is not Kind.DESCRIPTION)


_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a text, each with its start position."""
    text = text.rstrip()
    begin = 0
    ends = (match.span() for match in _BLANK_LINE.finditer(text))
    for end, after in [*ends, (len(text), len(text))]:
        if paragraph := text[begin:end].lstrip():
            yield end - len(paragraph), paragraph
        begin = after
