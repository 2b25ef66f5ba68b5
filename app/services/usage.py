"""Quotas and usage: hold words before the model runs, settle them with the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import QuotaExceeded, RateLimited
from app.core.metering import (
    midnight,
    next_midnight,
    period_end,
    period_start,
    usage_report,
    wire_time,
)
from app.core.plan import Plan
from app.ports import Allowance, Clock, RateLimiter
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
    """The body of GET /v1/usage, as of the moment in which the caller was recognised."""
    return usage_report(caller.plan, caller.consumed, caller.used_today, clock.now())


def used_today(caller: Caller, clock: Clock) -> int:
    """How many requests the caller's key has made today."""
    with reading() as session:
        return store.used_on(session, caller.key_id, clock.now().date())


def admit(caller: Caller, limiter: RateLimiter, clock: Clock) -> None:
    """Count a request that starts work against its account's minute.

    Raises:
        RateLimited: the minute is full.
    """
    allowance = limiter.hit(caller.account_id, caller.plan.requests_per_minute)
    problem = f"The plan {caller.plan.name} allows {allowance.limit} requests a minute."
    require_allowed(allowance, "requestsPerMinute", problem, clock)


def require_allowed(allowance: Allowance, limit_type: str, problem: str, clock: Clock) -> None:
    """Return where the call is within its limit a minute.

    Raises:
        RateLimited: it is not; ``problem`` is a sentence that says what the limit is.
    """
    if not allowance.allowed:
        raise RateLimited(
            f"{problem} Try again in {allowance.reset_seconds} s.",
            {
                "limitType": limit_type,
                "limit": allowance.limit,
                "used": allowance.limit - allowance.remaining,
                "resetAt": wire_time(clock.now() + timedelta(seconds=allowance.reset_seconds)),
            },
            retry_after=allowance.reset_seconds,
        )


def count_request(session: Session, caller: Caller, now: datetime) -> None:
    """Count a request that starts work against its key's day.

    Raises:
        QuotaExceeded: the day is used up.
    """
    limit = caller.plan.requests_per_day
    if not store.count_request(session, caller.key_id, now.date(), limit):
        raise _exceeded(
            f"This API key has made its {limit} requests of today.",
            "requestsPerDay",
            limit,
            limit,
            next_midnight(now),
            now,
        )


def reserve(
    session: Session, caller: Caller, words: int, now: datetime, lease_until: datetime | None
) -> Reservation:
    """Hold words of the caller's month until ``lease_until``, or without an end.

    Raises:
        QuotaExceeded: too few are left.
    """
    return reserve_of(session, caller.account_id, caller.plan, words, now, lease_until)


def reserve_of(
    session: Session,
    account_id: str,
    plan: Plan,
    words: int,
    now: datetime,
    lease_until: datetime | None,
) -> Reservation:
    """The same for an account that does not call, as for an item of one of its feeds.

    Raises:
        QuotaExceeded
    """
    period = period_start(now)
    held = store.reserve_words(session, account_id, plan, words, period, lease_until)
    if held is None:
        consumed = store.consumed(session, account_id, period)
        raise _exceeded(
            f"This request may take up to {words} words, more than are left of this month's"
            f" {plan.monthly_words}. Ask for fewer with constraints.maxWords.",
            "monthlyWords",
            plan.monthly_words,
            consumed.words + consumed.reserved_words,
            midnight(period_end(period)),
            now,
        )
    return Reservation(held, account_id, period)


def _exceeded(
    message: str, limit_type: str, limit: int, used: int, resets: datetime, now: datetime
) -> QuotaExceeded:
    return QuotaExceeded(
        message,
        {"limitType": limit_type, "limit": limit, "used": used, "resetAt": wire_time(resets)},
        retry_after=max(1, ceil((resets - now).total_seconds())),
    )


def extend(session: Session, reservation: Reservation, until: datetime) -> None:
    """Hold the words for longer."""
    store.extend_reservation(session, reservation.id, until)


def release(session: Session, reservation: Reservation) -> None:
    """Give back what was held for a request that delivered nothing."""
    store.release_words(session, reservation.id)


def settle(session: Session, reservation: Reservation, words: int) -> None:
    """Bill what was delivered and give back what was held for it."""
    store.release_words(session, reservation.id)
    store.bill(session, reservation.account_id, reservation.period, words)


def count_item(
    session: Session, token_id: str, reservation: Reservation | None, words: int, now: datetime
) -> None:
    """Count an item at its token; bill it as well where words are held for it."""
    period = reservation.period if reservation else period_start(now)
    store.count_item(session, token_id, period, words)
    if reservation is not None:
        settle(session, reservation, words)


def release_lapsed(clock: Clock) -> int:
    """Give back what requests held whose process died; says how many there were."""
    now = clock.now()
    with reading() as session:
        lapsed = store.lapsed_reservations(session, now)
    for reservation_id in lapsed:
        # Each by itself: two in one transaction could wait for each other with a request that
        # ends at this very moment.
        with writing() as session:
            store.release_words(session, reservation_id)
    return len(lapsed)
