"""Errors: their body, their codes, and that whatever is sent, one of them is the answer."""

import json
import re

import pytest
import requests

from copydesk import ProhibitedInputError, QualityError, ServerError
from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.response_schemas import error_of
from tests.support.service import MODEL_KEY, CopydeskService, ScriptedModel
from tests.support.startup import free_port


@clause(
    "Error body shape: error object with code (string), message (string), and optional"
    " details (object)."
)
@clause(
    "| Error bodies | Beside error, requestId (the X-Request-ID of the first response) and"
    " documentation, a link to the error in /v1/docs |"
)
@clause("| VALIDATION_ERROR | Invalid input,")
@clause("HTTP status codes for the error codes above: not shown.")
@clause("VALIDATION_ERROR,", under="POST /v1/generate")
def test_invalid_input(customer: Customer) -> None:
    error = error_of(customer.generate(keywords=[]), 400, "VALIDATION_ERROR")
    assert error["details"]["field"] == "keywords"
    several = error_of(customer.generate(keywords=[], tone="x"), 400, "VALIDATION_ERROR")
    assert [entry["field"] for entry in several["details"]["errors"]] == ["keywords", "tone"]


@clause("CONTENT_QUALITY_FAILED,")
@clause("Every generation is validated by a content quality pipeline")
@clause(
    "A generation that still fails within the revision limit ends with the error"
    " CONTENT_QUALITY_FAILED;",
    "no substandard content is returned.",
)
@clause(
    "| CONTENT_QUALITY_FAILED | Content still fails quality validation within the revision limit. |"
)
@pytest.mark.parametrize(
    "behaviour",
    [
        "link",
        "truncated",
        "assistant_talk",
        "missing_keyword",
        "missing_part",
        "cut_off",
        "blocking_editor",
        "low_mark",
    ],
)
def test_what_stays_bad_is_not_returned(
    customer: Customer, model: ScriptedModel, behaviour: str
) -> None:
    before = customer.usage()
    with model.behaving(behaviour):
        answer = customer.generate(**SHORT)
    error_of(answer, 422, "CONTENT_QUALITY_FAILED")
    after = customer.usage()
    assert (after["consumed"], after["remaining"]) == (before["consumed"], before["remaining"])


@clause("PROHIBITED_INPUT.")
@clause(
    "When the generation model refuses a request on its own safety grounds, the request"
    " ends with PROHIBITED_INPUT; no partial or fabricated content is returned."
)
@clause("| PROHIBITED_INPUT | The generation model declines the request on safety grounds. |")
@pytest.mark.parametrize("behaviour", ["refusal", "content_filter", "refusal_text"])
def test_what_the_model_declines_is_not_made_up(
    customer: Customer, model: ScriptedModel, behaviour: str
) -> None:
    with customer.sdk() as sdk, model.behaving(behaviour):
        with pytest.raises(ProhibitedInputError) as caught:
            sdk.generate(keywords=["tea"], max_words=200)
        usage = sdk.usage()
    assert (caught.value.status, caught.value.code) == (422, "PROHIBITED_INPUT")
    assert usage.consumed.requests == 0
    with model.behaving(behaviour):
        error_of(customer.generate(**SHORT), 422, "PROHIBITED_INPUT")


@clause(
    "Every generation is validated by a content quality pipeline",
    "and, if needed, automatically revised before it is returned.",
)
@pytest.mark.parametrize(
    "defect", ["markdown_link", "placeholder", "repeated_sentence", "html", "short"]
)
def test_what_the_model_mends_is_returned(
    customer: Customer, model: ScriptedModel, defect: str
) -> None:
    # Every piece is bad at first. The keyword is another each time, or it would be known.
    with customer.sdk() as sdk, model.behaving(f"recover:{defect}"):
        made = sdk.generate(keywords=[f"{defect.replace('_', ' ')} tea"], max_words=200)
    assert made.quality.status == "pass"
    text = json.dumps(made.raw["post"])
    for remnant in ("](", "<", "TODO", "It helps."):
        assert remnant not in text


