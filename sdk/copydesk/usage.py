"""The usage report: the plan, its limits, and what is used of them in this billing period."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from copydesk import _wire
from copydesk._wire import Received


@dataclass(frozen=True)
class Plan(Received):
    """The plan that the API key's account is on."""

    id: str
    name: str
    priority_processing: bool | None
    team_seats: int | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.text(data, "id"),
            _wire.text(data, "name"),
            _wire.optional_bool(data, "priorityProcessing"),
            _wire.optional_int(data, "teamSeats"),
            raw=data,
        )


@dataclass(frozen=True)
class Metering(Received):
    """What is counted: ``unit`` is word or post, ``granularity`` request or generation."""

    unit: str
    granularity: str

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(_wire.text(data, "unit"), _wire.text(data, "granularity"), raw=data)


@dataclass(frozen=True)
class Limits(Received):
    """The plan's limits; None for one that the plan does not have."""

    monthly_words: int | None
    monthly_posts: int | None
    max_words_per_request: int | None
    requests_per_minute: int | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.optional_int(data, "monthlyWords"),
            _wire.optional_int(data, "monthlyPosts"),
            _wire.optional_int(data, "maxWordsPerRequest"),
            _wire.optional_int(data, "requestsPerMinute"),
            raw=data,
        )


@dataclass(frozen=True)
class Amounts(Received):
    """Words, posts and requests, consumed or remaining; None for what the plan does not track."""

    words: int | None
    posts: int | None
    requests: int | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.optional_int(data, "words"),
            _wire.optional_int(data, "posts"),
            _wire.optional_int(data, "requests"),
            raw=data,
        )


@dataclass(frozen=True)
class DailyQuota(Received):
    """Requests of this API key today; ``reset_at`` is the next midnight, UTC."""

    limit: int | None
    used: int | None
    remaining: int | None
    reset_at: datetime | None

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            _wire.optional_int(data, "limit"),
            _wire.optional_int(data, "used"),
            _wire.optional_int(data, "remaining"),
            _wire.optional_time(data, "resetAt"),
            raw=data,
        )


@dataclass(frozen=True)
class Usage(Received):
    """The answer to ``usage``."""

    plan: Plan
    period_start: datetime | None
    period_end: datetime | None
    metering: Metering
    limits: Limits
    consumed: Amounts
    remaining: Amounts
    daily: DailyQuota

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Self:
        return cls(
            plan=Plan.from_wire(_wire.required_child(data, "plan")),
            period_start=_wire.optional_time(data, "periodStart"),
            period_end=_wire.optional_time(data, "periodEnd"),
            metering=Metering.from_wire(_wire.child(data, "metering")),
            limits=Limits.from_wire(_wire.child(data, "limits")),
            consumed=Amounts.from_wire(_wire.child(data, "consumed")),
            remaining=Amounts.from_wire(_wire.child(data, "remaining")),
            daily=DailyQuota.from_wire(_wire.child(data, "daily")),
            raw=data,
        )
