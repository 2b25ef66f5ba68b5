"""Passages: every piece of text in a post that a reader or a search engine sees."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.core.post import SectionType, SEOPost


class Kind(StrEnum):
    TITLE = "title"
    DESCRIPTION = "description"
    HEADING = "heading"
    PROSE = "prose"
    QUESTION = "question"
    ANSWER = "answer"
    LABEL = "label"


@dataclass(frozen=True)
class Passage:
    """``section`` is its path in the post, ``heading`` the heading that it stands under."""

    section: str
    kind: Kind
    text: str
    heading: str = ""

    @property
    def is_prose(self) -> bool:
        """Whether it is made of whole sentences."""
        return self.kind in {Kind.PROSE, Kind.ANSWER, Kind.DESCRIPTION}


def passages(post: SEOPost) -> Iterator[Passage]:
    """All passages in reading order; the conclusion once, although a post names it twice."""
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
            yield Passage(path, Kind.PROSE, section.content_markdown, section.heading or "")


def reading_text(post: SEOPost) -> Iterator[Passage]:
    """What counts as the post's words: all that stands on the page below the title."""
    for passage in passages(post):
        if passage.kind not in {Kind.TITLE, Kind.DESCRIPTION}:
            yield passage


_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of a text, each with the position at which it begins."""
    text = text.rstrip()
    begin = 0
    ends = (match.span() for match in _BLANK_LINE.finditer(text))
    for end, after in [*ends, (len(text), len(text))]:
        if paragraph := text[begin:end].lstrip():
            yield end - len(paragraph), paragraph
        begin = after
