"""What GET /v1/usage answers."""

from typing import Literal

from pydantic import Field

from app.core.wire import Timestamp, WireModel


class PlanSummary(WireModel):
    """The plan that an account is on."""

    id: str
    name: str
    priority_processing: bool = Field(description="Whether jobs go before those of other plans.")
    team_seats: int = Field(ge=0)


class Metering(WireModel):
    """What is counted."""

    unit: Literal["word", "post"]
    granularity: Literal["request", "generation"]


class PlanLimits(WireModel):
    """What the plan allows."""

    monthly_words: int = Field(ge=0, description="Words in a billing period.")
    max_words_per_request: int = Field(ge=0, description="The cap of constraints.maxWords.")
    requests_per_minute: int = Field(ge=0, description="Requests that start work, by account.")


class Consumption(WireModel):
    """What was delivered in the billing period. Failures and repetitions cost nothing."""

    words: int = Field(ge=0)
    posts: int = Field(ge=0)
    requests: int = Field(ge=0)


class Remaining(WireModel):
    """Limits minus what was consumed."""

    words: int = Field(ge=0)


class DailyQuota(WireModel):
    """Requests that start work, by API key; begins anew at midnight UTC."""

    limit: int = Field(ge=0)
    used: int = Field(ge=0)
    remaining: int = Field(ge=0)
    reset_at: Timestamp


class UsageReport(WireModel):
    """Usage and quota of the current billing period: the calendar month in UTC, from its first
    moment to the first of the next."""

    plan: PlanSummary
    period_start: Timestamp
    period_end: Timestamp
    metering: Metering
    limits: PlanLimits
    consumed: Consumption
    remaining: Remaining
    daily: DailyQuota
