"""Idempotency: of all calls with one key, one works and the others get its answer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
import requests

from copydesk import Job
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer, another_key, new_customer
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until

REPLAYED = "Idempotent-Replayed"
# As many as an account may have in flight.
AT_ONCE = 24


def keyed(customer: Customer, key: str, **body: Any) -> requests.Response:
    """POST /v1/generate with a key in the header."""
    headers = {"Idempotency-Key": key}
    return customer.call("POST", "/v1/generate", json=body or SHORT, headers=headers)


@clause(
    "same key (header or body idempotencyKey) with same body returns the original response;",
    "generation runs once,",
    "so retries cannot double-bill.",
)
@clause("| idempotencyKey | string | Body alternative to the Idempotency-Key header. |")
@clause("Idempotency-Key: <uuid> (optional);")
@pytest.mark.usefixtures("idle")
def test_a_repeated_call_gets_the_first_answer(
    service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    key = str(uuid4())
    first = keyed(customer, key)
    calls, usage, written = model.calls(), customer.usage(), service.posts_written()
    again = [
        keyed(customer, key),
        # The order of members and the spelling of a number make no difference; nor does the place
        # of the key.
        keyed(customer, key, constraints={"maxWords": 200.0}, keywords=["tea"]),
        customer.generate(**SHORT, idempotencyKey=key),
        keyed(customer, key, **SHORT, idempotencyKey=key),
    ]
    assert first.status_code == 200
    assert REPLAYED not in first.headers
    for answer in again:
        assert (answer.status_code, answer.headers[REPLAYED]) == (200, "true")
        assert answer.content == first.content
    with customer.sdk() as sdk:
        by_sdk = sdk.generate(keywords=["tea"], max_words=200, idempotency_key=key)
    assert by_sdk.raw == first.json()
    assert model.calls() == calls
    assert service.posts_written() == written
    assert customer.usage() == usage, "a repetition costs nothing, of the day neither"


@clause("Same key with a different body returns VALIDATION_ERROR.")
@clause("and an idempotency key reused with a different body. |")
def test_a_key_belongs_to_one_body(customer: Customer) -> None:
    key = str(uuid4())
    assert keyed(customer, key).status_code == 200
    usage = customer.usage()
    for body in ({**SHORT, "topic": "milk"}, {"keywords": ["milk"]}):
        answer = keyed(customer, key, **body)
        assert answer.status_code == 400, answer.text
        error = answer.json()["error"]
        assert error["code"] == "VALIDATION_ERROR"
        assert error["details"]["field"] == "idempotencyKey"
        assert "another body" in error["message"]
    assert keyed(customer, key, **SHORT, idempotencyKey=[key]).status_code == 400
    assert customer.usage() == usage


@clause(
    "| idempotencyKey | string | no |",
    "Same key and body returns the original job",
    "without creating",
    "billing a second;",
    "same key with a different body gives VALIDATION_ERROR.",
)
def test_a_key_makes_one_job(customer: Customer) -> None:
    first = customer.create_job(generateRequest=SHORT, idempotencyKey="k")
    again = customer.create_job(idempotencyKey="k", generateRequest=SHORT)
    job = customer.finished_job(first.json()["jobId"])
    late = customer.create_job(generateRequest=SHORT, idempotencyKey="k")
    assert job["status"] == "succeeded"
    for answer in (again, late):
        assert (answer.status_code, answer.headers[REPLAYED]) == (202, "true")
        assert answer.content == first.content
    other = customer.create_job(generateRequest={"keywords": ["milk"]}, idempotencyKey="k")
    assert (other.status_code, other.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    usage = customer.usage()
    assert (usage["consumed"]["posts"], usage["daily"]["used"]) == (1, 1)


@clause("Same key and body returns the original job")
def test_a_key_that_was_used_for_a_webhook_returns_its_secret_again(customer: Customer) -> None:
    body = {
        "generateRequest": {"keywords": ["tea"]},
        "webhook": {"url": "https://example.com/hook", "events": ["job.failed"]},
    }
    answers = [customer.create_job(**body, idempotencyKey="k").content for _ in range(2)]
    assert answers[0] == answers[1]
    assert b"webhookSigningSecret" in answers[0]


@clause("same key (header or body idempotencyKey) with same body returns the original response;")
def test_a_key_is_known_to_its_account_and_endpoint_alone(
    service: CopydeskService, customer: Customer
) -> None:
    colleague, stranger = another_key(service, customer.account_id), new_customer(service)
    first = keyed(customer, "k")
    assert keyed(colleague, "k").content == first.content
    assert REPLAYED not in keyed(stranger, "k", keywords=["milk"]).headers
    job = customer.create_job(generateRequest={"keywords": ["milk"]}, idempotencyKey="k")
    assert job.status_code == 202


@clause("| idempotencyKey | string | Body alternative to the Idempotency-Key header. |")
@pytest.mark.parametrize(
    ("header", "body"),
    [("a", "b"), ("", None), ("k" * 256, None), (None, ""), (None, "k" * 256), (None, 7)],
    ids=["two", "empty", "long", "empty-in-body", "long-in-body", "number"],
)
def test_what_is_no_key_is_refused(customer: Customer, header: str | None, body: Any) -> None:
    headers = {} if header is None else {"Idempotency-Key": header}
    content = SHORT if body is None else {**SHORT, "idempotencyKey": body}
    answer = customer.call("POST", "/v1/generate", json=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["error"]["details"]["field"] in {"idempotencyKey", "Idempotency-Key"}


@clause("same key (header or body idempotencyKey) with same body returns the original response;")
def test_a_verdict_is_kept_and_a_mishap_is_not(customer: Customer, model: ScriptedModel) -> None:
    for key, behaviour in (("declined", "refusal"), ("failed", "link")):
        with model.behaving(behaviour):
            verdict = keyed(customer, key)
        again = keyed(customer, key)
        assert (verdict.status_code, again.status_code) == (422, 422)
        assert again.headers[REPLAYED] == "true"
        assert again.json() == verdict.json()
    with model.behaving("error_500"):
        away = keyed(customer, "away")
    assert away.status_code == 503
    retried = keyed(customer, "away")
    assert retried.status_code == 200
    assert REPLAYED not in retried.headers
    # A request that was refused for its form has not used the key up.
    assert keyed(customer, "form", keywords=[]).status_code == 400
    assert keyed(customer, "form").status_code == 200
    assert customer.usage()["consumed"]["posts"] == 2


@clause("generation runs once,", "so retries cannot double-bill.")
@pytest.mark.usefixtures("idle")
def test_many_calls_at_once_with_one_key(service: CopydeskService, customer: Customer) -> None:
    written = service.posts_written()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda _: keyed(customer, "k"), range(AT_ONCE)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum(REPLAYED in answer.headers for answer in answers) == AT_ONCE - 1
    assert service.posts_written() == written + 1
    usage = customer.usage()
    assert usage["consumed"] == {**usage["consumed"], "posts": 1, "requests": 1}
    assert usage["daily"]["used"] == 1


@clause("without creating", "billing a second;")
@pytest.mark.usefixtures("idle")
def test_fifty_jobs_at_once_with_one_key(service: CopydeskService, customer: Customer) -> None:
    written = service.posts_written()

    def create(_: int) -> Job:
        return sdk.jobs.create(keywords=["tea"], max_words=200, idempotency_key="k")

    with customer.sdk() as sdk:
        with ThreadPoolExecutor(50) as pool:
            jobs = list(pool.map(create, range(50)))
        assert all(job == jobs[0] for job in jobs)
        assert sdk.jobs.wait(jobs[0].job_id, poll=0.1).status == "succeeded"
    wait_until(service.is_idle, 90, "every job is done")
    assert service.posts_written() == written + 1
    usage = customer.usage()
    assert (usage["consumed"]["posts"], usage["daily"]["used"]) == (1, 1)
