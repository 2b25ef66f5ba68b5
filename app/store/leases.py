"""Work that one worker holds at a time: taking it and keeping it.

A row belongs to whoever took it for as long as its lease lasts, which a heartbeat extends.
``attempts`` counts the takers, so it tells the present holder from earlier ones: whoever was held
up for too long and comes back finds that the row is no longer its own, and writes nothing.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Select, select, update
from sqlalchemy.orm import Session, aliased

from app.store.columns import Leased

L = TypeVar("L", bound=Leased)
# What else must hold of a row that may be taken, and in which order; given the row's class.
Narrow = Callable[[Any, Select[str]], Select[str]]


def oldest_first(row: Any, query: Select[str]) -> Select[str]:
    return query.order_by(row.not_before)


def may_begin(
    session: Session, row: type[L], now: datetime, narrow: Narrow = oldest_first, limit: int = 500
) -> Sequence[tuple[str, int]]:
    """Ids of what may begin now, each with the number of the attempt that it would be. Reads only,
    so that idle workers block nobody."""
    return [
        (row_id, attempts + 1)
        for status in (row.HELD, row.WAITING)
        for row_id, attempts in session.execute(
            _ready(row, status, now, narrow).add_columns(row.attempts).limit(limit)
        )
    ]


def take(
    session: Session,
    row: type[L],
    now: datetime,
    lease_until: datetime,
    *,
    work_id: str | None = None,
    narrow: Narrow = oldest_first,
    **values: Any,
) -> L | None:
    """Take what may begin now: this one, or the first in line. What a worker left behind comes
    before new work, so that it is not passed over for as long as there is some.

    One statement, so that two workers never take the same row: on PostgreSQL a row that another
    worker is taking is skipped, on SQLite writers take turns anyway.
    """
    for status in (row.HELD, row.WAITING):
        candidate: Any = aliased(row)
        query = _ready(candidate, status, now, narrow)
        if work_id is not None:
            query = query.where(candidate.id == work_id)
        first = query.limit(1).with_for_update(skip_locked=True, of=candidate).scalar_subquery()
        taken: L | None = session.scalar(
            update(row)
            .where(row.id == first, row.status == status)
            .values(status=row.HELD, not_before=lease_until, attempts=row.attempts + 1, **values)
            .returning(row)
        )
        if taken is not None:
            return taken
    return None


def _ready(row: Any, status: str, now: datetime, narrow: Narrow) -> Select[str]:
    return narrow(row, select(row.id).where(row.status == status, row.not_before <= now))


def extend(
    session: Session, row: type[L], work_id: str, attempt: int, lease_until: datetime
) -> bool:
    """Keep what was taken; False where it was taken over."""
    return update_mine(session, row, work_id, attempt, not_before=lease_until)


def update_mine(session: Session, row: type[L], work_id: str, attempt: int, **values: Any) -> bool:
    """Change what was taken; False, and nothing written, where it was taken over."""
    result = session.execute(
        update(row)
        .where(row.id == work_id, row.attempts == attempt, row.status == row.HELD)
        .values(**values)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]
