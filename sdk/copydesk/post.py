"""Posts, as the service sends them.

Like all models here they are frozen and outlive the service's next versions: what is new in an
answer stays readable under ``raw``, the object as it was received. A text that should be there
and is not is empty, so is a list; any other absent or unreadable value is None.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from copydesk import _wire
from copydesk._wire import Received

# A word is a run of letters and digits, inner hyphens, apostrophes, points and commas included.
# Chinese, Japanese and Thai put no space between words: each of their characters counts.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTERS = rf"[^\W_{_UNSPACED}]+"
_WORD = re.compile(rf"[{_UNSPACED}]|{_LETTERS}(?:[-.,'’]{_LETTERS})*")


@dataclass(frozen=True)
class Meta(Received):
    """What search engines show."""

    description: str
    primary_keyword: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.text(data, "description"), _wire.text(data, "primaryKeyword"), raw=data)


@dataclass(frozen=True)
class Outline(Received):
    """The post's headings by level."""

    h1: str
    h2: tuple[str, ...]

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.text(data, "h1"), _wire.texts(data, "h2"), raw=data)


@dataclass(frozen=True)
class Callout(Received):
    """A short text set apart from the rest."""

    label: str
    text: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.text(data, "label"), _wire.text(data, "text"), raw=data)


@dataclass(frozen=True)
class Section(Received):
    """A part of the post, in reading order.

    ``type`` is introduction, body, callout, faq, conclusion, or one that is newer than this
    package. A faq section's ``content_markdown`` is empty: its entries are in the post's ``faqs``.
    """

    type: str
    heading: str | None
    content_markdown: str
    callout: Callout | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        callout = _wire.child(data, "callout")
        return cls(
            _wire.text(data, "type"),
            _wire.optional_text(data, "heading"),
            _wire.text(data, "contentMarkdown"),
            Callout.from_wire(callout) if callout else None,
            raw=data,
        )


@dataclass(frozen=True)
class FAQ(Received):
    """A question and its answer."""

    question: str
    answer: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.text(data, "question"), _wire.text(data, "answer"), raw=data)


@dataclass(frozen=True)
class KeywordCoverage(Received):
    """Whether a keyword is covered, and the words that cover it."""

    keyword: str
    covered: bool
    evidence: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.text(data, "keyword"),
            data.get("covered") is True,
            _wire.text(data, "evidence"),
            raw=data,
        )


@dataclass(frozen=True)
class CoverageNotes(Received):
    """How the keywords of the request are covered."""

    keyword_coverage: tuple[KeywordCoverage, ...]

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        entries = _wire.children(data, "keywordCoverage")
        return cls(tuple(map(KeywordCoverage.from_wire, entries)), raw=data)


@dataclass(frozen=True)
class Post(Received):
    """A finished post. It holds no links; those are in ``Rendered`` alone."""

    title: str
    slug_suggestion: str
    meta: Meta
    outline: Outline
    sections: tuple[Section, ...]
    faqs: tuple[FAQ, ...]
    conclusion: str
    coverage_notes: CoverageNotes

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            title=_wire.text(data, "title"),
            slug_suggestion=_wire.text(data, "slugSuggestion"),
            meta=Meta.from_wire(_wire.child(data, "meta")),
            outline=Outline.from_wire(_wire.child(data, "outline")),
            sections=tuple(map(Section.from_wire, _wire.children(data, "sections"))),
            faqs=tuple(map(FAQ.from_wire, _wire.children(data, "faqs"))),
            conclusion=_wire.text(data, "conclusion"),
            coverage_notes=CoverageNotes.from_wire(_wire.child(data, "coverageNotes")),
            raw=data,
        )

    @property
    def word_count(self) -> int:
        """Words below the title, the count that the word limits of a request are about."""
        return sum(len(_WORD.findall(text)) for text in self._reading_text())

    def _reading_text(self) -> Iterator[str]:
        for section in self.sections:
            yield section.heading or ""
            if section.callout:
                yield from (section.callout.label, section.callout.text)
            if section.type == "faq":
                yield from (text for faq in self.faqs for text in (faq.question, faq.answer))
            elif section.type != "callout":
                yield section.content_markdown


@dataclass(frozen=True)
class Rendered(Received):
    """The post as text to publish; None for a representation that was not asked for."""

    markdown: str | None
    html: str | None
    raw_json: str | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.optional_text(data, "markdown"),
            _wire.optional_text(data, "html"),
            _wire.optional_text(data, "rawJson"),
            raw=data,
        )
