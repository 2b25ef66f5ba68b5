"""A model call ends, whatever its endpoint does: by its time, by its bytes, or when cancelled."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, repeat
from socketserver import BaseRequestHandler, ThreadingTCPServer

import pytest

from app.adapters.openai_model import OpenAIModel
from app.core.errors import GenerationCancelled, GenerationTimeout, ModelUnavailable
from app.deadline import Deadline
from app.writing.completion import Prompt
from tests.support.endpoints import model_at, operator_told
from tests.support.loopback import running
from tests.support.scripted_model.server import ScriptedServer
from tests.support.startup import wait_until

PROMPT = Prompt("You write.", "Write one paragraph of 2 sentences.")
DRIPPING = ["drip_head", "drip_body", "blanks"]
# Enough for a busy machine to send a request.
SECONDS = 1.0


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    with running(ScriptedServer(drip=0.02)) as server:
        yield server


def model(scripted: ScriptedServer, behaviour: str, seconds: float = 60) -> OpenAIModel:
    asked = model_at(scripted.base_url, timeout_seconds=seconds)
    asked.ping()  # the first call of a process loads the client
    scripted.control({"behaviour": behaviour})
    return asked


def closed(scripted: ScriptedServer) -> None:
    """The endpoint notices that its client closed the connection."""
    wait_until(lambda: scripted.ended > 0, 30, "the connection is closed")


@pytest.mark.parametrize("behaviour", DRIPPING)
def test_an_answer_that_drips_for_ever_ends_with_the_time_of_a_call(
    scripted: ScriptedServer, behaviour: str
) -> None:
    with operator_told(GenerationTimeout, r"no answer within 1 seconds"):
        model(scripted, behaviour, SECONDS).complete(PROMPT, Deadline(60))
    closed(scripted)
    assert scripted.calls == 1


@pytest.mark.parametrize("behaviour", DRIPPING)
def test_it_ends_with_the_time_of_its_post(scripted: ScriptedServer, behaviour: str) -> None:
    with operator_told(GenerationTimeout, r"not finished within 1 seconds"):
        model(scripted, behaviour).complete(PROMPT, Deadline(SECONDS))
    closed(scripted)


@pytest.mark.parametrize("behaviour", DRIPPING)
def test_it_ends_as_soon_as_its_deadline_is_cancelled(
    scripted: ScriptedServer, behaviour: str
) -> None:
    deadline = Deadline(60)
    asked = model(scripted, behaviour)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(asked.complete, PROMPT, deadline)
        wait_until(lambda: scripted.sent_bytes > 0, 30, "the answer begins")
        deadline.cancel()
        with pytest.raises(GenerationCancelled):
            call.result(30)
    closed(scripted)
    scripted.control({"behaviour": "good"})
    assert asked.complete(PROMPT, Deadline(60)).text, "its place is free again"


@pytest.mark.parametrize("behaviour", DRIPPING)
def test_a_ping_ends_as_well(scripted: ScriptedServer, behaviour: str) -> None:
    with operator_told(ModelUnavailable, r"did not respond within 1 seconds"):
        model(scripted, behaviour, SECONDS).ping()
    closed(scripted)


def test_an_answer_of_any_length_is_not_read_to_its_end(scripted: ScriptedServer) -> None:
    asked = model(scripted, "huge")
    for call in (lambda: asked.complete(PROMPT, Deadline(60)), asked.ping):
        scripted.control({"reset": True})
        with operator_told(ModelUnavailable, "more than 4,194,304 bytes"):
            call()
        closed(scripted)
        assert scripted.sent_bytes < 64 * 1024 * 1024, "what the sockets hold of 512 MB"
        assert scripted.calls <= 1


def test_an_answer_is_not_unpacked(scripted: ScriptedServer) -> None:
    """A few bytes could stand for gigabytes."""
    with operator_told(ModelUnavailable, "compressed answer"):
        model(scripted, "gzip").complete(PROMPT, Deadline(60))


@contextmanager
def dripping_proxy() -> Iterator[str]:
    stop = threading.Event()

    class Proxy(BaseRequestHandler):
        def handle(self) -> None:
            for part in chain([b"HTTP/1.1 200 OK\r\nX-Wait: "], repeat(b"w")):
                self.request.sendall(part)
                if stop.wait(0.02):
                    return

    with running(ThreadingTCPServer(("127.0.0.1", 0), Proxy)) as server:
        yield f"http://127.0.0.1:{server.server_address[1]}"
        stop.set()


def test_a_proxy_is_held_to_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    with dripping_proxy() as url:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, url)
        asked = model_at("http://model.example/v1", timeout_seconds=0.3)
        with operator_told(GenerationTimeout, r"no answer within 0\.3 seconds"):
            asked.complete(PROMPT, Deadline(60))


def test_a_pause_between_retries_ends_when_the_deadline_is_cancelled(
    scripted: ScriptedServer,
) -> None:
    scripted.control({"retry_after": 50})
    deadline = Deadline(60)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(model(scripted, "error_503").complete, PROMPT, deadline)
        wait_until(lambda: scripted.calls > 0, 30, "the endpoint has refused a call")
        deadline.cancel()
        with pytest.raises(GenerationCancelled):
            call.result(30)
    assert scripted.calls == 1


@pytest.mark.parametrize("behaviour", ["recover:error_429", "recover:error_503"])
def test_a_short_pause_that_the_endpoint_asks_for_is_kept(
    scripted: ScriptedServer, behaviour: str
) -> None:
    scripted.control({"retry_after": "0.01"})
    assert model(scripted, behaviour).complete(PROMPT, Deadline(60)).text
    assert scripted.calls == 2


@pytest.mark.parametrize("behaviour", ["error_429", "error_503"])
@pytest.mark.parametrize(
    ("asked", "seconds", "told", "calls"),
    [
        ("30", 20, 30, 1),  # more than is left
        ("90", 600, 90, 1),  # too long to hold a caller and a place for
        ("604800", 600, 86_400, 1),  # a week is bounded to a day
        ("soon", 600, None, 3),  # what says nothing is retried as the client sees fit
    ],
)
def test_a_long_pause_is_told_and_not_waited_for(
    scripted: ScriptedServer,
    behaviour: str,
    asked: str,
    seconds: float,
    told: int | None,
    calls: int,
) -> None:
    scripted.control({"retry_after": asked})
    with pytest.raises(ModelUnavailable) as caught:
        model(scripted, behaviour).complete(PROMPT, Deadline(seconds))
    assert caught.value.retry_after == told
    assert scripted.calls == calls
