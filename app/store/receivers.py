"""Receivers of webhooks that fail or are slow. One that answers in time has no row, so the table
stays small. Each function runs inside the caller's transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.store.models import Account, Job, WebhookReceiver
from app.store.rows import insert_if_absent

SWITCHED_OFF = select(WebhookReceiver.site).where(WebhookReceiver.off_since.is_not(None))


def lock(session: Session, account_id: str, site: str) -> WebhookReceiver | None:
    """Return a receiver that fails or is slow, locked until the transaction ends."""
    key = (account_id, site)
    return session.get(WebhookReceiver, key, with_for_update=True)


def lock_or_add(session: Session, account_id: str, site: str, now: datetime) -> WebhookReceiver:
    """Return the same, added if it is missing."""
    times = {"not_before": now, "updated_at": now}
    insert_if_absent(
        session, WebhookReceiver, account_id=account_id, site=site, failures=0, **times
    )
    return session.get_one(WebhookReceiver, (account_id, site), with_for_update=True)


def forget(session: Session, account_id: str, site: str) -> None:
    """Forget that a receiver failed or was slow."""
    receiver = WebhookReceiver
    session.execute(
        delete(receiver).where(receiver.account_id == account_id, receiver.site == site)
    )


def addresses_of(session: Session, job_ids: Iterable[str]) -> Sequence[tuple[str, str]]:
    """Return the accounts and the webhook URLs of jobs, each pair once."""
    pairs = select(Job.account_id, Job.webhook_url).where(Job.id.in_(set(job_ids))).distinct()
    return [(account_id, url or "") for account_id, url in session.execute(pairs)]


def switched_off(session: Session, limit: int) -> Sequence[Any]:
    """Return receivers that are switched off, the latest first, each with its account and the name
    of the account."""
    receiver = WebhookReceiver
    columns = (receiver.site, receiver.failing_since, receiver.last_answer)
    query = (
        select(Account.id.label("account_id"), Account.name.label("account"), *columns)
        .join(Account, Account.id == receiver.account_id)
        .where(receiver.off_since.is_not(None))
        .order_by(receiver.off_since.desc())
        .limit(limit)
    )
    return session.execute(query).all()
