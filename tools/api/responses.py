"""The bodies of responses and webhook events, as the OpenAPI document describes them.

The service makes them without these models; tests compare the two.
"""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from app.core.schemas.api_model import ApiModel, only_where
from app.core.schemas.feed import ITEMS_LIMIT
from app.core.schemas.job import JobStatus
from app.core.schemas.post import Quality, Rendered, SEOPost

Timestamp = Annotated[
    str,
    WithJsonSchema(
        {
            "type": "string",
            "title": "Timestamp",
            "description": "ISO 8601, in UTC, with milliseconds.",
            "format": "date-time",
            "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
        }
    ),
]


class Error(ApiModel):
    """An error. New codes may be added; handle an unknown code by its status."""

    code: str
    message: str = Field(description="A sentence for people: what is wrong and how to fix it.")
    details: dict[str, Any] | None = Field(
        None,
        description="Details for programs; they depend on the code. Invalid input: field, problem,"
        " allowed, minAllowed, maxAllowed, received. Limits: limitType, limit, used, resetAt, and"
        " held if running requests hold words.",
    )


class ErrorBody(ApiModel):
    """The body of every error."""

    error: Error
    request_id: str = Field(description="The X-Request-ID of the first response.")
    documentation: str = Field(description="A link to the error in the reference of this service.")


class Debug(ApiModel):
    """Debug information, if the operator has enabled it."""

    generation_model: str


class Generation(ApiModel):
    """A finished post."""

    request_id: str = Field(description="The X-Request-ID of the first response.")
    post: SEOPost
    rendered: Rendered
    quality: Quality
    debug: Debug | None = Field(None, description="Present only if the operator has enabled it.")


class InputSummary(ApiModel):
    """A summary of the job's request."""

    keywords: tuple[str, ...]
    language: str
    max_words: int = Field(ge=1)


class Progress(ApiModel):
    """What a worker is doing for a job."""

    stage: Literal["preparing", "writing", "editing", "reading", "polishing", "shortening"]
    number: int | None = Field(
        None,
        ge=1,
        description="Which of them: the last that began. Two drafts are written at once.",
    )
    of: int | None = Field(None, ge=1, description="How many of them there are at most, if known.")
    tokens: int = Field(
        ge=0,
        description="Those of prompts and answers so far, as the endpoint counts them.",
    )


