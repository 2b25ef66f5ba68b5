"""Work that one worker holds by a lease: claiming it, and generating under it.

The states of a job or a run, recorded in transactions that are fenced by the attempt's number:

    claimed → generate and store ─→ succeeded
                ├ cancelled ──────→ handed back: another worker may claim it immediately
                ├ model rests ────→ handed back: to be claimed when the model is called again
                ├ passing error ──→ queued for later, in at most MAX_ATTEMPTS attempts
                └ other error ────→ failed

A thread extends the lease (``keep_lease``). If a worker dies, its lease lapses and another worker
claims the work; a worker that comes back late no longer holds the work and stores nothing.
"""

import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.core.errors import (
    GenerationCancelled,
    ModelResting,
    ModelUnavailable,
    RateLimited,
    ServiceError,
)
from app.core.webhooks.delivery import LONGEST_PAUSE
from app.logs import about
from app.ports import Work, WorkKind
from app.services.context import Context
from app.services.lease_keeping import LEASE, TakenOver, keep_lease, retry_on_disconnect
from app.store import leases, models, rules
from app.store.database import reading, writing

L = TypeVar("L", bound=models.Leased)
T = TypeVar("T")

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
# How long work waits for a model that is not called, which costs it no attempt.
LONGEST_WAIT = timedelta(hours=24)
_LONGEST_ASKED = timedelta(hours=1)
_REST_SECONDS = 30.0
# An endpoint may ask for a day, and the moments are spread.
_LONGEST_REST = timedelta(hours=36)


@dataclass(frozen=True)
class WorkTable(Generic[L]):
    """The work of one kind: its table, in which order it may begin, and for how long it is leased.

    ``longest`` is the longest pause between two attempts. ``touch`` names the column that says when
    a row was last changed, if there is one.
    """

    kind: WorkKind
    row: type[L]
    longest: timedelta
    narrow: leases.Narrow = leases.oldest_first
    lease: timedelta = LEASE
    touch: str = ""

    def claim(
        self, now: datetime, work_id: str | None, load: Callable[[Session, L], T]
    ) -> T | None:
        """Claim that row, or the first in line; return what ``load`` makes of it, or None."""
        if work_id is None:
            with reading() as session:
                if not leases.may_begin(session, self.row, now, self.narrow, limit=1):
                    return None
        touched = {self.touch: now} if self.touch else {}
        with writing() as session:
            row = leases.take(
                session, self.row, now, now + self.lease, work_id, self.narrow, **touched
            )
            return None if row is None else load(session, row)


# One attempt at a delivery takes far less than its lease: nothing has to extend it.
DELIVERIES = WorkTable(
    WorkKind.DELIVERY, models.WebhookDelivery, LONGEST_PAUSE, lease=timedelta(seconds=60)
)
JOBS = WorkTable(WorkKind.JOB, models.Job, _LONGEST_REST, leases.by_rank, touch="updated_at")
RUNS = WorkTable(WorkKind.RUN, models.Run, _LONGEST_REST, rules.unpaused)
TABLES: tuple[WorkTable[Any], ...] = (DELIVERIES, JOBS, RUNS)


class ClaimedWork(ABC):
    """A job or a run that this worker holds.

    ``attempt`` distinguishes this holder from others; ``tries`` counts the holders that did not
    hand the work back.
    """

    TABLE: ClassVar[WorkTable[Any]]
    PASSING: ClassVar[tuple[type[ServiceError], ...]] = (ModelUnavailable,)
    """Errors after which a later attempt may succeed."""
    PAUSES: ClassVar[tuple[timedelta, timedelta]]
    """How long the work waits after its first and its second attempt, if the endpoint of the model
    does not ask for a longer pause."""
    since: datetime
    """When the work was created."""

    def __init__(self, row: models.Leased) -> None:
        self.id = row.id
        self.attempt = row.attempts
        self.tries = row.attempts - row.handed_back

    @abstractmethod
    def log_ids(self) -> dict[str, str]:
        """Return the ids that log lines about this work carry."""

    @abstractmethod
    def generate(self, context: Context) -> str | None:
        """Generate and store; return the id of what was stored, None if nothing was.

        Raises:
            ServiceError: the generation failed.
        """

    @abstractmethod
    def record_failure(
        self, context: Context, error: ServiceError, retry_at: datetime | None
    ) -> None:
        """Record a failure that is final, or retried at a time."""

    @abstractmethod
    def release(self, session: Session) -> None:
        """Release what is not held between two attempts."""

    def extend(self, session: Session, until: datetime) -> bool:
        """Extend the lease; return False if another worker has claimed the work."""
        return leases.extend(session, self.TABLE.row, self.id, self.attempt, until)

    def update(self, session: Session, **values: Any) -> bool:
        """Change the row; return False and write nothing if another worker has claimed the work."""
        return leases.update_mine(session, self.TABLE.row, self.id, self.attempt, **values)

    def may_retry(self, error: ServiceError) -> bool:
        """Return whether a later attempt may succeed and is left."""
        return isinstance(error, self.PASSING) and self.tries < MAX_ATTEMPTS

    def broken(self, operator: str) -> ServiceError:
        """Return the error for an internal fault; ``operator`` is not shown to customers."""
        message = f"Something went wrong on our side. Quote the {self.TABLE.kind} id {self.id}."
        return ServiceError(message, operator=operator)


