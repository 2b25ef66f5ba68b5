"""The errors that a keyword of a sandbox request can provoke."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
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
from app.core.schemas.times import wire_time

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


def provoked(keywords: Sequence[str]) -> ProvokedError | None:
    """Return the error that the first keyword of the form ``test:CODE`` asks for, or None.

    Raises:
        ValidationFailed: there is no such code; details list those there are.
    """
    for index, keyword in enumerate(keywords):
        if not keyword.startswith(KEYWORD_PREFIX):
            continue
        found = PROVOKED.get(keyword.removeprefix(KEYWORD_PREFIX).strip())
        if found is None:
            allowed = [f"{KEYWORD_PREFIX}{code}" for code in PROVOKED]
            problem = f"must be one of {', '.join(allowed)}"
            raise ValidationFailed(
                f"In the sandbox, a keyword that begins with {KEYWORD_PREFIX} {problem}.",
                {"field": f"keywords[{index}]", "allowed": allowed, "problem": problem},
            )
        return found
    return None
