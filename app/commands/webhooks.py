"""webhook: list and replay deliveries."""

from typing import Any

import click

from app.commands.output import database_command, services
from app.core.schemas.times import wire_time


@click.group()
def webhook() -> None:
    """List and replay webhook deliveries."""


@database_command(webhook, "list", nothing="There are no such deliveries.")
@click.option("--status", help="Only this status: queued, sending, delivered or failed.")
@click.option("--job", "job_id", help="Only deliveries of this job.")
@click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum number of deliveries.",
)
def webhook_list(status: str | None, job_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Show deliveries, newest first."""
    from app.services import webhooks

    return [
        {
            "deliveryId": row.id,
            "jobId": row.job_id,
            "event": row.event,
            "status": row.status,
            "attempts": row.attempts,
            "nextAttemptAt": wire_time(row.not_before) if row.status == "queued" else None,
            "lastAnswer": row.last_answer,
        }
        for row in webhooks.list_deliveries(status=status, job_id=job_id, limit=limit)
    ]


@database_command(webhook, "replay")
@click.argument("delivery_or_job_id")
def webhook_replay(delivery_or_job_id: str) -> dict[str, Any]:
    """Resend a delivery, or all deliveries of a job, with the same webhook-id and body."""
    from app.services import webhooks

    return {"replayed": ", ".join(webhooks.replay(services().context, delivery_or_job_id))}
