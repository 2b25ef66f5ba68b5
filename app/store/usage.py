"""Usage counters. Each function runs inside the caller's transaction and costs the same however
many requests there were before."""

from datetime import date, datetime
from typing import cast

from sqlalchemy import ColumnElement, CursorResult, and_, delete, select, update
from sqlalchemy.orm import Session

from app.core.metering import Consumed
from app.core.plan import Plan
from app.store.feed_tables import TokenMonthRow
from app.store.ids import new_id
from app.store.tables import ReservationRow, UsageDayRow, UsageMonthRow
from app.store.upsert import insert_if_absent


def consumed(session: Session, account_id: str, period: date) -> Consumed:
    row = session.get(UsageMonthRow, (account_id, period))
    if row is None:
        return Consumed()
    return Consumed(row.words, row.posts, row.requests, row.reserved_words)


def used_on(session: Session, key_id: str, day: date) -> int:
    row = session.get(UsageDayRow, (key_id, day))
    return row.used if row else 0


def count_request(session: Session, key_id: str, day: date, limit: int) -> bool:
    """Count one request of a key; False, and nothing counted, where its day is used up."""
    insert_if_absent(session, UsageDayRow, key_id=key_id, day=day, used=0)
    result = session.execute(
        update(UsageDayRow)
        .where(UsageDayRow.key_id == key_id, UsageDayRow.day == day, UsageDayRow.used < limit)
        .values(used=UsageDayRow.used + 1)
    )
    return _changed(result)


def reserve_words(
    session: Session,
    account_id: str,
    plan: Plan,
    words: int,
    period: date,
    lease_until: datetime | None,
) -> str | None:
    """Hold words of the month; the reservation's id, or None where too few are left."""
    month = _month(account_id, period)
    insert_if_absent(session, UsageMonthRow, account_id=account_id, period_start=period,
                     words=0, posts=0, requests=0, reserved_words=0)  # fmt: skip
    result = session.execute(
        update(UsageMonthRow)
        .where(
            month,
            UsageMonthRow.words + UsageMonthRow.reserved_words + words <= plan.monthly_words,
        )
        .values(reserved_words=UsageMonthRow.reserved_words + words)
    )
    if not _changed(result):
        return None
    reservation = ReservationRow(
        id=new_id("rsv"),
        account_id=account_id,
        period_start=period,
        words=words,
        lease_until=lease_until,
    )
    session.add(reservation)
    session.flush()
    return reservation.id


def release_words(session: Session, reservation_id: str) -> None:
    """Give the words of a reservation back; nothing happens where that was done before."""
    row = session.execute(
        delete(ReservationRow)
        .where(ReservationRow.id == reservation_id)
        .returning(ReservationRow.account_id, ReservationRow.period_start, ReservationRow.words)
    ).one_or_none()
    if row is not None:
        session.execute(
            update(UsageMonthRow)
            .where(_month(row.account_id, row.period_start))
            .values(reserved_words=UsageMonthRow.reserved_words - row.words)
        )


def bill(session: Session, account_id: str, period: date, words: int) -> None:
    """Count one delivered post of so many words."""
    insert_if_absent(session, UsageMonthRow, account_id=account_id, period_start=period,
                     words=0, posts=0, requests=0, reserved_words=0)  # fmt: skip
    session.execute(
        update(UsageMonthRow)
        .where(_month(account_id, period))
        .values(
            words=UsageMonthRow.words + words,
            posts=UsageMonthRow.posts + 1,
            requests=UsageMonthRow.requests + 1,
        )
    )


def count_item(session: Session, token_id: str, period: date, words: int) -> None:
    """Count one post of so many words that was made for a token."""
    insert_if_absent(session, TokenMonthRow, token_id=token_id, period_start=period,
                     words=0, posts=0)  # fmt: skip
    session.execute(
        update(TokenMonthRow)
        .where(TokenMonthRow.token_id == token_id, TokenMonthRow.period_start == period)
        .values(words=TokenMonthRow.words + words, posts=TokenMonthRow.posts + 1)
    )


def extend_reservation(session: Session, reservation_id: str, lease_until: datetime) -> None:
    session.execute(
        update(ReservationRow)
        .where(ReservationRow.id == reservation_id)
        .values(lease_until=lease_until)
    )


def lapsed_reservations(session: Session, now: datetime, limit: int = 100) -> list[str]:
    """Reservations whose request must have died."""
    query = select(ReservationRow.id).where(ReservationRow.lease_until < now).limit(limit)
    return list(session.scalars(query))


def _month(account_id: str, period: date) -> ColumnElement[bool]:
    return and_(UsageMonthRow.account_id == account_id, UsageMonthRow.period_start == period)


def _changed(result: object) -> bool:
    return cast("CursorResult[object]", result).rowcount > 0
