"""One set of cases for the service and for ``copydesk.testing.FakeService``: what a customer tests
against the fake holds for the service."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import update

from app import create_app
from app.services import accounts, jobs, post_writer, webhooks
from app.services.sandbox.errors import PROVOKED
from app.settings import Settings
from app.store import database, models
from copydesk import Copydesk, Feed
from copydesk.errors import APIError, ConflictError
from copydesk.testing import FakeService
from copydesk.webhooks import JobFailed, JobSucceeded, parse
from tests.support.integration import ManualClock, another_feed
from tests.support.response_schemas import (
    CREATED_JOB,
    CREATED_JOB_WITH_WEBHOOK,
    ERROR,
    ERROR_BODY,
    JOB,
    POST,
    QUALITY,
    RENDERED,
    USAGE,
    matches,
)
from tests.support.service_harness import Receiver, distinct_posts

HOOK = {"url": "https://hooks.example.com/x", "events": ["job.succeeded", "job.failed"]}
MARKDOWN = {"responseTypes": ["markdown"]}
# The plan Starter.
LIMITS: dict[str, Any] = {
    "monthly_words": 20_000,
    "max_words_per_request": 1_500,
    "requests_per_minute": 10,
    "requests_per_day": 50,
}


class World(ABC):
    """A service with one account on the plan Starter and one feed with the rules Coffee and Tea."""

    base_url = "http://copydesk.test"
    transport: httpx2.BaseTransport
    api_key: str
    feed_url: str

    @abstractmethod
    def add_item(self, rule: str = "Coffee") -> str:
        """Add a pending item; return its id."""

    @abstractmethod
    def states(self) -> list[str]:
        """Return the status of every item, oldest first."""

    @abstractmethod
    def finish_jobs(self) -> list[tuple[str, dict[str, str], bytes]]:
        """End the open jobs; return URL, headers and body of the webhooks this sends."""

    @abstractmethod
    def allow_more(self) -> None:
        """Let as many requests through as a test needs."""

    @abstractmethod
    def revoke_key(self) -> None: ...

    def client(self) -> Copydesk:
        return Copydesk(self.api_key, self.base_url, transport=self.transport, max_retries=0)

    def feed(self) -> Feed:
        return Feed(self.feed_url, transport=self.transport, max_retries=0)

    def call(
        self, method: str, path: str, body: Any = None, *, key: str = "", **options: Any
    ) -> httpx2.Response:
        """One call without the SDK."""
        headers = {"Authorization": f"Bearer {self.api_key}", **options.pop("headers", {})}
        if key:
            headers["Idempotency-Key"] = key
        with httpx2.Client(transport=self.transport, base_url=self.base_url) as http:
            if body is not None:
                options["json"] = body
            return http.request(method, path, headers=headers, **options)

    def pull(self, path: str = "latest", **params: str) -> httpx2.Response:
        return self.call("GET", f"{self.feed_url}/{path}", params=params)

    def generate(self, *keywords: str, key: str = "", **members: Any) -> httpx2.Response:
        return self.call("POST", "/v1/generate", {"keywords": keywords, **members}, key=key)

    def create_job(self, *keywords: str, key: str = "", **members: Any) -> httpx2.Response:
        body = {"generateRequest": {"keywords": keywords}, "format": MARKDOWN, **members}
        return self.call("POST", "/v1/jobs", body, key=key)

    def job(self, created: httpx2.Response) -> Any:
        return self.call("GET", f"/v1/jobs/{created.json()['jobId']}").json()


class Fake(World):
    """``copydesk.testing``."""

    def __init__(self) -> None:
        self.service = FakeService(**LIMITS)
        self.service.plan["name"] = "Starter"
        self.transport, self.api_key = self.service.transport, self.service.api_key
        self.feed_url = self.service.feed_url
        self.items: list[str] = []
        # Both rules exist before their items.
        for rule in ("Coffee", "Tea"):
            self.service.item_status(self.service.add_item(rule=rule))
        with self.feed() as feed:
            for item in feed.items():
                feed.reject(item.id)

    def add_item(self, rule: str = "Coffee") -> str:
        self.items.append(self.service.add_item(rule=rule))
        return self.items[-1]

    def states(self) -> list[str]:
        return [self.service.item_status(each) for each in self.items]

    def finish_jobs(self) -> list[tuple[str, dict[str, str], bytes]]:
        return [(each.url, each.headers, each.body) for each in self.service.finish_jobs()]

    def allow_more(self) -> None:
        self.service.requests_per_minute = self.service.requests_per_day = 1_000

    def revoke_key(self) -> None:
        self.service.revoke_key()


class Real(World):
    """The application with its database, and a pipeline that is scripted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *, sandbox: bool) -> None:
        url = f"sqlite:///{folder / 'copydesk.db'}"
        database.bind(url)
        database.migrate()
        self.app = create_app(Settings(database_url=url))
        self.context = self.app.extensions["copydesk"].context
        self.receiver = Receiver()
        object.__setattr__(self.context, "sender", self.receiver)
        posts = distinct_posts()
        monkeypatch.setattr(post_writer, "write_post", lambda *_, **__: next(posts))
        self.seeded = another_feed(url)
        key = accounts.create_key(self.context, self.seeded.account_id, sandbox=sandbox)
        self.api_key, self.key_id = key.secret, key.id
        self.transport = httpx2.WSGITransport(app=self.app)
        self.feed_url = f"{self.base_url}/v1/content-tokens/{self.seeded.token}"

    def add_item(self, rule: str = "Coffee") -> str:
        return self.seeded.add_items(rule)[0]

    def states(self) -> list[str]:
        return self.seeded.states()

    def finish_jobs(self) -> list[tuple[str, dict[str, str], bytes]]:
        while jobs.run_next(self.context):
            pass
        before = len(self.receiver.received)
        while webhooks.deliver_next(self.context):
            pass
        return self.receiver.received[before:]

    def allow_more(self) -> None:
        with database.writing() as session:
            more = {"requests_per_minute": 1_000, "requests_per_day": 1_000}
            session.execute(update(models.Plan).values(more))

    def revoke_key(self) -> None:
        accounts.revoke_key(self.context, self.key_id)


