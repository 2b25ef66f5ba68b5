"""Bringing work back to a queue that lost it. The database is the truth, the queue a wake-up."""

from collections.abc import Sequence

from app.ports import Clock, TaskQueue, Work, WorkKind
from app.store import jobs as job_store
from app.store import rules as rule_store
from app.store.database import reading
from app.store.feed_tables import RunRow
from app.store.leases import may_begin
from app.store.tables import DeliveryRow, JobRow


def requeue_lost(queue: TaskQueue, clock: Clock) -> int:
    """Enqueue what may begin now and is not in the queue: its time has come, its worker died, or
    the queue forgot it. Says how much that was.

    Raises:
        QueueUnavailable
    """
    lost = queue.missing(*_open_work(clock))
    queue.enqueue(*lost)
    return len(lost)


def _open_work(clock: Clock) -> Sequence[Work]:
    now = clock.now()
    with reading() as session:
        found = (
            (WorkKind.DELIVERY, may_begin(session, DeliveryRow, now)),
            (WorkKind.JOB, may_begin(session, JobRow, now, job_store.in_line)),
            (WorkKind.RUN, may_begin(session, RunRow, now, rule_store.unpaused)),
        )
    return [Work(kind, row_id, attempt) for kind, rows in found for row_id, attempt in rows]
