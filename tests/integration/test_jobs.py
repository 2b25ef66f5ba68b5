"""Jobs on the real databases: their states, their crashes, and what they cost."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from app.core.errors import ContentQualityFailed, ModelUnavailable, NotFound, QuotaExceeded
from app.core.quality.lengths import post_words
from app.ports import Work, WorkKind
from app.services import job_work, sweep
from app.services.leases import LEASE
from app.services.pipeline import Written
from app.store.tables import DeliveryRow, JobRow, ReservationRow
from tests.integration.conftest import CountingQueue
from tests.integration.office import WRITTEN, Office, opened

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded", "job.failed"]}
WORDS = post_words(WRITTEN.post)
LAPSED = LEASE + timedelta(seconds=1)


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with opened(migrated_url, monkeypatch) as made:
        yield made


def fails_with(error: Exception) -> Any:
    def write() -> Written:
        raise error

    return write


def test_a_job_that_succeeds_is_billed_and_announced_in_one_step(office: Office) -> None:
    created = office.create(webhook=WEBHOOK)
    assert created["status"] == "queued"
    held = office.consumed().reserved_words
    assert held == 1_200
    assert office.work()
    job = office.job(created)
    assert job["status"] == "succeeded"
    assert job["result"] == WRITTEN.post.to_wire()
    assert set(job["rendered"]) == {"markdown"}
    assert "webhookSigningSecret" not in job
    assert office.consumed().words == WORDS
    assert office.consumed().reserved_words == 0
    assert office.rows(ReservationRow) == []
    (delivery,) = office.rows(DeliveryRow)
    assert (delivery.event, delivery.status) == ("job.succeeded", "queued")
    assert not office.work()


def test_a_job_that_fails_costs_nothing(office: Office) -> None:
    created = office.create(webhook=WEBHOOK)
    office.write = fails_with(ContentQualityFailed("It does not pass.", {"checks": []}))
    assert office.work()
    job = office.job(created)
    assert (job["status"], job["error"]["code"]) == ("failed", "CONTENT_QUALITY_FAILED")
    assert not {"result", "rendered", "quality"} & job.keys()
    assert (office.consumed().words, office.consumed().reserved_words) == (0, 0)
    (delivery,) = office.rows(DeliveryRow)
    assert delivery.event == "job.failed"


def test_only_subscribed_events_are_written_down(office: Office) -> None:
    office.create(webhook={**WEBHOOK, "events": ["job.failed"]})
    office.create()
    assert office.work()
    assert office.work()
    assert office.rows(DeliveryRow) == []


def test_a_request_beyond_the_plan_fails_as_a_job(office: Office) -> None:
    request = {"keywords": ["tea"], "constraints": {"maxWords": 1_501}}
    created = office.create(generateRequest=request)
    assert office.rows(ReservationRow) == []
    assert office.work()
    error = office.job(created)["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"] == {
        "field": "constraints.maxWords",
        "maxAllowed": 1_500,
        "received": 1_501,
    }


def test_three_workers_may_die_over_a_job(office: Office) -> None:
    created = office.create(webhook=WEBHOOK)
    for attempt in (1, 2, 3):
        job = job_work.claim(office.clock)
        assert job is not None
        assert job.attempt == attempt
        assert job_work.claim(office.clock) is None
        office.clock.move(LAPSED)
    assert office.work()
    assert office.job(created)["error"]["code"] == "INTERNAL_ERROR"
    assert office.consumed().reserved_words == 0
    assert len(office.rows(DeliveryRow)) == 1


def test_a_worker_that_comes_back_late_neither_stores_nor_bills(office: Office) -> None:
    created = office.create(webhook=WEBHOOK)

    def another_finishes_it() -> Written:
        office.write = lambda: WRITTEN
        office.clock.move(LAPSED)
        assert office.work()
        return WRITTEN

    office.write = another_finishes_it
    assert office.work()
    assert office.consumed().words == WORDS
    assert office.consumed().posts == 1
    assert len(office.rows(DeliveryRow)) == 1
    assert office.job(created)["status"] == "succeeded"


def test_a_model_that_is_away_is_asked_again_twice(office: Office) -> None:
    created = office.create()
    office.write = fails_with(ModelUnavailable("The model does not answer."))
    for pause in (5, 30):
        assert office.work()
        assert office.job(created)["status"] == "queued"
        office.clock.move(timedelta(seconds=pause - 1))
        assert not office.work()
        office.clock.move(timedelta(seconds=1))
    assert office.work()
    assert office.job(created)["error"]["code"] == "SERVICE_UNAVAILABLE"
    assert office.consumed().reserved_words == 0


def test_an_unexpected_error_ends_the_job_and_shows_nothing_of_itself(office: Office) -> None:
    created = office.create()
    office.write = fails_with(RuntimeError("sk-secret"))
    assert office.work()
    error = office.job(created)["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert "sk-secret" not in error["message"]


def test_the_quota_is_held_from_the_creation_on(office: Office) -> None:
    """Twenty thousand words are sixteen jobs of 1,200; the next is refused and leaves nothing."""
    for _ in range(16):
        office.create()
    with pytest.raises(QuotaExceeded) as refused:
        office.create(office.key("k"))
    assert refused.value.details is not None
    assert refused.value.details["limitType"] == "monthlyWords"
    assert len(office.rows(JobRow)) == 16
    assert office.caller.used_today == 16
    assert office.work()
    created, replayed = office.create_or_replay(office.key("k"))
    assert (created["status"], replayed) == ("queued", False)


def test_one_key_is_one_job(office: Office) -> None:
    created, replayed = office.create_or_replay(office.key("k"), webhook=WEBHOOK)
    assert not replayed
    assert office.work()
    again, replayed = office.create_or_replay(office.key("k"), webhook=WEBHOOK)
    assert replayed
    assert again == created
    assert list(again) == list(created)
    assert again["webhookSigningSecret"].startswith("whsec_")
    assert len(office.rows(JobRow)) == 1
    assert office.caller.used_today == 1


def test_another_owners_job_does_not_exist(office: Office) -> None:
    created = office.create()
    with pytest.raises(NotFound):
        Office().job(created)


def test_jobs_of_a_plan_with_priority_come_first(office: Office) -> None:
    first = office.create()
    urgent = Office("scale")
    second = urgent.create()
    assert office.work()
    assert urgent.job(second)["status"] == "succeeded"
    assert office.job(first)["status"] == "queued"


def test_the_sweep_finds_what_the_queue_lost(office: Office) -> None:
    class ForgetfulQueue(CountingQueue):
        def __init__(self) -> None:
            super().__init__()
            self.work: list[Work] = []

        def enqueue(self, *work: Work) -> None:
            self.work += work

        def missing(self, *work: Work) -> list[Work]:
            return list(work)

    queue = ForgetfulQueue()
    created = office.create(webhook=WEBHOOK)
    assert sweep.requeue_lost(queue, office.clock) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 1)
    assert job_work.claim(office.clock) is not None
    assert sweep.requeue_lost(queue, office.clock) == 0
    office.clock.move(LAPSED)
    assert sweep.requeue_lost(queue, office.clock) == 1
    assert queue.work.pop() == Work(WorkKind.JOB, created["jobId"], 2)
    assert office.work(created["jobId"])
    assert sweep.requeue_lost(queue, office.clock) == 1
    assert queue.work.pop().kind is WorkKind.DELIVERY
