"""What the log says of requests, jobs and runs: who looks for an id finds what became of it."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
import requests
from flask import Flask
from sqlalchemy import select

from app import logs
from app.container import NoModel
from app.core.errors import ModelUnavailable
from app.core.schemas.bodies import parse
from app.core.schemas.request import GenerateRequest
from app.ports import PageReader
from app.services import accounts, runs
from app.services.sources import Research, gather
from app.sources.source import Page
from app.store.database import reading
from app.store.models import SourcePage
from tests.support.crashes.programs import web_server
from tests.support.integration import BEGIN, SQLITE, Feed
from tests.support.listed_provider import ListedPages
from tests.support.process_group import ProcessGroup
from tests.support.scripted_worker import Worker

pytestmark = SQLITE
UNKNOWN = "ct_0123456789abcdefghijABCDEFGHIJ42"


class Log(logging.Handler):
    """The lines of the log as an operator has them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logs.formatter("json"))
        self.lines: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))

    def of(self, **members: object) -> list[dict[str, object]]:
        """Those that have all these members."""
        return [line for line in self.lines if members.items() <= line.items()]


@pytest.fixture
def log() -> Iterator[Log]:
    root, handler, level = logging.getLogger(), Log(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def key(feed: Feed) -> str:
    return accounts.create_key(feed.context, feed.account_id).secret


class Away(NoModel):
    def complete(self, prompt: object, deadline: object) -> object:  # type: ignore[override]
        raise ModelUnavailable("No model.", operator="http://model.invalid is away")


@pytest.fixture
def model() -> Away:
    """Out of reach."""
    return Away()


def bearer(key: str, reference: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "X-Request-ID": reference}


def test_who_looks_for_the_id_of_a_call_that_failed_finds_why(
    app: Flask, key: str, feed: Feed, log: Log
) -> None:
    """“a 500 with a request id: look for the id in the log”; the same for any other error."""
    answer = app.test_client().post(
        "/v1/generate", json={"keywords": ["tea"]}, headers=bearer(key, "trace-me-123")
    )
    assert answer.status_code == 503
    ours = log.of(reference="trace-me-123", account=feed.account_id)
    (why,) = [line for line in ours if line["logger"] == "app.api.errors"]
    assert why["level"] == "WARNING"
    assert "http://model.invalid is away" in str(why["message"])
    # The writing is a thread of a pool away, at times.
    assert [line for line in ours if line["logger"] == "app.writing.pipeline"]


def test_a_fault_of_ours_is_in_the_log_by_the_id_of_its_call(
    app: Flask, key: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("app.api.views.jobs.find", broken)
    answer = app.test_client().get("/v1/jobs/job_1", headers=bearer(key, "trace-me-500"))
    assert answer.status_code == 500
    (fault,) = log.of(reference="trace-me-500", level="ERROR")
    assert "RuntimeError: broken" in str(fault["exception"])
    assert fault["job"] == "job_1"


def test_each_request_has_one_line_with_its_route_and_never_its_path(
    app: Flask, key: str, feed: Feed, log: Log
) -> None:
    client = app.test_client()
    feed.add_items("Coffee")
    calls: list[tuple[str, str, str, int, str | None]] = [
        ("GET", "/healthz?secret=planted", "/healthz", 200, None),
        ("GET", "/nothing/planted", "unknown", 404, "NOT_FOUND"),
        ("DELETE", "/v1/usage", "unknown", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/jobs/planted%0Aid", "/v1/jobs/<job_id>", 404, "NOT_FOUND"),
        ("GET", f"/v1/content-tokens/{feed.token}/latest", _ROUTE, 200, None),
        ("GET", f"/v1/content-tokens/{UNKNOWN}/latest", _ROUTE, 404, "unknown token"),
    ]
    for number, (method, path, route, status, problem) in enumerate(calls):
        reference = f"call-{number}"
        client.open(path, method=method, headers=bearer(key, reference))
        (line,) = log.of(reference=reference, logger="app.access")
        seen = [line.get(name) for name in ("method", "route", "status", "problem")]
        assert seen == [method, route, status, problem]
        assert isinstance(line["milliseconds"], int)
    with client.get("/console/static/console.css", headers=bearer(key, "file")) as file:
        assert file.status_code == 200
    assert not log.of(reference="file", logger="app.access")
    (pulled,) = log.of(reference="call-4", logger="app.access")
    assert (pulled["feed"], pulled["item"]) == (feed.token_id, feed.items[0])
    everything = json.dumps(log.lines)
    for secret in ("planted", feed.token, UNKNOWN, key):
        assert secret not in everything


_ROUTE = "/v1/content-tokens/<token>/latest"


def test_guessed_keys_and_tokens_are_warnings(app: Flask, log: Log) -> None:
    client = app.test_client()
    client.get("/v1/usage", headers=bearer("cd_live_guess", "guess-1"))
    client.get(f"/v1/content-tokens/{UNKNOWN}/latest", headers={"X-Request-ID": "guess-2"})
    for number, problem in ((1, "UNAUTHORIZED"), (2, "unknown token")):
        (line,) = log.of(reference=f"guess-{number}")
        assert (line["level"], line["problem"]) == ("WARNING", problem)


def test_a_run_is_followed_by_its_id_through_all_its_lines(
    feed: Feed, worker: Worker, log: Log
) -> None:
    run = runs.start_now(feed.context, feed.rules["Coffee"])
    feed.clock.move(timedelta(minutes=2))
    runs.run_next(feed.context, run.id)
    lines = [line for line in log.lines if str(line["logger"]).startswith("app.services")]
    assert lines
    assert all(line["run"] == run.id and line["account"] == feed.account_id for line in lines)
    assert [line["item"] for line in lines if "made item" in str(line["message"])]


def test_a_line_from_a_thread_of_the_sources_has_the_ids_of_its_job(feed: Feed, log: Log) -> None:
    class Tripping(PageReader):
        def site(self, url: str) -> str:
            return "a.example"

        def read(self, url: str, seconds: float) -> Page:
            raise ZeroDivisionError

    research = Research([ListedPages(["http://a.example/"])], Tripping())
    with logs.about(job="job_1"):
        request = parse(GenerateRequest, {"keywords": ["tea"]})
        found = gather(research, request, BEGIN, current_event=False)
    (refused,) = found.refused
    assert refused.reason == "It could not be read because of an internal error."
    with reading() as session:
        assert session.scalars(select(SourcePage.url)).all() == []
    (line,) = log.of(level="ERROR")
    assert (line["message"], line["job"]) == ("a page could not be read", "job_1")


def test_all_lines_of_the_server_are_json_where_that_is_set(
    feed: Feed, group: ProcessGroup
) -> None:
    settings = {"COPYDESK_LOG_FORMAT": "json", "COPYDESK_LOG_LEVEL": "debug"}
    with web_server(group, feed.url, **settings) as (port, log):
        requests.get(f"http://127.0.0.1:{port}/healthz", timeout=10)
        said = log.read_text()
    lines = [line for line in said.splitlines() if not line.startswith("listening")]
    assert all(set(json.loads(line)) >= {"time", "level", "logger", "message"} for line in lines)
    assert any(json.loads(line)["logger"] == "app.access" for line in lines)
