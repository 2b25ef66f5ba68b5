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


@dataclass(frozen=True)
class ProvokedError:
    """An error that a keyword provokes.

    Args:
        refuses_job: ``POST /v1/jobs`` fails with it; otherwise the job is accepted and fails.
        retry_after: in seconds; if there are details, their ``resetAt`` is that far away.
    """

    kind: type[ServiceError]
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    refuses_job: bool = False
    retry_after: int | None = None

    def error(self, now: datetime) -> ServiceError:
        """Return the error as of now."""
        details = dict(self.details)
        if details and self.retry_after is not None:
            details["resetAt"] = wire_time(now + timedelta(seconds=self.retry_after))
        return self.kind(self.message, details or None, retry_after=self.retry_after)


_EVERY = (
    ProvokedError(
        ValidationFailed,
        "constraints.maxWords must be at most 1500 on the plan Starter; it is 3000.",
        {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 3000},
    ),
    ProvokedError(Unauthorized, "This API key is unknown.", refuses_job=True),
    ProvokedError(Forbidden, "This API key was revoked.", refuses_job=True),
    ProvokedError(RequestTimeout, "The body did not arrive within 10 seconds.", refuses_job=True),
    ProvokedError(
        IdempotencyInProgress,
        "Another request with this idempotency key is still running. Ask again with the same key:"
        " it returns that request's answer.",
        refuses_job=True,
        retry_after=5,
    ),
    ProvokedError(
        PayloadTooLarge,
        "The body must be at most 65536 bytes.",
        {"maxAllowed": 65536, "received": 70012},
        refuses_job=True,
    ),
    ProvokedError(
        UnsupportedMediaType,
        "The body must be JSON with the header Content-Type: application/json; it was sent as"
        " text/plain.",
        refuses_job=True,
    ),
    ProvokedError(
        ContentQualityFailed,
        "The post still breaks 1 of its rules after 2 revisions; the first: conclusion: The text"
        " breaks off. Finish the sentence, or remove it.",
        {
            "findings": [
                {
                    "check": "cut_off",
                    "section": "conclusion",
                    "reason": "The text breaks off. Finish the sentence, or remove it.",
                }
            ]
        },
    ),
    ProvokedError(ProhibitedInput, "The model declined this request on its own safety grounds."),
    ProvokedError(
        RateLimited,
        "The plan Starter allows 10 requests a minute. Try again in 4 s.",
        {"limitType": "requestsPerMinute", "limit": 10, "used": 10},
        refuses_job=True,
        retry_after=4,
    ),
    ProvokedError(
        QuotaExceeded,
        "This API key has made its 50 requests of today.",
        {"limitType": "requestsPerDay", "limit": 50, "used": 50},
        refuses_job=True,
        retry_after=3600,
    ),
    ProvokedError(ServiceError, "Something went wrong on our side."),
    ProvokedError(ModelUnavailable, ModelUnavailable.message),
    ProvokedError(GenerationTimeout, GenerationTimeout.message),
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
