"""Everything that can go wrong, as one tree of exceptions.

    CopydeskError
    ├── ConfigurationError          a key, an address or an argument is missing or malformed
    ├── APIConnectionError          no answer, or one that was cut off
    │   └── APITimeoutError         no answer in time
    └── APIError                    an answer that is no success
        ├── ValidationError         VALIDATION_ERROR, PAYLOAD_TOO_LARGE; 400, 413, 422
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
from typing import Any


class CopydeskError(Exception):
    """Base of every error that this package raises on purpose.

    ``idempotency_key`` is set where ``generate`` failed: a call with the same key and the same
    arguments continues that generation instead of starting and billing a second one.
    """

    idempotency_key: str | None = None


class ConfigurationError(CopydeskError, ValueError):
    """A key, an address or an argument is missing or malformed; nothing was sent."""


class APIConnectionError(CopydeskError):
    """The service gave no answer, or the answer was cut off; it may have done the work."""


class APITimeoutError(APIConnectionError):
    """The service gave no answer in time; it may have done the work."""


class APIError(CopydeskError):
    """The service answered, but not with a success in the documented form.

    ``status`` is the HTTP status; ``code`` the service's own, None where the answer has none (a
    proxy's page, for example); ``details`` its details, empty where it gives none; ``request_id``
    what its operator can look up; ``retry_after`` the seconds that it asks to wait, or None.
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
        origin = f"HTTP {self.status}"
        if self.code:
            origin += f" {self.code}"
        if self.request_id:
            origin += f", request {self.request_id}"
        return f"{self.message.rstrip('.')} ({origin})"


class ValidationError(APIError):
    """The request is invalid; ``details`` name the field and what would be right."""


class AuthenticationError(APIError):
    """The API key is missing, unknown or revoked."""


class PermissionDeniedError(APIError):
    """The API key is known, but may not be used."""


class NotFoundError(APIError):
    """The address, the feed or the item does not exist."""


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
