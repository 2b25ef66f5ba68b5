"""Usage counters. Each function runs inside the caller's transaction and costs the same however
many requests there were before."""

from datetime import date, datetime, timedelta

from sqlalchemy import ColumnElement, and_, bindparam, delete, select, update
from sqlalchemy.orm import Session

from app.core.billing.metering import Consumed
from app.core.billing.plan import Plan
from app.store.models import FeedMonth, Reservation, UsageDay, UsageMonth
from app.store.rows import changes, insert_if_absent, new_id, record

_reservation = Reservation.__table__
_EXTEND = (
    update(_reservation)
    .where(_reservation.c.id == bindparam("reservation"))
    .values(lease_until=bindparam("until"))
)


def consumed(session: Session, account_id: str, period: date) -> Consumed:
    """Return an account's usage in a billing period."""
    row = session.get(UsageMonth, (account_id, period))
    return Consumed() if row is None else record(Consumed, row)


def count_request(session: Session, key_id: str, day: date, limit: int) -> bool:
    """Count one request of a key; return False and count nothing if its day is used up."""
    insert_if_absent(session, UsageDay, key_id=key_id, day=day)
    today = and_(UsageDay.key_id == key_id, UsageDay.day == day)
    counted = update(UsageDay).where(today, UsageDay.used < limit).values(used=UsageDay.used + 1)
    return changes(session, counted)


def reserve_words(
    session: Session,
    account_id: str,
    plan: Plan,
    words: int,
    period: date,
    lease_until: datetime | None,
) -> str | None:
    """Reserve words of the month; return the reservation's id, or None if too few are left."""
    month = _opened_month(session, account_id, period)
    enough = UsageMonth.words + UsageMonth.reserved_words + words <= plan.monthly_words
    reserved = {"reserved_words": UsageMonth.reserved_words + words}
    if not changes(session, update(UsageMonth).where(month, enough).values(reserved)):
        return None
    reservation = Reservation(
        id=new_id("rsv"),
        account_id=account_id,
        period_start=period,
        words=words,
        lease_until=lease_until,
    )
    session.add(reservation)
    session.flush()
    return reservation.id


def extend_reservation(session: Session, reservation_id: str, lease_until: datetime) -> None:
    """Hold the words of a reservation for longer."""
    session.connection().execute(_EXTEND, {"reservation": reservation_id, "until": lease_until})


def release_words(session: Session, reservation_id: str) -> None:
    """Return reserved words to the month. Repeating the call changes nothing."""
    columns = (Reservation.account_id, Reservation.period_start, Reservation.words)
    mine = Reservation.id == reservation_id
    row = session.execute(delete(Reservation).where(mine).returning(*columns)).one_or_none()
    if row is not None:
        month = _month(row.account_id, row.period_start)
        left = UsageMonth.reserved_words - row.words
        session.execute(update(UsageMonth).where(month).values(reserved_words=left))


def pull_in(session: Session, now: datetime, lease: timedelta) -> bool:
    """Give reservations whose lease ends too far ahead, because a clock was wrong, the lease that
    they should have. Return whether there were any."""
    wrong = update(Reservation).where(Reservation.lease_until > now + 2 * lease)
    return changes(session, wrong.values(lease_until=now + lease))


def lapsed_reservations(session: Session, now: datetime, limit: int = 100) -> list[str]:
    """Return the reservations of requests whose process must have died."""
    query = select(Reservation.id).where(Reservation.lease_until < now).limit(limit)
    return list(session.scalars(query))


def bill(session: Session, account_id: str, period: date, words: int) -> None:
    """Add one delivered post and its words to the account's month."""
    month = _opened_month(session, account_id, period)
    billed = {
        "words": UsageMonth.words + words,
        "posts": UsageMonth.posts + 1,
        "requests": UsageMonth.requests + 1,
    }
    session.execute(update(UsageMonth).where(month).values(billed))


def count_item(session: Session, token_id: str, period: date, words: int) -> None:
    """Add one generated post and its words to the feed's month."""
    insert_if_absent(session, FeedMonth, token_id=token_id, period_start=period)
    month = and_(FeedMonth.token_id == token_id, FeedMonth.period_start == period)
    counted = {"words": FeedMonth.words + words, "posts": FeedMonth.posts + 1}
    session.execute(update(FeedMonth).where(month).values(counted))


def _opened_month(session: Session, account_id: str, period: date) -> ColumnElement[bool]:
    """Return the condition of an account's month, which exists now."""
    insert_if_absent(session, UsageMonth, account_id=account_id, period_start=period)
    return _month(account_id, period)


def _month(account_id: str, period: date) -> ColumnElement[bool]:
    return and_(UsageMonth.account_id == account_id, UsageMonth.period_start == period)
