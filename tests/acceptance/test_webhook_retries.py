"""Webhooks that do not arrive at once: they are sent again, and arrive in the end."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from app.store import models
from tests.conformance.interface import clause
from tests.support.customers import Customer
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_jobs import (
    ARRIVAL_SECONDS,
    BOTH,
    SHORT,
    TOO_LONG,
    arrived,
    deliveries,
    order,
)
from tests.support.webhook_receiver import Answer, Receiver


@clause("Retry policy,", "expected response status of the receiving endpoint: not shown.")
@pytest.mark.parametrize("status", [500, 404, 302], ids=["error", "refused", "redirect"])
def test_what_is_no_2xx_is_sent_again(
    service: CopydeskService, customer: Customer, receiver: Receiver, status: int
) -> None:
    receiver.answers = [Answer(status, {"Location": receiver.url("/elsewhere")}), Answer(204)]
    job_id = order(customer, receiver.url(), BOTH)["jobId"]
    arrived(receiver)
    waiting = first_failure(service, job_id)
    assert str(status) in waiting.last_answer
    pause = waiting.not_before - datetime.now(UTC)
    assert pause < timedelta(seconds=6), "the first repetition comes after 5 s, and 1 s of jitter"
    service.pass_time()
    first, second = arrived(receiver, 2)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert receiver.received("/elsewhere") == [], "a redirect is not followed"
    until(service, job_id, "delivered")


@clause("Retry policy,", "expected response status of the receiving endpoint: not shown.")
def test_a_receiver_that_is_gone_is_left_alone(
    service: CopydeskService, customer: Customer, receiver: Receiver
) -> None:
    receiver.answers = [Answer(410)]
    job_id = order(customer, receiver.url(), BOTH)["jobId"]
    assert until(service, job_id, "failed").attempts == 1


@clause("Retry policy,")
def test_a_receiver_says_when_to_come_again(
    service: CopydeskService, customer: Customer, receiver: Receiver
) -> None:
    receiver.answers = [Answer(503, {"Retry-After": "600"})]
    job_id = order(customer, receiver.url(), BOTH)["jobId"]
    arrived(receiver)
    pause = first_failure(service, job_id).not_before - datetime.now(UTC)
    assert timedelta(seconds=540) < pause <= timedelta(seconds=600)


@clause("Retry policy,")
@pytest.mark.long
def test_a_receiver_that_was_down_for_hours_gets_every_event(
    service: CopydeskService, customer: Customer, receiver: Receiver, model: ScriptedModel
) -> None:
    """One event is still in its schedule when the receiver is back; of the others the last attempt
    has failed, and the operator repeats them."""
    receiver.down()
    jobs = [
        order(customer, receiver.url(), BOTH, max_words)["jobId"]
        for max_words in (SHORT, TOO_LONG, SHORT)
    ]
    for job_id in jobs:
        customer.finished_job(job_id)
        first_failure(service, job_id)

    def given_up() -> bool:
        # Seven attempts, hours apart, have failed: the eighth is the last.
        waiting = update(models.WebhookDelivery).where(
            models.WebhookDelivery.job_id.in_(jobs[1:]), models.WebhookDelivery.status == "queued"
        )
        now = datetime.now(UTC)
        with service.engine.begin() as database:
            database.execute(waiting.values(failures=7, not_before=now))
            database.execute(update(models.WebhookReceiver).values(not_before=now))
        return all(deliveries(service, job_id)[0].status == "failed" for job_id in jobs[1:])

    wait_until(given_up, ARRIVAL_SECONDS, "the last attempts fail")
    receiver.up()
    service.pass_time()
    assert json.loads(arrived(receiver)[0].body)["jobId"] == jobs[0]
    (delivery,) = service.cli("webhook", "list", "--job", jobs[1])
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    service.cli("webhook", "replay", delivery["deliveryId"])
    service.cli("webhook", "replay", jobs[2])
    events = {json.loads(one.body)["jobId"]: json.loads(one.body) for one in arrived(receiver, 3)}
    assert [events[job]["event"] for job in jobs] == [
        "job.succeeded", "job.failed", "job.succeeded",
    ]  # fmt: skip
    replayed = next(one for one in receiver.received() if jobs[1].encode() in one.body)
    assert replayed.headers["webhook-id"] == delivery["deliveryId"]


def first_failure(service: CopydeskService, job_id: str) -> Any:
    """The job's one delivery, as it is once its first attempt has failed."""
    return _delivery(service, job_id, "its first attempt fails", lambda row: row.failures > 0)


def until(service: CopydeskService, job_id: str, status: str) -> Any:
    """The job's one delivery, once it has that status."""
    return _delivery(service, job_id, f"it is {status}", lambda row: row.status == status)


def _delivery(
    service: CopydeskService, job_id: str, what: str, condition: Callable[[Any], bool]
) -> Any:
    seen: list[Any] = []

    def holds() -> bool:
        seen[:] = deliveries(service, job_id)
        return len(seen) == 1 and condition(seen[0])

    wait_until(holds, ARRIVAL_SECONDS, f"of the delivery of {job_id}: {what}")
    return seen[0]
