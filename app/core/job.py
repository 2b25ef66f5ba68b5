"""Jobs: what POST /v1/jobs accepts, and how a job's row looks to its caller."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from app.core.addresses import check_webhook_url
from app.core.errors import ValidationFailed
from app.core.request import GenerateRequest, ResponseType, parse
from app.core.wire import (
    NEVER_ASTRAL,
    PORT_FROM_10000,
    PUNYCODE,
    URL_MAX_CHARS,
    HttpUrl,
    IdempotencyKey,
    WireModel,
    any_case,
    url_pattern,
)

MAX_ATTEMPTS = 3


class JobStatus(StrEnum):
    """Queued until a worker takes it, then processing, until it has succeeded or failed."""

    QUEUED = "queued"
    PROCESSING = "processing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class WebhookEvent(StrEnum):
    SUCCEEDED = "job.succeeded"
    FAILED = "job.failed"


# As for HttpUrl: what the schema allows is never refused. `check_webhook_url` is the validation.
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_TOP = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_LOCAL = "|".join(map(any_case, ("localhost", "local", "internal", "arpa")))
_PORT = rf"443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{{2}}|[2-9][0-9]{{3}}|{PORT_FROM_10000}"
WebhookUrl = Annotated[
    HttpUrl,
    WithJsonSchema(
        {
            "type": "string",
            "title": "WebhookUrl",
            "description": "An https URL of a public host, without user name and password; port"
            " 443, or one from 1024. A public address in place of the name is taken as well.",
            "maxLength": URL_MAX_CHARS,
            "pattern": url_pattern(any_case("https"), rf"(?:{_LABEL}\.)+{_TOP}", _PORT),
            "not": {
                "anyOf": [
                    {"pattern": rf"^[^/]*//[^/?#:]*\.(?:{_LOCAL})(?:[:/?#]|$)"},
                    {"pattern": "^[^/]*//[^/?#:]{254}"},
                    {"pattern": NEVER_ASTRAL},
                    {"pattern": PUNYCODE},
                ]
            },
        }
    ),
]


class Webhook(WireModel):
    """Where to send which events; both or neither."""

    url: WebhookUrl
    events: tuple[WebhookEvent, ...] = Field(min_length=1, max_length=10)


class JobFormat(WireModel):
    """The representations that are wanted under the job's `rendered`."""

    response_types: tuple[ResponseType, ...] = Field(
        min_length=1, max_length=10, description="json adds rawJson where it stands alone."
    )


class JobRequest(WireModel):
    """A post to be written in the background."""

    generate_request: GenerateRequest
    format: JobFormat
    webhook: Webhook | None = Field(None, description="Without one, ask GET /v1/jobs/{jobId}.")
    idempotency_key: IdempotencyKey | None = Field(
        None, description="The same as the header Idempotency-Key; give one of them."
    )


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
