"""Webhooks: storing a delivery together with the end of its job, and sending it until it arrives.

A delivery is a row, so nothing is lost if a receiver or a process is down. Repeated attempts have
the same id and body, and so has a replay, which is a row of its own.
"""

import logging
import random
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import NotFound
from app.core.schemas.job import WebhookEvent
from app.core.webhooks.delivery import is_delivered, next_pause
from app.core.webhooks.signature import signed_headers
from app.logs import about
from app.ports import WebhookAnswer, Work, WorkKind
from app.services.context import Context
from app.services.leased_work import DELIVERIES
from app.services.leases import retry_on_disconnect
from app.store import jobs as store
from app.store import models
from app.store.database import writing
from app.store.leases import update_mine
from app.store.overview import DeliveryFilter, lock_given_up

log = logging.getLogger(__name__)

MOST_REPLAYED = 1_000
"""How many webhooks ``replay_given_up`` sends again at most."""
_BATCH = 100


def add(session: Session, job: models.Job, event: WebhookEvent, body: str, now: datetime) -> Work:
    """Add a delivery of a job; return the work to enqueue after the transaction."""
    return Work(WorkKind.DELIVERY, store.add_delivery(session, job, event, body, now))


def deliver_next(context: Context, delivery_id: str | None = None) -> bool:
    """Send that delivery, or the first that is due; return False if there is none."""
    claimed = claim(context, delivery_id)
    if claimed is None:
        return False
    delivery, job = claimed
    with about(job=job.id, delivery=delivery.id):
        body = delivery.body.encode()
        timestamp = int(context.clock.now().timestamp())
        message = delivery.replay_of or delivery.id
        headers = signed_headers(job.webhook_secret or "", message, timestamp, body)
        attributes = {"copydesk.attempt": delivery.failures + 1}
        began = time.monotonic()
        with context.tracer.span("deliver webhook", job.id, attributes) as span:
            answer = context.sender.send(job.webhook_url or "", headers, body)
            if answer.status is not None:
                span.set({"http.response.status_code": answer.status})
        seconds = time.monotonic() - began
        context.metrics.delivery(_record(delivery, answer, context.clock.now()), seconds)
    return True


def claim(
    context: Context, delivery_id: str | None = None
) -> tuple[models.WebhookDelivery, models.Job] | None:
    """Claim that delivery, or the first that is due; return it and its job, None if there is
    none."""
    return DELIVERIES.claim(
        context.clock.now(),
        delivery_id,
        lambda session, row: (row, session.get_one(models.Job, row.job_id)),
    )


@retry_on_disconnect
def _record(delivery: models.WebhookDelivery, answer: WebhookAnswer, now: datetime) -> str:
    """Record the result of an attempt; return what becomes of the delivery."""
    said, again, outcome = answer.problem or f"HTTP {answer.status}", "", "delivered"
    if is_delivered(answer.status):
        ended: dict[str, Any] = {"status": store.DeliveryStatus.DELIVERED.value, "finished_at": now}
    else:
        failures = delivery.failures + 1
        pause = next_pause(failures, answer.retry_after, answer.status, random.random())  # noqa: S311
        ended, again, outcome = {"failures": failures}, "given up", "given_up"
        if pause is None:
            ended |= {"status": store.DeliveryStatus.FAILED.value, "finished_at": now}
        else:
            ended |= {"status": store.DeliveryStatus.QUEUED.value, "not_before": now + pause}
            again, outcome = f"again in {int(pause.total_seconds())} s", "retried"
    mine = (models.WebhookDelivery, delivery.id, delivery.attempts)
    with writing() as session:
        update_mine(session, *mine, last_answer=said, **ended)
    if again:
        log.warning("webhook %s was not delivered (%s); %s", delivery.id, said, again)
    return outcome


def replay(context: Context, wanted: str) -> Sequence[str]:
    """Send a delivery, or all of a job, again from the start of the schedule; return their ids.

    One that has ended gets a new delivery, one that waits is sent at once, and one that is being
    sent is left alone. Of one that was replayed before, the newest replay counts.

    Raises:
        NotFound: no delivery, and no job with deliveries, has that id.
    """
    now = context.clock.now()
    with writing() as session:
        rows = store.newest_deliveries(session, wanted)
        if not rows:
            raise NotFound(f"No delivery or job with deliveries has the id {wanted}.")
        work = _queue_again(session, rows, now)
    context.queue.enqueue(*work)
    return [entry.id for entry in work]


def replay_given_up(context: Context, wanted: DeliveryFilter, most: int = MOST_REPLAYED) -> int:
    """Send webhooks that were given up again, the newest first; return how many.

    Args:
        most: how many at most.
    """
    replayed = 0
    while replayed < most:
        now = context.clock.now()
        size = min(_BATCH, most - replayed)
        # One transaction per batch, so that other writers of SQLite do not wait for all.
        with writing() as session:
            work = _queue_again(session, lock_given_up(session, wanted, size), now)
        context.queue.enqueue(*work)
        replayed += len(work)
        if len(work) < size:
            break
    return replayed


def _queue_again(
    session: Session, rows: Sequence[models.WebhookDelivery], now: datetime
) -> list[Work]:
    work = []
    for row in rows:
        if row.status == store.DeliveryStatus.QUEUED:
            row.not_before, row.failures = now, 0
            work.append(Work(WorkKind.DELIVERY, row.id, row.attempts + 1))
        elif row.status != store.DeliveryStatus.SENDING:
            work.append(Work(WorkKind.DELIVERY, store.add_replay(session, row, now), 1))
    return work