@pytest.fixture(params=["fake", "real"])
def world(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    yield from _world(request.param, tmp_path, monkeypatch)


@pytest.fixture(params=["fake", "sandbox"])
def provoking(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """The fake, and the service with a test key: keywords provoke errors in both."""
    yield from _world(request.param, tmp_path, monkeypatch)


def _world(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    if kind == "fake":
        yield Fake()
        return
    yield Real(folder, monkeypatch, sandbox=kind == "sandbox")
    database.dispose()


# --- posts


@pytest.mark.parametrize(
    ("types", "shown"),
    [([], {"markdown", "html"}), (["json"], {"rawJson"}), (["json", "html"], {"html"})],
)
def test_a_call_returns_a_post(world: World, types: list[str], shown: set[str]) -> None:
    answer = world.generate("tea", format={"responseTypes": types})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"requestId", "post", "rendered", "quality"}
    assert body["requestId"] == answer.headers["X-Request-ID"]
    matches(body["quality"], QUALITY)
    matches(body["rendered"], RENDERED)
    assert set(body["rendered"]) == shown


CHECK_MEMBERS = {
    "passes", "score", "scoreParts", "words", "language", "qualityVersion", "findingCount",
    "findings", "skipped",
}  # fmt: skip


def test_a_text_is_checked_and_costs_no_words(provoking: World) -> None:
    before = provoking.call("GET", "/v1/usage").json()
    answer = provoking.call("POST", "/v1/check", {"text": "The kettle is full.", "language": "en"})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == CHECK_MEMBERS
    assert (body["words"], body["language"], body["score"]) == (4, "en", 70)
    after = provoking.call("GET", "/v1/usage").json()
    assert after["consumed"] == before["consumed"]
    assert after["daily"]["used"] == before["daily"]["used"] + 1


def test_the_objects_have_the_forms_of_the_interface(provoking: World) -> None:
    matches(provoking.generate("tea").json()["post"], POST)
    matches(provoking.call("GET", "/v1/usage").json(), USAGE)


def test_usage_grows_by_a_post_and_its_words(world: World) -> None:
    with world.client() as client:
        before, post, after = client.usage(), client.generate(keywords=["tea"]).post, client.usage()
    assert (before.consumed.words, before.consumed.requests, before.consumed.posts) == (0, 0, 0)
    assert after.consumed.words == post.word_count > 0
    assert after.remaining.words == 20_000 - post.word_count
    assert (after.consumed.requests, after.consumed.posts, after.daily.used) == (1, 1, 1)


INVALID: list[dict[str, Any]] = [
    {}, {"keywords": []}, {"keywords": "tea"}, {"keywords": [1]}, {"keywords": [""]},
    {"keywords": ["x" * 101]}, {"keywords": ["!"]}, {"keywords": ["a"] * 21},
    {"tone": "x"}, {"keywords": ["a"], "tone": "x"}, {"keywords": ["a"], "topic": 5},
    {"keywords": ["a"], "topic": "x" * 501}, {"keywords": ["a"], "language": "klingon"},
    {"keywords": ["a"], "region": "Mars"}, {"keywords": ["a"], "targetUrl": "x"},
    {"keywords": ["a"], "constraints": 5}, {"keywords": ["a"], "constraints": {"maxWords": 10}},
    {"keywords": ["a"], "constraints": {"maxWords": "800"}},
    {"keywords": ["a"], "constraints": {"maxWords": True}},
    {"keywords": ["a"], "constraints": {"maxWords": 800, "minWords": 790}},
    {"keywords": ["a"], "constraints": {"includeFAQs": "x"}},
    {"keywords": ["a"], "constraints": {"includeFAQs": True, "maxWords": 100}},
    {"keywords": ["a"], "constraints": {"maxSections": 21}},
    {"keywords": ["a"], "constraints": {"keywordUsageStrategy": "x"}},
    {"keywords": ["a"], "format": {"responseTypes": ["pdf"]}},
    {"keywords": ["a"], "format": {"responseTypes": "pdf"}},
    {"keywords": ["a"], "factualityMode": "x"}, {"keywords": ["a"], "idempotencyKey": ""},
    {"keywords": ["a"], "constraints": {"maxWords": 3000}},
    {"keywords": ["a"], "constraints": {"minWords": 1460}},
]  # fmt: skip
INVALID_JOBS: list[dict[str, Any]] = [
    {}, {"generateRequest": {"keywords": ["a"]}},
    {"generateRequest": {"keywords": ["a"]}, "format": {}},
    {"generateRequest": {"keywords": ["a"]}, "format": {"responseTypes": []}},
    {"generateRequest": {}, "format": MARKDOWN},
    {"generateRequest": {"keywords": ["a"]}, "format": MARKDOWN, "webhook": {"url": HOOK["url"]}},
    {"generateRequest": {"keywords": ["a"]}, "format": MARKDOWN,
     "webhook": {**HOOK, "url": "http://hooks.example.com"}},
    {"generateRequest": {"keywords": ["a"]}, "format": MARKDOWN,
     "webhook": {**HOOK, "events": ["x"]}},
]  # fmt: skip


INVALID_CHECKS: list[dict[str, Any]] = [
    {}, {"text": None}, {"text": 5}, {"text": "a", "title": "x" * 501},
    {"text": "a", "language": "klingon"}, {"text": "a", "keywords": "tea"},
    {"text": "a", "keywords": [""]}, {"text": "a", "keywords": ["a"] * 21},
]  # fmt: skip


def test_the_fake_refuses_what_the_service_refuses_with_the_same_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Fake()
    for real in _world("real", tmp_path, monkeypatch):
        cases = [("/v1/generate", body) for body in INVALID]
        cases += [("/v1/jobs", body) for body in INVALID_JOBS]
        for path, body in [*cases, *(("/v1/check", body) for body in INVALID_CHECKS)]:
            want, got = (each.call("POST", path, body) for each in (real, fake))
            assert want.status_code == got.status_code == 400, body
            assert got.json() == want.json(), body


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, 400),
        ({"content": b"{}", "headers": {"Content-Type": "text/plain"}}, 415),
        ({"content": b" " * 70_000, "headers": {"Content-Type": "application/json"}}, 413),
        ({"content": b"{}", "headers": {"Authorization": "Bearer x"}}, 401),
    ],
)
def test_what_is_no_request_is_refused(world: World, options: Any, status: int) -> None:
    answer = world.call("POST", "/v1/generate", **options)
    assert answer.status_code == status
    matches(answer.json(), ERROR_BODY)


