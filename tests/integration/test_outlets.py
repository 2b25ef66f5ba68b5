"""What is told to customers, and what the log says, whatever goes wrong: no secret anywhere, and
to customers no address, no setting's name and no word of an upstream."""

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, make_url

from app import create_app
from app.services import accounts, jobs, webhooks
from app.services.context import Context
from app.services.readiness import Readiness
from app.settings import Settings
from app.store import database
from tests.support.integration import SQLITE, ManualClock
from tests.support.loopback import running
from tests.support.planted_secrets import (
    EXCEPTION,
    FEED_KEY,
    KEY,
    ORGANISATION,
    REDIS_PASSWORD,
    SEARCH_KEY,
    SECRETS,
    SETTINGS,
    Endpoint,
    Lines,
    Outlets,
)
from tests.support.service_harness import Receiver
from tests.support.startup import free_port

REQUEST: dict[str, Any] = {"keywords": ["tea"], "constraints": {"maxWords": 200}}
MARKDOWN = {"responseTypes": ["markdown"]}
VERIFIED = {**REQUEST, "factualityMode": "verified"}
UPSTREAM: dict[str, Callable[[Endpoint], None]] = {
    **{
        f"status {status}": lambda endpoint, status=status: endpoint.fail(status)  # type: ignore[misc]
        for status in (400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503)
    },
    "quota": lambda endpoint: endpoint.fail(429, "insufficient_quota"),
    "flagged": lambda endpoint: endpoint.fail(400, "content_policy_violation"),
    "a web page": lambda endpoint: endpoint.say("<html><h1>%s</h1></html>", "text/html"),
    "garbage": lambda endpoint: endpoint.say("%s", "text/plain"),
    "garbage as JSON": lambda endpoint: endpoint.say("{%s", "application/json"),
    "an error with 200": lambda endpoint: endpoint.say(
        '{"error": {"message": "%s"}}', "application/json"
    ),
    "no choices": lambda endpoint: endpoint.say(
        '{"choices": [], "detail": "%s"}', "application/json"
    ),
}
SCRIPTED = (
    "link", "empty", "cut_off", "refusal", "refusal_text", "content_filter", "unreadable_editor",
    "blocking_editor", "reader_unreadable", "reset", "drip_body",
)  # fmt: skip


