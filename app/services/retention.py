"""Retention: what is forgotten, and after which time.

It works in batches, each a transaction of its own, and rests after each one, so that nobody waits
for it for longer than one batch takes. Any number of processes may do so at once, and one that is
killed leaves the rest to the next round.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from threading import Event

from sqlalchemy.orm import Session

from app.ports import Clock
from app.store import retention as store
from app.store.database import writing
from app.store.sources import delete_pages

JOBS_KEPT = RUNS_KEPT = KEYS_KEPT = timedelta(days=30)
BODIES_KEPT = timedelta(days=90)
USAGE_DAYS_KEPT = timedelta(days=400)
PAGES_KEPT = timedelta(days=7)
EVIDENCE_KEPT = timedelta(days=90)

# On SQLite all other writers wait for a batch: it is to take well under 50 ms. Most of a body lies
# in pages of its own, each of which is read as it is freed.
_BATCH = 500
_BODIES_BATCH = 50
# Whoever waits for its turn on SQLite looks for it at least every 0.1 s.
_PAUSE_SECONDS = 0.1
_BUDGET_SECONDS = 600.0


@dataclass(frozen=True)
class _Kind:
    """Something that is forgotten; ``forget`` takes at most ``batch`` of it, and says how many."""

    name: str
    batch: int
    forget: Callable[[Session], int]


def forget_old(
    clock: Clock,
    pause: Callable[[float], bool] | None = None,
    budget_seconds: float = _BUDGET_SECONDS,
) -> Mapping[str, int]:
    """Forget what is past its time until nothing of it is left or the budget is spent.

    ``pause`` waits for so many seconds between two batches and says whether to stop early. Returns
    how much was forgotten of each kind of which there was some.
    """
    pause = pause or Event().wait
    until = time.monotonic() + budget_seconds
    forgotten: Counter[str] = Counter()
    # One batch of each in turn, so that a flood of one does not keep the others for ever.
    left = list(_kinds(clock.now()))
    while left:
        for kind in tuple(left):
            with writing() as session:
                count = kind.forget(session)
            forgotten[kind.name] += count
            if count < kind.batch:
                left.remove(kind)
            if time.monotonic() >= until or pause(_PAUSE_SECONDS):
                return +forgotten
    return +forgotten


def _kinds(now: datetime) -> tuple[_Kind, ...]:
    def rows(name: str, forget: Callable[[Session, datetime, int], int], kept: timedelta) -> _Kind:
        return _Kind(name, _BATCH, lambda session: forget(session, now - kept, _BATCH))

    empty = partial(store.empty_bodies, before=now - BODIES_KEPT, limit=_BODIES_BATCH, now=now)
    return (
        _Kind("bodies", _BODIES_BATCH, empty),
        # Before jobs: a key that outlived its job would answer with one that is not there.
        rows("keys", store.delete_keys, KEYS_KEPT),
        rows("jobs", store.delete_jobs, JOBS_KEPT),
        rows("runs", store.delete_runs, RUNS_KEPT),
        rows("days", store.delete_usage_days, USAGE_DAYS_KEPT),
        rows("pages", delete_pages, PAGES_KEPT),
        rows("evidence", store.delete_evidence, EVIDENCE_KEPT),
    )