class Job(ApiModel):
    """A job. It has a result once it has succeeded, or an error once it has failed."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                only_where("status", [JobStatus.SUCCEEDED], "result", "rendered", "quality"),
                only_where("status", [JobStatus.FAILED], "error"),
                only_where("status", [JobStatus.PROCESSING], "progress"),
            ]
        }
    )

    job_id: str
    status: JobStatus
    created_at: Timestamp
    updated_at: Timestamp
    request_id: str = Field(description="The X-Request-ID of the call that created the job.")
    input_summary: InputSummary
    webhook_signing_secret: str | None = Field(
        None,
        description="Returned only when a job with a webhook is created, and in replays of that"
        " response. Store it, or derive it from the root secret of your account. The whole"
        " string, including the prefix, is the key of x-svc-signature.",
        pattern="^whsec_",
    )
    progress: Progress | None = None
    result: SEOPost | None = None
    rendered: Rendered | None = None
    quality: Quality | None = None
    error: Error | None = None


class JobSucceeded(ApiModel):
    """The body of the job.succeeded event."""

    event: Literal["job.succeeded"]
    job_id: str
    request_id: str
    post: SEOPost
    rendered: Rendered
    quality: Quality


class JobFailed(ApiModel):
    """The body of the job.failed event."""

    event: Literal["job.failed"]
    job_id: str
    request_id: str
    error: Error


class PlanSummary(ApiModel):
    """The plan of the account."""

    id: str
    name: str
    priority_processing: bool = Field(description="Whether jobs run before those of other plans.")
    team_seats: int = Field(ge=0)


class Metering(ApiModel):
    """The unit of metering."""

    unit: Literal["word", "post"]
    granularity: Literal["request", "generation"]


class PlanLimits(ApiModel):
    """The limits of the plan."""

    monthly_words: int = Field(ge=0, description="Words per billing period.")
    max_words_per_request: int = Field(ge=0, description="The maximum of constraints.maxWords.")
    requests_per_minute: int = Field(
        ge=0, description="Requests per minute that start work, for the account."
    )


class Consumption(ApiModel):
    """What was delivered in the billing period. Failures and replays are not billed."""

    words: int = Field(ge=0)
    posts: int = Field(ge=0)
    requests: int = Field(ge=0)


class Remaining(ApiModel):
    """The limits minus what was consumed."""

    words: int = Field(ge=0)


class DailyQuota(ApiModel):
    """Requests that start work, per API key; reset at midnight UTC."""

    limit: int = Field(ge=0)
    used: int = Field(ge=0)
    remaining: int = Field(ge=0)
    reset_at: Timestamp


class UsageReport(ApiModel):
    """Usage and quota of the current billing period, which is the calendar month in UTC."""

    plan: PlanSummary
    period_start: Timestamp
    period_end: Timestamp
    metering: Metering
    limits: PlanLimits
    consumed: Consumption
    remaining: Remaining
    daily: DailyQuota


class Health(ApiModel):
    """The process is running."""

    status: Literal["ok"]


class Readiness(ApiModel):
    """Whether the service can reach its dependencies. Each part is ``ok`` or ``unreachable``,
    with the reason in parentheses if known."""

    status: Literal["ok", "unavailable"]
    database: str
    queue: str
    model: str = Field(description="The language model's endpoint.")


class CheckFinding(ApiModel):
    """A fault of the text. Lines and columns are counted from 1."""

    line: int = Field(ge=1)
    column: int = Field(ge=1)
    severity: Literal["blocker", "warning"]
    check: str = Field(description="The rule that the text breaks. New ones may be added.")
    reason: str = Field(description="What is wrong and what to do.")
    quotation: str | None = Field(
        None,
        description="The text that the finding is about, up to 200 characters. Absent if it is"
        " about a larger part.",
    )


class CheckReport(ApiModel):
    """What the rules found."""

    passes: bool = Field(description="Whether no finding is a blocker.")
    score: int | None = Field(
        None,
        ge=0,
        le=100,
        description="At most 70, because no model reads the text. Absent if the text has no words.",
    )
    words: int = Field(ge=0)
    language: str = Field(description="The language that the text was checked in.")
    quality_version: str = Field(description="The version of the rules.")
    finding_count: int = Field(ge=0, description="The number of findings.")
    findings: tuple[CheckFinding, ...] = Field(
        max_length=500,
        description="The findings in the order of the text, at most 500, blockers before warnings.",
    )
    skipped: tuple[str, ...] = Field(description="The rules that apply only to whole posts.")


class RenderedItem(ApiModel):
    """The post with its offer links. The structured post has no links."""

    markdown: str
    html: str = Field(description="Offer links have rel=sponsored noopener and open in a new tab.")


class FeedItem(ApiModel):
    """A post to publish and then confirm, or to reject."""

    id: str
    post: SEOPost
    rendered: RenderedItem
    generated_at: Timestamp
    delivery_count: int = Field(
        ge=1,
        description="How often this item was returned, including this call. After the third time"
        " without confirm or reject, the next pull abandons it.",
    )


class RuleFeedItem(FeedItem):
    """A feed item and the rule that made it."""

    rule_id: str
    rule_name: str


class ItemAvailable(ApiModel):
    """An item is available."""

    available: Literal[True]
    item: FeedItem


class NothingNew(ApiModel):
    """No item is reserved or pending. This is not an error."""

    available: Literal[False]


class ItemList(ApiModel):
    """All open items, now reserved for you."""

    count: int = Field(ge=0, le=ITEMS_LIMIT)
    limit: Literal[100] = Field(description="The maximum number of items per call.")
    items: tuple[RuleFeedItem, ...] = Field(max_length=ITEMS_LIMIT)


class UsedItem(ApiModel):
    """An item that was confirmed. This is final."""

    id: str
    status: Literal["used"]


class RejectedItem(ApiModel):
    """An item that was rejected. This is final."""

    id: str
    status: Literal["rejected"]


class Confirmed(ApiModel):
    """The item is used."""

    ok: Literal[True]
    item: UsedItem


class Rejected(ApiModel):
    """The item is rejected."""

    ok: Literal[True]
    item: RejectedItem