class Environment:
    """The service in this process, with all that leaves it."""

    def __init__(self, url: str, endpoint: Endpoint, folder: Path, **settings: Any) -> None:
        given = {
            "data_dir": folder,
            "model_rest_seconds": 0.001,
            "openai_base_url": endpoint.base_url,
            "openai_api_key": KEY,
            "model_timeout_seconds": 2.0,
            "generation_timeout_seconds": 20.0,
            "webhook_allow_private": True,
            **settings,
        }
        self.settings = Settings(database_url=url, **given)
        self.app: Flask = create_app(self.settings)
        self.receiver, self.clock = Receiver(), ManualClock(datetime.now(UTC))
        held = self.app.extensions["copydesk"]
        held.context = replace(held.context, send_webhook=self.receiver.send, clock=self.clock)
        self.context: Context = held.context
        inside = [f":{endpoint.port}", make_url(url).database or "copydesk", "psycopg", "sqlite3"]
        planted = [*SECRETS, *SETTINGS, ORGANISATION, EXCEPTION, "planted"]
        self.outlets = Outlets([*planted, *inside, "Traceback"])
        self.log = Lines()
        self.client: FlaskClient = self.app.test_client()
        account = accounts.create_account(self.context, "A customer", "scale")
        self.key = accounts.create_key(self.context, account).secret
        self.calls = 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON of an answer, which becomes one of the outlets."""
        given = {"Authorization": f"Bearer {self.key}", **headers}
        answer = self.client.open(path, method=method, json=body, headers=given)
        told = f"{answer.status}\n{answer.headers}\n{answer.get_data(as_text=True)}"
        self.outlets.add(f"{method} {path}", told)
        return answer.get_json()

    def ask_everything(self, request: dict[str, Any]) -> None:
        """A post, its repetition, a job with a webhook until it has ended, and the health."""
        for _ in range(2):
            self.ask("POST", "/v1/generate", request, **{"Idempotency-Key": "one"})
        hook = {"url": "http://127.0.0.1:9/hook", "events": ["job.failed", "job.succeeded"]}
        job = {"generateRequest": request, "format": MARKDOWN, "webhook": hook}
        created = self.ask("POST", "/v1/jobs", job, **{"Idempotency-Key": "two"})
        self.ask("POST", "/v1/jobs", job, **{"Idempotency-Key": "two"})
        self.work_off(created)
        for path in ("/v1/usage", "/healthz", "/readyz"):
            self.ask("GET", path)

    def work_off(self, created: Any) -> None:
        if "jobId" not in created:
            return
        # A job waits up to a day for an endpoint that rests.
        for _ in range(8):
            jobs.run_next(self.context)
            while webhooks.deliver_next(self.context):
                pass
            self.clock.move(timedelta(hours=7))
        assert self.ask("GET", f"/v1/jobs/{created['jobId']}")["status"] in {"failed", "succeeded"}
        assert self.receiver.received
        for _, headers, body in self.receiver.received:
            self.outlets.add("webhook", f"{headers} {body.decode()}")

    def nothing_leaked(self) -> None:
        """Fail with everything that was found."""
        assert self.outlets.leaks() == []
        secrets = [secret for line in self.log.lines for secret in SECRETS if secret in line]
        assert secrets == []
        assert self.key not in "\n".join(self.log.lines)
        assert "whsec_" not in "\n".join(self.log.lines)
        assert "whroot_" not in "\n".join(self.log.lines)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running(Endpoint()) as server:
        yield server


@pytest.fixture
def env(
    migrated_url: str, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Environment]]:
    # Between one try of a call to the model and the next.
    monkeypatch.setattr("app.adapters.openai_client._FIRST_PAUSE", 0.0, raising=False)
    made: list[Environment] = []
    root, level = logging.getLogger(), logging.getLogger().level

    def make(**settings: Any) -> Environment:
        env = Environment(migrated_url, endpoint, tmp_path, **settings)
        made.append(env)
        root.addHandler(env.log)
        root.setLevel(logging.DEBUG)
        return env

    yield make
    root.setLevel(level)
    for env in made:
        root.removeHandler(env.log)
        database.dispose()


@SQLITE
@pytest.mark.parametrize("upstream", UPSTREAM.values(), ids=UPSTREAM)
def test_nothing_of_an_upstream_that_fails_is_told(
    env: Callable[..., Environment],
    endpoint: Endpoint,
    upstream: Callable[[Endpoint], None],
) -> None:
    there = env()
    upstream(endpoint)
    there.ask_everything(REQUEST)
    there.nothing_leaked()


@SQLITE
@pytest.mark.parametrize("behaviour", SCRIPTED)
def test_nothing_is_told_of_a_model_that_behaves_badly(
    env: Callable[..., Environment], endpoint: Endpoint, behaviour: str
) -> None:
    endpoint.control({"behaviour": behaviour, "delay": 0.0})
    there = env()
    there.ask_everything(REQUEST)
    there.nothing_leaked()


# Settings with something that is not there, the request that needs it, and what the log has of it.
AWAY: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no model": ({"openai_base_url": None, "openai_api_key": None}, REQUEST, ""),
    "a model": ({"openai_base_url": "http://planted.invalid:9/v1"}, REQUEST, ""),
    "Redis": (
        {"redis_url": f"redis://planted:{REDIS_PASSWORD}@planted.invalid:9/0"},
        REQUEST,
        "queue is unreachable",
    ),
    "a search": (
        {"searxng_url": "http://planted.invalid/search", "brave_api_key": SEARCH_KEY},
        VERIFIED,
        "",
    ),
}


@SQLITE
@pytest.mark.parametrize("name", AWAY)
def test_nothing_of_what_is_missing_or_out_of_reach_is_told(
    env: Callable[..., Environment], name: str
) -> None:
    settings, request, logged = AWAY[name]
    there = env(**settings)
    there.ask_everything(request)
    there.nothing_leaked()
    assert any(logged in line for line in there.log.lines)


@SQLITE
def test_nothing_is_told_of_sources_that_are_missing_or_down(
    env: Callable[..., Environment],
) -> None:
    missing = env()
    missing.ask_everything(VERIFIED)
    missing.nothing_leaked()
    down = env(
        source_feeds=(f"http://127.0.0.1:{free_port()}/planted/feed?key={FEED_KEY}",),
        searxng_url=f"http://127.0.0.1:{free_port()}/planted",
        sources_allow_private=True,
    )
    # A provider's name stands before what it met.
    down.outlets.markers += ["searxng", "SearXNG", "No feed", "127.0.0.1"]
    down.ask_everything({**VERIFIED, "keywords": ["coffee"]})
    down.nothing_leaked()
    assert any("No search for sources could be made" in line for line in down.log.lines)


@SQLITE
@pytest.mark.parametrize("upstream", ["status 401", "status 404", "status 500", "garbage"])
def test_nothing_of_a_moderation_that_fails_is_told(
    env: Callable[..., Environment], endpoint: Endpoint, upstream: str
) -> None:
    there = env(moderation_model="planted-moderation")
    UPSTREAM[upstream](endpoint)
    there.ask_everything(REQUEST)
    there.nothing_leaked()


@SQLITE
def test_nothing_of_the_words_of_a_moderation_is_told(
    env: Callable[..., Environment], endpoint: Endpoint
) -> None:
    there = env(moderation_model="planted-moderation")
    categories = '{"violence": true, "planted: see %s": true}'
    result = f'{{"results": [{{"flagged": true, "categories": {categories}}}]}}'
    endpoint.say(result, "application/json")
    answer = there.ask("POST", "/v1/generate", REQUEST)
    assert answer["error"]["details"]["categories"] == ["unnamed", "violence"]
    there.nothing_leaked()


@SQLITE
def test_nothing_of_a_fault_of_ours_is_told(
    env: Callable[..., Environment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has it, with the ids by which it is asked for."""
    there = env()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(f"{EXCEPTION} of COPYDESK_DATABASE_URL")

    monkeypatch.setattr("app.services.post_writer.write_post", broken)
    there.ask_everything(REQUEST)
    there.nothing_leaked()
    assert EXCEPTION in "\n".join(there.log.lines)


