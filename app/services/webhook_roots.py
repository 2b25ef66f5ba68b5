"""The root secrets of an account, from which the webhook secrets of its jobs are derived.

A receiver that knows the root can verify the webhook of any job. After a rotation, new jobs use the
new root; a job that exists keeps its secret, even if its root is retired.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from app.core.credentials import account_of
from app.core.errors import Conflict, NotFound
from app.core.webhooks.signature import SECRET_BYTES, derived_secret, new_root
from app.services.context import Context
from app.services.lookups import require
from app.store import models
from app.store import webhooks as store
from app.store.database import reading, writing


def create(session: Session, account_id: str, number: int, now: datetime) -> None:
    """Create a root of an account. Number 1 comes with the account."""
    store.add_root(session, account_id, number, new_root(secrets.token_bytes(SECRET_BYTES)), now)


def give_secret(session: Session, job: models.Job) -> None:
    """Derive the secret of a new job from the current root of its account. A sandbox has none of
    its own, so that one receiver serves both."""
    root = store.roots_of(session, account_of(job.account_id))[0]
    job.webhook_root, job.webhook_secret = root.number, derived_secret(root.secret, job.id)


def list_roots(account_id: str) -> Sequence[tuple[models.WebhookRoot, int]]:
    """Return the roots of an account, newest first, each with the number of jobs under it that will
    still send a webhook. New jobs use the first one.

    Raises:
        NotFound: no such account.
    """
    with reading() as session:
        require(session, models.Account, account_id)
        open_jobs = store.jobs_by_root(session, account_id)
        roots = store.roots_of(session, account_id)
        return [(root, open_jobs.get(root.number, 0)) for root in roots]


def rotate(context: Context, account_id: str) -> models.WebhookRoot:
    """Create the root of jobs from now on, and return it.

    Raises:
        NotFound: no such account.
    """
    now = context.clock.now()
    with writing() as session:
        # Locked, so that two rotations at once are two roots.
        require(session, models.Account, account_id, with_for_update={"key_share": True})
        create(session, account_id, store.roots_of(session, account_id)[0].number + 1, now)
        return store.roots_of(session, account_id)[0]


def retire(account_id: str, number: int) -> None:
    """Delete a root that no webhook needs any more.

    Raises:
        NotFound: no such account, or the account has no such root.
        Conflict: new jobs use it, or jobs under it will still send a webhook.
    """
    with writing() as session:
        require(session, models.Account, account_id, with_for_update={"key_share": True})
        root = session.get(models.WebhookRoot, (account_id, number))
        if root is None:
            raise NotFound(
                f"There is no root {number} of {account_id}."
                f" `webhook-secret show {account_id}` shows its roots."
            )
        if root is store.roots_of(session, account_id)[0]:
            raise Conflict(
                f"New jobs use root {number}. Run `webhook-secret rotate {account_id}` first."
            )
        if open_jobs := store.jobs_by_root(session, account_id).get(number, 0):
            raise Conflict(
                f"Root {number} still signs webhooks: its openJobs is {open_jobs}. Keep it at"
                " your receiver, and retire it when openJobs is 0."
            )
        session.delete(root)
