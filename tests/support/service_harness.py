"""A customer's view of the services, without HTTP: the real database, a pipeline that is scripted,
a clock that stands still, and a receiver of webhooks that answers what a test says."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import select

from app.core.billing.metering import Consumed, period_start
from app.core.schemas.api_model import to_json
from app.core.schemas.bodies import parse
from app.core.schemas.job import JobRequest, parse_job_request
from app.core.schemas.request import GenerateRequest
from app.ports import WebhookAnswer
from app.services import accounts, jobs, post_writer, usage, webhooks
from app.services.context import Context, WritingOptions
from app.services.generate import GenerateCommand, generate
from app.services.idempotency import Key, KeyInUse
from app.store import database, models
from app.store.accounts import Caller
from app.store.rows import new_id
from app.writing.brief import Brief
from app.writing.pipeline import Written
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue, ManualClock
from tests.support.paid_model import REQUEST, PaidModel
from tests.support.paid_model import options as paid_options
from tests.support.scripted_worker import POST, WRITTEN


def distinct_posts() -> Iterator[Written]:
    """WRITTEN, then posts of as many words that say something else each time."""
    yield WRITTEN
    for number in count():
        words = " ".join(f"word{number}{letter}" for letter in "abcd")
        section = POST.sections[0].model_copy(update={"content_markdown": f"{words}."})
        yield replace(WRITTEN, post=POST.model_copy(update={"sections": (section,)}))


@dataclass
class Receiver:
    """Answers in turn what it was told to, then 200."""

    answers: list[WebhookAnswer] = field(default_factory=list)
    received: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        self.received.append((url, dict(headers), body))
        return self.answers.pop(0) if self.answers else WebhookAnswer(status=200)


class ServiceHarness:
    """One account with one key. ``write`` takes the place of the pipeline."""

    def __init__(self, plan: str = "starter") -> None:
        self.clock = ManualClock()
        self.queue = CountingQueue()
        self.receiver = Receiver()
        self.distinct_posts = distinct_posts()
        self.write: Callable[[], Written] = lambda: next(self.distinct_posts)
        self.briefs: list[Brief] = []
        self.account_id = accounts.create_account(self.context, "A customer", plan)
        self._secret = accounts.create_key(self.context, self.account_id).secret

    @property
    def context(self) -> Context:
        return context_at(self.clock, self.queue, send_webhook=self.receiver.send)

    def write_post(self, _model: object, brief: Brief, **_: object) -> Written:
        self.briefs.append(brief)
        return self.write()

    @property
    def caller(self) -> Caller:
        return accounts.authenticate(self.context, f"Bearer {self._secret}")

    def key(self, name: str, endpoint: str = "jobs", body: str = "same") -> Key:
        return Key(self.account_id, endpoint, name, body)

    def generate(self, key: Key | None = None, **members: Any) -> tuple[dict[str, Any], bool]:
        request = parse(GenerateRequest, {"keywords": ["tea"], **members})
        command = GenerateCommand(self.caller, request, new_id("req"), key)
        while True:
            try:
                body, replayed = generate(self.context, command)
            except KeyInUse as in_use:
                command = replace(command, waited_for=in_use.owner)
                Event().wait(0.01)
            else:
                return json.loads(body), replayed

    def create(self, key: Key | None = None, **members: Any) -> dict[str, Any]:
        return self.create_or_replay(key, **members)[0]

    def create_or_replay(
        self, key: Key | None = None, **members: Any
    ) -> tuple[dict[str, Any], bool]:
        request = _job_request(members)
        body, replayed = jobs.create(self.context, self.caller, request, "req_1", key)
        return json.loads(body), replayed

    def work(self, job_id: str | None = None) -> bool:
        return jobs.run_next(self.context, job_id)

    def deliver(self) -> bool:
        return webhooks.deliver_next(self.context)

    def job(self, created: Mapping[str, Any]) -> dict[str, Any]:
        return jobs.find(self.caller, created["jobId"])

    def consumed(self) -> Consumed:
        with database.reading() as session:
            return usage.consumed(session, self.account_id, period_start(self.clock.now()))

    def rows(
        self, table: type[models.Job | models.WebhookDelivery | models.Reservation]
    ) -> list[Any]:
        with database.reading() as session:
            return list(session.scalars(select(table).order_by(table.id)))


def fails_with(error: Exception) -> Callable[[], Written]:
    """Return a ``write`` for the harness that raises this error."""

    def write() -> Written:
        raise error

    return write


@contextmanager
def open_harness(
    url: str, monkeypatch: pytest.MonkeyPatch, plan: str = "starter"
) -> Iterator[ServiceHarness]:
    """An harness on that database, whose posts are written by its script."""
    database.bind(url)
    made = ServiceHarness(plan)
    monkeypatch.setattr(post_writer, "write_post", made.write_post)
    yield made
    database.dispose()


def _job_request(members: Mapping[str, Any]) -> JobRequest:
    body = {
        "generateRequest": {"keywords": ["tea"]},
        "format": {"responseTypes": ["markdown"]},
        **members,
    }
    return parse_job_request(body, allow_private=False)


class PaidDesk(ServiceHarness):
    """One account, whose posts the real pipeline writes with a model that is paid by call."""

    def __init__(self, ledger: Path) -> None:
        self.model = PaidModel(ledger)
        super().__init__()

    @property
    def options(self) -> WritingOptions:
        return paid_options(self.model)

    @property
    def context(self) -> Context:
        return replace(super().context, model=self.model, options=self.options)

    def begin(self, **members: Any) -> str:
        """Create a job; return its id."""
        return str(self.create(generateRequest={**REQUEST, **members})["jobId"])

    def call(self, key: str | None = None, request_id: str = "req_1", **members: Any) -> str:
        """Make a call of POST /v1/generate; return its body."""
        request = parse(GenerateRequest, {**REQUEST, **members})
        named = self.key(key, "generate", to_json(members)) if key else None
        return generate(self.context, GenerateCommand(self.caller, request, request_id, named))[0]
