"""Billing periods and daily quotas at the edges of months and days, in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from app.core.billing.metering import (
    Consumed,
    midnight,
    next_midnight,
    period_end,
    period_start,
    usage_report,
)
from app.core.billing.plan import Plan

PLAN = Plan(
    id="starter",
    name="Starter",
    monthly_words=20_000,
    max_words_per_request=1_500,
    requests_per_minute=10,
    requests_per_day=50,
    priority_processing=False,
    team_seats=1,
)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@given(st.integers(0, 7_000_000_000))
def test_every_moment_lies_in_its_period_and_day(unix_seconds: int) -> None:
    now = datetime.fromtimestamp(unix_seconds, UTC)
    start = period_start(now)
    assert midnight(start) <= now < midnight(period_end(start))
    assert period_start(midnight(period_end(start))) == period_end(start)
    assert timedelta(0) < next_midnight(now) - now <= timedelta(days=1)
    assert next_midnight(now).time().isoformat() == "00:00:00"


def test_the_clock_of_another_zone_makes_no_other_period() -> None:
    """SPEC: "resets at UTC midnight"."""
    west = datetime(2026, 1, 31, 19, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert period_start(west) == date(2026, 2, 1)
    assert next_midnight(west) == utc("2026-02-02T00:00:00")
    east = datetime(2026, 2, 1, 8, 30, tzinfo=timezone(timedelta(hours=9)))
    assert period_start(east) == date(2026, 1, 1)
    assert next_midnight(east) == utc("2026-02-01T00:00:00")


def test_nothing_remains_below_zero() -> None:
    report = usage_report(PLAN, Consumed(words=20_001), 51, utc("2026-12-31T12:00:00"))
    assert report["remaining"] == {"words": 0}
    assert report["daily"]["remaining"] == 0
    assert report["daily"]["resetAt"] == report["periodEnd"] == "2027-01-01T00:00:00.000Z"
