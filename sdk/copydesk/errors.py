"""The exceptions of this package.

    CopydeskError
    ├── ConfigurationError          a key, an address or an argument is missing or malformed
    ├── WebhookVerificationError    a webhook that cannot be verified
    ├── JobPendingError             a job that is not done yet
    ├── PublishError                an item of a feed that was not published
    ├── APIConnectionError          no response, or an incomplete one
    │   └── APITimeoutError         no response in time
    └── APIError                    an error response
        ├── ValidationError         VALIDATION_ERROR, PAYLOAD_TOO_LARGE,
        │                           UNSUPPORTED_MEDIA_TYPE; 400, 413, 415, 422
        ├── AuthenticationError     UNAUTHORIZED; 401
        ├── PermissionDeniedError   FORBIDDEN; 403
        ├── NotFoundError           NOT_FOUND; 404
        ├── ConflictError           CONFLICT, IDEMPOTENCY_IN_PROGRESS; 409
        ├── QualityError            CONTENT_QUALITY_FAILED
        ├── ProhibitedInputError    PROHIBITED_INPUT
        ├── RateLimitError          RATE_LIMITED; 429
        ├── QuotaExceededError      QUOTA_EXCEEDED
        └── ServerError             INTERNAL_ERROR, SERVICE_UNAVAILABLE, GENERATION_TIMEOUT; 5xx

The error code determines the class; if it is missing or unknown, the HTTP status does.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from copydesk.consume import Outcome
    from copydesk.models import Job
    from copydesk.response import Response


class CopydeskError(Exception):
    """Base class of all errors of this package.

    ``idempotency_key`` is set if ``generate`` or ``jobs.create`` failed: a call with the same key
    and arguments continues the failed one instead of starting and billing a second.
    ``transient`` tells whether a retry may succeed soon. ``outcomes`` is what ``Feed.consume``
    did before it failed.
    """

    idempotency_key: str | None = None
    transient: bool = False
    outcomes: "tuple[Outcome, ...]" = ()

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ConfigurationError(CopydeskError, ValueError):
    """A key, an address or an argument is missing or malformed; nothing was sent."""


class WebhookVerificationError(CopydeskError):
    """A request cannot be verified as a webhook of the service. Respond with 400.

    ``reason`` is header (signature missing or malformed), timestamp (older or newer than the
    tolerance), secret (no secret is known for this job), signature (another body or secret), or
    body (signed, but no event).
    """

    def __init__(
        self, message: str, reason: Literal["header", "timestamp", "secret", "signature", "body"]
    ) -> None:
        super().__init__(message, reason)
        self.reason = reason


class JobPendingError(CopydeskError):
    """The job is not done yet and continues. ``job`` is its last known state."""

    def __init__(self, message: str, job: "Job") -> None:
        super().__init__(message, job)
        self.job = job


class PublishError(CopydeskError):
    """An item of a feed was not published; the last of ``outcomes`` says which.

    The exception of the caller's function is the cause, if there was one.
    """


class APIConnectionError(CopydeskError):
    """There was no response, or an incomplete one.

    ``was_sent`` tells whether the request was sent: the service may then have done the work.
    """

    transient = True
    was_sent: bool = False


class APITimeoutError(APIConnectionError):
    """The service gave no response in time."""


class APIError(CopydeskError):
    """An error response, or one that is not in the documented form.

    ``status`` is the HTTP status, or 0 for a failed job. ``code`` is the error code, or None if the
    response has none, such as a proxy's page. ``details`` is empty if there are none.
    ``request_id`` is the id the operator can look up. ``retry_after`` is the number of seconds to
    wait, or None. ``documentation`` is a link to what the code means, or None. ``response`` has the
    status, the headers and the rate limits, or is None.
    """

    response: "Response | None" = None
    documentation: str | None = None

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details: dict[str, Any] = dict(details or {})
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        http = f"HTTP {self.status}" if self.status else None
        request = f"request {self.request_id}" if self.request_id else None
        kind = " ".join(filter(None, (http, self.code)))
        origin = ", ".join(filter(None, (kind, request)))
        return f"{self.message.rstrip('.')} ({origin})" if origin else self.message


class ValidationError(APIError):
    """The request is invalid. ``details`` has the field and the allowed values."""


class AuthenticationError(APIError):
    """The API key is missing or unknown."""


class PermissionDeniedError(APIError):
    """The API key has been revoked."""


class NotFoundError(APIError):
    """The address, job, feed or item does not exist, or belongs to another account."""


class ConflictError(APIError):
    """The state of the item does not allow this, or the same request is still running."""


class QualityError(APIError):
    """The post still breaks a rule after the last revision. You are not billed."""


class ProhibitedInputError(APIError):
    """The model declined the request on safety grounds."""


class RateLimitError(APIError):
    """Too many requests in a minute, or running requests hold the remaining words.
    ``retry_after`` is the number of seconds to wait."""


class QuotaExceededError(APIError):
    """The plan's quota is used up. ``details`` has the quota and its reset time."""


class ServerError(APIError):
    """The service failed, or it cannot reach its model or database."""


_BY_CODE: dict[str, type[APIError]] = {
    "VALIDATION_ERROR": ValidationError,
    "PAYLOAD_TOO_LARGE": ValidationError,
    "UNSUPPORTED_MEDIA_TYPE": ValidationError,
    "METHOD_NOT_ALLOWED": APIError,
    "REQUEST_TIMEOUT": APIError,
    "UNAUTHORIZED": AuthenticationError,
    "FORBIDDEN": PermissionDeniedError,
    "NOT_FOUND": NotFoundError,
    "CONFLICT": ConflictError,
    "IDEMPOTENCY_IN_PROGRESS": ConflictError,
    "CONTENT_QUALITY_FAILED": QualityError,
    "PROHIBITED_INPUT": ProhibitedInputError,
    "RATE_LIMITED": RateLimitError,
    "QUOTA_EXCEEDED": QuotaExceededError,
    "INTERNAL_ERROR": ServerError,
    "SERVICE_UNAVAILABLE": ServerError,
    "GENERATION_TIMEOUT": ServerError,
}

_BY_STATUS: dict[int, type[APIError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: ValidationError,
    415: ValidationError,
    422: ValidationError,
    429: RateLimitError,
}


def error_class(status: int, code: str | None) -> type[APIError]:
    """Return the class for an error code, or for the HTTP status if the code is unknown."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status >= 500:
        return ServerError
    return _BY_STATUS.get(status, APIError)
