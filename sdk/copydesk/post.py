"""Posts, as the service sends them.

Like all models here they are frozen and outlive the service's next versions: what is new in an
answer stays readable under ``raw``, the object as it was received. A text that should be there
and is not is empty, so is a list; any other absent or unreadable value is None.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from copydesk._wire import Received
from copydesk._words import count_words


@dataclass(frozen=True)
class Meta(Received):
    """What search engines show."""

    description: str
    primary_keyword: str


@dataclass(frozen=True)
class Outline(Received):
    """The post's headings by level."""

    h1: str
    h2: tuple[str, ...]


@dataclass(frozen=True)
class Callout(Received):
    """A short text set apart from the rest."""

    label: str
    text: str


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


@dataclass(frozen=True)
class FAQ(Received):
    """A question and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class KeywordCoverage(Received):
    """Whether a keyword is covered, and the words that cover it."""

    keyword: str
    covered: bool
    evidence: str


@dataclass(frozen=True)
class CoverageNotes(Received):
    """How the keywords of the request are covered."""

    keyword_coverage: tuple[KeywordCoverage, ...]


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

    @property
    def word_count(self) -> int:
        """Words below the title: what the limits of a request are about, and what is billed."""
        return sum(map(count_words, self._reading_text()))

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
