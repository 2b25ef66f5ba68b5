"""The texts of a post or a Markdown file, in reading order and without markup.

They are those of the tree of HTML that the text becomes, so that rules see what readers see.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from html import unescape
from itertools import groupby, islice
from xml.etree.ElementTree import Element

from app.core.schemas.post import SectionType, SEOPost
from app.rendering.escape import escape_start
from app.rendering.markdown import is_plain, normalise, tree
from app.rules.words import word_count

# Text in quotation marks. German marks may also point inwards, and some close as they open.
QUOTED = re.compile(
    r"“[^”“]{1,1000}[”“]|„[^“”„]{1,1000}[“”]|«[^»«]{1,1000}»|»[^»«]{1,1000}«|\"[^\"]{1,1000}\""
)

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*")


class Kind(StrEnum):
    """What a passage is. Titles, questions and labels are headings, answers are prose."""

    HEADING = "heading"
    PROSE = "prose"
    ITEM = "item"
    CELL = "cell"
    QUOTATION = "quotation"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, heading, list item, table cell or block of code.

    ``section`` is its path in the post, and ``text`` what readers see, on one line. ``written`` is
    the text without its code and with its line breaks, HTML entities and escaped stars.
    """

    section: str
    kind: Kind
    text: str
    written: str

    @property
    def without_code(self) -> str:
        """What readers see, without code."""
        return unescape(self.written).replace("\\*", "*").replace("\n", " ")


def passages(post: SEOPost) -> list[Passage]:
    """Return the passages of a post; its conclusion, stored twice, comes once."""
    found = [
        *_plain("title", Kind.HEADING, post.title),
        *_plain("meta.description", Kind.PROSE, post.meta.description),
    ]
    for index, section in enumerate(post.sections):
        path = f"sections[{index}]"
        found += _plain(f"{path}.heading", Kind.HEADING, section.heading or "")
        if section.callout:
            found += _plain(path, Kind.HEADING, section.callout.label)
            found += _plain(path, Kind.PROSE, section.callout.text)
        if section.type is SectionType.FAQ:
            for number, faq in enumerate(post.faqs):
                found += _plain(f"faqs[{number}].question", Kind.HEADING, faq.question)
                found += _plain(f"faqs[{number}].answer", Kind.PROSE, faq.answer)
        elif section.type is SectionType.CONCLUSION:
            found += _plain("conclusion", Kind.PROSE, post.conclusion)
        else:
            found += (Passage(path, *block) for block in blocks(section.content_markdown))
    return found


def post_words(post: SEOPost) -> int:
    """Return the number of words in a post's headings, sections, callouts and FAQs."""
    return words_of(passages(post))


def words_of(texts: Iterable[Passage]) -> int:
    """Return the number of words in the passages of a post, title and description aside."""
    head = {"title", "meta.description"}
    return sum(word_count(each.text) for each in texts if each.section not in head)


def text_of(post: SEOPost) -> str:
    """Return what a reader sees: title, headings, sections, questions and answers."""
    return "\n".join(each.text for each in passages(post) if each.section != "meta.description")


def _plain(section: str, kind: Kind, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a text that has no Markdown."""
    for match in _PARAGRAPH.finditer(text):
        yield Passage(section, kind, match.group().rstrip(), match.group())


_KINDS = {"li": Kind.ITEM, "td": Kind.CELL, "th": Kind.CELL, "h2": Kind.HEADING, "h3": Kind.HEADING}
_BLOCKS = {"blockquote", "ol", "p", "pre", "table", "tbody", "thead", "tr", "ul", *_KINDS}


# What stays as it is written: entities, and what normalised Markdown escapes. Python-Markdown takes
# quadratic time in their number, so control characters stand for them meanwhile.
_AS_WRITTEN = {
    "\\\\": "\\",
    "&lt;": "<",
    "\\[": "[",
    "\\`": "`",
    "\\|": "|",
    "\\*": "\\*",
    "&": "&",
}
_MARKS = {sign: chr(0x10 + number) for number, sign in enumerate(_AS_WRITTEN)}
_WRITTEN = str.maketrans({mark: _AS_WRITTEN[sign] for sign, mark in _MARKS.items()})


# A post is read for each of its drafts, edits and rules.
@lru_cache(maxsize=64)
def blocks(markdown: str) -> tuple[tuple[Kind, str, str], ...]:
    """Return the kind, the text and the written text of each passage of a Markdown text."""
    normal = normalise(markdown)
    found: list[tuple[Kind, str, str]] = []
    # Code may have paragraphs as well.
    parts = [normal] if "```" in normal else normal.split("\n\n")
    for is_paragraph, group in groupby(parts, _is_paragraph):
        if is_paragraph:
            found += ((Kind.PROSE, text, text) for text in group)
        else:
            found += _parsed("\n\n".join(group))
    return tuple(found)


def _is_paragraph(block: str) -> bool:
    """Return whether a block is a line without markup, which needs no parser."""
    return block[:1] not in {"", " "} and is_plain(block) and escape_start(block) == block


def _parsed(normal: str) -> Iterator[tuple[Kind, str, str]]:
    for sign, mark in _MARKS.items():
        normal = normal.replace(sign, mark)
    for kind, parts in _runs(tree(normal), Kind.PROSE):
        text = "".join(part for part, _ in parts)
        if not text.strip():
            continue
        if kind is Kind.CODE:
            yield kind, text.strip("\n"), ""
        else:
            written = "".join(part for _, part in parts)
            yield kind, " ".join(_lines(text)), "\n".join(_lines(written))


def _lines(text: str) -> list[str]:
    return [line.strip(" \t") for line in text.strip().split("\n")]


# What a reader sees of a part of a passage, and its written text.
_Part = tuple[str, str]


def _read(text: str) -> _Part:
    written = text.translate(_WRITTEN)
    return unescape(written).replace("\\*", "*"), written


def _code(node: Element) -> str:
    return unescape("".join(node.itertext())).translate(_WRITTEN)


def _parts(node: Element) -> Iterator[_Part]:
    if node.tag == "code":
        yield _code(node), " "
        return
    if node.text:
        yield _read(node.text)
    for child in node:
        yield from _parts(child)
        if child.tail:
            yield _read(child.tail)


def _runs(parent: Element, kind: Kind) -> Iterator[tuple[Kind, list[_Part]]]:
    """Yield the kind and the parts of each text, up to the next block."""
    parts = [_read(parent.text)] if parent.text else []
    for node in parent:
        if node.tag not in _BLOCKS:
            parts += _parts(node)
        else:
            yield kind, parts
            parts = []
            if node.tag == "pre":
                yield Kind.CODE, [(_code(node), "")]
            elif node.tag == "blockquote":
                yield from _runs(node, kind if _is_box(node) else Kind.QUOTATION)
            else:
                own = _KINDS.get(node.tag, kind)
                is_quoted = kind is Kind.QUOTATION and own is not Kind.HEADING
                yield from _runs(node, kind if is_quoted else own)
        if node.tail:
            parts.append(_read(node.tail))
    yield kind, parts


def _is_box(quotation: Element) -> bool:
    """Return whether it is a box, `> **Tip:** text`, which is the writer's own text."""
    first = list(islice(quotation.iter(), 1, 3))
    if [each.tag for each in first] != ["p", "strong"] or first[0].text:
        return False
    label = first[1]
    return "".join(label.itertext()).endswith(":") or (label.tail or "").startswith(":")
