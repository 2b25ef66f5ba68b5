"""Webhooks: writing a delivery down with the end of its job, and sending it until it arrives.

A delivery is a row, so that a receiver that is down for hours and a process that dies lose
nothing: what was not acknowledged is sent again, always with the same id and body.
"""

import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import NotFound, ValidationFailed
from app.core.job import WebhookEvent
from app.core.signature import signed_headers
from app.core.webhook import is_delivered, next_pause, payload
from app.ports import Clock, TaskQueue, WebhookAnswer, WebhookSender, Work, WorkKind
from app.services.leases import patiently
from app.store import deliveries as store
from app.store.database import reading, writing
from app.store.deliveries import DeliveryStatus
from app.store.ids import new_id
from app.store.leases import may_begin, take, update_mine
from app.store.tables import DeliveryRow, JobRow

log = logging.getLogger(__name__)

# Well beyond the time that one attempt may take: no heartbeat is needed.
_LEASE = timedelta(seconds=60)


@dataclass(frozen=True, repr=False)
class Delivery:
    """A delivery that this worker holds."""

    id: str
    attempt: int
    failures: int
    url: str
    secret: str
    body: str


def add(
    session: Session,
    job_id: str,
    request_id: str,
    event: WebhookEvent,
    members: Mapping[str, Any],
    now: datetime,
) -> Work:
    """A delivery, to be sent as soon as the transaction is over."""
    delivery_id = new_id("msg")
    session.add(
        DeliveryRow(
            id=delivery_id,
            status=DeliveryStatus.QUEUED.value,
            not_before=now,
            attempts=0,
            job_id=job_id,
            event=event.value,
            body=payload(event, job_id, request_id, members),
            failures=0,
            created_at=now,
        )
    )
    return Work(WorkKind.DELIVERY, delivery_id)


def deliver_next(sender: WebhookSender, clock: Clock, delivery_id: str | None = None) -> bool:
    """Send what is due first, or that delivery; False where it was not to be had."""
    delivery = _claim(clock, delivery_id)
    if delivery is None:
        return False
    body = delivery.body.encode()
    timestamp = int(clock.now().timestamp())
    headers = signed_headers(delivery.secret, delivery.id, timestamp, body)
    answer = sender.send(delivery.url, headers, body)
    _record(delivery, answer, clock.now())
    return True


def _claim(clock: Clock, delivery_id: str | None) -> Delivery | None:
    now = clock.now()
    if delivery_id is None:
        with reading() as session:
            if not may_begin(session, DeliveryRow, now, limit=1):
                return None
    with writing() as session:
        row = take(session, DeliveryRow, now, now + _LEASE, work_id=delivery_id)
        if row is None:
            return None
        job = session.get_one(JobRow, row.job_id)
        return Delivery(
            id=row.id,
            attempt=row.attempts,
            failures=row.failures,
            url=job.webhook_url or "",
            secret=job.webhook_secret or "",
            body=row.body,
        )


@patiently
def _record(delivery: Delivery, answer: WebhookAnswer, now: datetime) -> None:
    said, again = answer.problem or f"HTTP {answer.status}", ""
    if is_delivered(answer.status):
        ended: dict[str, Any] = {"status": DeliveryStatus.DELIVERED.value, "finished_at": now}
    else:
        failures = delivery.failures + 1
        pause = next_pause(failures, answer.retry_after, answer.status, random.random())  # noqa: S311
        ended, again = {"failures": failures}, "given up"
        if pause is None:
            ended |= {"status": DeliveryStatus.FAILED.value, "finished_at": now}
        else:
            ended |= {"status": DeliveryStatus.QUEUED.value, "not_before": now + pause}
            again = f"again in {int(pause.total_seconds())} s"
    with writing() as session:
        update_mine(session, DeliveryRow, delivery.id, delivery.attempt, last_answer=said, **ended)
    if again:
        log.warning("webhook %s was not delivered (%s); %s", delivery.id, said, again)


def list_deliveries(
    *, status: str | None = None, job_id: str | None = None, limit: int = 50
) -> Sequence[DeliveryRow]:
    """The youngest deliveries first.

    Raises:
        ValidationFailed: no such status.
    """
    known = [entry.value for entry in DeliveryStatus]
    if status is not None and status not in known:
        raise ValidationFailed(f"status must be one of {', '.join(known)}.", {"field": "status"})
    with reading() as session:
        rows = store.list_deliveries(session, status=status, job_id=job_id, limit=limit)
        session.expunge_all()
    return rows


def replay(wanted: str, clock: Clock, queue: TaskQueue) -> Sequence[str]:
    """Send a delivery, or all of a job, once more from the start of the schedule; their ids.

    The receiver gets the same id and body again, so that it can tell that it has them already.

    Raises:
        NotFound: no delivery and no job with deliveries has that id.
    """
    now = clock.now()
    with writing() as session:
        rows = store.find_deliveries(session, wanted)
        if not rows:
            raise NotFound(f"There is no delivery {wanted}, and no job {wanted} that has any.")
        for row in rows:
            row.status, row.not_before = DeliveryStatus.QUEUED.value, now
            row.failures, row.finished_at = 0, None
        work = [Work(WorkKind.DELIVERY, row.id, row.attempts + 1) for row in rows]
    queue.enqueue(*work)
    return [entry.id for entry in work]
