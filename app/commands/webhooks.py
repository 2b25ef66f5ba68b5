"""webhook and webhook-secret: deliveries, and the root secrets that sign them."""

from datetime import UTC, datetime
from typing import Any

import click

from app.commands.database import context, database_command, list_command, of_account
from app.core.schemas.times import wire_time
from app.services import overview, webhook_roots, webhooks

_TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])

_STATES = click.Choice(["queued", "sending", "delivered", "failed", "replayed"])


@click.group()
def webhook() -> None:
    """List and replay webhook deliveries."""


@list_command(
    webhook, "There are no such deliveries.", ("deliveryId", "status", "attempts", "lastAnswer")
)
@click.option("--status", type=_STATES, help="Only this status.")
@click.option("--job", "job_id", help="Only deliveries of this job.")
@of_account
def webhook_list(
    status: str | None, job_id: str | None, account_id: str | None, before: str, limit: int
) -> list[dict[str, Any]]:
    """Show deliveries, newest first."""
    wanted = overview.WorkFilter(status or "", account_id or "", job_id or "")
    return [
        {
            "deliveryId": row.id,
            "jobId": row.job_id,
            "event": row.event,
            "status": row.status,
            "attempts": row.attempts - row.handed_back,
            "nextAttemptAt": wire_time(row.not_before) if row.status == "queued" else None,
            "lastAnswer": row.last_answer,
            "replayOf": row.replay_of,
            "createdAt": wire_time(row.created_at),
        }
        for row, _ in overview.deliveries(wanted, before, limit)
    ]


@database_command(webhook, "replay")
@click.argument("delivery_or_job_id")
def webhook_replay(delivery_or_job_id: str) -> dict[str, Any]:
    """Resend a delivery, or all deliveries of a job, with the same webhook-id and body.

    Each gets a new delivery that names the old one (replayOf). One that is still waiting for its
    next attempt is sent now instead. A receiver that was switched off is tried again.
    """
    return {"replayed": list(webhooks.replay(context(), delivery_or_job_id))}


@database_command(webhook, "replay-failed")
@of_account
@click.option("--since", type=_TIME, metavar="TIME", help="Only those created from then on.")
@click.option("--until", type=_TIME, metavar="TIME", help="Only those created before then.")
def webhook_replay_failed(
    account_id: str | None, since: datetime | None, until: datetime | None
) -> dict[str, Any]:
    """Resend webhooks that were given up, the newest first, at most 1,000 at once.

    Receivers that were switched off are tried again. A TIME is in UTC, such as 2026-01-31 or
    2026-01-31T09:30.
    """
    begin, end = (time and time.replace(tzinfo=UTC) for time in (since, until))
    wanted = overview.WorkFilter(account=account_id or "", begin=begin, end=end)
    return {"replayed": webhooks.replay_given_up(context(), wanted)}


@click.group("webhook-secret")
def webhook_secret() -> None:
    """Show and rotate the root secrets of an account.

    The signing secret of each job is derived from the root of its account, so a webhook receiver
    needs only the root: set it there as COPYDESK_WEBHOOK_SECRET.
    """


@database_command(
    webhook_secret,
    "show",
    columns=("root", "rootSecret", "status"),
)
@click.argument("account_id", metavar="ACCOUNT")
def webhook_secret_show(account_id: str) -> list[dict[str, Any]]:
    """Show the root secrets of an account, newest first.

    New jobs use the current root. openJobs counts the jobs under a root that will still send a
    webhook.
    """
    return [
        {
            "root": root.number,
            "rootSecret": root.secret,
            "status": "old" if position else "current",
            "openJobs": open_jobs,
            "createdAt": wire_time(root.created_at),
        }
        for position, (root, open_jobs) in enumerate(webhook_roots.list_roots(account_id))
    ]


@database_command(webhook_secret, "rotate")
@click.argument("account_id", metavar="ACCOUNT")
def webhook_secret_rotate(account_id: str) -> dict[str, Any]:
    """Create a new root secret for jobs created from now on.

    Set it at your receiver in addition to the old one at once: a webhook that the receiver refuses
    in the meantime is sent again. Existing jobs keep the old root.
    """
    made = webhook_roots.rotate(context(), account_id)
    return {"root": made.number, "rootSecret": made.secret}


@database_command(webhook_secret, "retire")
@click.argument("account_id", metavar="ACCOUNT")
@click.argument("root", type=click.IntRange(1, 1_000_000))
def webhook_secret_retire(account_id: str, root: int) -> dict[str, Any]:
    """Delete an old root secret, given its number.

    Refused while jobs under it will still send a webhook. Afterwards, remove it from your receiver.
    """
    webhook_roots.retire(account_id, root)
    return {"root": root, "status": "retired"}
