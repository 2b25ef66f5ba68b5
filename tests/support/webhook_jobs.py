"""Jobs with a webhook, and what arrives for them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from app.store import models
from tests.support.customers import Customer
from tests.support.service import CopydeskService
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Received, Receiver

SHORT = 200
# Words that the plan does not allow: a job that fails at once.
TOO_LONG = 9000
BOTH = ["job.succeeded", "job.failed"]
ARRIVAL_SECONDS = 120.0


def order(customer: Customer, url: str, events: list[str], max_words: int = SHORT) -> Any:
    """The answer to a job's creation."""
    with customer.sdk() as sdk:
        job = sdk.jobs.create(
            keywords=["tea"], max_words=max_words, webhook_url=url, webhook_events=events
        )
    return job.raw


def arrived(receiver: Receiver, count: int = 1) -> list[Received]:
    """Wait for ``count`` requests, and return them."""
    what = f"{count} webhooks arrive"
    wait_until(lambda: len(receiver.received()) >= count, ARRIVAL_SECONDS, what)
    return receiver.received()


def deliveries(service: CopydeskService, job_id: str) -> Sequence[Any]:
    """A job's deliveries as the database has them."""
    query = select(models.WebhookDelivery.__table__).where(models.WebhookDelivery.job_id == job_id)
    with service.engine.connect() as database:
        return database.execute(query).all()