def test_paths_and_methods_that_do_not_exist_are_refused(world: World) -> None:
    assert world.call("GET", "/v1/nothing").json()["error"]["code"] == "NOT_FOUND"
    assert world.call("DELETE", "/v1/generate").json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_a_revoked_key_is_forbidden(world: World) -> None:
    world.revoke_key()
    answer = world.generate("tea")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


# --- errors


@pytest.mark.parametrize("code", PROVOKED)
def test_a_keyword_provokes_each_error(provoking: World, code: str) -> None:
    answer = provoking.generate(f"test:{code}")
    expected = PROVOKED[code].error(ManualClock().now())
    error = answer.json()["error"]
    matches(error, ERROR)
    assert (error["code"], error["message"]) == (code, expected.message)
    assert set(error.get("details", {})) - {"resetAt"} == set(expected.details or {}) - {"resetAt"}
    final = {"QUOTA_EXCEEDED", "GENERATION_TIMEOUT"}
    assert answer.headers.get("x-should-retry") == ("false" if code in final else None)
    waits = expected.retry_after or (5 if code == "SERVICE_UNAVAILABLE" else None)
    assert answer.headers.get("Retry-After") == (str(waits) if waits else None)
    with provoking.client() as client, pytest.raises(APIError) as caught:
        client.generate(keywords=[f"test:{code}"])
    assert caught.value.code == code


