"""The usage report: the plan, its limits, and what is used of them in this billing period."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from copydesk._wire import REQUIRED, Received


@dataclass(frozen=True)
class Plan(Received):
    """The plan that the API key's account is on."""

    id: str
    name: str
    priority_processing: bool | None
    team_seats: int | None


@dataclass(frozen=True)
class Metering(Received):
    """What is counted: ``unit`` is word or post, ``granularity`` request or generation."""

    unit: str
    granularity: str


@dataclass(frozen=True)
class Limits(Received):
    """The plan's limits; None for one that the plan does not have."""

    monthly_words: int | None
    monthly_posts: int | None
    max_words_per_request: int | None
    requests_per_minute: int | None


@dataclass(frozen=True)
class Amounts(Received):
    """Words, posts and requests, consumed or remaining; None for what the plan does not track."""

    words: int | None
    posts: int | None
    requests: int | None


@dataclass(frozen=True)
class DailyQuota(Received):
    """Requests of this API key today; ``reset_at`` is the next midnight, UTC."""

    limit: int | None
    used: int | None
    remaining: int | None
    reset_at: datetime | None


@dataclass(frozen=True)
class Usage(Received):
    """The answer to ``usage``."""

    plan: Annotated[Plan, REQUIRED]
    period_start: datetime | None
    period_end: datetime | None
    metering: Metering
    limits: Limits
    consumed: Amounts
    remaining: Amounts
    daily: DailyQuota
