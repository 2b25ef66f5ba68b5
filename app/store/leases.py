"""Work that one worker holds at a time: taking it and keeping it.

A row belongs to the worker that took it until its lease ends, which it extends.
``attempts`` is incremented by each take, so it identifies the current holder: a delayed worker that
has lost its lease sees that the row is no longer its own, and writes nothing.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any, TypeVar

from sqlalchemy import Select, Update, bindparam, select, update
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql.dml import ReturningUpdate

from app.store.models import Leased
from app.store.rows import changes

L = TypeVar("L", bound=Leased)
# Adds further conditions and the order to a query for rows to take; called with the row's class.
Narrow = Callable[[Any, Select[str]], Select[str]]


HELD_BACK = datetime(9999, 1, 1, tzinfo=UTC)
"""Until when work waits that nobody may take."""


def oldest_first(row: Any, query: Select[str]) -> Select[str]:
    return query.order_by(row.not_before)


def by_rank(job: Any, query: Select[str]) -> Select[str]:
    """Order jobs by priority of their plans, then by age."""
    return query.order_by(job.rank, job.not_before)


def may_begin(
    session: Session, row: type[L], now: datetime, narrow: Narrow = oldest_first, limit: int = 500
) -> Sequence[tuple[str, int]]:
    """Return the ids of work that may begin now, each with the number of its next attempt.

    Only reads, so that idle workers block nobody.
    """
    return [
        (row_id, attempts + 1)
        for status in (row.TAKEN, row.WAITING)
        for row_id, attempts in session.execute(
            _ready(row, status, now, narrow).add_columns(row.attempts).limit(limit)
        )
    ]


def take(
    session: Session,
    row: type[L],
    now: datetime,
    lease_until: datetime,
    work_id: str | None = None,
    narrow: Narrow = oldest_first,
    **values: Any,
) -> L | None:
    """Take the given work, or the first in the queue, and return it; None if nothing may begin now.

    Work with an expired lease comes before new work, so that new work cannot starve it. Two workers
    never take the same row, because this is one statement: PostgreSQL skips rows that another
    worker has locked, and SQLite serializes writers.
    """
    given: dict[str, Any] = {"taken_at": now, "held_until": lease_until}
    if work_id is not None:
        given["taken_id"] = work_id
    for status in (row.TAKEN, row.WAITING):
        taking = _taking(row, status, narrow, has_id=work_id is not None)
        taken: L | None = session.scalar(taking.values(**values), given)
        if taken is not None:
            return taken
    return None


# Composing the statement costs several times what executing it does.
@lru_cache(maxsize=32)
def _taking(row: type[L], status: str, narrow: Narrow, *, has_id: bool) -> ReturningUpdate[Any]:
    candidate: Any = aliased(row)
    query = _ready(candidate, status, bindparam("taken_at"), narrow)
    if has_id:
        query = query.where(candidate.id == bindparam("taken_id"))
    first = query.limit(1).with_for_update(skip_locked=True, of=candidate).scalar_subquery()
    attempts = row.attempts + 1
    return (
        update(row)
        .where(row.id == first, row.status == status)
        .values(status=row.TAKEN, not_before=bindparam("held_until"), attempts=attempts)
        .returning(row)
    )


def _ready(row: Any, status: str, now: Any, narrow: Narrow) -> Select[str]:
    return narrow(row, select(row.id).where(row.status == status, row.not_before <= now))


def extend(
    session: Session, row: type[L], work_id: str, attempt: int, lease_until: datetime
) -> bool:
    """Extend the lease; return False if another worker has taken over the row."""
    mine = {"of_id": work_id, "attempt": attempt, "until": lease_until}
    return session.connection().execute(_extending(row), mine).rowcount > 0


@cache
def _extending(row: type[Leased]) -> Update:
    table = row.__table__
    mine = table.c.id == bindparam("of_id"), table.c.attempts == bindparam("attempt")
    held = update(table).where(*mine, table.c.status == row.TAKEN)
    return held.values(not_before=bindparam("until"))


def hand_back(session: Session, row: type[L], work_id: str, attempt: int, at: datetime) -> bool:
    """Release the row to other workers from then on; return False if one has taken it over."""
    waiting = {"status": row.WAITING, "not_before": at, "handed_back": row.handed_back + 1}
    return update_mine(session, row, work_id, attempt, **waiting)


def pull_in(
    session: Session, row: type[L], now: datetime, longest: timedelta, lease: timedelta
) -> bool:
    """Let work begin that waits for longer than ``longest``, because a clock was wrong when it was
    stored, and give held work the lease that it should have. Return whether any did."""
    ahead = row.not_before > now + longest, row.not_before < HELD_BACK
    wrong = (
        update(row).where(row.status == row.WAITING, *ahead).values(not_before=now),
        # Twice, because the clocks of two processes differ a little.
        update(row)
        .where(row.status == row.TAKEN, row.not_before > now + 2 * lease)
        .values(not_before=now + lease),
    )
    return sum(changes(session, each) for each in wrong) > 0


def update_mine(session: Session, row: type[L], work_id: str, attempt: int, **values: Any) -> bool:
    """Update the row; return False and write nothing if another worker has taken it over."""
    mine = update(row).where(row.id == work_id, row.attempts == attempt, row.status == row.TAKEN)
    return changes(session, mine.values(values))
