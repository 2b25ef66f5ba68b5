"""Everything that can go wrong, as one tree of exceptions.

    CopydeskError
    ├── ConfigurationError          a key, an address or an argument is missing or malformed
    ├── WebhookVerificationError    a webhook that is not, or not provably, the service's
    ├── JobPendingError             a job that is not done yet
    ├── APIConnectionError          no answer, or one that was cut off
    │   └── APITimeoutError         no answer in time
    └── APIError                    an answer that is no success
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

The code in the answer picks the class; the HTTP status does where the code is unknown or missing.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from copydesk.job import Job


class CopydeskError(Exception):
    """Base of every error that this package raises on purpose.

    ``idempotency_key`` is set where ``generate`` or ``jobs.create`` failed: a call with the same
    key and the same arguments continues that one instead of starting and billing a second.
    ``transient`` says whether the same call may succeed soon.
    """

    idempotency_key: str | None = None
    transient: bool = False


class ConfigurationError(CopydeskError, ValueError):
    """A key, an address or an argument is missing or malformed; nothing was sent."""


class WebhookVerificationError(CopydeskError):
    """A request that is not, or not provably, a webhook of the service: answer it with 400.

    ``reason`` is header (no signature, or not in its form), timestamp (older or newer than the
    tolerance), secret (no secret is known for this job), signature (another body or secret), or
    body (signed, but no event).
    """

    def __init__(
        self,
        message: str,
        reason: Literal["header", "timestamp", "secret", "signature", "body"],
    ) -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class JobPendingError(CopydeskError):
    """The job is not done yet, and goes on; ``job`` is how it was seen last."""

    def __init__(self, message: str, job: "Job") -> None:
        super().__init__(message, job)
        self.job = job

    def __str__(self) -> str:
        return str(self.args[0])


class APIConnectionError(CopydeskError):
    """The service gave no answer, or the answer was cut off; it may have done the work."""

    transient = True


class APITimeoutError(APIConnectionError):
    """The service gave no answer in time; it may have done the work."""


class APIError(CopydeskError):
    """The service answered, but not with a success in the documented form.

    ``status`` is the HTTP status, 0 in the error of a failed job; ``code`` the service's own, None
    where the answer has none (a proxy's page, for example); ``details`` its details, empty where it
    gives none; ``request_id`` what its operator can look up; ``retry_after`` the seconds that it
    asks to wait, or None.
    """

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
        self.details = dict(details or {})
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        http = f"HTTP {self.status}" if self.status else None
        request = f"request {self.request_id}" if self.request_id else None
        kind = " ".join(filter(None, (http, self.code)))
        origin = ", ".join(filter(None, (kind, request)))
        return f"{self.message.rstrip('.')} ({origin})" if origin else self.message


class ValidationError(APIError):
    """The request is invalid; ``details`` name the field and what would be right."""


class AuthenticationError(APIError):
    """The API key is missing, unknown or revoked."""


class PermissionDeniedError(APIError):
    """The API key is known, but may not be used."""


class NotFoundError(APIError):
    """The address, the job, the feed or the item does not exist, or is another account's."""


class ConflictError(APIError):
    """The item is in a state that does not allow this, or the same request is still running."""


class QualityError(APIError):
    """The post still failed its checks after the last revision; nothing is returned or billed."""


class ProhibitedInputError(APIError):
    """The model declined the request on its own safety grounds."""


class RateLimitError(APIError):
    """Too many requests at once; ``retry_after`` says when there is room again."""


class QuotaExceededError(APIError):
    """The plan's quota is used up; ``details`` say which one and when it resets."""


class ServerError(APIError):
    """The service failed, or its model or database is out of reach."""


_BY_CODE: dict[str, type[APIError]] = {
    "VALIDATION_ERROR": ValidationError,
    "PAYLOAD_TOO_LARGE": ValidationError,
    "UNSUPPORTED_MEDIA_TYPE": ValidationError,
    "METHOD_NOT_ALLOWED": APIError,
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
    """The class for an answer: by its code, by its HTTP status where the code is unknown."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status >= 500:
        return ServerError
    return _BY_STATUS.get(status, APIError)
