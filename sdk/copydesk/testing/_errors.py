"""The errors of the fake service: statuses, headers, and those that a keyword provokes."""

from collections.abc import Mapping
from typing import Any

STATUS = {
    "VALIDATION_ERROR": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "REQUEST_TIMEOUT": 408,
    "CONFLICT": 409,
    "IDEMPOTENCY_IN_PROGRESS": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "CONTENT_QUALITY_FAILED": 422,
    "PROHIBITED_INPUT": 422,
    "QUOTA_EXCEEDED": 429,
    "RATE_LIMITED": 429,
    "INTERNAL_ERROR": 500,
    "SERVICE_UNAVAILABLE": 503,
    "GENERATION_TIMEOUT": 504,
}
FINAL = frozenset({"CONFLICT", "QUOTA_EXCEEDED", "GENERATION_TIMEOUT"})
# Errors of a request itself, which refuse a job; with the others, the job fails.
REFUSES_JOB = frozenset({
    "UNAUTHORIZED", "FORBIDDEN", "REQUEST_TIMEOUT", "IDEMPOTENCY_IN_PROGRESS",
    "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "QUOTA_EXCEEDED", "RATE_LIMITED",
})  # fmt: skip
KEYWORD_PREFIX = "test:"
_RETRY_AFTER_S = {
    "IDEMPOTENCY_IN_PROGRESS": 5, "RATE_LIMITED": 4, "QUOTA_EXCEEDED": 3600,
    "SERVICE_UNAVAILABLE": 5,
}  # fmt: skip
_MESSAGES: dict[str, tuple[str, dict[str, Any] | None]] = {
    "VALIDATION_ERROR": (
        "constraints.maxWords must be at most 1500 on the plan Starter; it is 3000.",
        {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 3000},
    ),
    "UNAUTHORIZED": ("This API key is unknown.", None),
    "FORBIDDEN": ("This API key was revoked.", None),
    "NOT_FOUND": ("Unknown content token.", None),
    "METHOD_NOT_ALLOWED": ("This method is not allowed here.", None),
    "REQUEST_TIMEOUT": ("The body did not arrive within 10 seconds.", None),
    "CONFLICT": (
        "This item cannot be confirmed: it is abandoned, not reserved.",
        {"status": "abandoned"},
    ),
    "IDEMPOTENCY_IN_PROGRESS": (
        "Another request with this idempotency key is still running. Ask again with the same key:"
        " it returns that request's answer.",
        None,
    ),
    "PAYLOAD_TOO_LARGE": (
        "The body must be at most 65536 bytes.",
        {"maxAllowed": 65536, "received": 70012},
    ),
    "UNSUPPORTED_MEDIA_TYPE": (
        "The body must be JSON with the header Content-Type: application/json; it was sent as"
        " text/plain.",
        None,
    ),
    "CONTENT_QUALITY_FAILED": (
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
    "PROHIBITED_INPUT": ("The model declined this request on its own safety grounds.", None),
    "QUOTA_EXCEEDED": (
        "This API key has made its 50 requests of today.",
        {"limitType": "requestsPerDay", "limit": 50, "used": 50},
    ),
    "RATE_LIMITED": (
        "The plan Starter allows 10 requests a minute. Try again in 4 s.",
        {"limitType": "requestsPerMinute", "limit": 10, "used": 10},
    ),
    "INTERNAL_ERROR": ("Something went wrong on our side.", None),
    "SERVICE_UNAVAILABLE": ("The language model did not answer. Try again later.", None),
    "GENERATION_TIMEOUT": ("The post was not finished in time.", None),
}
# A generation fails with none of these.
_NEVER_PROVOKED = {"NOT_FOUND", "METHOD_NOT_ALLOWED", "CONFLICT"}


class Refused(Exception):
    """An error response of the fake service."""

    def __init__(
        self,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = STATUS[code]
        self.retry_after = retry_after
        self.error: dict[str, Any] = {"code": code, "message": message}
        if details:
            self.error["details"] = dict(details)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that come with the error."""
        sent = {}
        if self.retry_after is not None:
            sent["Retry-After"] = str(self.retry_after)
        if self.code in FINAL:
            sent["x-should-retry"] = "false"
        if self.code == "UNAUTHORIZED":
            sent["WWW-Authenticate"] = 'Bearer realm="copydesk"'
        return sent


def example(code: str) -> Refused:
    """Return an error of that code, with a message and details as the service has them.

    Raises:
        ValueError: no error has the code.
    """
    if code not in _MESSAGES:
        raise ValueError(f"code must be one of {', '.join(_MESSAGES)}; it is {code!r}")
    message, details = _MESSAGES[code]
    return Refused(code, message, details, _RETRY_AFTER_S.get(code))


def provoked(keywords: list[str]) -> Refused | None:
    """Return the error that the first keyword of the form ``test:CODE`` asks for, or None.

    Raises:
        Refused: there is no such code.
    """
    for index, keyword in enumerate(keywords):
        code = keyword.strip().removeprefix(KEYWORD_PREFIX)
        if code == keyword.strip():
            continue
        if code in _MESSAGES and code not in _NEVER_PROVOKED:
            return example(code)
        known = [f"{KEYWORD_PREFIX}{code}" for code in _MESSAGES if code not in _NEVER_PROVOKED]
        problem = f"must be one of {', '.join(known)}"
        raise Refused(
            "VALIDATION_ERROR",
            f"In the sandbox, a keyword that begins with {KEYWORD_PREFIX} {problem}.",
            {"field": f"keywords[{index}]", "allowed": known, "problem": problem},
        )
    return None
