"""GenerateRequestV1: the request for a post."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool, ValidationInfo, field_validator

from app.core.billing.plan import Plan
from app.core.errors import ValidationFailed
from app.core.schemas.api_model import (
    WHOLE_NUMBER,
    ApiModel,
    FreeText,
    HttpUrl,
    IdempotencyKey,
    Keyword,
)
from app.core.schemas.locales import Language, Region

MIN_WORDS = 50
DEFAULT_MAX_WORDS = 1200
# Sentences are never cut, so a post may not fit between closer limits.
MIN_DISTANCE_WORDS = 50
# A question and its answer take about 50 words, and the text around them must be longer.
FAQS_FROM_WORDS = 150


class Tone(StrEnum):
    PROFESSIONAL = "professional"
    FRIENDLY = "friendly"
    BOLD = "bold"


class KeywordUsageStrategy(StrEnum):
    """How keywords are used. `natural` and `balanced` accept inflected forms, `exact` does not.
    `balanced` also limits the uses of the primary keyword."""

    NATURAL = "natural"
    BALANCED = "balanced"
    EXACT = "exact"


class FactualityMode(StrEnum):
    STANDARD = "standard"
    VERIFIED = "verified"


class ResponseType(StrEnum):
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


# The plan sets the upper bound, which the schema does not know.
Words = Annotated[int, Field(ge=MIN_WORDS), WHOLE_NUMBER]


class Constraints(ApiModel):
    """Limits on the post. Word counts cover everything but the title and the description."""

    max_words: Words | None = Field(
        None,
        description="The maximum number of words, up to the plan's maxWordsPerRequest. Default:"
        " 1,200 or the plan's maximum, whichever is lower.",
    )
    min_words: Words | None = Field(
        None,
        description="The minimum number of words; at least 50 below maxWords and the plan's"
        " maxWordsPerRequest. Default: half of maxWords.",
    )
    max_sections: Annotated[int, Field(ge=1, le=20), WHOLE_NUMBER] | None = Field(
        None, description="The maximum number of body sections."
    )
    include_faqs: StrictBool = Field(
        False,
        alias="includeFAQs",
        description="Add a section of questions and answers. Requires maxWords of 150 or more.",
    )
    include_internal_links_placeholders: StrictBool = Field(
        False,
        description="Add a paragraph [[internal-link: what to look for]] after the first sections"
        " of rendered.markdown and rendered.html. Replace it with a link to a related page of your"
        " site, or remove it. The connectors do this automatically.",
    )
    keyword_usage_strategy: KeywordUsageStrategy = Field(
        KeywordUsageStrategy.NATURAL,
        description="How keywords are used. natural: each at least once; inflected forms count."
        " balanced: like natural, with the primary keyword at most about 2.5 times per 100 words."
        " exact: each at least once, exactly as spelled.",
    )

    @field_validator("min_words")
    @classmethod
    def _below_max_words(cls, low: int | None, info: ValidationInfo) -> int | None:
        high = info.data.get("max_words")
        if low is not None and high is not None and low > high - MIN_DISTANCE_WORDS:
            raise ValueError(
                f"must be at least {MIN_DISTANCE_WORDS} below maxWords, which is {high}"
            )
        return low

    @field_validator("include_faqs")
    @classmethod
    def _room_for_faqs(cls, wanted: bool, info: ValidationInfo) -> bool:
        high = info.data.get("max_words")
        if wanted and high is not None and high < FAQS_FROM_WORDS:
            raise ValueError(f"needs maxWords of {FAQS_FROM_WORDS} or more; it is {high}")
        return wanted


class Format(ApiModel):
    """The representations to return in `rendered`."""

    response_types: tuple[ResponseType, ...] = Field(
        (), description="Default: markdown and html. json adds rawJson if it is the only entry."
    )


class GenerateRequest(ApiModel):
    """What the post should cover, and how it should be written."""

    keywords: tuple[Keyword, ...] = Field(
        min_length=1,
        max_length=20,
        description="Keywords the post must cover. The first one is the primary keyword.",
    )
    topic: FreeText | None = Field(
        None, description="The topic, if the keywords do not say enough."
    )
    language: Language = Field(
        "en",
        description="A BCP 47 language tag, such as en, de or pt-BR. The language must be known to"
        " Unicode CLDR.",
    )
    region: Region | None = Field(
        None, description="An ISO 3166-1 alpha-2 region code, such as US or DE."
    )
    tone: Tone | None = None
    target_audience: FreeText | None = Field(None, description="Who the post is for.")
    brand_voice: FreeText | None = Field(None, description="The voice of the brand.")
    industry: FreeText | None = Field(None, description="The industry of the post.")
    target_url: HttpUrl | None = Field(
        None,
        description="The page the post should lead readers to. The writer sees the name of the site"
        " and the words of the path; the post does not link to it.",
    )
    constraints: Constraints = Constraints()
    format: Format = Format()
    factuality_mode: FactualityMode = Field(
        FactualityMode.STANDARD,
        description="verified writes the post from sources and compares it with them: each figure"
        " must be in one, and the reader must quote, for each statement, the words of one that"
        " support it. A statement without such words is rewritten or removed; if one is"
        " left, or there are not enough usable sources, the request fails with"
        " CONTENT_QUALITY_FAILED.",
    )
    client_provided_request_id: FreeText | None = Field(
        None,
        description="Your reference for this request. It appears in the operator's logs and is"
        " stored with jobs, but no response contains it.",
    )
    idempotency_key: IdempotencyKey | None = Field(
        None, description="An alternative to the Idempotency-Key header; use one of them."
    )

    def about(self, keyword: str) -> "GenerateRequest":
        """Return the same request with another primary keyword."""
        others = (each for each in self.keywords if each != keyword)
        return self.model_copy(update={"keywords": (keyword, *others)})

    def max_words(self, plan_cap: int) -> int:
        """Return the maximum number of words of this post under a plan."""
        return self.constraints.max_words or min(
            max(DEFAULT_MAX_WORDS, (self.constraints.min_words or 0) * 5 // 4), plan_cap
        )


def check_plan(request: GenerateRequest, plan: Plan) -> None:
    """Refuse a request that its plan does not allow.

    Raises:
        ValidationFailed: details have field, maxAllowed and received.
    """
    limits, cap = request.constraints, plan.max_words_per_request
    for name, value, most in (
        ("maxWords", limits.max_words, cap),
        ("minWords", limits.min_words, cap - MIN_DISTANCE_WORDS),
    ):
        if value is not None and value > most:
            raise ValidationFailed(
                f"constraints.{name} must be at most {most} on the plan {plan.name};"
                f" it is {value}.",
                {"field": f"constraints.{name}", "maxAllowed": most, "received": value},
            )