@SQLITE
def test_nothing_is_told_of_workers_that_died(env: Callable[..., Environment]) -> None:
    there = env()
    created = there.ask("POST", "/v1/jobs", {"generateRequest": REQUEST, "format": MARKDOWN})
    for _ in range(3):
        assert jobs.claim(there.context) is not None
        there.clock.move(timedelta(minutes=5))
    assert jobs.run_next(there.context)
    error = there.ask("GET", f"/v1/jobs/{created['jobId']}")["error"]
    assert (error["code"], created["jobId"] in error["message"]) == ("INTERNAL_ERROR", True)
    assert "died" not in error["message"]
    assert "3 workers died" in "\n".join(there.log.lines)
    there.nothing_leaked()


def test_nothing_of_a_database_that_is_away_is_told(
    env: Callable[..., Environment], backend: str
) -> None:
    there = env()
    there.ask_everything(REQUEST)
    engine = database.engine()
    engine.dispose()

    def refuse(*_: object) -> None:
        raise engine.dialect.loaded_dbapi.OperationalError(
            f"planted: no connection to {engine.url.database} as {os.getpid()}"
        )

    event.listen(engine, "do_connect", refuse)
    try:
        for method, path in (("GET", "/v1/usage"), ("POST", "/v1/generate"), ("POST", "/v1/jobs")):
            there.ask(method, path, REQUEST if method == "POST" else None)
        there.app.extensions["copydesk"].readiness = Readiness()
        assert there.ask("GET", "/readyz")["database"] == "unreachable"
    finally:
        event.remove(engine, "do_connect", refuse)
    there.nothing_leaked()
    assert any("the database is unreachable: planted" in line for line in there.log.lines)
