"""Errors that callers of the service can see.

Each code of the public error body ``{"error": {code, message, details}}`` that a service may return
has a class here; those of HTTP itself, such as METHOD_NOT_ALLOWED, belong to ``app.api``. Only
``app.api.errors`` maps codes to HTTP statuses.
"""

from collections.abc import Mapping
from typing import Any


class ServiceError(Exception):
    """Base of the errors that callers see: a code, a sentence and optional details.

    Args:
        operator: A text for the operator. It can name addresses and settings, so it belongs in the
            log and on the command line, never in a response, a job, a webhook or /readyz.
        retry_after: The seconds after which the same request may succeed, if known.
    """

    code: str = "INTERNAL_ERROR"
    message: str = "Something went wrong."

    def __init__(
        self,
        message: str | None = None,
        details: Mapping[str, Any] | None = None,
        *,
        operator: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        self.message = message or self.message
        super().__init__(self.message)
        self.details = dict(details) if details else None
        self.operator = operator or self.message
        self.retry_after = retry_after

    def body(self) -> dict[str, Any]:
        """Return the public error object, without ``details`` if the error has none."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return error


class OperatorError(Exception):
    """Something that an operator has to repair. The message is a sentence for the operator, with
    which a command ends; callers of the service never see it."""

    exit_code = 1


class ValidationFailed(ServiceError):
    """The input is invalid. Details name the field and the allowed values."""

    code = "VALIDATION_ERROR"


class ContentQualityFailed(ServiceError):
    """The post still breaks a rule after the last revision."""

    code = "CONTENT_QUALITY_FAILED"


class ProhibitedInput(ServiceError):
    """The model declined the request on safety grounds."""

    code = "PROHIBITED_INPUT"


class Unauthorized(ServiceError):
    """The API key is missing, malformed or unknown."""

    code = "UNAUTHORIZED"


class Forbidden(ServiceError):
    """The API key is known but revoked."""

    code = "FORBIDDEN"


class NotFound(ServiceError):
    """The object does not exist, or belongs to another account."""

    code = "NOT_FOUND"


class Conflict(ServiceError):
    """The state of the object does not allow the operation."""

    code = "CONFLICT"


class Later(ServiceError):
    """The same request may succeed after ``retry_after`` seconds."""


class RequestTimeout(ServiceError):
    """The body of the request did not arrive in time."""

    code = "REQUEST_TIMEOUT"


class PayloadTooLarge(ServiceError):
    code = "PAYLOAD_TOO_LARGE"


class UnsupportedMediaType(ServiceError):
    code = "UNSUPPORTED_MEDIA_TYPE"


class Crowded(Later):
    """Every place for calls of this kind is in use."""

    code = "SERVICE_UNAVAILABLE"


class IdempotencyInProgress(Later):
    """Another request with the same idempotency key is still running."""

    code = "IDEMPOTENCY_IN_PROGRESS"


class RateLimited(Later):
    """There are too many requests, per minute or for the remaining words of the month. Details name
    the limit and when to try again."""

    code = "RATE_LIMITED"


class QuotaExceeded(Later):
    """A quota of the plan is used up. Details name the quota and when it resets."""

    code = "QUOTA_EXCEEDED"


class SpendCapReached(QuotaExceeded):
    """A cap on what calls to models may cost this month is reached. Only ``operator`` says which,
    and has amounts."""


class ModelUnavailable(ServiceError):
    """The model endpoint cannot be reached or returns an error.

    ``retry_after`` is the number of seconds that the endpoint asked to wait, if any. ``paid`` has
    the tokens of the prompts and of the answers that it reported: answers that nobody can use cost
    as much as others.
    """

    code = "SERVICE_UNAVAILABLE"
    message = "The language model did not answer. Try again later."
    paid: tuple[int, int] = (0, 0)


class ModelResting(ModelUnavailable):
    """Every model endpoint failed so often that it is not called for ``retry_after`` seconds.

    It says nothing about the request: work waits for the endpoint and does not lose an attempt.
    """


class SourcesUnreachable(ModelUnavailable):
    """No source provider could be searched. This is temporary, like an unavailable model."""


class GenerationCancelled(ModelUnavailable):
    """The generation was cancelled, for example because the process stops."""

    message = "The post was not finished. Try again later."


class GenerationTimeout(ServiceError):
    """The model did not finish within the time limit of a generation."""

    code = "GENERATION_TIMEOUT"
    message = "The post was not finished in time."


class DatabaseUnavailable(ServiceError):
    """The database was away, or had no time or connection for a statement. This is temporary."""

    code = "SERVICE_UNAVAILABLE"
    message = "The database did not answer. Try again shortly."


class RecordedError(ServiceError):
    """A stored error that is returned again, and the request that it was the first answer to."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__(body["message"], body.get("details"))
        self.code = body["code"]
        self.request_id: str | None = body.get("requestId")  # None in errors of earlier versions


def outcome(error: BaseException) -> str:
    """Return the code of an error as operators count it: a cancelled generation is no failure of
    the model, a resting endpoint was not called, and an unknown error is internal."""
    if isinstance(error, ModelResting):
        return "RESTING"
    if isinstance(error, GenerationCancelled):
        return "CANCELLED"
    return error.code if isinstance(error, ServiceError) else ServiceError.code
