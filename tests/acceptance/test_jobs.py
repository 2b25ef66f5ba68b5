"""Jobs: creating one, its states, reading it."""

import json
from typing import Any

import pytest

from copydesk import (
    APIError,
    NotFoundError,
    ProhibitedInputError,
    QualityError,
    ServerError,
    ValidationError,
)
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer, another_key, new_customer
from tests.support.response_schemas import CREATED_JOB, ERROR, JOB, matches
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver


@clause(
    "Asynchronous job: POST /v1/jobs returns at once with a job; the result is read with"
    " GET /v1/jobs/{jobId}"
)
@clause("| (creation) | POST /v1/jobs | request accepted | queued | 202 returned |")
@clause(
    "202 Accepted response: jobId, status (queued), createdAt, updatedAt, requestId, inputSummary,"
)
@clause("Without webhook, the client polls GET /v1/jobs/{jobId}.")
def test_a_job_is_accepted_at_once_and_done_later(customer: Customer, model: ScriptedModel) -> None:
    with model.behaving("slow", delay=1.0):
        answer = customer.create_job(generateRequest=SHORT)
        assert answer.status_code == 202, answer.text
        created = answer.json()
        now = customer.job(created["jobId"]).json()["status"]
        assert now in {"queued", "processing"}, "it does not wait for the model"
    matches(created, CREATED_JOB)
    assert created["status"] == "queued"
    assert created["createdAt"] == created["updatedAt"]
    job = customer.finished_job(created["jobId"])
    assert job["status"] == "succeeded"
    assert job["result"]["meta"]["primaryKeyword"] == "tea"


@clause("| status | enum | queued, processing, succeeded, failed. |")
@clause("| queued | processing start | | processing | |")
@clause(
    "| processing | completion | generation passes | succeeded | result, rendered, quality readable"
)
@clause("Job fields while status is queued or processing, beyond the base fields above: not shown.")
@clause("createdAt, updatedAt | string | ISO 8601 UTC timestamps with milliseconds.")
@clause("| result | SEOPost | Only when status is succeeded. |")
@clause("| rendered | object | Only when succeeded. |")
@clause("| quality | object | Only when succeeded. |")
@clause("200 response: Job. When succeeded: base fields plus result, rendered, quality.")
def test_the_states_of_a_job_that_succeeds(customer: Customer, model: ScriptedModel) -> None:
    seen: dict[str, Any] = {}
    with customer.sdk() as sdk, model.behaving("slow", delay=0.5):
        # More than there are workers, so that the last one waits its turn.
        jobs = [sdk.jobs.create(keywords=["tea"], max_words=200).job_id for _ in range(3)]

        def ended() -> bool:
            job = sdk.jobs.get(jobs[-1])
            matches(job.raw, JOB[job.status])
            seen[job.status] = job.raw
            return job.done

        wait_until(ended, 60, "the last job succeeds")
    assert list(seen) == ["queued", "processing", "succeeded"]
    times = [seen[status]["updatedAt"] for status in seen]
    assert times == sorted(times)
    assert len({body["createdAt"] for body in seen.values()}) == 1
    assert len({body["requestId"] for body in seen.values()}) == 1


@clause("processing | completion | generation or validation fails | failed | error object set")
@clause("| error | object | Only when failed; see Errors. |")
@clause("When failed: base fields plus error.")
@clause(
    "In a failed job, the error object has the same shape and appears in the job body and"
    " in the job.failed payload."
)
@clause("| job.failed | Job could not complete | job reaching failed |")
@clause(
    "event (string, job.failed), jobId, requestId, error {code, message, details}.",
)
@clause("job.failed sent if subscribed")
@pytest.mark.parametrize(
    ("behaviour", "max_words", "error"),
    [
        ("refusal", 200, ProhibitedInputError),
        ("link", 200, QualityError),
        ("good", 9_000, ValidationError),
    ],
    ids=["refusal", "link", "too long"],
)
def test_a_job_that_fails(
    customer: Customer,
    model: ScriptedModel,
    behaviour: str,
    max_words: int,
    error: type[APIError],
) -> None:
    with Receiver() as receiver, model.behaving(behaviour), customer.sdk() as sdk:
        created = sdk.jobs.create(
            keywords=["tea"],
            max_words=max_words,
            webhook_url=receiver.url(),
            webhook_events=["job.failed"],
        )
        job = sdk.jobs.wait(created.job_id, poll=0.1)
        assert job.status == "failed"
        matches(job.raw, JOB["failed"])
        matches(job.raw["error"], ERROR)
        with pytest.raises(error):
            job.generation()
        wait_until(lambda: bool(receiver.received()), 20, "job.failed arrives")
    event = json.loads(receiver.received()[0].body)
    assert event == {
        "event": "job.failed",
        "jobId": created.job_id,
        "requestId": created.request_id,
        "error": job.raw["error"],
    }
    assert customer.usage()["consumed"] == {"words": 0, "posts": 0, "requests": 0}


@clause("unknown job: not shown.")
def test_a_job_is_its_owners_alone(service: CopydeskService, customer: Customer) -> None:
    with customer.sdk() as sdk:
        job_id = sdk.jobs.create(keywords=["tea"], max_words=200).job_id
    with another_key(service, customer.account_id).sdk() as colleague:
        assert colleague.jobs.get(job_id).job_id == job_id, "every key of the account reads it"
    with new_customer(service).sdk() as stranger:
        with pytest.raises(NotFoundError) as others:
            stranger.jobs.get(job_id)
        with pytest.raises(NotFoundError) as unknown:
            stranger.jobs.get("job_01M7ZAT4TJ461H36VQ8RVWMRRP")
    assert (others.value.status, others.value.code) == (404, "NOT_FOUND")
    assert others.value.message == unknown.value.message, "neither says that there is such a job"


@clause("unknown job: not shown.")
@pytest.mark.parametrize(
    "job_id", ["0", "job_", "%00", "%F0%9F%8D%B5", "%ff", "a" * 1000, "..%2Fusage", "job%0Ax"]
)
def test_what_is_no_job_id_is_not_found(customer: Customer, job_id: str) -> None:
    answer = customer.job(job_id)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


@clause("any retry behavior: not shown.")
def test_a_job_waits_for_a_model_that_is_away(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    with customer.sdk() as sdk:
        with model.behaving("error_500"):
            job_id = sdk.jobs.create(keywords=["tea"], max_words=200).job_id
            wait_until(
                lambda: f"job {job_id} waits for the model" in service.log_text(), 90, "it waits"
            )
            assert sdk.jobs.get(job_id).status == "queued"
        service.pass_time()
        assert sdk.jobs.wait(job_id, poll=0.1).generation().quality.status == "pass"
    assert customer.usage()["consumed"]["posts"] == 1


@clause("any retry behavior: not shown.")
def test_a_job_gives_up_after_three_attempts(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    def waits() -> int:
        return service.log_text().count(f"job {job_id} waits for the model")

    # A rate limit, for which no breaker opens: else the job would wait.
    with customer.sdk() as sdk, model.behaving("error_429", retry_after=0.01):
        job_id = sdk.jobs.create(keywords=["tea"], max_words=200).job_id
        for attempt in (1, 2):
            wait_until(lambda: waits() == attempt, 90, f"attempt {attempt} fails")  # noqa: B023
            service.pass_time()
        job = sdk.jobs.wait(job_id, poll=0.1)
        with pytest.raises(ServerError, match="SERVICE_UNAVAILABLE"):
            job.generation()
    model.behave("good", retry_after=1)
    assert customer.usage()["consumed"]["requests"] == 0
