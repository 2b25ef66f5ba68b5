"""Quotas and usage: reserve words before the model runs, bill them with the result. Each statement
costs the same however many requests there were before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any, Protocol

from sqlalchemy import ColumnElement, bindparam, delete, select, update
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
from app.store.accounts import Caller
from app.store.database import reading, writing
from app.store.models import FeedMonth, UsageDay, UsageMonth
from app.store.rows import changes, insert_if_absent, new_row, record

# After this time reserved words may be free again: as long as a short post takes.
_HELD_SECONDS = 10
_LAPSED_AT_ONCE = 100
_NO_LIMIT = 2**31 - 1
_reservation = models.Reservation.__table__
_day, _month = UsageDay.__table__, UsageMonth.__table__
_EXTEND = update(_reservation).where(_reservation.c.id == bindparam("reservation"))
_EXTEND = _EXTEND.values(lease_until=bindparam("until"))


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
        day = session.get(UsageDay, (caller.key_id, context.clock.now().date()))
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
    key, day = _day.c.key_id == caller.key_id, _day.c.day == now.date()
    insert_if_absent(session, UsageDay, key_id=caller.key_id, day=now.date())
    today = update(_day).where(key, day, _day.c.used < limit)
    if not changes(session, today.values(used=_day.c.used + 1)):
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
    insert_if_absent(session, UsageMonth, account_id=account_id, period_start=period)
    enough = _month.c.words + _month.c.reserved_words + words <= plan.monthly_words
    held = update(_month).where(_of_month(account_id, period), enough)
    if changes(session, held.values(reserved_words=_month.c.reserved_words + words)):
        columns = {"account_id": account_id, "period_start": period, "words": words}
        row = new_row(models.Reservation, "rsv", lease_until=lease_until, **columns)
        session.add(row)
        session.flush()
        return Reservation(row.id, account_id, period)
    used = consumed(session, account_id, period)
    month = {"limitType": "monthlyWords", "limit": plan.monthly_words, "used": used.words}
    if used.words + words <= plan.monthly_words:
        raise _held_by_others(words, used, now, month)
    raise _exceeded(
        f"This request may take up to {words} words, more than are left of this month's"
        f" {plan.monthly_words}. Ask for fewer with constraints.maxWords.",
        midnight(period_end(period)),
        now,
        month,
    )


def consumed(session: Session, account_id: str, period: date) -> Consumed:
    """Return an account's usage in a billing period."""
    row = session.get(UsageMonth, (account_id, period))
    return Consumed() if row is None else record(Consumed, row)


def _of_month(account_id: str, period: date) -> ColumnElement[bool]:
    return (_month.c.account_id == account_id) & (_month.c.period_start == period)


def _held_by_others(
    words: int, used: Consumed, now: datetime, month: Mapping[str, Any]
) -> RateLimited:
    """Return the error for a month that has enough words, which running requests may need."""
    resets = now + timedelta(seconds=_HELD_SECONDS)
    return RateLimited(
        f"This request may take up to {words} words. Requests that still run hold"
        f" {used.reserved_words} of this month's {month['limit']}, and {used.words} are"
        f" consumed. Try again in {_HELD_SECONDS} s.",
        {**month, "held": used.reserved_words, "resetAt": wire_time(resets)},
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
    session.connection().execute(_EXTEND, {"reservation": reservation.id, "until": until})


def release(session: Session, reservation: Reservation) -> None:
    """Return the words of a request that delivered nothing to the month. Repeating the call changes
    nothing."""
    _end(session, reservation)


def bill(session: Session, reservation: Reservation, words: int) -> None:
    """Bill a delivered post with its words, and release the reservation."""
    _end(session, reservation, words=words, posts=1, requests=1)


def _end(session: Session, reservation: Reservation, **billed: int) -> None:
    """Release a reservation, whose month exists, and add what is billed to the month."""
    ended = delete(_reservation).where(_reservation.c.id == reservation.id)
    held = session.scalar(ended.returning(_reservation.c.words)) or 0
    more = {name: _month.c[name] + number for name, number in billed.items()}
    month = update(_month).where(_of_month(reservation.account_id, reservation.period))
    session.execute(month.values(reserved_words=_month.c.reserved_words - held, **more))


def count_item(
    session: Session, token_id: str, reservation: Reservation | None, words: int, now: datetime
) -> None:
    """Count an item of a feed; also bill it if words are held for it."""
    period = reservation.period if reservation else period_start(now)
    insert_if_absent(session, FeedMonth, token_id=token_id, period_start=period)
    month = (FeedMonth.token_id == token_id) & (FeedMonth.period_start == period)
    counted = {"words": FeedMonth.words + words, "posts": FeedMonth.posts + 1}
    session.execute(update(FeedMonth).where(month).values(counted))
    if reservation is not None:
        bill(session, reservation, words)


def release_lapsed(context: Context) -> int:
    """Release the words of requests whose process died; return how many there were."""
    row = models.Reservation
    query = select(row.id, row.account_id, row.period_start)
    query = query.where(row.lease_until < context.clock.now()).limit(_LAPSED_AT_ONCE)
    with reading() as session:
        lapsed = [Reservation(*each) for each in session.execute(query)]
    for reservation in lapsed:
        # One transaction each: two in one could deadlock with a request that is just ending.
        with writing() as session:
            release(session, reservation)
    return len(lapsed)


def pull_in(session: Session, now: datetime, lease: timedelta) -> bool:
    """Give reservations whose lease ends too far ahead, because a clock was wrong, the lease that
    they should have. Return whether there were any."""
    row = models.Reservation
    wrong = update(row).where(row.lease_until > now + 2 * lease)
    return changes(session, wrong.values(lease_until=now + lease))
