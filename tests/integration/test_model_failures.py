"""Posts, jobs and the rest of the service while a model endpoint fails or hangs.

Both endpoints are scripted models on loopback; a test moves the clock of the breakers.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from app.adapters.endpoint_health import EndpointHealth
from app.adapters.openai_client import Connection
from app.adapters.openai_model import OpenAIModel
from app.core.errors import GenerationTimeout, ModelResting, ModelUnavailable
from app.deadline import Deadline
from app.ports import Model
from app.services.context import Context, WritingOptions
from app.services.leased_work import LONGEST_WAIT
from app.services.readiness import OK, RESTING, Readiness
from app.store import database, models
from app.writing.completion import Prompt
from tests.support.integration import SQLITE
from tests.support.loopback import running
from tests.support.scripted_model.server import ScriptedServer
from tests.support.service_harness import ServiceHarness

REQUEST = {"keywords": ["tea"], "constraints": {"maxWords": 450, "includeFAQs": True}}
PROMPT = Prompt("You write.", "Write of green tea.", "draft", 1)
# What an attempt may take in a test where the endpoint hangs.
SECONDS = 0.5


@dataclass
class Endpoint:
    """A scripted model and its adapter."""

    server: ScriptedServer
    model: OpenAIModel

    def behave(self, behaviour: str) -> None:
        self.server.control({"behaviour": behaviour})

    @property
    def calls(self) -> int:
        return self.server.calls


class Endpoints:
    """Starts scripted models that end with the test."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.now = 1_000_000.0

    def start(self, behaviour: str = "good", seconds: float = 20) -> Endpoint:
        server = ScriptedServer(0, behaviour, retry_after=0.01, drip=0.05)
        self._stack.enter_context(running(server))
        connection = Connection(server.base_url, "sk-1", seconds, concurrency=4)
        connection.health = EndpointHealth("http://first", 4, now=lambda: self.now)
        return Endpoint(server, OpenAIModel(connection, "m"))


@pytest.fixture
def endpoints() -> Iterator[Endpoints]:
    with ExitStack() as stack:
        yield Endpoints(stack)


def ask(model: Model) -> str:
    return model.complete(PROMPT, Deadline(60)).text


def test_a_hung_endpoint_costs_one_time_out_and_is_used_again_after_a_good_try(
    endpoints: Endpoints, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    first = endpoints.start("drip_head", SECONDS)
    with pytest.raises(GenerationTimeout):
        ask(first.model)
    for _ in range(5):
        with pytest.raises(ModelResting):
            ask(first.model)
    assert first.calls == 1, "it is not asked before the next try"
    endpoints.now += 30
    with pytest.raises(GenerationTimeout):
        ask(first.model)
    assert first.calls == 2, "the try hangs as well"
    first.behave("good")
    endpoints.now += 60
    assert ask(first.model)
    assert ask(first.model)
    assert first.calls == 4, "it is back"
    assert sum("is not called for" in line for line in caplog.messages) == 2
    assert sum("answers again" in line for line in caplog.messages) == 1


def test_prompts_that_an_endpoint_rejects_and_rate_limits_do_not_open_it(
    endpoints: Endpoints,
) -> None:
    first = endpoints.start()
    for behaviour in ("error_429", "error_400"):
        first.behave(behaviour)
        for _ in range(6):
            with pytest.raises(ModelUnavailable):
                ask(first.model)
    first.model.state().check()


class Desk(ServiceHarness):
    """One account, whose jobs the real pipeline writes with one endpoint."""

    model: Model

    @property
    def context(self) -> Context:
        base = super().context
        if not hasattr(self, "model"):
            return base
        options = WritingOptions(120.0, editor=self.model)
        return replace(base, model=self.model, options=options)

    def begin(self) -> str:
        return str(self.create(generateRequest=REQUEST)["jobId"])

    def row(self, job_id: str) -> models.Job:
        with database.reading() as session:
            return session.get_one(models.Job, job_id)


@pytest.fixture
def desk(migrated_url: str) -> Iterator[Desk]:
    database.bind(migrated_url)
    yield Desk()
    database.dispose()


def test_a_job_waits_for_a_failing_endpoint_and_loses_no_attempt(
    desk: Desk, endpoints: Endpoints
) -> None:
    first = endpoints.start("error_503")
    desk.model = first.model
    job_id = desk.begin()
    for failures in (1, 2):
        assert desk.work()  # three attempts at a call: an ordinary failure
        assert desk.row(job_id).attempts == failures
        desk.clock.move(timedelta(minutes=1))
    for _ in range(5):
        assert desk.work()
        row = desk.row(job_id)
        assert (row.status, row.attempts - row.handed_back) == ("queued", 2)
        rest = (row.not_before - desk.clock.now()).total_seconds()
        assert 1 <= rest <= 120 * 1.5
        assert not desk.work(), "it is not claimed before that"
        desk.clock.move(timedelta(hours=1))
        endpoints.now += 3600
    assert first.calls == 3 + 3 + 1 + 4, "one try an hour"
    first.behave("good")
    assert desk.work()
    assert desk.row(job_id).status == "succeeded"


def test_a_job_does_not_wait_for_longer_than_a_day(desk: Desk, endpoints: Endpoints) -> None:
    first = endpoints.start("error_503")
    desk.model = first.model
    job_id = desk.begin()
    desk.clock.move(LONGEST_WAIT + timedelta(seconds=1))
    while desk.work():
        desk.clock.move(timedelta(hours=1))
    assert desk.row(job_id).status == "failed"
    assert (desk.row(job_id).error or {})["code"] == "SERVICE_UNAVAILABLE"


@SQLITE
def test_readiness_says_whether_the_endpoint_is_called(desk: Desk, endpoints: Endpoints) -> None:
    first = endpoints.start()
    desk.model = first.model

    def report() -> tuple[str, str]:
        readiness = Readiness()
        shown = readiness.report(desk.context, patient=True)["model"]
        return shown, readiness.reasons().get("model", "")

    assert report() == (OK, "")
    first.behave("error_500")
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            ask(first.model)
    assert "answered with status 500" in report()[1]
    for _ in range(2):
        with pytest.raises(ModelResting) as error:
            ask(first.model)
    shown, reason = report()
    assert shown == RESTING
    assert "It is called again in 30 s." in reason
    assert error.value.retry_after == 30
    assert error.value.body()["message"] == ModelUnavailable().message


@SQLITE
def test_readiness_does_not_wait_for_a_model_that_hangs(
    desk: Desk, endpoints: Endpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.model = endpoints.start("drip_head").model
    monkeypatch.setattr("app.services.readiness._MODEL_SECONDS", 0.01)
    readiness = Readiness()
    shown: list[Any] = [readiness.report(desk.context)["model"] for _ in range(20)]
    assert set(shown) == {"unreachable (no answer yet)"}
