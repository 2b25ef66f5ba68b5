"""What is forgotten in time. Each function takes one batch, the oldest rows first, inside the
caller's transaction, and says how many it took. Rows that another process is taking are left to it,
so that any number of them neither wait for nor deadlock each other.

The oldest rows are looked up and locked first, and then changed by their primary keys one by one:
in one statement PostgreSQL would take the batch for a tenth of the table and read all of it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    inspect,
    select,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.job import JobStatus
from app.store.database import Base
from app.store.deliveries import DeliveryStatus
from app.store.feed_tables import KEPT_BODY, ItemRow, RuleRow, RunRow
from app.store.source_tables import EvidenceRow
from app.store.tables import DeliveryRow, IdempotencyRow, JobRow, UsageDayRow

_OPEN = (DeliveryStatus.QUEUED.value, DeliveryStatus.SENDING.value)
Keys = Sequence[dict[str, Any]]


def empty_bodies(session: Session, before: datetime, limit: int, now: datetime) -> int:
    """Empty items that were used, rejected or abandoned before then; all else of them stays."""
    items = _oldest(session, ItemRow, ItemRow.updated_at, before, limit, KEPT_BODY)
    empty = update(ItemRow).where(_is(ItemRow))
    _each(session, empty.values(post={}, markdown="", html="", emptied_at=now), items)
    return len(items)


def delete_jobs(session: Session, before: datetime, limit: int) -> int:
    """Delete jobs that were created before then and have ended, and their deliveries with them;
    a job with a delivery that is still to arrive stays."""
    # Both conditions are put such that they can but be looked at row by row, the oldest first.
    ended = JobRow.status.not_in([JobStatus.QUEUED.value, JobStatus.PROCESSING.value])
    open_delivery = (
        select(DeliveryRow.id)
        .where(DeliveryRow.job_id == JobRow.id, DeliveryRow.status.in_(_OPEN))
        .limit(1)
        .scalar_subquery()
    )
    jobs = _oldest(
        session, JobRow, JobRow.created_at, before, limit, ended, open_delivery.is_(None)
    )
    of_job = DeliveryRow.job_id == bindparam("key_id")
    arrived = and_(*(DeliveryRow.status != status for status in _OPEN))
    _each(session, delete(DeliveryRow).where(of_job, arrived), jobs)
    # An operator may have begun a delivery anew in the meantime: then it is still there.
    kept = exists().where(DeliveryRow.job_id == JobRow.id)
    return _each(session, delete(JobRow).where(_is(JobRow), ~kept), jobs)


def delete_runs(session: Session, before: datetime, limit: int) -> int:
    """Delete runs that ended before then, but never one that its rule waits for."""
    awaited = select(RuleRow.run_id).where(RuleRow.id == RunRow.rule_id).scalar_subquery()
    not_awaited = awaited.is_distinct_from(RunRow.id)
    return _delete(session, RunRow, RunRow.finished_at, before, limit, not_awaited)


def delete_keys(session: Session, before: datetime, limit: int) -> int:
    """Delete idempotency keys that were first used before then."""
    return _delete(session, IdempotencyRow, IdempotencyRow.created_at, before, limit)


def delete_evidence(session: Session, before: datetime, limit: int) -> int:
    """Delete what posts of before then stand on."""
    return _delete(session, EvidenceRow, EvidenceRow.created_at, before, limit)


def delete_usage_days(session: Session, before: datetime, limit: int) -> int:
    """Delete the counts of requests of the days before that one."""
    return _delete(session, UsageDayRow, UsageDayRow.day, before.date(), limit)


def _delete(
    session: Session,
    row: type[Base],
    time: InstrumentedAttribute[Any],
    before: Any,
    limit: int,
    *conditions: ColumnElement[bool],
) -> int:
    keys = _oldest(session, row, time, before, limit, *conditions)
    _each(session, delete(row).where(_is(row)), keys)
    return len(keys)


def _oldest(
    session: Session, row: type[Base], time: Any, before: Any, limit: int, *conditions: Any
) -> Keys:
    """The keys of the oldest rows, which are locked."""
    oldest = (
        select(*(column.label(f"key_{column.name}") for column in inspect(row).primary_key))
        .where(time < before, *conditions)
        .order_by(time)
        .limit(limit)
        .with_for_update(skip_locked=True, of=row)
    )
    return [dict(found) for found in session.execute(oldest).mappings()]


def _is(row: type[Base]) -> ColumnElement[bool]:
    keys = inspect(row).primary_key
    return and_(*(column == bindparam(f"key_{column.name}") for column in keys))


def _each(session: Session, statement: Update | Delete, keys: Keys) -> int:
    """Carry the statement out for each key; says how many rows it changed."""
    if not keys:
        return 0
    return session.connection().execute(statement, keys).rowcount