@pytest.mark.parametrize("code", PROVOKED)
def test_a_keyword_provokes_each_error_of_a_job(provoking: World, code: str) -> None:
    answer = provoking.create_job(f"test:{code}")
    if PROVOKED[code].refuses_job:
        assert answer.json()["error"]["code"] == code
        return
    assert answer.status_code == 202
    provoking.finish_jobs()
    job = provoking.job(answer)
    matches(job, JOB["failed"])
    assert job["error"]["code"] == code


def test_an_unknown_error_is_refused(provoking: World) -> None:
    error = provoking.generate("tea", "test:TEAPOT").json()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"]["field"] == "keywords[1]"
    assert set(error["details"]["allowed"]) == {f"test:{code}" for code in PROVOKED}


# --- idempotency


def test_a_repeated_key_returns_the_first_answer(world: World) -> None:
    first, again = (world.generate("tea", key="order-1") for _ in range(2))
    assert first.json() == again.json()
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    with world.client() as client:
        usage = client.usage()
    assert (usage.consumed.requests, usage.daily.used) == (1, 1)
    assert world.create_job("tea", key="order-1").status_code == 202, "a key is for one endpoint"


def test_the_key_may_be_in_the_body_and_numbers_may_be_spelled_otherwise(world: World) -> None:
    first = world.generate("tea", key="order-1", constraints={"maxWords": 800})
    body: dict[str, Any] = {
        "constraints": {"maxWords": 800.0},
        "idempotencyKey": "order-1",
        "topic": None,
    }
    assert world.generate("tea", **body).json() == first.json()


def test_a_key_with_another_body_is_refused(world: World) -> None:
    world.generate("tea", key="order-1")
    error = world.generate("coffee", key="order-1").json()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    assert error["details"] == {
        "field": "idempotencyKey",
        "problem": "was used with another body",
    }


@pytest.mark.parametrize(
    ("code", "kept"), [("CONTENT_QUALITY_FAILED", True), ("SERVICE_UNAVAILABLE", False)]
)
def test_a_key_keeps_a_verdict_and_no_passing_error(
    provoking: World, code: str, kept: bool
) -> None:
    answers = [provoking.generate(f"test:{code}", key="order-1") for _ in range(2)]
    assert [answer.json()["error"]["code"] for answer in answers] == [code, code]
    assert ("Idempotent-Replayed" in answers[1].headers) == kept


