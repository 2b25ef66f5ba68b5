"""Answers to test keys, which belong to the sandbox of an account (``app.core.credentials``).

They are a fixed post, or the error that a keyword such as ``test:CONTENT_QUALITY_FAILED`` asks
for.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from app.core.errors import (
    ContentQualityFailed,
    Forbidden,
    GenerationTimeout,
    IdempotencyInProgress,
    ModelUnavailable,
    PayloadTooLarge,
    ProhibitedInput,
    QuotaExceeded,
    RateLimited,
    RequestTimeout,
    ServiceError,
    Unauthorized,
    UnsupportedMediaType,
    ValidationFailed,
)
from app.core.schemas.post import Faq, Quality, Section, SectionType, SEOPost
from app.core.schemas.request import GenerateRequest, ResponseType
from app.core.schemas.times import wire_time
from app.rendering.page import answer_members
from app.rules.passages import post_words
from app.rules.table import QUALITY_VERSION
from app.writing.brief import Brief, make_brief
from app.writing.post_markdown import make_post, parse_post, with_coverage

MODEL_NAME = "sandbox"
KEYWORD_PREFIX = "test:"
_FINDING = {
    "check": "cut_off",
    "section": "conclusion",
    "reason": "The text breaks off. Finish the sentence, or remove it.",
}


@dataclass(frozen=True)
class ProvokedError:
    """An error that a keyword provokes.

    Args:
        refuses_job: ``POST /v1/jobs`` fails with it; otherwise the job is accepted and fails.
        retry_after: in seconds; the ``resetAt`` of details with a limit is that far away.
    """

    kind: type[ServiceError]
    refuses_job: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)
    retry_after: int | None = None

    def error(self, now: datetime) -> ServiceError:
        """Return the error as of now."""
        details = dict(self.details)
        if "limit" in details and self.retry_after is not None:
            details["resetAt"] = wire_time(now + timedelta(seconds=self.retry_after))
        message = f"The keyword {KEYWORD_PREFIX}{self.kind.code} asks for this error."
        return self.kind(message, details, retry_after=self.retry_after)


_TOO_LARGE = {"maxAllowed": 65536, "received": 70012}
_TOO_LONG = {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 3000}
_MINUTE = {"limitType": "requestsPerMinute", "limit": 10, "used": 10}
_DAY = {"limitType": "requestsPerDay", "limit": 50, "used": 50}
_EVERY = (
    ProvokedError(ValidationFailed, details=_TOO_LONG),
    ProvokedError(Unauthorized, refuses_job=True),
    ProvokedError(Forbidden, refuses_job=True),
    ProvokedError(RequestTimeout, refuses_job=True),
    ProvokedError(IdempotencyInProgress, refuses_job=True, retry_after=5),
    ProvokedError(PayloadTooLarge, refuses_job=True, details=_TOO_LARGE),
    ProvokedError(UnsupportedMediaType, refuses_job=True),
    ProvokedError(ContentQualityFailed, details={"findings": [_FINDING]}),
    ProvokedError(ProhibitedInput),
    ProvokedError(RateLimited, refuses_job=True, details=_MINUTE, retry_after=4),
    ProvokedError(QuotaExceeded, refuses_job=True, details=_DAY, retry_after=3600),
    ProvokedError(ServiceError),
    ProvokedError(ModelUnavailable),
    ProvokedError(GenerationTimeout),
)
PROVOKED: Mapping[str, ProvokedError] = {each.kind.code: each for each in _EVERY}
"""Every error that an operation with an API key and a body documents, by its code."""


def raise_provoked(request: GenerateRequest, now: datetime, *, new_job: bool = False) -> None:
    """Raise the error that the first keyword of the form ``test:CODE`` asks for; for a new job,
    only one that refuses it.

    Raises:
        ValidationFailed: there is no such code; details list those there are.
        ServiceError: the error.
    """
    asked = (pair for pair in enumerate(request.keywords) if pair[1].startswith(KEYWORD_PREFIX))
    index, keyword = next(asked, (0, ""))
    if not keyword:
        return
    found = PROVOKED.get(keyword.removeprefix(KEYWORD_PREFIX).strip())
    if found is None:
        allowed = [f"{KEYWORD_PREFIX}{code}" for code in PROVOKED]
        problem = f"must be one of {', '.join(allowed)}"
        raise ValidationFailed(
            f"In the sandbox, a keyword that begins with {KEYWORD_PREFIX} {problem}.",
            {"field": f"keywords[{index}]", "allowed": allowed, "problem": problem},
        )
    if found.refuses_job or not new_job:
        raise found.error(now)


def result(
    request: GenerateRequest, max_words: int, wanted: Iterable[ResponseType]
) -> dict[str, Any]:
    """Return the members post, rendered and quality of the answer to a request."""
    post = fixed_post(request, max_words)
    quality = Quality(status="pass", score=100, revision_count=0, quality_version=QUALITY_VERSION)
    return answer_members(post, quality, request, wanted)


def fixed_post(request: GenerateRequest, max_words: int) -> SEOPost:
    """Return the fixed post in at most ``max_words`` words (50 or more).

    It is in English whatever the language of the request, and has as many sections and questions as
    fit. If there is room, a note names the keywords, so that they are covered.
    """
    brief = make_brief(request, max_words=max_words, today=date.min)
    whole = parse_post(_document().replace("KEYWORDS", ", ".join(request.keywords)), brief)
    notes = [each for each in whole.sections if each.type is SectionType.CALLOUT]
    bodies = [each for each in whole.sections if each.type is SectionType.BODY]
    bodies = bodies[: request.constraints.max_sections]
    faqs = whole.faqs if request.constraints.include_faqs else ()
    kept: list[Section | Faq] = []
    # What each post needs comes first.
    ordered: tuple[Section | Faq, ...] = (*notes, *bodies[:1], *faqs[:1], *bodies[1:], *faqs[1:])
    for part in ordered:
        if post_words(_with(whole, [*kept, part], brief)) <= max_words:
            kept.append(part)
    return with_coverage(_with(whole, kept, brief), brief)


def _with(whole: SEOPost, kept: Collection[Section | Faq], brief: Brief) -> SEOPost:
    """Return the post with its introduction, its conclusion and the parts that are kept."""
    faqs = tuple(each for each in whole.faqs if each in kept)
    always = {SectionType.INTRODUCTION, SectionType.CONCLUSION}
    if faqs:
        always.add(SectionType.FAQ)
    sections = [each for each in whole.sections if each in kept or each.type in always]
    return make_post(whole.title, whole.meta.description, sections, faqs, whole.conclusion, brief)


@cache
def _document() -> str:
    return (files(__package__) / "sandbox.md").read_text("utf-8")
