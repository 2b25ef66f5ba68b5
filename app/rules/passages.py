"""The texts of a post or a Markdown file, in reading order and without markup.

They are those of the tree of HTML that the text becomes, so that rules see what readers see.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from html import unescape

from bs4 import BeautifulSoup
from bs4.element import PageElement, Tag

from app.core.schemas.post import SectionType, SEOPost
from app.rendering.markdown import normalise, to_html
from app.rules.words import word_count

# Text in quotation marks. German marks may also point inwards, and some close as they open.
QUOTED = re.compile(
    r"“[^”“]{1,1000}[”“]|„[^“”„]{1,1000}[“”]|«[^»«]{1,1000}»|»[^»«]{1,1000}«|\"[^\"]{1,1000}\""
)


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
    head = {"title", "meta.description"}
    return sum(word_count(each.text) for each in passages(post) if each.section not in head)


def text_of(post: SEOPost) -> str:
    """Return what a reader sees: title, headings, sections, questions and answers."""
    return "\n".join(each.text for each in passages(post) if each.section != "meta.description")


def _plain(section: str, kind: Kind, text: str) -> Iterator[Passage]:
    """Yield the paragraphs of a text that has no Markdown."""
    for match in re.finditer(r"\S(?:[^\n]|\n(?![ \t]*\n))*", text):
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
    for sign, mark in _MARKS.items():
        normal = normal.replace(sign, mark)
    found: list[tuple[Kind, str, str]] = []
    for kind, nodes in _runs(BeautifulSoup(to_html(normal), "html.parser"), Kind.PROSE):
        text, written = _joined(nodes)
        if not text.strip():
            continue
        if kind is Kind.CODE:
            found.append((kind, text.strip("\n"), ""))
        else:
            found.append((kind, " ".join(_lines(text)), "\n".join(_lines(written))))
    return tuple(found)


def _texts(node: PageElement) -> tuple[str, str]:
    """Return what a reader sees of a node, and its written text."""
    if not isinstance(node, Tag):
        written = node.text.translate(_WRITTEN)
        return unescape(written).replace("\\*", "*"), written
    if node.name == "code":
        return node.text.translate(_WRITTEN), " "
    return _joined(node.children)


def _joined(nodes: Iterable[PageElement]) -> tuple[str, str]:
    found = [_texts(node) for node in nodes]
    return "".join(text for text, _ in found), "".join(written for _, written in found)


def _lines(text: str) -> list[str]:
    return [line.strip(" \t") for line in text.strip().split("\n")]


def _runs(parent: Tag, kind: Kind) -> Iterator[tuple[Kind, Sequence[PageElement]]]:
    """Yield the kind and the nodes of each text, up to the next block."""
    nodes: list[PageElement] = []
    for node in parent.children:
        if not isinstance(node, Tag) or node.name not in _BLOCKS:
            nodes.append(node)
            continue
        yield kind, nodes
        nodes = []
        if node.name == "pre":
            yield Kind.CODE, [node]
        elif node.name == "blockquote":
            yield from _runs(node, kind if _is_box(node) else Kind.QUOTATION)
        else:
            own = _KINDS.get(node.name, kind)
            is_quoted = kind is Kind.QUOTATION and own is not Kind.HEADING
            yield from _runs(node, kind if is_quoted else own)
    yield kind, nodes


def _is_box(quotation: Tag) -> bool:
    """Return whether it is a box, `> **Tip:** text`, which is the writer's own text."""
    label = quotation.select_one("p:first-child > strong:first-child")
    if label is None or label.previous_sibling:
        return False
    return label.text.endswith(":") or str(label.next_sibling or "").startswith(":")