def test_a_repeated_key_returns_the_first_job(world: World) -> None:
    first, again = (world.create_job("tea", key="order-1", webhook=HOOK) for _ in range(2))
    assert first.json() == again.json()
    assert len(world.finish_jobs()) == 1


# --- limits


def test_a_minute_is_limited(world: World) -> None:
    answers = [world.generate("tea") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    error = answers[-1].json()["error"]
    assert error["code"] == "RATE_LIMITED"
    limits = {key: error["details"][key] for key in ("limitType", "limit", "used")}
    assert limits == {"limitType": "requestsPerMinute", "limit": 10, "used": 10}
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[0].headers["RateLimit"].startswith('"minute";r=9;t=')
    policy = answers[0].headers["RateLimit-Policy"]
    assert policy == '"minute";q=10;w=60, "day";q=50;w=86400'
    assert world.call("GET", "/v1/usage").status_code == 200, "reading is not limited"


def test_a_month_is_limited(world: World) -> None:
    held = [world.create_job("tea").status_code for _ in range(8)]
    assert held == [202] * 8
    for _ in range(8):
        world.create_job("tea")
    world.allow_more()
    answers = [world.create_job("tea") for _ in range(8)]
    refused = [answer for answer in answers if answer.status_code == 429]
    error = refused[0].json()["error"]
    assert error["code"] == "RATE_LIMITED"
    assert error["details"]["limitType"] == "monthlyWords"
    assert error["details"]["held"] == 16 * 1200
    assert refused[0].headers["Retry-After"] == "10"


def test_a_day_is_limited(world: World) -> None:
    if isinstance(world, Fake):
        world.service.requests_per_day = 1
    else:
        with database.writing() as session:
            session.execute(update(models.Plan).values(requests_per_day=1))
    world.generate("tea")
    answer = world.generate("tea")
    error = answer.json()["error"]
    assert error["code"] == "QUOTA_EXCEEDED"
    assert error["details"]["limitType"] == "requestsPerDay"
    assert answer.headers["x-should-retry"] == "false"


# --- jobs and webhooks


def test_a_job_goes_through_its_states(world: World) -> None:
    created = world.create_job("tea")
    matches(created.json(), CREATED_JOB)
    assert created.json()["status"] == "queued"
    world.finish_jobs()
    job = world.job(created)
    assert set(job) == set(created.json()) | {"result", "rendered", "quality"}
    assert job["status"] == "succeeded"
    assert set(job["rendered"]) == {"markdown"}


def test_a_job_that_the_plan_does_not_allow_fails(world: World) -> None:
    request = {"keywords": ["tea"], "constraints": {"maxWords": 3000}}
    created = world.create_job(generateRequest=request)
    assert created.status_code == 202
    world.finish_jobs()
    job = world.job(created)
    matches(job, JOB["failed"])
    details = {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 3000}
    assert job["error"]["details"] == details


def test_an_unknown_job_is_not_found(world: World) -> None:
    answer = world.call("GET", "/v1/jobs/job_nothing")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "There is no job of that id."


def test_a_webhook_is_signed(world: World) -> None:
    created = world.create_job("tea", webhook=HOOK)
    matches(created.json(), CREATED_JOB_WITH_WEBHOOK)
    ((url, headers, body),) = world.finish_jobs()
    assert url == HOOK["url"]
    event = parse(body, headers, created.json()["webhookSigningSecret"])
    assert isinstance(event, JobSucceeded)
    assert event.post.raw == world.job(created)["result"]
    assert set(json.loads(body)) == {"event", "jobId", "requestId", "post", "rendered", "quality"}
    names = {"x-svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature"}
    assert names <= set(headers)


def test_a_webhook_tells_of_a_failure_if_that_was_asked_for(provoking: World) -> None:
    for events in (["job.failed"], ["job.succeeded"]):
        hook = {**HOOK, "events": events}
        created = provoking.create_job("test:PROHIBITED_INPUT", webhook=hook)
        sent = provoking.finish_jobs()
        assert len(sent) == (events == ["job.failed"])
        for _, headers, body in sent:
            event = parse(body, headers, created.json()["webhookSigningSecret"])
            assert isinstance(event, JobFailed)
            assert event.error.code == "PROHIBITED_INPUT"


# --- feed


def test_an_empty_feed_has_nothing(world: World) -> None:
    assert world.pull().json() == {"available": False}
    assert world.pull("items").json() == {"count": 0, "limit": 100, "items": []}


def test_an_item_is_sent_three_times_and_then_abandoned(world: World) -> None:
    first, second = world.add_item(), world.add_item()
    sent = [world.pull().json()["item"] for _ in range(4)]
    assert [item["id"] for item in sent] == [first] * 3 + [second]
    assert [item["deliveryCount"] for item in sent] == [1, 2, 3, 1]
    assert world.states() == ["abandoned", "reserved"]
    with world.feed() as feed, pytest.raises(ConflictError):
        feed.confirm(first)


@pytest.mark.parametrize(("settle", "ends"), [("confirm", "used"), ("reject", "rejected")])
def test_an_item_ends_once(world: World, settle: str, ends: str) -> None:
    item = world.add_item()
    path = f"{world.feed_url}/items/{item}"
    early = world.call("POST", f"{path}/{settle}")
    assert (early.status_code, early.json()["error"]["details"]) == (409, {"status": "pending"})
    assert early.headers["x-should-retry"] == "false"
    world.pull()
    for _ in range(2):
        done = {"ok": True, "item": {"id": item, "status": ends}}
        assert world.call("POST", f"{path}/{settle}").json() == done
    other = "reject" if settle == "confirm" else "confirm"
    late = world.call("POST", f"{path}/{other}")
    assert late.status_code == 409
    assert late.json()["error"]["details"] == {"status": ends}
    verb = "rejected" if other == "reject" else "confirmed"
    message = f"This item cannot be {verb}: it is {ends}, not reserved."
    assert late.json()["error"]["message"] == message
    assert world.states() == [ends]


def test_next_rejects_the_reserved_item(world: World) -> None:
    world.add_item()
    second = world.add_item()
    world.pull()
    assert world.pull(next="true").json()["item"]["id"] == second
    assert world.states() == ["rejected", "reserved"]
    assert world.pull(next="maybe").json()["error"]["code"] == "VALIDATION_ERROR"


def test_items_are_pulled_by_rule(world: World) -> None:
    coffee, tea = world.add_item("Coffee"), world.add_item("Tea")
    (item,) = world.pull("items", rule="TEA").json()["items"]
    assert (item["id"], item["ruleName"]) == (tea, "Tea")
    assert world.states() == ["pending", "reserved"]
    by_id = world.pull("items", rule=item["ruleId"]).json()["items"]
    assert [each["deliveryCount"] for each in by_id] == [2]
    assert [each["id"] for each in world.pull("items").json()["items"]] == [tea, coffee]
    assert world.pull("items").json()["count"] == 1, "tea was sent three times"
    assert world.states() == ["reserved", "abandoned"]
    unknown = world.pull("items", rule="Cocoa")
    assert unknown.json()["error"]["details"] == {"field": "rule"}
    assert world.pull("items", rule=" ").json()["error"]["code"] == "VALIDATION_ERROR"


def test_a_head_request_claims_nothing(world: World) -> None:
    world.add_item()
    assert world.call("HEAD", f"{world.feed_url}/latest").status_code == 200
    assert world.states() == ["pending"]


def test_unknown_tokens_and_items_are_not_found(world: World) -> None:
    unknown = world.call("GET", "/v1/content-tokens/ct_nothing/latest")
    assert (unknown.status_code, unknown.json()["error"]["message"]) == (
        404,
        "Unknown content token.",
    )
    missing = world.call("POST", f"{world.feed_url}/items/itm_nothing/confirm")
    message = "This content token has no item of that id."
    assert (missing.status_code, missing.json()["error"]["message"]) == (404, message)


def test_guessing_tokens_is_slowed_down(world: World) -> None:
    paths = [f"/v1/content-tokens/ct_{number}/latest" for number in range(61)]
    answers = [world.call("GET", path) for path in paths]
    assert [answer.status_code for answer in answers] == [404] * 60 + [429]
    details = answers[-1].json()["error"]["details"]
    assert details["limitType"] == "unknownTokensPerMinute"
