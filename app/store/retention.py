"""What is forgotten in time. Each function takes one batch, the oldest rows first, inside the
caller's transaction, and says how many it took. Rows that another process is taking are left to it,
so that any number of them neither wait for nor deadlock each other.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import CTE, ColumnElement, delete, exists, inspect, select, tuple_, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.job import JobStatus
from app.store.database import Base
from app.store.deliveries import DeliveryStatus
from app.store.tables import (
    KEPT_BODY,
    DeliveryRow,
    IdempotencyRow,
    ItemRow,
    JobRow,
    RuleRow,
    RunRow,
    UsageDayRow,
)

_OPEN = (DeliveryStatus.QUEUED.value, DeliveryStatus.SENDING.value)


def empty_bodies(session: Session, before: datetime, limit: int, now: datetime) -> int:
    """Empty items that were used, rejected or abandoned before then; all else of them stays."""
    oldest = _oldest(ItemRow, ItemRow.updated_at, ItemRow.updated_at < before, limit, KEPT_BODY)
    return _count(
        session,
        update(ItemRow)
        .where(ItemRow.id.in_(select(oldest)))
        .values(post={}, markdown="", html="", emptied_at=now),
    )


def delete_jobs(session: Session, before: datetime, limit: int) -> int:
    """Delete jobs that were created before then and have ended, and their deliveries with them;
    a job with a delivery that is still to arrive stays."""
    open_delivery = exists().where(DeliveryRow.job_id == JobRow.id, DeliveryRow.status.in_(_OPEN))
    ended = JobRow.status.in_([JobStatus.SUCCEEDED.value, JobStatus.FAILED.value])
    oldest = _oldest(
        JobRow, JobRow.created_at, JobRow.created_at < before, limit, ended, ~open_delivery
    )
    ids = list(session.scalars(select(oldest)))
    _count(
        session,
        delete(DeliveryRow).where(DeliveryRow.job_id.in_(ids), DeliveryRow.status.not_in(_OPEN)),
    )
    # An operator may have begun a delivery anew in the meantime: then it is still there.
    rest = exists().where(DeliveryRow.job_id == JobRow.id)
    return _count(session, delete(JobRow).where(JobRow.id.in_(ids), ~rest))


def delete_runs(session: Session, before: datetime, limit: int) -> int:
    """Delete runs that ended before then, but never one that its rule waits for."""
    awaited = exists().where(RuleRow.id == RunRow.rule_id, RuleRow.run_id == RunRow.id)
    return _delete(session, RunRow, RunRow.finished_at, before, limit, ~awaited)


def delete_keys(session: Session, before: datetime, limit: int) -> int:
    """Delete idempotency keys that were first used before then."""
    return _delete(session, IdempotencyRow, IdempotencyRow.created_at, before, limit)


def delete_usage_days(session: Session, before: datetime, limit: int) -> int:
    """Delete the counts of requests of the days before that one."""
    return _delete(session, UsageDayRow, UsageDayRow.day, before.date(), limit)


def _delete(
    session: Session,
    row: type[Base],
    time: InstrumentedAttribute[Any],
    before: date,
    limit: int,
    *conditions: ColumnElement[bool],
) -> int:
    oldest = _oldest(row, time, time < before, limit, *conditions)
    key = tuple_(*inspect(row).primary_key)
    return _count(session, delete(row).where(key.in_(select(oldest))))


def _oldest(row: type[Base], time: Any, old: Any, limit: int, *conditions: Any) -> CTE:
    """The keys of the oldest rows, locked. A CTE, as PostgreSQL may run a subquery that is limited
    and locks more than once; a nested one, as sqlite3 counts no rows of what begins with WITH."""
    return (
        select(*inspect(row).primary_key)
        .where(old, *conditions)
        .order_by(time)
        .limit(limit)
        .with_for_update(skip_locked=True, of=row)
        .cte("oldest", nesting=True)
    )


def _count(session: Session, statement: Any) -> int:
    result = session.execute(statement.execution_options(synchronize_session=False))
    return int(result.rowcount)  # type: ignore[attr-defined]
