"""GenerateRequestV1: what a caller asks for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import (
    Field,
    StrictBool,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from app.core.errors import ValidationFailed
from app.core.locales import Language, Region
from app.core.wire import WHOLE_NUMBER, FreeText, HttpUrl, IdempotencyKey, Keyword, WireModel

M = TypeVar("M", bound=WireModel)

MIN_WORDS = 50
DEFAULT_MAX_WORDS = 1200


class Tone(StrEnum):
    PROFESSIONAL = "professional"
    FRIENDLY = "friendly"
    BOLD = "bold"


class KeywordUsageStrategy(StrEnum):
    """How literally keywords are used: `natural` allows inflected forms, `exact` none."""

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


Words = Annotated[int, Field(ge=MIN_WORDS, le=1_000_000), WHOLE_NUMBER]


class Constraints(WireModel):
    """Limits on the post. Words are counted over everything a reader reads but the title."""

    max_words: Words | None = Field(
        None,
        description="At most this many words. Capped by the plan's maxWordsPerRequest; without it,"
        " 1,200 or the plan's cap.",
    )
    min_words: Words | None = Field(
        None,
        description="At least this many words; not above maxWords, nor the plan's"
        " maxWordsPerRequest. Without it, half of maxWords.",
    )
    max_sections: Annotated[int, Field(ge=1, le=20), WHOLE_NUMBER] | None = Field(
        None, description="At most this many sections in the body."
    )
    include_faqs: StrictBool = Field(
        False, alias="includeFAQs", description="Add a section of questions and answers."
    )
    include_internal_links_placeholders: StrictBool = Field(
        False,
        description="After the first sections, rendered.markdown and rendered.html have a"
        " paragraph [[internal-link: what to look for]], to be replaced by a link to a related"
        " page of your site, or taken out. The connectors do so by themselves.",
    )
    keyword_usage_strategy: KeywordUsageStrategy = Field(
        KeywordUsageStrategy.NATURAL,
        description="How literally keywords are used: natural allows inflected forms, exact none.",
    )

    @field_validator("min_words")
    @classmethod
    def _not_above_max_words(cls, low: int | None, info: ValidationInfo) -> int | None:
        high = info.data.get("max_words")
        if low is not None and high is not None and low > high:
            raise ValueError(f"must not be above maxWords, which is {high}")
        return low


class Format(WireModel):
    """The representations that are wanted under `rendered`."""

    response_types: tuple[ResponseType, ...] = Field(
        (),
        description="Without an entry, markdown and html. json adds rawJson where it stands alone.",
    )


class GenerateRequest(WireModel):
    """What a post should be about, and how it should be written."""

    keywords: tuple[Keyword, ...] = Field(
        min_length=1,
        max_length=20,
        description="What the post must cover, the most important first: that one is the primary"
        " keyword.",
    )
    topic: FreeText | None = Field(None, description="Framing beyond the keywords.")
    language: Language = Field(
        "en",
        description="A BCP 47 language tag, such as en, de or pt-BR; the language is one that"
        " Unicode's CLDR knows.",
    )
    region: Region | None = Field(
        None, description="An ISO 3166-1 alpha-2 region code, such as US or DE."
    )
    tone: Tone | None = None
    target_audience: FreeText | None = Field(None, description="Who the post is for.")
    brand_voice: FreeText | None = Field(None, description="How the brand sounds.")
    industry: FreeText | None = Field(None, description="The field the post is from.")
    target_url: HttpUrl | None = Field(None, description="The page that the post is for.")
    constraints: Constraints = Constraints()
    format: Format = Format()
    factuality_mode: FactualityMode = Field(
        FactualityMode.STANDARD,
        description="verified checks every fact against sources; it ends in CONTENT_QUALITY_FAILED"
        " where the service has none.",
    )
    client_provided_request_id: FreeText | None = Field(
        None, description="Your own reference for this request."
    )
    idempotency_key: IdempotencyKey | None = Field(
        None, description="The same as the header Idempotency-Key; give one of them."
    )

    def max_words(self, plan_cap: int) -> int:
        """The most words that this post may have under a plan, asked for or not."""
        return self.constraints.max_words or min(
            max(DEFAULT_MAX_WORDS, (self.constraints.min_words or 0) * 5 // 4), plan_cap
        )


def parse_generate_request(body: Any) -> GenerateRequest:
    """Validate a decoded JSON body.

    Raises:
        ValidationFailed: the message names the first wrong field and what would be right;
            ``details.errors`` lists them all.
    """
    if not isinstance(body, Mapping):
        raise ValidationFailed(
            'The body must be a JSON object, such as {"keywords": ["cold brew"]}.',
            {"field": "", "problem": "must be a JSON object"},
        )
    return parse(GenerateRequest, body)


def parse(model: type[M], data: Mapping[str, Any]) -> M:
    """Validate data against a wire model, turning pydantic's errors into ours."""
    try:
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError as invalid:
        found = invalid.errors(include_url=False)
        # An array whose entries are wrong is reported as too short as well: that says nothing new.
        inner = {error["loc"][:-1] for error in found}
        errors = [
            _describe(error)
            for error in found
            if error["type"] != "too_short" or error["loc"] not in inner
        ]
        first = errors[0]
        where = f"{first['field']} " if first["field"] else ""
        raise ValidationFailed(
            f"{where}{first['problem']}.",
            {**first, "errors": errors} if len(errors) > 1 else first,
        ) from None


_SENTENCES = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode text (a lone surrogate was found)",
    "bool_type": "must be true or false",
    "tuple_type": "must be an array",
    "list_type": "must be an array",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "finite_number": "must be a whole number",
    "int_type": "must be a whole number",
    "int_parsing_size": "is too large",
}


def _describe(error: Mapping[str, Any]) -> dict[str, Any]:
    """One of pydantic's errors as {field, problem, and where it helps: allowed, received}."""
    field = ""
    for part in error["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    kind, context = error["type"], error.get("ctx", {})
    described: dict[str, Any] = {"field": field}
    if kind == "value_error":
        problem = str(context["error"])
    elif kind == "enum":
        allowed = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        problem = f"must be one of {', '.join(allowed)}"
        described["allowed"] = allowed
    elif kind in {"too_short", "too_long"}:
        bound = context.get("min_length") if kind == "too_short" else context.get("max_length")
        edge = "at least" if kind == "too_short" else "at most"
        problem = f"must have {edge} {bound} {'entry' if bound == 1 else 'entries'}"
    elif kind in {"string_too_short", "string_too_long"}:
        bound = context.get("min_length") or context.get("max_length")
        edge = "at least" if kind == "string_too_short" else "at most"
        problem = f"must be {edge} {bound} characters long"
    elif kind == "greater_than_equal":
        problem = f"must be at least {context['ge']}"
    elif kind == "less_than_equal":
        problem = f"must be at most {context['le']}"
    else:
        problem = _SENTENCES.get(kind, str(error["msg"]))
    described["problem"] = problem
    received = error.get("input")
    if (isinstance(received, int | float) and abs(received) < 1e15) or (
        isinstance(received, str) and len(received) <= 100 and received.isprintable()
    ):
        described["received"] = received
    return described