def perform(work: ClaimedWork, context: Context) -> str | None:
    """Generate under the lease and record how it ended; return what ``work.generate`` returns, or
    None if another worker has taken over the work.

    Raises:
        ServiceError: why nothing was generated; it is recorded.
        SQLAlchemyError: the database is away; the work is claimed again when the lease lapses.
    """
    kind = work.TABLE.kind
    try:
        if work.tries > MAX_ATTEMPTS:
            raise work.broken(f"{MAX_ATTEMPTS} workers died over this {kind}.")
        with keep_lease(work.extend, context.clock):
            return work.generate(context)
    except TakenOver:
        log.warning("%s %s was taken over; its post is not stored", work.TABLE.kind, work.id)
        _release(work)
        return None
    except GenerationCancelled:
        _hand_back(work, context.clock.now())
        context.queue.enqueue(Work(kind, work.id, work.attempt + 1))
        raise
    except ServiceError as error:
        if not (isinstance(error, ModelResting) and _wait(work, context, error)):
            _fail(work, context, error)
        raise
    except SQLAlchemyError:
        raise
    except Exception as bug:
        log.exception("%s %s met an unexpected error", work.TABLE.kind, work.id)
        broken = work.broken("An unexpected error.")
        _fail(work, context, broken)
        raise broken from bug


def perform_claimed(work: ClaimedWork | None, context: Context) -> bool:
    """Do the same in a worker: log how it ended instead of raising. Return False if there was
    no work."""
    if work is None:
        return False
    kind = work.TABLE.kind
    with about(**work.log_ids()):
        log.info("%s %s begins (attempt %d)", kind, work.id, work.tries)
        try:
            perform(work, context)
        except GenerationCancelled:
            log.info("%s %s is handed back: this process stops", kind, work.id)
        except ServiceError as error:
            if isinstance(error, ModelResting) or work.may_retry(error):
                waits = "words" if isinstance(error, RateLimited) else "the model"
                log.warning("%s %s waits for %s: %s", kind, work.id, waits, error.operator)
            else:
                log.warning("%s %s failed: %s: %s", kind, work.id, error.code, error.operator)
    return True


def _fail(work: ClaimedWork, context: Context, error: ServiceError) -> None:
    now, retry_at = context.clock.now(), None
    if work.may_retry(error):
        asked = error.retry_after if isinstance(error, ModelUnavailable) else None
        pause = min(timedelta(seconds=asked or 0), _LONGEST_ASKED)
        retry_at = now + max(work.PAUSES[work.tries - 1], pause)
    work.record_failure(context, error, retry_at)


def _wait(work: ClaimedWork, context: Context, error: ModelResting) -> bool:
    """Hand the work back until the model is called again; return False if it has waited for too
    long. The moments are spread, so that not all waiting work begins at once."""
    now = context.clock.now()
    if now - work.since > LONGEST_WAIT:
        return False
    seconds = error.retry_after or _REST_SECONDS
    seconds *= 1 + random.random() / 2  # noqa: S311 - not a secret
    _hand_back(work, now + timedelta(seconds=seconds))
    return True


@retry_on_disconnect
def _hand_back(work: ClaimedWork, at: datetime) -> None:
    with writing() as session:
        leases.hand_back(session, work.TABLE.row, work.id, work.attempt, at)
        work.release(session)


@retry_on_disconnect
def _release(work: ClaimedWork) -> None:
    with writing() as session:
        work.release(session)


def requeue_lost(context: Context) -> int:
    """Enqueue work that may begin now and is not queued: its time has come, its worker died, or the
    queue lost it. Return how much that was.

    Raises:
        QueueUnavailable
    """
    now = context.clock.now()
    with reading() as session:
        open_work = [
            Work(table.kind, work_id, attempt)
            for table in TABLES
            for work_id, attempt in leases.may_begin(session, table.row, now, table.narrow)
        ]
    lost = context.queue.missing(*open_work)
    context.queue.enqueue(*lost)
    return len(lost)
