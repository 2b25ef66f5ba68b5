"""SEOPostV1: the finished post, as callers receive it. It never holds a link."""

from enum import StrEnum

from app.core.wire import WireModel


class SectionType(StrEnum):
    INTRODUCTION = "introduction"
    BODY = "body"
    CALLOUT = "callout"
    FAQ = "faq"
    CONCLUSION = "conclusion"


class Callout(WireModel):
    label: str
    text: str


class Section(WireModel):
    """``heading`` is there on body and faq sections, ``callout`` on callouts alone.

    A faq section's ``content_markdown`` is empty: its entries are in the post's ``faqs``.
    """

    type: SectionType
    heading: str | None = None
    content_markdown: str = ""
    callout: Callout | None = None


class Faq(WireModel):
    question: str
    answer: str


class Meta(WireModel):
    description: str
    primary_keyword: str


class Outline(WireModel):
    h1: str
    h2: tuple[str, ...]


class KeywordCoverage(WireModel):
    """``evidence`` is the sentence that uses the keyword, empty where none does."""

    keyword: str
    covered: bool
    evidence: str


class CoverageNotes(WireModel):
    keyword_coverage: tuple[KeywordCoverage, ...]


class SEOPost(WireModel):
    title: str
    slug_suggestion: str
    meta: Meta
    outline: Outline
    sections: tuple[Section, ...]
    faqs: tuple[Faq, ...]
    conclusion: str
    coverage_notes: CoverageNotes


class Quality(WireModel):
    """The public verdict; what it was made of stays inside."""

    status: str
    score: int
    revision_count: int
    quality_version: str


class Rendered(WireModel):
    """One entry per requested representation."""

    markdown: str | None = None
    html: str | None = None
    raw_json: str | None = None
