"""Jobs and their webhook deliveries. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.core.schemas.job import JobStatus, WebhookEvent
from app.store.models import Job, WebhookDelivery
from app.store.rows import new_id


class DeliveryStatus(StrEnum):
    """``queued`` until ``not_before``, ``sending`` under a lease, then ``delivered`` or ``failed``;
    ``replayed`` if it failed and a newer delivery repeats it."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    REPLAYED = "replayed"


def new_job(now: datetime, **columns: Any) -> Job:
    """Return a queued job, not stored yet; ``columns`` hold its account, plan and request."""
    times = {"not_before": now, "created_at": now, "updated_at": now}
    return Job(id=new_id("job"), status=JobStatus.QUEUED.value, **times, **columns)


def find_job(session: Session, job_id: str, account_id: str) -> Job | None:
    """Return an account's job; None if it is missing or belongs to another account."""
    return session.scalar(select(Job).where(Job.id == job_id, Job.account_id == account_id))


def in_line(job: Any, query: Select[str]) -> Select[str]:
    """Order jobs by priority of their plans, then by age, the oldest first."""
    return query.order_by(job.rank, job.not_before)


def add_delivery(session: Session, job: Job, event: WebhookEvent, body: str, now: datetime) -> str:
    """Add a delivery of a job that is due now; return its id."""
    owned = {"job_id": job.id, "account_id": job.account_id}
    return _add(session, now, event=event.value, body=body, **owned)


def newest_deliveries(session: Session, wanted: str) -> Sequence[WebhookDelivery]:
    """Return the delivery of that id, or all of that job, locked until the transaction ends; of one
    that was replayed, the newest replay instead."""
    sent = WebhookDelivery
    named = session.execute(select(sent.job_id, first_of(sent)).where(sent.id == wanted)).first()
    job_id = named[0] if named else wanted
    # First, as retention does: a replay needs its job.
    session.execute(select(Job.id).where(Job.id == job_id).with_for_update(key_share=True))
    query = select(sent).where(sent.job_id == job_id)
    if named:
        query = query.where(first_of(sent) == named[1])
    query = query.order_by(sent.id).with_for_update()
    newest = {row.replay_of or row.id: row for row in session.scalars(query)}
    return list(newest.values())


def first_of(sent: Any) -> Any:
    """Return the id of the delivery that a row repeats, or its own if it is the first one."""
    return func.coalesce(sent.replay_of, sent.id)


def add_replay(session: Session, row: WebhookDelivery, now: datetime) -> str:
    """Add a delivery that repeats one that has ended, and is due now; return its id."""
    owned = {"job_id": row.job_id, "account_id": row.account_id}
    repeated = {"replay_of": row.replay_of or row.id, "event": row.event, "body": row.body}
    if row.status == DeliveryStatus.FAILED:
        row.status = DeliveryStatus.REPLAYED.value
    return _add(session, now, **repeated, **owned)


def _add(session: Session, now: datetime, **columns: Any) -> str:
    due = {"status": DeliveryStatus.QUEUED.value, "not_before": now, "created_at": now}
    delivery = WebhookDelivery(id=new_id("msg"), **due, **columns)
    session.add(delivery)
    return delivery.id
