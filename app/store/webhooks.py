"""Webhooks: their deliveries, and the receivers that fail or are slow. Each function runs inside
the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.core.schemas.job import WebhookEvent
from app.core.webhooks.receiver import RESTS_AFTER
from app.store.models import Account, Job, WebhookDelivery, WebhookReceiver
from app.store.overview import LOOKED_AT
from app.store.rows import insert_if_absent, new_id

# A receiver that answers in time has no row, so the table stays small.
SWITCHED_OFF = select(WebhookReceiver.site).where(WebhookReceiver.off_since.is_not(None))


class DeliveryStatus(StrEnum):
    """``queued`` until ``not_before``, ``sending`` under a lease, then ``delivered`` or ``failed``;
    ``replayed`` if it failed and a newer delivery repeats it."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    REPLAYED = "replayed"


def add_delivery(session: Session, job: Job, event: WebhookEvent, body: str, now: datetime) -> str:
    """Add a delivery of a job that is due now; return its id."""
    owned = {"job_id": job.id, "account_id": job.account_id}
    return _add(session, now, event=event.value, body=body, **owned)


def newest_deliveries(session: Session, wanted: str) -> Sequence[WebhookDelivery]:
    """Return the delivery of that id, or all of that job, locked until the transaction ends; of one
    that was replayed, the newest replay instead."""
    sent = WebhookDelivery
    named = session.execute(select(sent.job_id, _first_of(sent)).where(sent.id == wanted)).first()
    job_id = named[0] if named else wanted
    # First, as retention does: a replay needs its job.
    session.execute(select(Job.id).where(Job.id == job_id).with_for_update(key_share=True))
    query = select(sent).where(sent.job_id == job_id)
    if named:
        query = query.where(_first_of(sent) == named[1])
    query = query.order_by(sent.id).with_for_update()
    newest = {row.replay_of or row.id: row for row in session.scalars(query)}
    return list(newest.values())


def _first_of(sent: Any) -> Any:
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


def lock_or_add_receiver(
    session: Session, account_id: str, site: str, now: datetime
) -> WebhookReceiver:
    """Return a receiver that fails or is slow, locked until the transaction ends."""
    times = {"not_before": now, "updated_at": now}
    insert_if_absent(
        session, WebhookReceiver, account_id=account_id, site=site, failures=0, **times
    )
    return session.get_one(WebhookReceiver, (account_id, site), with_for_update=True)


def forget_receiver(session: Session, account_id: str, site: str) -> None:
    """Forget that a receiver failed or was slow."""
    receiver = WebhookReceiver
    session.execute(
        delete(receiver).where(receiver.account_id == account_id, receiver.site == site)
    )


def failing_receivers(session: Session, before: datetime, limit: int) -> Sequence[Any]:
    """Return receivers that have failed since before a time, of the 10,000 that were called last,
    the oldest failure first, each with its account and the name of the account; ``off_since`` is
    None if it still gets webhooks."""
    latest = select(WebhookReceiver).order_by(WebhookReceiver.updated_at.desc()).limit(LOOKED_AT)
    receiver = latest.subquery().c
    query = (
        select(*receiver, Account.name.label("account"))
        .join(Account, Account.id == receiver.account_id)
        .where(receiver.failures >= RESTS_AFTER, receiver.failing_since < before)
        .order_by(receiver.failing_since)
        .limit(limit)
    )
    return session.execute(query).all()
