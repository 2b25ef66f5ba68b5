"""Calls of the SDK as the service takes and answers them: requests, errors, webhooks."""

import inspect
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from flask import Flask, g

import copydesk
from app.api.errors import STATUS, init_app
from app.core import errors
from app.core.schemas.bodies import parse
from app.core.schemas.idempotency import key_of
from app.core.schemas.job import WebhookEvent, parse_job_request
from app.core.schemas.request import GenerateRequest
from copydesk.errors import error_class
from copydesk.request import generate_body
from tests.support.example_objects import filled
from tools.api import responses as server_job
from tools.api.responses import ErrorBody

BASE = "https://copydesk.example.com"

# --- requests

EVERYTHING: copydesk.GenerateRequest = {
    "keywords": ["cold brew", "burr grinder"],
    "topic": "At home",
    "language": "en",
    "region": "US",
    "tone": "friendly",
    "target_audience": "beginners",
    "brand_voice": "warm",
    "industry": "food",
    "target_url": "https://example.com/coffee",
    "max_words": 900,
    "min_words": 600,
    "max_sections": 5,
    "include_faqs": True,
    "include_internal_links_placeholders": True,
    "keyword_usage_strategy": "exact",
    "response_types": ["json", "html"],
    "factuality_mode": "verified",
    "client_provided_request_id": "order 7",
}


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    for key, child in value.items():
        if isinstance(child, dict):
            yield from paths(child, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def test_every_member_of_a_request_can_be_sent() -> None:
    assert EVERYTHING.keys() == copydesk.GenerateRequest.__annotations__.keys()
    body = generate_body(EVERYTHING)
    # The key travels in a header, or beside the request of a job.
    assert {*paths(body), "idempotencyKey"} == set(paths(filled(GenerateRequest)))


def test_a_request_arrives_as_it_was_meant() -> None:
    body = generate_body(EVERYTHING)
    assert parse(GenerateRequest, body).to_wire() == body


class Web:
    """One answer to every request, in place of a network."""

    def __init__(self) -> None:
        self.seen: list[httpx2.Request] = []
        self.answer: dict[str, Any] = {}
        self.transport = httpx2.MockTransport(self._respond)

    def _respond(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        return httpx2.Response(**self.answer)


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, web: Web) -> copydesk.Copydesk:
    monkeypatch.setattr("copydesk._transport.sleep", lambda _: None)
    return copydesk.Copydesk("cd_live_key", BASE, transport=web.transport)


def test_a_job_arrives_as_it_was_meant(client: copydesk.Copydesk, web: Web) -> None:
    web.answer = {"status_code": 202, "json": filled(server_job.Job)}
    events = [event.value for event in WebhookEvent]
    client.jobs.create(webhook_url="https://hooks.example.com", webhook_events=events, **EVERYTHING)
    (sent,) = web.seen
    assert (sent.method, str(sent.url)) == ("POST", f"{BASE}/v1/jobs")
    body = json.loads(sent.content)
    request = parse_job_request(body, allow_private=False)
    assert request.to_wire() | {"generateRequest": {}} == body | {"generateRequest": {}}
    without_format = {key: value for key, value in EVERYTHING.items() if key != "response_types"}
    assert body["generateRequest"] == generate_body(without_format)  # type: ignore[arg-type]
    assert key_of(None, idempotencyKey=body["idempotencyKey"]) == request.idempotency_key


# --- errors


def test_both_know_the_same_codes() -> None:
    codes = {kind.code for _, kind in inspect.getmembers(errors, inspect.isclass)
             if issubclass(kind, errors.ServiceError)}  # fmt: skip
    assert codes <= STATUS.keys()
    known = {code for code in STATUS if error_class(0, code) is not error_class(0, None)}
    # The SDK sends no method that a path does not take, and repeats a body that came too slowly.
    assert known == STATUS.keys() - {"METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT"}


@pytest.mark.parametrize(("code", "status"), STATUS.items())
def test_an_error_is_read_whole(
    client: copydesk.Copydesk, web: Web, code: str, status: int
) -> None:
    body = filled(ErrorBody)
    body["error"]["code"] = code
    web.answer = {"status_code": status, "json": body}
    with pytest.raises(copydesk.APIError) as caught:
        client.usage()
    error = caught.value
    assert type(error) is error_class(status, code)
    assert isinstance(error, copydesk.ServerError) == (status >= 500)
    read = {"code": error.code, "message": error.message, "details": error.details}
    assert read == body["error"]


REPEATED = {
    errors.IdempotencyInProgress("Wait.", retry_after=1): True,
    errors.RateLimited("Wait.", retry_after=30): True,
    errors.ModelUnavailable("Down."): True,
    errors.ServiceError("Broken."): True,
    errors.QuotaExceeded("Used up.", retry_after=1): False,
    errors.Conflict("Too late."): False,
    errors.GenerationTimeout("Too slow."): False,
    errors.ContentQualityFailed("No."): False,
    errors.ProhibitedInput("No."): False,
    errors.ValidationFailed("No."): False,
    errors.Unauthorized("No."): False,
    errors.Forbidden("No."): False,
    errors.NotFound("No."): False,
}


@pytest.mark.parametrize(
    ("error", "again"), REPEATED.items(), ids=[error.code for error in REPEATED]
)
def test_the_sdk_repeats_what_the_service_advises(
    client: copydesk.Copydesk, web: Web, error: errors.ServiceError, again: bool
) -> None:
    service = Flask(__name__)
    service.extensions["copydesk"] = SimpleNamespace(settings=SimpleNamespace(public_url=BASE))
    init_app(service)

    @service.get("/")
    def _() -> str:
        g.request_id = "req_1"
        raise error

    said = service.test_client().get("/")
    headers = {name: value for name, value in said.headers.items() if name != "Content-Length"}
    del headers["Content-Type"]
    web.answer = {"status_code": said.status_code, "json": said.json, "headers": headers}
    with pytest.raises(copydesk.APIError):
        client.usage()
    assert len(web.seen) == (3 if again else 1)
