"""SEOPostV1: a post in its parts, as callers receive it. Every draft is read into one."""

from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from app.core.schemas.api_model import ApiModel, only_where


class SectionType(StrEnum):
    INTRODUCTION = "introduction"
    BODY = "body"
    CALLOUT = "callout"
    FAQ = "faq"
    CONCLUSION = "conclusion"


class Callout(ApiModel):
    """A highlighted box."""

    label: str
    text: str


class Section(ApiModel):
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
    heading: str | None = Field(None, description="Present only on body and faq sections.")
    content_markdown: str = Field(
        "",
        description=(
            "CommonMark with paragraphs, lists of two levels, tables, quotations, code, headings of"
            " level 3, strong and emphasis; no links, images or HTML. Empty on a faq section; its"
            " entries are in the post's faqs."
        ),
    )
    callout: Callout | None = Field(None, description="Present only on a callout.")


class Faq(ApiModel):
    """A question and its answer."""

    question: str
    answer: str


class Meta(ApiModel):
    """Metadata for search engines."""

    description: str
    primary_keyword: str


class Outline(ApiModel):
    """The post's headings."""

    h1: str
    h2: tuple[str, ...]


class KeywordCoverage(ApiModel):
    """Whether the post uses a keyword, and where."""

    keyword: str
    covered: bool
    evidence: str = Field(description="The sentence that uses the keyword; empty if none does.")


class CoverageNotes(ApiModel):
    """How the post covers the requested keywords."""

    keyword_coverage: tuple[KeywordCoverage, ...]


class SEOPost(ApiModel):
    """A post. It contains no links."""

    title: str
    slug_suggestion: str
    meta: Meta
    outline: Outline
    sections: tuple[Section, ...]
    faqs: tuple[Faq, ...]
    conclusion: str
    coverage_notes: CoverageNotes


class Quality(ApiModel):
    """What the rules and the reader say of a post that passed."""

    status: Literal["pass"]
    score: int = Field(
        ge=0,
        le=100,
        description="Ten times the mark that a model gave the finished post as its reader, from 0"
        " (harmful) to 10 (better than what a reader finds first today); 80 means “publish it as it"
        " is”. If no model has read the post, at most 70.",
    )
    revision_count: int = Field(ge=0, description="How many times an editor revised the post.")
    quality_version: str = Field(description="The version of the rules that the post passed.")


class Rendered(ApiModel):
    """One entry per requested representation."""

    markdown: str | None = None
    html: str | None = None
    raw_json: str | None = Field(None, description="The post as a JSON string.")
