"""Retention: what is deleted, and after which time.

Deletion works in batches, each in its own transaction and followed by a pause, so that nobody waits
longer than one batch takes. Several processes may delete concurrently.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy.orm import InstrumentedAttribute, Session

from app.services.context import Context
from app.store import models
from app.store import retention as store
from app.store.database import writing

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


class _Kind(NamedTuple):
    """A kind of row; ``delete`` deletes at most ``batch`` of them and returns how many."""

    name: str
    batch: int
    delete: Callable[[Session], int]


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
        for kind in tuple(left):
            with writing() as session:
                count = kind.delete(session)
            deleted[kind.name] += count
            if count < kind.batch:
                left.remove(kind)
            if time.monotonic() >= until or pause(_PAUSE_SECONDS):
                return +deleted
    return +deleted


def _kinds(now: datetime) -> list[_Kind]:
    def older(
        name: str, time: InstrumentedAttribute[Any], before: date, batch: int = _BATCH
    ) -> _Kind:
        return _Kind(
            name, batch, partial(store.delete_older, time=time, before=before, limit=batch)
        )

    empty = partial(store.empty_bodies, before=now - BODIES_KEPT, limit=_BODIES_BATCH, now=now)
    jobs = partial(store.delete_jobs, before=now - JOBS_KEPT, limit=_BATCH)
    runs = partial(store.delete_runs, before=now - RUNS_KEPT, limit=_BATCH)
    return [
        _Kind("bodies", _BODIES_BATCH, empty),
        # Before jobs: a key must not outlive its job, or it would answer with a missing one.
        older("keys", models.IdempotencyKey.created_at, now - KEYS_KEPT),
        _Kind("jobs", _BATCH, jobs),
        _Kind("runs", _BATCH, runs),
        older("days", models.UsageDay.day, (now - USAGE_DAYS_KEPT).date()),
        older("post costs", models.PostCost.created_at, now - POST_COSTS_KEPT),
        older("pages", models.SourcePage.fetched_at, now - PAGES_KEPT),
        older("receivers", models.WebhookReceiver.updated_at, now - RECEIVERS_KEPT),
        older("feed URLs", models.OldFeedUrl.until, now),
        older("evidence", models.Evidence.created_at, now - EVIDENCE_KEPT),
        older("journals", models.Journal.created_at, now - JOURNALS_KEPT, _JOURNALS_BATCH),
    ]
