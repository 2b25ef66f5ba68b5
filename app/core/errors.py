"""Errors that a caller of the service can see.

One class per code of the public error body ``{"error": {code, message, details}}``;
``app.api.errors`` alone maps a code to an HTTP status.

    ServiceError
    ├── ValidationFailed        VALIDATION_ERROR
    ├── ContentQualityFailed    CONTENT_QUALITY_FAILED
    ├── ProhibitedInput         PROHIBITED_INPUT
    ├── Unauthorized            UNAUTHORIZED
    ├── Forbidden               FORBIDDEN
    ├── NotFound                NOT_FOUND
    ├── Conflict                CONFLICT
    ├── IdempotencyInProgress   IDEMPOTENCY_IN_PROGRESS
    ├── RateLimited             RATE_LIMITED
    ├── QuotaExceeded           QUOTA_EXCEEDED
    ├── ModelUnavailable        SERVICE_UNAVAILABLE
    │   └── SourcesUnreachable  SERVICE_UNAVAILABLE
    └── GenerationTimeout       GENERATION_TIMEOUT
"""

from collections.abc import Mapping
from typing import Any


class ServiceError(Exception):
    """Base of every error that reaches a caller: a code, a sentence, optional details."""

    code: str = "INTERNAL_ERROR"

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details) if details else None

    def body(self) -> dict[str, Any]:
        """The public error object; ``details`` is absent where there are none."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return error


class ValidationFailed(ServiceError):
    """The input is invalid; details name the field and what would be right."""

    code = "VALIDATION_ERROR"


class ContentQualityFailed(ServiceError):
    """The post still fails its checks after the last revision."""

    code = "CONTENT_QUALITY_FAILED"


class ProhibitedInput(ServiceError):
    """The model declined the request on its own safety grounds."""

    code = "PROHIBITED_INPUT"


class Unauthorized(ServiceError):
    """The API key is missing, malformed, unknown or revoked."""

    code = "UNAUTHORIZED"


class Forbidden(ServiceError):
    """The API key is known but may not be used."""

    code = "FORBIDDEN"


class NotFound(ServiceError):
    """The thing does not exist, or is not the caller's."""

    code = "NOT_FOUND"


class Conflict(ServiceError):
    """The thing is in a state that does not allow the operation."""

    code = "CONFLICT"


class Later(ServiceError):
    """The same request may succeed after ``retry_after`` seconds."""

    def __init__(
        self, message: str, details: Mapping[str, Any] | None = None, *, retry_after: int
    ) -> None:
        super().__init__(message, details)
        self.retry_after = retry_after


class IdempotencyInProgress(Later):
    """Another request with the same idempotency key is still running."""

    code = "IDEMPOTENCY_IN_PROGRESS"


class RateLimited(Later):
    """Too many requests in a minute; details say how many are allowed, and when again."""

    code = "RATE_LIMITED"


class QuotaExceeded(Later):
    """The plan's quota is used up; details say which, and when it begins anew."""

    code = "QUOTA_EXCEEDED"


class ModelUnavailable(ServiceError):
    """The model endpoint cannot be reached or answers with an error of its own."""

    code = "SERVICE_UNAVAILABLE"


class SourcesUnreachable(ModelUnavailable):
    """No search for sources could be made; as with the model, that passes."""


class GenerationTimeout(ServiceError):
    """The model did not finish within the time that a generation may take."""

    code = "GENERATION_TIMEOUT"


class RecordedError(ServiceError):
    """An error that was stored and is told again."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(body["message"], body.get("details"))
        self.code = body["code"]
