"""A customer's view of the services, without HTTP: the real database, a pipeline that is scripted,
a clock that stands still, and a receiver of webhooks that answers what a test says."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select

from app.core.brief import Brief
from app.core.completion import Completion, Prompt
from app.core.job import JobRequest, parse_job_request
from app.core.metering import Consumed, period_start
from app.core.post import Quality
from app.core.request import parse_generate_request
from app.ports import Allowance, Model, RateLimiter, WebhookAnswer, WebhookSender
from app.services import accounts, authoring, job_work, jobs, webhooks
from app.services.authoring import WritingOptions
from app.services.generate import Call, Tools, generate
from app.services.idempotency import Key
from app.services.pipeline import Effort, Written
from app.store import database
from app.store import usage as usage_store
from app.store.accounts import Caller
from app.store.idempotency import Use
from app.store.tables import DeliveryRow, JobRow, ReservationRow
from tests.integration.conftest import CountingQueue, StillClock, bare_app
from tests.integration.worker import POST

WRITTEN = Written(
    POST, Quality(status="pass", score=100, revision_count=0, quality_version="1.0.0"), (), Effort()
)
OPTIONS = WritingOptions(60.0, 1)


def others() -> Iterator[Written]:
    """WRITTEN, then posts of as many words that say something else each time."""
    yield WRITTEN
    for number in count():
        words = " ".join(f"word{number}{letter}" for letter in "abcd")
        section = POST.sections[0].model_copy(update={"content_markdown": f"{words}."})
        yield replace(WRITTEN, post=POST.model_copy(update={"sections": (section,)}))


class NoModel(Model):
    name = "scripted"
    concurrency = 1

    def complete(self, prompt: Prompt) -> Completion:
        raise AssertionError("the pipeline is scripted")

    def ping(self) -> None:
        pass


class NoLimit(RateLimiter):
    def hit(self, key: str, per_minute: int) -> Allowance:
        return Allowance(True, per_minute, per_minute, 60)

    look = hit


@dataclass
class Receiver(WebhookSender):
    """Answers in turn what it was told to, then 200."""

    answers: list[WebhookAnswer] = field(default_factory=list)
    received: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        self.received.append((url, dict(headers), body))
        return self.answers.pop(0) if self.answers else WebhookAnswer(status=200)


class Office:
    """One account with one key. ``write`` takes the place of the pipeline."""

    def __init__(self, plan: str = "starter") -> None:
        self.clock = StillClock()
        self.queue = CountingQueue()
        self.receiver = Receiver()
        self.others = others()
        self.write: Callable[[], Written] = lambda: next(self.others)
        self.briefs: list[Brief] = []
        self.account_id = accounts.create_account("A customer", plan, self.clock)
        self._secret = accounts.create_key(self.account_id, self.clock).secret

    def write_post(self, _model: object, brief: Brief, **_: object) -> Written:
        self.briefs.append(brief)
        return self.write()

    @property
    def caller(self) -> Caller:
        return accounts.authenticate(f"Bearer {self._secret}", self.clock)

    def caller_with_key(self, endpoint: str, name: str) -> tuple[Caller, Use | None]:
        return accounts.authenticate_with_key(f"Bearer {self._secret}", self.clock, endpoint, name)

    def key(self, name: str, endpoint: str = "jobs", body: str = "same") -> Key:
        return Key(self.account_id, endpoint, name, body)

    def generate(self, key: Key | None = None, **members: Any) -> tuple[dict[str, Any], bool]:
        request = parse_generate_request({"keywords": ["tea"], **members})
        call = Call(self.caller, request, "req_1", key)
        body, replayed = generate(call, Tools(NoModel(), self.clock, NoLimit(), OPTIONS))
        return json.loads(body), replayed

    def create(self, key: Key | None = None, **members: Any) -> dict[str, Any]:
        return self.create_or_replay(key, **members)[0]

    def create_or_replay(
        self, key: Key | None = None, **members: Any
    ) -> tuple[dict[str, Any], bool]:
        body, replayed = jobs.create(
            self.caller, _job_request(members), "req_1", key, self.clock, NoLimit(), self.queue
        )
        return json.loads(body), replayed

    def work(self, job_id: str | None = None) -> bool:
        return job_work.run_next(NoModel(), self.clock, OPTIONS, self.queue, job_id)

    def deliver(self) -> bool:
        return webhooks.deliver_next(self.receiver, self.clock)

    def job(self, created: Mapping[str, Any]) -> dict[str, Any]:
        return jobs.find(self.caller, created["jobId"])

    def consumed(self) -> Consumed:
        with database.reading() as session:
            return usage_store.consumed(session, self.account_id, period_start(self.clock.now()))

    def rows(self, table: type[JobRow | DeliveryRow | ReservationRow]) -> list[Any]:
        with database.reading() as session:
            rows = list(session.scalars(select(table).order_by(table.id)))
            session.expunge_all()
        return rows


@contextmanager
def opened(url: str, monkeypatch: pytest.MonkeyPatch, plan: str = "starter") -> Iterator[Office]:
    """An office on that database, whose posts are written by its script."""
    app = bare_app(url)
    with app.app_context():
        made = Office(plan)
        monkeypatch.setattr(authoring, "write_post", made.write_post)
        yield made
        database.db.engine.dispose()


def _job_request(members: Mapping[str, Any]) -> JobRequest:
    body = {
        "generateRequest": {"keywords": ["tea"]},
        "format": {"responseTypes": ["markdown"]},
        **members,
    }
    return parse_job_request(body, allow_private=False)
