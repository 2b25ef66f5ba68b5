"""Jobs: what POST /v1/jobs accepts, and how a job's row looks to its caller."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from app.core.addresses import check_webhook_url
from app.core.errors import ValidationFailed
from app.core.request import GenerateRequest, ResponseType, parse
from app.core.wire import HttpUrl, IdempotencyKey, WireModel

MAX_ATTEMPTS = 3


class JobStatus(StrEnum):
    """``queued`` until a worker takes it, ``processing`` under its lease, then it has ended."""

    QUEUED = "queued"
    PROCESSING = "processing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class WebhookEvent(StrEnum):
    SUCCEEDED = "job.succeeded"
    FAILED = "job.failed"


class Webhook(WireModel):
    """Where to send which events; both or neither."""

    url: HttpUrl
    events: Annotated[tuple[WebhookEvent, ...], Field(min_length=1, max_length=10)]


class JobFormat(WireModel):
    """The representations that are wanted under the job's `rendered`."""

    response_types: Annotated[tuple[ResponseType, ...], Field(min_length=1, max_length=10)]


class JobRequest(WireModel):
    """The body of POST /v1/jobs."""

    generate_request: GenerateRequest
    format: JobFormat
    webhook: Webhook | None = None
    idempotency_key: IdempotencyKey | None = None


def parse_job_request(body: Any, *, allow_private: bool) -> JobRequest:
    """Validate a decoded JSON body.

    ``allow_private`` lets a webhook go to http and to private addresses, for development.

    Raises:
        ValidationFailed: the message names the first wrong field and what would be right.
    """
    if not isinstance(body, Mapping):
        raise ValidationFailed(
            "The body must be a JSON object with generateRequest and format.",
            {"field": "", "problem": "must be a JSON object"},
        )
    request = parse(JobRequest, body)
    if request.webhook is not None:
        try:
            check_webhook_url(request.webhook.url, allow_private=allow_private)
        except ValueError as error:
            raise ValidationFailed(
                f"webhook.url {error}.", {"field": "webhook.url", "problem": str(error)}
            ) from None
    return request


def input_summary(request: GenerateRequest, plan_max_words: int) -> dict[str, Any]:
    """What a job is about, in three members."""
    return {
        "keywords": list(request.keywords),
        "language": request.language,
        "maxWords": request.max_words(plan_max_words),
    }


def retry_after(attempt: int) -> timedelta:
    """How long a job waits for a model that could not be reached in attempt number ``attempt``."""
    return timedelta(seconds=5 * 6 ** max(0, attempt - 1))
