"""webhook: deliveries to look at and to repeat."""

import click

from app.commands.output import as_json, show, show_list, with_app
from app.core.metering import wire_time


@click.group()
def webhook() -> None:
    """Deliveries of job.succeeded and job.failed."""


@webhook.command("list")
@click.option("--status", help="queued, sending, delivered or failed.")
@click.option("--job", "job_id", help="Only those of this job.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@as_json
@with_app
def webhook_list(status: str | None, job_id: str | None, limit: int, as_json: bool) -> None:
    """Show deliveries, the youngest first."""
    from app.services import webhooks

    rows = [
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
    show_list(rows, as_json, "There are no such deliveries.")


@webhook.command("replay")
@click.argument("delivery_or_job_id")
@as_json
@with_app
def webhook_replay(delivery_or_job_id: str, as_json: bool) -> None:
    """Send a delivery, or all of a job, once more: with the same webhook-id and body."""
    from app.services import webhooks
    from app.wiring import ports

    wired = ports()
    replayed = webhooks.replay(delivery_or_job_id, wired.clock, wired.queue)
    show({"replayed": ", ".join(replayed)}, as_json)
