"""Quotas and usage: reserve words before the model runs, bill them with the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any, Protocol

from sqlalchemy.orm import Session

from app.core.billing.metering import (
    Consumed,
    midnight,
    next_midnight,
    period_end,
    period_start,
    usage_report,
)
from app.core.billing.plan import Plan
from app.core.credentials import is_sandbox
from app.core.errors import QuotaExceeded, RateLimited
from app.core.schemas.times import wire_time
from app.ports import Allowance
from app.services.context import Context
from app.store import models
from app.store import usage as store
from app.store.accounts import Caller
from app.store.database import reading, writing

# After this time reserved words may be free again: as long as a short post takes.
_HELD_SECONDS = 10
_NO_LIMIT = 2**31 - 1


@dataclass(frozen=True)
class Reservation:
    """Words held for one request, in the billing period in which it began."""

    id: str
    account_id: str
    period: date


class OnPlan(Protocol):
    """The party that words are reserved for: a caller, or a run of a metered feed."""

    @property
    def account_id(self) -> str: ...

    @property
    def plan(self) -> Plan: ...


def report(context: Context, caller: Caller) -> Mapping[str, Any]:
    """Return the body of GET /v1/usage, as of the caller's authentication."""
    return usage_report(caller.plan, caller.consumed, caller.used_today, context.clock.now())


def used_today(context: Context, caller: Caller) -> int:
    """Return how many requests the caller's key has made today."""
    with reading() as session:
        day = session.get(models.UsageDay, (caller.key_id, context.clock.now().date()))
        return day.used if day else 0


def admit(context: Context, caller: Caller) -> None:
    """Count a request that starts work against its account's minute.

    Raises:
        RateLimited: the minute is full.
    """
    allowance = context.limiter.hit(caller.account_id, caller.plan.requests_per_minute)
    problem = f"The plan {caller.plan.name} allows {allowance.limit} requests a minute."
    require_allowed(context, allowance, "requestsPerMinute", problem)


def require_allowed(context: Context, allowance: Allowance, limit_type: str, problem: str) -> None:
    """Require that a call is within its limit per minute; ``problem`` is a sentence on the limit.

    Raises:
        RateLimited: it is not.
    """
    if not allowance.allowed:
        resets = context.clock.now() + timedelta(seconds=allowance.reset_seconds)
        raise RateLimited(
            f"{problem} Try again in {allowance.reset_seconds} s.",
            {
                "limitType": limit_type,
                "limit": allowance.limit,
                "used": allowance.limit - allowance.remaining,
                "resetAt": wire_time(resets),
            },
            retry_after=allowance.reset_seconds,
        )


def count_request(session: Session, caller: Caller, now: datetime) -> None:
    """Count a request that starts work against its key's day, which has no end for a test key: its
    calls cost nothing.

    Raises:
        QuotaExceeded: the day is used up.
    """
    limit = _NO_LIMIT if is_sandbox(caller.account_id) else caller.plan.requests_per_day
    if not store.count_request(session, caller.key_id, now.date(), limit):
        raise _exceeded(
            f"This API key has made its {limit} requests of today.",
            next_midnight(now),
            now,
            {"limitType": "requestsPerDay", "limit": limit, "used": limit},
        )


def reserve(
    session: Session, holder: OnPlan, words: int, now: datetime, lease_until: datetime | None
) -> Reservation:
    """Hold words of an account's month until ``lease_until``, or without an end if None.

    Raises:
        RateLimited: too few are free now, because running requests hold them.
        QuotaExceeded: too few are left of the month.
    """
    account_id, plan, period = holder.account_id, holder.plan, period_start(now)
    held = store.reserve_words(session, account_id, plan, words, period, lease_until)
    if held is None:
        consumed = store.consumed(session, account_id, period)
        month = {"limitType": "monthlyWords", "limit": plan.monthly_words, "used": consumed.words}
        if consumed.words + words <= plan.monthly_words:
            raise _held_by_others(words, consumed, now, month)
        raise _exceeded(
            f"This request may take up to {words} words, more than are left of this month's"
            f" {plan.monthly_words}. Ask for fewer with constraints.maxWords.",
            midnight(period_end(period)),
            now,
            month,
        )
    return Reservation(held, account_id, period)


def _held_by_others(
    words: int, consumed: Consumed, now: datetime, month: Mapping[str, Any]
) -> RateLimited:
    """Return the error for a month that has enough words, which running requests may need."""
    resets = now + timedelta(seconds=_HELD_SECONDS)
    return RateLimited(
        f"This request may take up to {words} words. Requests that still run hold"
        f" {consumed.reserved_words} of this month's {month['limit']}, and {consumed.words} are"
        f" consumed. Try again in {_HELD_SECONDS} s.",
        {**month, "held": consumed.reserved_words, "resetAt": wire_time(resets)},
        retry_after=_HELD_SECONDS,
    )


def _exceeded(
    message: str, resets: datetime, now: datetime, limit: Mapping[str, Any]
) -> QuotaExceeded:
    return QuotaExceeded(
        message,
        {**limit, "resetAt": wire_time(resets)},
        retry_after=max(1, ceil((resets - now).total_seconds())),
    )


def extend(session: Session, reservation: Reservation, until: datetime) -> None:
    """Hold the words for longer."""
    store.extend_reservation(session, reservation.id, until)


def release(session: Session, reservation: Reservation) -> None:
    """Release the words of a request that delivered nothing."""
    store.release_words(session, reservation.id)


def bill(session: Session, reservation: Reservation, words: int) -> None:
    """Bill delivered words and release the reservation."""
    store.release_words(session, reservation.id)
    store.bill(session, reservation.account_id, reservation.period, words)


def count_item(
    session: Session, token_id: str, reservation: Reservation | None, words: int, now: datetime
) -> None:
    """Count an item of a feed; also bill it if words are held for it."""
    period = reservation.period if reservation else period_start(now)
    store.count_item(session, token_id, period, words)
    if reservation is not None:
        bill(session, reservation, words)


def release_lapsed(context: Context) -> int:
    """Release the words of requests whose process died; return how many there were."""
    now = context.clock.now()
    with reading() as session:
        lapsed = store.lapsed_reservations(session, now)
    for reservation_id in lapsed:
        # One transaction each: two in one could deadlock with a request that is just ending.
        with writing() as session:
            store.release_words(session, reservation_id)
    return len(lapsed)
