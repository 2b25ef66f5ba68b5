"""Quotas and usage: hold words before the model runs, settle them with the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from app.core.errors import QuotaExceeded
from app.core.metering import (
    midnight,
    next_midnight,
    period_end,
    period_start,
    usage_report,
    wire_time,
)
from app.ports import Clock
from app.store import usage as store
from app.store.accounts import Caller
from app.store.database import reading, writing


@dataclass(frozen=True)
class Reservation:
    """Words held for one request, in the billing period in which it began."""

    id: str
    account_id: str
    period: date


def report(caller: Caller, clock: Clock) -> Mapping[str, Any]:
    """The body of GET /v1/usage."""
    now = clock.now()
    with reading() as session:
        consumed = store.consumed(session, caller.account_id, period_start(now))
        used = store.used_on(session, caller.key_id, now.date())
    return usage_report(caller.plan, consumed, used, now)


def reserve(caller: Caller, words: int, lease: timedelta, clock: Clock) -> Reservation:
    """Count a request against its key's day and hold its words, or do neither.

    Raises:
        QuotaExceeded: the day's requests or the month's words are used up.
    """
    now = clock.now()
    period = period_start(now)
    plan = caller.plan
    with writing() as session:
        if not store.count_request(session, caller.key_id, now.date(), plan.requests_per_day):
            raise _exceeded(
                f"This API key has made its {plan.requests_per_day} requests of today.",
                "requestsPerDay",
                plan.requests_per_day,
                plan.requests_per_day,
                next_midnight(now),
                now,
            )
        held = store.reserve_words(session, caller.account_id, plan, words, period, now + lease)
        if held is None:
            consumed = store.consumed(session, caller.account_id, period)
            raise _exceeded(
                f"This request may take up to {words} words, more than are left of this month's"
                f" {plan.monthly_words}. Ask for fewer with constraints.maxWords.",
                "monthlyWords",
                plan.monthly_words,
                consumed.words + consumed.reserved_words,
                midnight(period_end(period)),
                now,
            )
    return Reservation(held, caller.account_id, period)


def _exceeded(
    message: str, limit_type: str, limit: int, used: int, resets: datetime, now: datetime
) -> QuotaExceeded:
    return QuotaExceeded(
        message,
        {"limitType": limit_type, "limit": limit, "used": used, "resetAt": wire_time(resets)},
        retry_after=max(1, int((resets - now).total_seconds())),
    )


def release(reservation: Reservation) -> None:
    """Give back what a request held that delivered nothing."""
    with writing() as session:
        store.release_words(session, reservation.id)


def release_lapsed(clock: Clock) -> int:
    """Give back what requests held whose process died; says how many there were."""
    now = clock.now()
    with reading() as session:
        lapsed = store.lapsed_reservations(session, now)
    if lapsed:
        with writing() as session:
            for reservation_id in lapsed:
                store.release_words(session, reservation_id)
    return len(lapsed)
