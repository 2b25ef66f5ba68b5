"""Jobs and their webhook deliveries. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.core.schemas.job import JobStatus, WebhookEvent
from app.store.models import Job, WebhookDelivery
from app.store.rows import new_id


class DeliveryStatus(StrEnum):
    """``queued`` until ``not_before``, ``sending`` under a lease, then one of the other two."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


def new_job(now: datetime, **columns: Any) -> Job:
    """Return a queued job for ``add_job``; ``columns`` hold its account, plan and request."""
    times = {"not_before": now, "created_at": now, "updated_at": now}
    return Job(id=new_id("job"), status=JobStatus.QUEUED.value, **times, **columns)


def add_job(session: Session, job: Job) -> None:
    """Add a job."""
    session.add(job)


def find_job(session: Session, job_id: str, account_id: str) -> Job | None:
    """Return an account's job; None if it is missing or belongs to another account."""
    return session.scalar(select(Job).where(Job.id == job_id, Job.account_id == account_id))


def in_line(job: Any, query: Select[str]) -> Select[str]:
    """Order jobs by priority of their plans, then by age, the oldest first."""
    return query.order_by(job.rank, job.not_before)


def add_delivery(
    session: Session, job_id: str, event: WebhookEvent, body: str, now: datetime
) -> str:
    """Add a delivery that is due now; return its id."""
    delivery = WebhookDelivery(
        id=new_id("msg"),
        status=DeliveryStatus.QUEUED.value,
        not_before=now,
        job_id=job_id,
        event=event.value,
        body=body,
        created_at=now,
    )
    session.add(delivery)
    return delivery.id


def list_deliveries(
    session: Session, *, status: str | None, job_id: str | None, limit: int
) -> Sequence[WebhookDelivery]:
    """Return deliveries, newest first."""
    query = select(WebhookDelivery).order_by(WebhookDelivery.id.desc()).limit(limit)
    if status is not None:
        query = query.where(WebhookDelivery.status == status)
    if job_id is not None:
        query = query.where(WebhookDelivery.job_id == job_id)
    return list(session.scalars(query))


def find_deliveries(session: Session, wanted: str) -> Sequence[WebhookDelivery]:
    """Return the delivery of that id, or all of a job."""
    either = (WebhookDelivery.id == wanted) | (WebhookDelivery.job_id == wanted)
    return list(session.scalars(select(WebhookDelivery).where(either)))
