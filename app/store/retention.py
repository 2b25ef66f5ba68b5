"""Delete or empty old rows. Each function processes one batch, the oldest rows first, inside the
caller's transaction, and returns how many rows it processed. Rows that another process has locked
are skipped, so that concurrent processes neither wait for nor deadlock each other.

The oldest rows are looked up and locked first, and then changed by primary key: in a single
statement PostgreSQL would estimate the batch at a tenth of the table and scan all of it.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.store.models import KEPT_BODY, FeedItem, Job, Rule, Run, WebhookDelivery
from app.store.rows import change_each, keys_of


def delete_older(
    session: Session,
    time: InstrumentedAttribute[Any],
    before: date,
    limit: int,
    *conditions: ColumnElement[bool],
) -> int:
    """Delete the rows that meet the conditions and whose column ``time`` is before then."""
    row = time.class_
    keys = _oldest(session, time, before, limit, *conditions)
    change_each(session, delete(row), row, keys)
    return len(keys)


def delete_runs(session: Session, before: datetime, limit: int) -> int:
    """Delete runs that ended before then, but never one that its rule waits for."""
    awaited = select(Rule.run_id).where(Rule.id == Run.rule_id).scalar_subquery()
    not_awaited = awaited.is_distinct_from(Run.id)
    return delete_older(session, Run.finished_at, before, limit, not_awaited)


def empty_bodies(session: Session, before: datetime, limit: int, now: datetime) -> int:
    """Empty the bodies of items used, rejected or abandoned before then; keep other fields."""
    items = _oldest(session, FeedItem.updated_at, before, limit, KEPT_BODY)
    empty = update(FeedItem).values(post={}, markdown="", html="", emptied_at=now)
    change_each(session, empty, FeedItem, items)
    return len(items)


def delete_jobs(session: Session, before: datetime, limit: int) -> int:
    """Delete ended jobs that were created before then, with their deliveries; keep jobs that have
    an open delivery."""
    # Written so that PostgreSQL has to check both conditions row by row, the oldest first.
    ended = ~Job.is_open()
    open_delivery = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.job_id == Job.id, WebhookDelivery.is_open())
        .limit(1)
        .scalar_subquery()
    )
    jobs = _oldest(session, Job.created_at, before, limit, ended, open_delivery.is_(None))
    arrived = ~WebhookDelivery.is_open()
    of_jobs = WebhookDelivery.job_id.in_([job.key_id for job in jobs])
    session.execute(delete(WebhookDelivery.__table__).where(of_jobs, arrived))
    # An operator may have restarted a delivery in the meantime: then it still exists.
    kept = exists().where(WebhookDelivery.job_id == Job.id)
    return change_each(session, delete(Job).where(~kept), Job, jobs)


def _oldest(
    session: Session, time: InstrumentedAttribute[Any], before: date, limit: int, *conditions: Any
) -> Sequence[Any]:
    """Return the keys of the rows with the oldest times, and lock the rows."""
    row = time.class_
    oldest = keys_of(row).where(time < before, *conditions).order_by(time).limit(limit)
    return session.execute(oldest.with_for_update(skip_locked=True, of=row)).all()
