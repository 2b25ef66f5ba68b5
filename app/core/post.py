"""SEOPostV1: the finished post, as callers receive it. It never holds a link."""

from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from app.core.wire import WireModel, only_where


class SectionType(StrEnum):
    INTRODUCTION = "introduction"
    BODY = "body"
    CALLOUT = "callout"
    FAQ = "faq"
    CONCLUSION = "conclusion"


class Callout(WireModel):
    """A box that stands out."""

    label: str
    text: str


class Section(WireModel):
    """One part of a post, in reading order."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                only_where("type", ["body", "faq"], "heading"),
                only_where("type", ["callout"], "callout"),
            ]
        }
    )

    type: SectionType
    heading: str | None = Field(None, description="On body and faq sections alone.")
    content_markdown: str = Field(
        "", description="Empty on a faq section: its entries are in the post's faqs."
    )
    callout: Callout | None = Field(None, description="On a callout alone.")


class Faq(WireModel):
    """A question and its answer."""

    question: str
    answer: str


class Meta(WireModel):
    """What search engines are told of the post."""

    description: str
    primary_keyword: str


class Outline(WireModel):
    """The post's headings."""

    h1: str
    h2: tuple[str, ...]


class KeywordCoverage(WireModel):
    """Whether the post uses a keyword, and where."""

    keyword: str
    covered: bool
    evidence: str = Field(description="The sentence that uses the keyword; empty where none does.")


class CoverageNotes(WireModel):
    """How the post covers what was asked for."""

    keyword_coverage: tuple[KeywordCoverage, ...]


class SEOPost(WireModel):
    """A finished post. It holds no link."""

    title: str
    slug_suggestion: str
    meta: Meta
    outline: Outline
    sections: tuple[Section, ...]
    faqs: tuple[Faq, ...]
    conclusion: str
    coverage_notes: CoverageNotes


class Quality(WireModel):
    """The verdict of the copy desk on a post that passed."""

    status: Literal["pass"]
    score: int = Field(ge=0, le=100)
    revision_count: int = Field(ge=0, description="How often parts of the post were revised.")
    quality_version: str = Field(description="Which version of the checks it passed.")


class Rendered(WireModel):
    """One entry per requested representation."""

    markdown: str | None = None
    html: str | None = None
    raw_json: str | None = Field(None, description="The post as a string of JSON.")
