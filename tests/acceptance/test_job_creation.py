"""POST /v1/jobs: what is taken, what is refused at once, and what fails as a job."""

import json
from typing import Any

import pytest

from copydesk import (
    ValidationError,
)
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.response_schemas import JOB, error_of, matches
from tests.support.service import ScriptedModel
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver

LEFT_OUT = object()


@clause("| inputSummary | object | keywords (string[]), language (string), maxWords (number).")
@clause("| jobId | string | Opaque identifier. |")
@clause("| requestId | string | Opaque identifier. |")
def test_the_summary_of_the_input(customer: Customer) -> None:
    with customer.sdk() as sdk:
        given = sdk.jobs.create(keywords=["tea", "milk"], language="pt-BR", max_words=200)
        silent = sdk.jobs.create(keywords=["tea"])
    assert given.input_summary.raw == {
        "keywords": ["tea", "milk"],
        "language": "pt-BR",
        "maxWords": 200,
    }
    assert silent.input_summary.language == "en"
    assert silent.input_summary.max_words == 1200
    assert len({given.job_id, silent.job_id, given.request_id, silent.request_id}) == 4


@clause("| requestId | string | Opaque identifier. |")
def test_the_request_id_of_a_job_is_that_of_its_creation(customer: Customer) -> None:
    answer = customer.create_job(generateRequest=SHORT)
    assert answer.headers["X-Request-ID"] == answer.json()["requestId"]
    job = customer.job(answer.json()["jobId"])
    assert job.json()["requestId"] == answer.json()["requestId"]
    assert job.headers["X-Request-ID"] != answer.json()["requestId"]


@clause("| generateRequest | GenerateRequest | yes | Same shape as the generate body. |")
@clause("format.responseTypes | array of json, markdown, html | yes")
@clause("| webhook.url | string (URL) | no | Required together with webhook.events. |")
@clause(
    "| webhook.events | array of job.succeeded, job.failed | no | Required together with"
    " webhook.url. |"
)
@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"generateRequest": LEFT_OUT}, "generateRequest"),
        ({"generateRequest": "tea"}, "generateRequest"),
        ({"generateRequest": {}}, "generateRequest.keywords"),
        ({"generateRequest": {"keywords": []}}, "generateRequest.keywords"),
        ({"generateRequest": {**SHORT, "tone": "angry"}}, "generateRequest.tone"),
        (
            {"generateRequest": {"keywords": ["tea"], "constraints": {"maxWords": "200"}}},
            "generateRequest.constraints.maxWords",
        ),
        ({"format": None}, "format"),
        ({"format": {}}, "format.responseTypes"),
        ({"format": {"responseTypes": []}}, "format.responseTypes"),
        ({"format": {"responseTypes": ["pdf"]}}, "format.responseTypes[0]"),
        ({"format": {"responseTypes": "json"}}, "format.responseTypes"),
        ({"webhook": {"url": "https://example.com/hook"}}, "webhook.events"),
        ({"webhook": {"events": ["job.succeeded"]}}, "webhook.url"),
        ({"webhook": {"url": "https://example.com/hook", "events": []}}, "webhook.events"),
        ({"webhook": {"url": "https://a.example/", "events": ["job.done"]}}, "webhook.events[0]"),
        ({"webhook": {"url": "example.com/hook", "events": ["job.failed"]}}, "webhook.url"),
        ({"webhook": {"url": "ftp://example.com/hook", "events": ["job.failed"]}}, "webhook.url"),
        ({"webhook": "https://example.com/hook"}, "webhook"),
    ],
)
def test_a_malformed_request_is_refused_at_once(
    customer: Customer, members: dict[str, Any], field: str
) -> None:
    body = {"generateRequest": SHORT, **members}
    sent = {name: value for name, value in body.items() if value is not LEFT_OUT}
    error = error_of(customer.create_job(**sent), 400, "VALIDATION_ERROR")
    assert error["details"]["field"] == field
    assert customer.usage()["daily"]["used"] == 0


@clause("Representations in the job's rendered field and webhook payload.")
@pytest.mark.parametrize(
    ("wanted", "entries"),
    [(["json", "markdown"], {"markdown"}), (["html"], {"html"}), (["json"], {"rawJson"})],
)
def test_a_job_renders_what_was_asked_for(
    customer: Customer, wanted: list[str], entries: set[str]
) -> None:
    with Receiver() as receiver:
        created = customer.create_job(
            # The job's own format counts, whatever the request in it says.
            generateRequest={**SHORT, "format": {"responseTypes": ["markdown", "html"]}},
            format={"responseTypes": wanted},
            webhook={"url": receiver.url(), "events": ["job.succeeded"]},
        )
        job = customer.finished_job(created.json()["jobId"])
        wait_until(lambda: bool(receiver.received()), 20, "job.succeeded arrives")
    assert set(job["rendered"]) == entries
    assert json.loads(receiver.received()[0].body)["rendered"] == job["rendered"]


@clause(
    "Plan-limit violations (for example maxWords above the plan cap) can surface as a failed job"
    " carrying a VALIDATION_ERROR error rather than as a creation failure."
)
@clause("Whether a job can go from queued directly to failed,")
@pytest.mark.usefixtures("idle")
def test_what_the_plan_does_not_allow_fails_as_a_job(
    customer: Customer, model: ScriptedModel
) -> None:
    calls = model.calls()
    with customer.sdk() as sdk:
        created = sdk.jobs.create(keywords=["tea"], max_words=3001)
        assert created.status == "queued"
        job = sdk.jobs.wait(created.job_id, poll=0.1)
        with pytest.raises(ValidationError):
            job.generation()
    matches(job.raw, JOB["failed"])
    assert job.error is not None
    assert job.error.details == {
        "field": "constraints.maxWords",
        "maxAllowed": 3000,
        "received": 3001,
    }
    assert model.calls() == calls, "the model is not asked"
    assert customer.usage()["consumed"]["requests"] == 0
