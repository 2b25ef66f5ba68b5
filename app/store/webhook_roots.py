"""Root secrets of webhooks. Each function runs inside the caller's transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from app.core.credentials import sandbox_of
from app.core.schemas.job import JobStatus
from app.store.jobs import DeliveryStatus
from app.store.models import Job, WebhookDelivery, WebhookRoot


def roots_of(session: Session, account_id: str) -> Sequence[WebhookRoot]:
    """Return the roots of an account, newest first: the first is that of new jobs, and is never
    deleted."""
    query = select(WebhookRoot).where(WebhookRoot.account_id == account_id)
    return list(session.scalars(query.order_by(WebhookRoot.number.desc())))


def add(session: Session, account_id: str, number: int, secret: str, now: datetime) -> None:
    """Add a root."""
    key = {"account_id": account_id, "number": number}
    session.execute(insert(WebhookRoot).values(**key, secret=secret, created_at=now))


def open_jobs(session: Session, account_id: str) -> Mapping[int, int]:
    """Return the number of jobs by the root that signs them, of those that will still send a
    webhook: they have not ended, or a delivery is open. Those of its sandbox count as well."""
    working = [JobStatus.QUEUED.value, JobStatus.PROCESSING.value]
    sending = [DeliveryStatus.QUEUED.value, DeliveryStatus.SENDING.value]
    of_account = select(Job.id, Job.webhook_root).where(
        Job.account_id.in_([account_id, sandbox_of(account_id)]), Job.webhook_root.is_not(None)
    )
    # Two statements, as each has an index that leads to the few rows that are open.
    unfinished = of_account.where(Job.status.in_(working))
    undelivered = of_account.join(WebhookDelivery, WebhookDelivery.job_id == Job.id).where(
        WebhookDelivery.status.in_(sending)
    )
    found = {
        (row.id, row.webhook_root)
        for query in (unfinished, undelivered)
        for row in session.execute(query)
    }
    return Counter(number for _, number in found)
