"""Billing periods, daily quotas and the usage report. Everything is in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from app.core.billing.plan import Plan
from app.core.schemas.times import wire_time


@dataclass(frozen=True)
class Consumed:
    """The usage of a period; running requests hold ``reserved_words``."""

    words: int = 0
    posts: int = 0
    requests: int = 0
    reserved_words: int = 0


def period_start(now: datetime) -> date:
    """Return the first day of the billing period, a calendar month."""
    return now.astimezone(UTC).date().replace(day=1)


def period_end(start: date) -> date:
    """Return the first day after a billing period."""
    return (start + timedelta(days=32)).replace(day=1)


def next_midnight(now: datetime) -> datetime:
    return midnight(now.astimezone(UTC).date() + timedelta(days=1))


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def usage_report(
    plan: Plan, consumed: Consumed, used_today: int, now: datetime
) -> Mapping[str, Any]:
    """Return the body of GET /v1/usage."""
    start = period_start(now)
    return {
        "plan": {
            "id": plan.id,
            "name": plan.name,
            "priorityProcessing": plan.priority_processing,
            "teamSeats": plan.team_seats,
        },
        "periodStart": wire_time(midnight(start)),
        "periodEnd": wire_time(midnight(period_end(start))),
        "metering": {"unit": "word", "granularity": "request"},
        "limits": {
            "monthlyWords": plan.monthly_words,
            "maxWordsPerRequest": plan.max_words_per_request,
            "requestsPerMinute": plan.requests_per_minute,
        },
        "consumed": {
            "words": consumed.words,
            "posts": consumed.posts,
            "requests": consumed.requests,
        },
        "remaining": {"words": max(0, plan.monthly_words - consumed.words)},
        "daily": {
            "limit": plan.requests_per_day,
            "used": used_today,
            "remaining": max(0, plan.requests_per_day - used_today),
            "resetAt": wire_time(next_midnight(now)),
        },
    }
