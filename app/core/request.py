"""GenerateRequestV1: what a caller asks for."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar

from babel import Locale
from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from app.core.errors import ValidationFailed
from app.core.wire import FreeText, HttpUrl, IdempotencyKey, Keyword, Text, WholeNumber, WireModel

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


@cache
def _english() -> Locale:
    return Locale("en")


def language_name(tag: str) -> str:
    """The English name of a BCP 47 language tag: `pt-BR` is "Portuguese (Brazil)"."""
    language, _, rest = tag.partition("-")
    name = _english().languages[language.lower()]
    territory = _english().territories.get(rest.upper()) if rest else None
    return f"{name} ({territory})" if territory else name


def _language_tag(value: str) -> str:
    """BCP 47: a known language, then well-formed subtags."""
    language, *subtags = value.split("-")
    known = language.lower() in _english().languages and language.isascii() and len(value) <= 35
    if not known or not all(s.isascii() and s.isalnum() and 1 <= len(s) <= 8 for s in subtags):
        raise ValueError("must be a BCP 47 language code, such as en, de or pt-BR")
    return "-".join([language.lower(), *subtags])


def _region_code(value: str) -> str:
    code = value.upper()
    # Babel also lists what Unicode made up for tests and for "unknown".
    known = code in _english().territories and code not in {"XA", "XB", "ZZ"}
    if len(value) != 2 or not code.isalpha() or not known:
        raise ValueError("must be an ISO 3166-1 alpha-2 region code, such as US or DE")
    return code


class Constraints(WireModel):
    """Limits on the post. Words are counted over everything a reader reads but the title."""

    max_words: Annotated[WholeNumber, Field(ge=MIN_WORDS, le=1_000_000)] | None = None
    min_words: Annotated[WholeNumber, Field(ge=MIN_WORDS, le=1_000_000)] | None = None
    max_sections: Annotated[WholeNumber, Field(ge=1, le=20)] | None = None
    include_faqs: Annotated[StrictBool, Field(alias="includeFAQs")] = False
    include_internal_links_placeholders: StrictBool = False
    keyword_usage_strategy: KeywordUsageStrategy = KeywordUsageStrategy.NATURAL

    @field_validator("min_words")
    @classmethod
    def _not_above_max_words(cls, low: int | None, info: ValidationInfo) -> int | None:
        high = info.data.get("max_words")
        if low is not None and high is not None and low > high:
            raise ValueError(f"must not be above maxWords, which is {high}")
        return low


class Format(WireModel):
    """The representations that are wanted under `rendered`."""

    response_types: tuple[ResponseType, ...] = ()


class GenerateRequest(WireModel):
    """The body of POST /v1/generate; bounds are those of docs/decisions.md."""

    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1, max_length=20)]
    topic: FreeText | None = None
    language: Annotated[Text, AfterValidator(_language_tag)] = "en"
    region: Annotated[Text, AfterValidator(_region_code)] | None = None
    tone: Tone | None = None
    target_audience: FreeText | None = None
    brand_voice: FreeText | None = None
    industry: FreeText | None = None
    target_url: HttpUrl | None = None
    constraints: Constraints = Constraints()
    format: Format = Format()
    factuality_mode: FactualityMode = FactualityMode.STANDARD
    client_provided_request_id: FreeText | None = None
    idempotency_key: IdempotencyKey | None = None

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
