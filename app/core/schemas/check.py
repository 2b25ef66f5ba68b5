"""The request and the response of POST /v1/check."""

from typing import Annotated, Literal

from pydantic import Field

from app.core.schemas.api_model import AnyText, ApiModel, FreeText, Keyword
from app.core.schemas.locales import Language

# A part of the score that nobody examined is not 0.
Part = Annotated[int, Field(ge=0, le=100)] | Literal["not examined"]


class CheckRequest(ApiModel):
    """The text to check."""

    text: AnyText = Field(
        description="The text, in Markdown. The whole body has at most 64 KiB. Line breaks and"
        " white space are kept."
    )
    title: FreeText | None = Field(
        None, description="The title, if it is not the first heading of the text."
    )
    language: Language | None = Field(
        None,
        description="A BCP 47 language tag, such as en, de or pt-BR. Default: the language of the"
        " text if it is certain, else en.",
    )
    keywords: tuple[Keyword, ...] = Field(
        (),
        max_length=20,
        description="Keywords that the text must use, in any form and order.",
    )


class ScoreParts(ApiModel):
    """The parts of the score, each from 0 to 100. This endpoint asks no model, so the part of the
    editor is “not examined”."""

    rules: Part
    editor: Part


class CheckFinding(ApiModel):
    """A fault of the text. Lines and columns are counted from 1."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)
    severity: Literal["blocker", "warning"]
    check: str = Field(description="The rule that the text breaks. New ones may be added.")
    reason: str = Field(description="What is wrong and what to do.")
    quotation: str | None = Field(
        None,
        description="The text that the finding is about, up to 200 characters. Absent if it is"
        " about a larger part.",
    )


class CheckReport(ApiModel):
    """What the rules found."""

    passes: bool = Field(description="Whether no finding is a blocker.")
    score: int | None = Field(
        None,
        ge=0,
        le=100,
        description="At most 70, because no model reads the text. Absent if the text has no words.",
    )
    score_parts: ScoreParts | None = Field(None, description="Absent if the text has no words.")
    words: int = Field(ge=0)
    language: str = Field(description="The language that the text was checked in.")
    quality_version: str = Field(description="The version of the rules.")
    finding_count: int = Field(ge=0, description="The number of findings.")
    findings: tuple[CheckFinding, ...] = Field(
        max_length=500,
        description="The findings in the order of the text, at most 500, blockers before warnings.",
    )
    skipped: tuple[str, ...] = Field(description="The rules that apply only to whole posts.")
