"""Test keys: fixed posts and provoked errors, apart from what the account really does."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from app.api.admission import Call
from app.api.errors import STATUS
from app.core.errors import ModelUnavailable
from app.core.schemas.bodies import parse
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest
from app.rules.passages import post_words
from app.rules.table import check_post
from app.services import accounts, jobs, overview, webhooks
from app.services.sandbox import PROVOKED, fixed_post
from app.store import database, models
from app.writing.brief import make_brief
from tests.support.integration import Feed
from tests.support.response_schemas import CREATED_JOB, ERROR, ERROR_BODY, JOB, USAGE, matches
from tests.support.service_harness import Receiver
from tools.api.document import document

MARKDOWN = {"responseTypes": ["markdown"]}
# What an account leaves in the database when it really writes.
TRACES = (
    models.UsageMonth, models.Reservation, models.Evidence, models.Signature, models.Journal,
)  # fmt: skip


class Caller:
    """Calls with one key."""

    def __init__(self, client: FlaskClient, key: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {key}"}

    def get(self, path: str) -> Any:
        return self._client.get(path, headers=self._headers)

    def generate(self, *keywords: str, key: str | None = None, **members: Any) -> Any:
        headers = {**self._headers, **({"Idempotency-Key": key} if key else {})}
        body = {"keywords": keywords, **members}
        return self._client.post("/v1/generate", json=body, headers=headers)

    def create_job(self, *keywords: str, **members: Any) -> Any:
        body = {"generateRequest": {"keywords": keywords}, "format": MARKDOWN, **members}
        return self._client.post("/v1/jobs", json=body, headers=self._headers)


@pytest.fixture
def backend() -> str:
    """Fixed posts and errors do not depend on it."""
    return "sqlite"


@pytest.fixture
def account(feed: Feed) -> str:
    """On the plan Scale, which allows many requests a minute."""
    return accounts.create_account(feed.context, "Blog", "scale")


@pytest.fixture
def test_key(feed: Feed, account: str) -> str:
    return accounts.create_key(feed.context, account, sandbox=True).secret


@pytest.fixture
def sandbox(client: FlaskClient, test_key: str) -> Caller:
    return Caller(client, test_key)


@pytest.fixture
def live(feed: Feed, client: FlaskClient, account: str) -> Caller:
    return Caller(client, accounts.create_key(feed.context, account).secret)


@pytest.fixture
def untouched(sandbox: Caller) -> Iterator[None]:
    """Nothing that a real post leaves is in the database at the end of the test."""
    yield
    with database.reading() as session:
        assert [row.__tablename__ for row in TRACES if session.scalars(select(row)).first()] == []


def test_the_sandbox_is_no_account_of_its_own_for_operators(
    feed: Feed, account: str, test_key: str
) -> None:
    assert {row.id for row, *_ in overview.accounts(feed.context)} == {feed.account_id, account}


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    "members",
    [
        {},
        {"language": "de", "constraints": {"maxSections": 2, "includeFAQs": True}},
        {"constraints": {"maxWords": 50}},
        {"constraints": {"maxWords": 150, "includeFAQs": True}},
        {"constraints": {"includeInternalLinksPlaceholders": True}},
        {"factualityMode": "verified"},
    ],
)
@pytest.mark.parametrize(
    ("types", "shown"),
    [([], {"markdown", "html"}), (["json"], {"rawJson"}), (["json", "html"], {"html"})],
)
def test_a_call_gets_a_post_at_once(
    sandbox: Caller, members: dict[str, Any], types: list[str], shown: set[str]
) -> None:
    answer = sandbox.generate(
        "tea", "green <tea> & *co", format={"responseTypes": types}, **members
    )
    assert answer.status_code == 200, answer.text
    assert set(answer.json) == {"requestId", "post", "rendered", "quality"}
    assert set(answer.json["rendered"]) == shown
    post = SEOPost.model_validate(answer.json["post"])
    asked = members.get("constraints", {})
    assert post_words(post) <= asked.get("maxWords", 1200)
    assert bool(post.faqs) == ("includeFAQs" in asked)
    assert sum(part.type == "body" for part in post.sections) <= asked.get("maxSections", 20)
    assert post.coverage_notes.keyword_coverage[0].keyword == "tea"
    assert len(post.sections) >= 3


@pytest.mark.usefixtures("untouched")
def test_nothing_is_billed_and_no_day_is_limited(sandbox: Caller, live: Caller) -> None:
    sandbox.generate("tea")
    usage = sandbox.get("/v1/usage").json
    matches(usage, USAGE)
    assert usage["consumed"] == {"words": 0, "posts": 0, "requests": 0}
    assert usage["remaining"]["words"] == usage["limits"]["monthlyWords"]
    assert usage["daily"]["used"] == 1
    assert live.get("/v1/usage").json["daily"]["used"] == 0
    most = usage["daily"]["limit"]
    with database.writing() as session:
        session.execute(update(models.UsageDay).values(used=most))
    assert sandbox.generate("tea").status_code == 200
    daily = sandbox.get("/v1/usage").json["daily"]
    assert (daily["used"], daily["remaining"]) == (most + 1, 0)


def test_the_fixed_post_passes_the_checks_of_a_real_one() -> None:
    members = {"includeFAQs": True, "minWords": 350, "maxWords": 700}
    body = {"keywords": ["cast iron pan"], "constraints": members}
    request = parse(GenerateRequest, body)
    post = fixed_post(request, 700)
    brief = make_brief(request, max_words=700, today=date(2026, 11, 28))
    assert check_post(post, brief) == []


def test_a_job_ends_at_once_and_its_webhook_is_signed(feed: Feed, sandbox: Caller) -> None:
    hook = {"url": "https://hooks.example.com/x", "events": ["job.succeeded", "job.failed"]}
    created = sandbox.create_job("tea", webhook=hook).json
    secret = created.pop("webhookSigningSecret")
    matches(created, CREATED_JOB)
    assert created["status"] == "queued"
    job = sandbox.get(f"/v1/jobs/{created['jobId']}").json
    matches(job, JOB["succeeded"])
    receiver = Receiver()
    context = feed.context
    object.__setattr__(context, "send_webhook", receiver.send)
    with database.reading() as session:
        feed.clock.at = session.scalars(select(models.WebhookDelivery.not_before)).one()
    assert webhooks.deliver_next(context)
    ((url, headers, body),) = receiver.received
    from copydesk.webhooks import verify

    verify(body, headers["x-svc-signature"], secret, now=float(headers["webhook-timestamp"]))
    sent = json.loads(body)
    assert (url, sent["event"], sent["post"]) == (hook["url"], "job.succeeded", job["result"])


def test_a_worker_ends_the_job_of_a_process_that_died(
    sandbox: Caller, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dead:
        dead.setattr(jobs, "run_next", lambda *_: False)
        created = sandbox.create_job("tea").json
    path = f"/v1/jobs/{created['jobId']}"
    matches(sandbox.get(path).json, JOB["queued"])
    assert jobs.run_next(client.application.extensions["copydesk"].context)
    matches(sandbox.get(path).json, JOB["succeeded"])


def test_a_call_does_not_wait_for_those_that_write(
    sandbox: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crowded(_: Call) -> None:
        raise ModelUnavailable("Every place is taken.")

    monkeypatch.setattr(Call, "wait_for_place", crowded)
    assert sandbox.generate("tea").status_code == 200


def test_the_table_has_every_error_that_the_operations_document() -> None:
    paths = document()["paths"]
    documented = {
        code
        for path in ("/v1/generate", "/v1/jobs")
        for answer in paths[path]["post"]["responses"].values()
        for code in answer.get("content", {}).get("application/json", {}).get("examples", {})
        if code in STATUS
    }
    assert documented
    assert documented == set(PROVOKED)


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("code", PROVOKED)
def test_a_keyword_provokes_an_error_of_a_call_and_of_a_job(sandbox: Caller, code: str) -> None:
    answer = sandbox.generate("tea", f"test:{code}")
    assert answer.status_code == STATUS[code]
    matches(answer.json, ERROR_BODY)
    assert answer.json["error"]["code"] == code
    assert ("Retry-After" in answer.headers) == (
        PROVOKED[code].retry_after is not None or code == "SERVICE_UNAVAILABLE"
    )
    answer = sandbox.create_job(f"test:{code}")
    if PROVOKED[code].refuses_job:
        assert answer.status_code == STATUS[code]
        error = answer.json["error"]
    else:
        assert answer.status_code == 202
        job = sandbox.get(f"/v1/jobs/{answer.json['jobId']}").json
        assert job["status"] == "failed"
        error = job["error"]
    matches(error, ERROR)
    assert error["code"] == code


def test_an_unknown_error_is_refused_with_those_there_are(sandbox: Caller) -> None:
    error = sandbox.generate("tea", "test:TEAPOT").json["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"]["field"] == "keywords[1]"
    assert error["details"]["allowed"] == [f"test:{code}" for code in PROVOKED]


def test_a_keyword_that_provokes_is_ordinary_with_a_live_key(live: Caller) -> None:
    assert live.generate("test:PROHIBITED_INPUT").status_code == 503, "no model is configured"


def test_a_plan_limits_the_sandbox_too(feed: Feed, client: FlaskClient) -> None:
    key = accounts.create_key(feed.context, feed.account_id, sandbox=True).secret
    sandbox = Caller(client, key)
    error = sandbox.generate("tea", constraints={"maxWords": 3000}).json["error"]
    assert error["details"]["maxAllowed"] == 1500
    answers = [sandbox.generate("tea") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert answers[-1].json["error"]["details"]["limitType"] == "requestsPerMinute"
    live = Caller(client, accounts.create_key(feed.context, feed.account_id).secret)
    assert live.generate("tea").status_code == 503, "not 429; no model is configured"
    accounts.update_account(feed.account_id, "scale")
    assert sandbox.generate("tea").status_code == 200


def test_an_idempotency_key_works_in_the_sandbox_and_only_there(
    sandbox: Caller, live: Caller
) -> None:
    first, again = (sandbox.generate("tea", key="order-1") for _ in range(2))
    assert first.data == again.data
    assert again.headers["Idempotent-Replayed"] == "true"
    assert sandbox.generate("coffee", key="order-1").status_code == 400
    assert live.generate("tea", key="order-1").status_code == 503, "no replay for a live key"


def test_a_live_key_does_not_see_the_jobs_of_the_sandbox(sandbox: Caller, live: Caller) -> None:
    job_id = sandbox.create_job("tea").json["jobId"]
    assert live.get(f"/v1/jobs/{job_id}").status_code == 404
