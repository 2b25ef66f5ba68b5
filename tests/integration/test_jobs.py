"""Jobs on the real databases: their states, their crashes, and what they cost."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from app.core.errors import ModelUnavailable, RateLimited
from app.extensions import Base
from app.ports import Work, WorkKind
from app.rules.passages import post_words
from app.services import jobs, leased_work
from app.services.leases import LEASE
from app.store import database, models
from app.writing.pipeline import Written
from tests.support.integration import CountingQueue
from tests.support.scripted_worker import WRITTEN
from tests.support.service_harness import ServiceHarness, fails_with

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded", "job.failed"]}
WORDS = post_words(WRITTEN.post)
LAPSED = LEASE + timedelta(seconds=1)


def test_a_job_that_succeeds_is_billed_and_announced_in_one_step(harness: ServiceHarness) -> None:
    created = harness.create(webhook=WEBHOOK)
    assert created["status"] == "queued"
    held = harness.consumed().reserved_words
    assert held == 1_200
    assert harness.work()
    job = harness.job(created)
    assert job["status"] == "succeeded"
    assert job["result"] == WRITTEN.post.to_wire()
    assert set(job["rendered"]) == {"markdown"}
    assert "webhookSigningSecret" not in job
    assert harness.consumed().words == WORDS
    assert harness.consumed().reserved_words == 0
    assert harness.rows(models.Reservation) == []
    (delivery,) = harness.rows(models.WebhookDelivery)
    assert (delivery.event, delivery.status) == ("job.succeeded", "queued")
    assert not harness.work()


def test_a_worker_that_comes_back_late_stores_and_bills_nothing(harness: ServiceHarness) -> None:
    created = harness.create(webhook=WEBHOOK)

    def another_is_quicker() -> Written:
        harness.write = lambda: WRITTEN
        harness.clock.move(LAPSED)
        assert harness.work()
        return [next(harness.distinct_posts) for _ in range(2)][1]

    harness.write = another_is_quicker
    assert harness.work()
    assert harness.job(created)["result"] == WRITTEN.post.to_wire()
    assert (harness.consumed().posts, harness.consumed().words) == (1, WORDS)
    assert len(harness.rows(models.WebhookDelivery)) == 1


@pytest.mark.parametrize(
    ("asked", "pause"),
    [(600, timedelta(minutes=10)), (1, timedelta(seconds=5)), (86_400, timedelta(hours=1))],
)
def test_a_job_waits_as_long_as_the_model_endpoint_asks_for(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture, asked: int, pause: timedelta
) -> None:
    """The pause is at least the usual one, and at most an hour."""
    created = harness.create()
    harness.write = fails_with(
        ModelUnavailable(operator="http://10.1.1.1 is full.", retry_after=asked)
    )
    assert harness.work()
    harness.clock.move(pause - timedelta(seconds=1))
    assert not harness.work()
    harness.clock.move(timedelta(seconds=1))
    assert harness.work()
    harness.clock.move(pause)
    harness.clock.move(timedelta(seconds=30))
    assert harness.work()
    assert "http://10.1.1.1 is full." in caplog.text
    assert {record.levelname for record in caplog.records} <= {"INFO", "WARNING"}
    assert harness.job(created)["error"] == ModelUnavailable().body()


def test_the_quota_is_held_from_the_creation_on(harness: ServiceHarness) -> None:
    """Twenty thousand words are sixteen jobs of 1,200; the next is refused and leaves nothing."""
    for _ in range(16):
        harness.create()
    with pytest.raises(RateLimited) as refused:
        harness.create(harness.key("k"))
    details = refused.value.details
    assert details is not None
    assert (details["limitType"], details["used"], details["held"]) == ("monthlyWords", 0, 19_200)
    assert refused.value.retry_after <= 30
    assert len(harness.rows(models.Job)) == 16
    assert harness.caller.used_today == 16
    assert harness.work()
    created, replayed = harness.create_or_replay(harness.key("k"))
    assert (created["status"], replayed) == ("queued", False)


def test_the_clients_own_reference_is_kept_with_the_job_and_logged(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    request = {"keywords": ["tea"], "clientProvidedRequestId": "spring-17"}
    job_id = harness.create(generateRequest=request)["jobId"]
    (row,) = harness.rows(models.Job)
    assert row.request["clientProvidedRequestId"] == "spring-17"
    called = harness.generate(clientProvidedRequestId="spring-18")[0]["requestId"]
    said = [record.getMessage() for record in caplog.records if "reference" in record.getMessage()]
    assert said == [
        f"job {job_id} of request req_1 has the client's reference “spring-17”",
        f"request {called} has the client's reference “spring-18”",
    ]
    assert "spring" not in json.dumps(harness.job({"jobId": job_id}))


def test_the_sweep_finds_what_the_queue_lost(harness: ServiceHarness) -> None:
    class ForgetfulQueue(CountingQueue):
        def __init__(self) -> None:
            super().__init__()
            self.work: list[Work] = []

        def enqueue(self, *work: Work) -> None:
            self.work += work

        def missing(self, *work: Work) -> list[Work]:
            return list(work)

    queue = ForgetfulQueue()
    created = harness.create(webhook=WEBHOOK)
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 1)
    assert jobs.claim(harness.context) is not None
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 0
    harness.clock.move(LAPSED)
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 2)
    assert harness.work(created["jobId"])
    assert leased_work.requeue_lost(replace(harness.context, queue=queue)) == 1
    assert queue.work.pop().kind is WorkKind.DELIVERY


def test_a_webhooks_secret_is_stored_once(harness: ServiceHarness) -> None:
    created = harness.create(harness.key("k"), webhook=WEBHOOK)
    assert harness.work()
    with database.reading() as session:
        rows = [
            str(row)
            for table in Base.metadata.sorted_tables
            for row in session.execute(select(table))
        ]
    assert len([row for row in rows if created["webhookSigningSecret"] in row]) == 1
