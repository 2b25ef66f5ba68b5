"""Every error that a caller can meet; a test holds the table to what the service answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class ErrorAnswer:
    """One kind of error: when it comes, what it brings along, and a message as an example."""

    code: str
    status: int
    when: str
    retry: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    # Whether the API key was recognised by then; "perhaps" where that depends.
    known_caller: Literal["yes", "no", "perhaps"] = "yes"
    # Whether a repetition by its idempotency key can get it as the first request's answer.
    repeatable: bool = False

    @property
    def body(self) -> dict[str, Any]:
        details = {"details": dict(self.details)} if self.details else {}
        return {"error": {"code": self.code, "message": self.message, **details}}


# What any operation can answer.
ALWAYS = ("VALIDATION_ERROR", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE")

_NO, _MENDED = "no", "once mended"
ERRORS = (
    ErrorAnswer(
        "VALIDATION_ERROR",
        400,
        "The input is invalid: its shape, a bound, a limit of the plan, or an idempotency key that"
        " was used with another body.",
        _MENDED,
        "constraints.maxWords must be at most 1500 on the plan Starter; it is 3000.",
        {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 3000},
        known_caller="perhaps",
    ),
    ErrorAnswer(
        "UNAUTHORIZED",
        401,
        "The API key is missing, incomplete or unknown.",
        _MENDED,
        "This API key is unknown.",
        headers=("WWW-Authenticate",),
        known_caller="no",
    ),
    ErrorAnswer(
        "FORBIDDEN",
        403,
        "The API key was revoked.",
        _NO,
        "This API key was revoked.",
        known_caller="no",
    ),
    ErrorAnswer(
        "NOT_FOUND",
        404,
        "There is no such path, job, content token, item or rule; another account's job is none of"
        " yours.",
        _NO,
        "Unknown content token.",
    ),
    ErrorAnswer(
        "METHOD_NOT_ALLOWED",
        405,
        "The path has no such method; the header Allow says which it has.",
        _NO,
        "DELETE is not allowed here; use GET, HEAD, OPTIONS.",
    ),
    ErrorAnswer(
        "CONFLICT",
        409,
        "The item is in a state that does not allow this.",
        _NO,
        "This item was confirmed already.",
        headers=("x-should-retry",),
    ),
    ErrorAnswer(
        "IDEMPOTENCY_IN_PROGRESS",
        409,
        "Another request with this idempotency key is still running.",
        "yes, with the same key",
        "Another request with this idempotency key is still running. Ask again with the same key:"
        " it returns that request's answer.",
        headers=("Retry-After",),
    ),
    ErrorAnswer(
        "PAYLOAD_TOO_LARGE",
        413,
        "The body is larger than 64 KiB.",
        _MENDED,
        "The body must be at most 65536 bytes.",
        {"maxAllowed": 65536, "received": 70012},
    ),
    ErrorAnswer(
        "UNSUPPORTED_MEDIA_TYPE",
        415,
        "The body was not sent as JSON.",
        _MENDED,
        "The body must be JSON with the header Content-Type: application/json; it was sent as"
        " text/plain.",
    ),
    ErrorAnswer(
        "CONTENT_QUALITY_FAILED",
        422,
        "The post still failed its checks after the last revision. Nothing is billed.",
        "with another request",
        "The post does not pass: the keyword “cold brew ratio” is not covered.",
        repeatable=True,
    ),
    ErrorAnswer(
        "PROHIBITED_INPUT",
        422,
        "The language model declined the request on safety grounds. Nothing is billed.",
        "with another request",
        "The model declined to write about this.",
        repeatable=True,
    ),
    ErrorAnswer(
        "RATE_LIMITED",
        429,
        "Too many requests in this minute.",
        "after Retry-After",
        "The plan Growth allows 60 requests a minute. Try again in 4 s.",
        {
            "limitType": "requestsPerMinute",
            "limit": 60,
            "used": 60,
            "resetAt": "2026-01-31T09:30:04.000Z",
        },
        headers=("Retry-After",),
    ),
    ErrorAnswer(
        "QUOTA_EXCEEDED",
        429,
        "The day's requests or the month's words are used up.",
        "after Retry-After, which can be long",
        "This API key has made its 500 requests of today.",
        {
            "limitType": "requestsPerDay",
            "limit": 500,
            "used": 500,
            "resetAt": "2026-02-01T00:00:00.000Z",
        },
        headers=("Retry-After", "x-should-retry"),
    ),
    ErrorAnswer(
        "INTERNAL_ERROR",
        500,
        "Something went wrong on our side.",
        "yes",
        "Something went wrong on our side. Quote the request id req_01JD3ZK8Q6WX0V5T2N4M7R9A1B.",
        known_caller="perhaps",
        repeatable=True,
    ),
    ErrorAnswer(
        "SERVICE_UNAVAILABLE",
        503,
        "The language model or the database cannot be reached.",
        "after Retry-After",
        "The database did not answer. Try again shortly.",
        headers=("Retry-After",),
        known_caller="perhaps",
        repeatable=True,
    ),
    ErrorAnswer(
        "GENERATION_TIMEOUT",
        504,
        "The post was not finished in time. Nothing is billed.",
        "with a smaller request",
        "The post was not finished within 540 s.",
        headers=("x-should-retry",),
        repeatable=True,
    ),
)
