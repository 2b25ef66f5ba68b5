"""webhook and webhook-secret: deliveries, and the root secret that signs them."""

from datetime import UTC, datetime

import click

from app.commands.database import context, database_command, list_command, of_account
from app.commands.output import Row
from app.core.schemas.times import wire_time
from app.services import accounts, overview, webhooks
from app.store.overview import WorkFilter

_TIME = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])

_STATES = click.Choice(["queued", "sending", "delivered", "failed", "replayed"])


@click.group()
def webhook() -> None:
    """List and replay webhook deliveries."""


@list_command(
    webhook, "There are no such deliveries.", ("deliveryId", "status", "attempts", "lastAnswer")
)
@click.option("--status", type=_STATES, help="Only this status.")
@click.option("--job", "job_id", default="", help="Only deliveries of this job.")
@of_account
def webhook_list(
    status: str | None, job_id: str, account_id: str, before: str, limit: int
) -> list[Row]:
    """Show deliveries, newest first."""
    wanted = WorkFilter(status or "", account_id, job_id)
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
def webhook_replay(delivery_or_job_id: str) -> Row:
    """Resend a delivery, or all deliveries of a job, with the same webhook-id and body.

    Each gets a new delivery that names the old one (replayOf). One that is still waiting for its
    next attempt is sent now instead. A receiver that was switched off is tried again.
    """
    return {"replayed": list(webhooks.replay(context(), delivery_or_job_id))}


@database_command(webhook, "replay-failed")
@of_account
@click.option("--since", type=_TIME, metavar="TIME", help="Only those created from then on.")
@click.option("--until", type=_TIME, metavar="TIME", help="Only those created before then.")
def webhook_replay_failed(account_id: str, since: datetime | None, until: datetime | None) -> Row:
    """Resend webhooks that were given up, the newest first, at most 1,000 at once.

    Receivers that were switched off are tried again. A TIME is in UTC, such as 2026-01-31 or
    2026-01-31T09:30.
    """
    begin, end = (time and time.replace(tzinfo=UTC) for time in (since, until))
    wanted = WorkFilter(account=account_id, begin=begin, end=end)
    return {"replayed": webhooks.replay_given_up(context(), wanted)}


@click.group("webhook-secret")
def webhook_secret() -> None:
    """Show and rotate the root secret of an account.

    The signing secret of each job is derived from the root of its account, so a webhook receiver
    needs only the root: set it there as COPYDESK_WEBHOOK_SECRET.
    """


@database_command(webhook_secret, "show")
@click.argument("account_id", metavar="ACCOUNT")
def webhook_secret_show(account_id: str) -> Row:
    """Show the root secret of an account."""
    return {"rootSecret": accounts.webhook_root(account_id)}


@database_command(webhook_secret, "rotate")
@click.argument("account_id", metavar="ACCOUNT")
def webhook_secret_rotate(account_id: str) -> Row:
    """Create a new root secret for jobs created from now on. Prints the old one as well.

    Set both at your receiver at once, separated by a comma: a webhook that it refuses in the
    meantime is sent again. Existing jobs keep the old root; remove it after three days.
    """
    made, replaced = accounts.replace_webhook_root(account_id)
    return {"rootSecret": made, "replaced": replaced}
