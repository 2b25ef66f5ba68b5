"""Jobs on the real databases: their states, their crashes, and what they cost."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from app.core.errors import ModelUnavailable
from app.extensions import Base
from app.ports import Work, WorkKind
from app.services import jobs, leased_work
from app.services.leases import LEASE
from app.store import database, models
from tests.support.integration import CountingQueue
from tests.support.service_harness import ServiceHarness, fails_with

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded", "job.failed"]}
LAPSED = LEASE + timedelta(seconds=1)


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