@clause("Full list of error codes,")
@pytest.mark.parametrize("behaviour", ["error_500", "empty"])
def test_a_model_that_breaks_is_no_fault_of_the_caller(
    customer: Customer, model: ScriptedModel, behaviour: str
) -> None:
    with model.behaving(behaviour):
        answer = customer.generate(**SHORT)
        error_of(answer, 503, "SERVICE_UNAVAILABLE")
        assert int(answer.headers["Retry-After"]) > 0
        with customer.sdk(max_retries=0) as sdk, pytest.raises(ServerError) as caught:
            sdk.generate(keywords=["tea"], max_words=200)
    assert not isinstance(caught.value, QualityError)
    assert caught.value.transient
    usage = customer.usage()
    assert (usage["consumed"]["requests"], usage["remaining"]["words"]) == (0, 100_000)


@clause("Full list of error codes,")
def test_a_model_out_of_reach_is_said_clearly(group: ProcessGroup) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/v1"
    lonely = CopydeskService(group, nowhere, "lonely")
    customer = new_customer(lonely)
    with customer.sdk(max_retries=0) as sdk:
        with pytest.raises(ServerError) as caught:
            sdk.generate(keywords=["tea"])
        assert sdk.usage().remaining.words == 100_000
    assert (caught.value.status, caught.value.code) == (503, "SERVICE_UNAVAILABLE")
    assert requests.get(f"{lonely.url}/healthz", timeout=10).status_code == 200
    assert requests.get(f"{lonely.url}/readyz", timeout=60).status_code == 503
    assert MODEL_KEY not in lonely.log_text()
    lonely.kill()


@clause("Full list of error codes,")
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("GET", "/v1", 404, "NOT_FOUND"),
        ("GET", "/v1/", 404, "NOT_FOUND"),
        ("GET", "/v1/nothing", 404, "NOT_FOUND"),
        ("POST", "/v1/nothing", 404, "NOT_FOUND"),
        ("GET", "/v1/usage/", 404, "NOT_FOUND"),
        ("GET", "/v1//usage", 404, "NOT_FOUND"),
        ("GET", "/v1/usage%00", 404, "NOT_FOUND"),
        ("GET", "/v1/%ff", 404, "NOT_FOUND"),
        ("GET", "/v1/" + "x" * 4_000, 404, "NOT_FOUND"),
        ("GET", "/v1/jobs", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/generate", 405, "METHOD_NOT_ALLOWED"),
        ("PUT", "/v1/generate", 405, "METHOD_NOT_ALLOWED"),
        ("PATCH", "/v1/jobs/job_1", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/v1/jobs/job_1", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/v1/usage", 405, "METHOD_NOT_ALLOWED"),
        ("BREW", "/v1/usage", 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_unknown_paths_and_methods(
    customer: Customer, method: str, path: str, status: int, code: str
) -> None:
    answer = customer.call(method, path)
    error_of(answer, status, code)
    assert ("Allow" in answer.headers) == (status == 405)


@clause("X-Request-ID: <uuid> (optional;", "its effect: not shown")
def test_the_id_of_a_request_is_ours_whatever_the_caller_sends(customer: Customer) -> None:
    """the caller's X-Request-ID never is or finds one of our ids"""
    first = customer.generate(**SHORT).json()["requestId"]
    job = customer.create_job(generateRequest=SHORT).json()["jobId"]
    for given in (first, job, "0d7f6e1e-6f5e-4b1f-9d7e-1c2b3a495867", "a" * 129, "two words", ""):
        headers = {"X-Request-ID": given}
        made = customer.call("POST", "/v1/generate", json=SHORT, headers=headers)
        assert made.headers["X-Request-ID"] != given
        assert made.json()["requestId"] == made.headers["X-Request-ID"]
        assert re.fullmatch(r"req_[0-9A-Z]{26}", made.headers["X-Request-ID"])
        # It never de-duplicates.
        assert "Idempotent-Replayed" not in made.headers
