"""What is told of a job: to its caller, and to its webhook."""

from typing import Literal

from pydantic import ConfigDict, Field

from app.core.error_body import Error
from app.core.job import JobStatus
from app.core.post import Quality, Rendered, SEOPost
from app.core.wire import Timestamp, WireModel, only_where


class InputSummary(WireModel):
    """What a job is about."""

    keywords: tuple[str, ...]
    language: str
    max_words: int = Field(ge=1)


class Job(WireModel):
    """A job, with its post once it has succeeded, with its error once it has failed."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                only_where("status", [JobStatus.SUCCEEDED], "result", "rendered", "quality"),
                only_where("status", [JobStatus.FAILED], "error"),
            ]
        }
    )

    job_id: str
    status: JobStatus
    created_at: Timestamp
    updated_at: Timestamp
    request_id: str = Field(description="The X-Request-ID of the call that created it.")
    input_summary: InputSummary
    webhook_signing_secret: str | None = Field(
        None,
        description="Only in the answer that creates a job with a webhook, and in its repetitions:"
        " keep it. The whole string, prefix included, is the key of x-svc-signature.",
        pattern="^whsec_",
    )
    result: SEOPost | None = None
    rendered: Rendered | None = None
    quality: Quality | None = None
    error: Error | None = None


class JobSucceeded(WireModel):
    """The body of the webhook job.succeeded."""

    event: Literal["job.succeeded"]
    job_id: str
    request_id: str
    post: SEOPost
    rendered: Rendered
    quality: Quality


class JobFailed(WireModel):
    """The body of the webhook job.failed."""

    event: Literal["job.failed"]
    job_id: str
    request_id: str
    error: Error
