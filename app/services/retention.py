"""Retention: what is deleted, and after which time.

Deletion works in batches, each in its own transaction and followed by a pause, so that nobody waits
longer than one batch takes. Several processes may delete concurrently: rows that another one has
locked are skipped.

The oldest rows are looked up and locked first, and then changed by primary key: in a single
statement PostgreSQL would estimate the batch at a tenth of the table and scan all of it.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.services.context import Context
from app.store import models
from app.store.database import writing
from app.store.models import KEPT_BODY, FeedItem, Job, Run, WebhookDelivery
from app.store.rows import change_each, keys_of

JOBS_KEPT = RUNS_KEPT = KEYS_KEPT = timedelta(days=30)
BODIES_KEPT = timedelta(days=90)
USAGE_DAYS_KEPT = timedelta(days=400)
POST_COSTS_KEPT = timedelta(days=90)
PAGES_KEPT = timedelta(days=7)
# One that is off is then tried again.
RECEIVERS_KEPT = timedelta(days=30)
EVIDENCE_KEPT = timedelta(days=90)
JOURNALS_KEPT = timedelta(days=30)

# On SQLite all other writers wait for a batch: it must take well under 50 ms. Most of a body is in
# pages of its own, each of which is read when it is freed.
_BATCH = 500
_BODIES_BATCH = 50
# A journal is some ten calls with their answers.
_JOURNALS_BATCH = 50
# A process that waits for SQLite's lock retries at least every 0.1 s.
_PAUSE_SECONDS = 0.1
_BUDGET_SECONDS = 600.0


def delete_old(context: Context, pause: Callable[[float], bool]) -> Mapping[str, int]:
    """Delete expired rows until none are left or ten minutes have passed; return how many of each
    kind.

    Args:
        pause: waits for a number of seconds between two batches; True stops early.
    """
    until = time.monotonic() + _BUDGET_SECONDS
    deleted: Counter[str] = Counter()
    # One batch of each kind in turn, so that a large one does not block the others.
    left = _kinds(context.clock.now())
    while left:
        for name, delete_some in tuple(left.items()):
            with writing() as session:
                count = delete_some(session)
            deleted[name] += count
            if not count:
                del left[name]
            if time.monotonic() >= until or pause(_PAUSE_SECONDS):
                return +deleted
    return +deleted


def _kinds(now: datetime) -> dict[str, Callable[[Session], int]]:
    """Return what deletes a batch of each kind of row, and returns how many there were."""

    def older(
        time: InstrumentedAttribute[Any],
        before: date,
        *conditions: ColumnElement[bool],
        limit: int = _BATCH,
    ) -> Callable[[Session], int]:
        def delete_some(session: Session) -> int:
            keys = _oldest(session, time, before, limit, *conditions)
            return change_each(session, delete(time.class_), time.class_, keys)

        return delete_some

    awaited = select(models.Rule.run_id).where(models.Rule.id == Run.rule_id).scalar_subquery()
    not_awaited = awaited.is_distinct_from(Run.id)
    return {
        "bodies": partial(empty_bodies, before=now - BODIES_KEPT, limit=_BODIES_BATCH, now=now),
        # Before jobs: a key must not outlive its job, or it would answer with a missing one.
        "keys": older(models.IdempotencyKey.created_at, now - KEYS_KEPT),
        "jobs": partial(delete_jobs, before=now - JOBS_KEPT, limit=_BATCH),
        # Never one that its rule waits for.
        "runs": older(Run.finished_at, now - RUNS_KEPT, not_awaited),
        "days": older(models.UsageDay.day, (now - USAGE_DAYS_KEPT).date()),
        "post costs": older(models.PostCost.created_at, now - POST_COSTS_KEPT),
        "pages": older(models.SourcePage.fetched_at, now - PAGES_KEPT),
        "receivers": older(models.WebhookReceiver.updated_at, now - RECEIVERS_KEPT),
        "feed URLs": older(models.OldFeedUrl.until, now),
        "evidence": older(models.Evidence.created_at, now - EVIDENCE_KEPT),
        "journals": older(models.Journal.created_at, now - JOURNALS_KEPT, limit=_JOURNALS_BATCH),
    }


def empty_bodies(session: Session, before: datetime, limit: int, now: datetime) -> int:
    """Empty the bodies of items used, rejected or abandoned before then; keep other fields. Return
    how many."""
    items = _oldest(session, FeedItem.updated_at, before, limit, KEPT_BODY)
    empty = update(FeedItem).values(post={}, markdown="", html="", emptied_at=now)
    return change_each(session, empty, FeedItem, items)


def delete_jobs(session: Session, before: datetime, limit: int) -> int:
    """Delete ended jobs that were created before then, with their deliveries; keep jobs that have
    an open delivery. Return how many."""
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
