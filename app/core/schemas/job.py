"""Jobs: the body of POST /v1/jobs, and the states of a job."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from app.core.addresses import web_target
from app.core.errors import ValidationFailed
from app.core.schemas.api_model import URL_MAX_CHARS, ApiModel, HttpUrl, IdempotencyKey
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest, ResponseType


class JobStatus(StrEnum):
    """Queued until a worker claims it, then processing, then succeeded or failed."""

    QUEUED = "queued"
    PROCESSING = "processing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class WebhookEvent(StrEnum):
    SUCCEEDED = "job.succeeded"
    FAILED = "job.failed"


WebhookUrl = Annotated[
    HttpUrl,
    WithJsonSchema(
        {
            "type": "string",
            "title": "WebhookUrl",
            "description": "An https URL of a public host, without user name and password; port"
            " 443, or one from 1024.",
            "maxLength": URL_MAX_CHARS,
        }
    ),
]


class Webhook(ApiModel):
    """The URL to notify and the events to send."""

    url: WebhookUrl
    events: tuple[WebhookEvent, ...] = Field(min_length=1, max_length=10)


class JobFormat(ApiModel):
    """The representations to return in the job's `rendered`."""

    response_types: tuple[ResponseType, ...] = Field(
        min_length=1, max_length=10, description="json adds rawJson if it is the only entry."
    )


class JobRequest(ApiModel):
    """A post to write in the background."""

    generate_request: GenerateRequest
    format: JobFormat
    webhook: Webhook | None = Field(
        None, description="Without a webhook, poll GET /v1/jobs/{jobId}."
    )
    idempotency_key: IdempotencyKey | None = Field(
        None, description="An alternative to the Idempotency-Key header; use one of them."
    )


def parse_job_request(body: Any, *, allow_private: bool) -> JobRequest:
    """Return a decoded JSON body as a request.

    Args:
        allow_private: Allow webhooks to http and to private addresses, for development.

    Raises:
        ValidationFailed: The message says what is wrong with the first invalid field.
    """
    request = parse(JobRequest, body)
    if request.webhook is not None:
        try:
            web_target(request.webhook.url, allow_private, https_only=True)
        except ValueError as error:
            raise ValidationFailed(
                f"webhook.url {error}.", {"field": "webhook.url", "problem": str(error)}
            ) from None
    return request
