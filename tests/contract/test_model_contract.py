"""The promises of the Model port, kept by every model that the service can be given.

The scripted endpoint shows the protocol, a small real model in the real local server shows that
llama.cpp keeps it, and the model that the product ships with shows it for the real thing.
"""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app.adapters.local_model import SAMPLING, TEMPERATURE, local_model
from app.adapters.openai_model import OpenAIModel
from app.adapters.weights import find
from app.core.errors import GenerationTimeout, ModelUnavailable
from app.deadline import Deadline
from app.writing.completion import Prompt
from tests.support.endpoints import model_at
from tests.support.operator_errors import operator_told
from tests.support.small_model import small_weights

ROOT = Path(__file__).parents[2]
PROMPT = Prompt("You are a helpful writer.", "Write one paragraph of 2 sentences about making tea.")


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that runs, and how to talk to it."""

    base_url: str
    api_key: str
    model: str
    is_local: bool

    def adapter(self, **options: Any) -> OpenAIModel:
        named = {"timeout_seconds": 120, "concurrency": 2, "max_tokens": 120} | options
        if self.is_local:
            named = {"temperature": TEMPERATURE, "extra_body": SAMPLING} | named
        return model_at(self.base_url, self.api_key, self.model, **named)


@contextmanager
def scripted() -> Iterator[Endpoint]:
    command = [sys.executable, "tests/scripted_model.py", "--port", "0", "--delay", "5"]
    command += ["--api-key", "sk-test-key-456"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready, url = process.stdout.readline().split()
            assert ready == "ready"
            yield Endpoint(url, "sk-test-key-456", "scripted", is_local=False)
        finally:
            process.kill()


@contextmanager
def local(weights: Path) -> Iterator[Endpoint]:
    with local_model(weights) as running:
        yield Endpoint(running.base_url, running.api_key, "local", is_local=True)


@pytest.fixture(
    scope="module",
    params=["scripted", "small", pytest.param("shipped", marks=pytest.mark.local_model)],
)
def endpoint(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    if request.param == "scripted":
        context = scripted()
    elif request.param == "small":
        context = local(small_weights())
    else:
        weights = find(Path.home() / ".cache" / "copydesk")
        if weights is None:
            pytest.skip("the weights are not in the cache: run `copydesk-server model pull`")
        context = local(weights)
    with context as running:
        yield running


def test_says_who_it_is(endpoint: Endpoint) -> None:
    """«The model's name, as its endpoint knows it»; «How many calls at once (1 or more)»."""
    model = endpoint.adapter(concurrency=3)
    assert model.name == endpoint.model
    assert model.concurrency == 3
    assert endpoint.api_key not in repr(model)


def test_answers_a_prompt(endpoint: Endpoint) -> None:
    """«Return the answer to one prompt»; «Token counts are the endpoint's own»."""
    completion = endpoint.adapter().complete(PROMPT, Deadline(120))
    assert len(completion.text.split()) > 5
    assert completion.refusal is None
    assert completion.prompt_tokens > 10
    assert completion.completion_tokens > 5
    assert completion.model == endpoint.model


def test_says_when_an_answer_was_cut_off(endpoint: Endpoint) -> None:
    """«``cut_off`` is true if the answer ended at a limit of length»."""
    completion = endpoint.adapter(max_tokens=5).complete(PROMPT, Deadline(120))
    assert completion.cut_off
    assert completion.text


def test_serves_several_threads(endpoint: Endpoint) -> None:
    """«Safe to call from several threads»: more at once than it has places for."""
    model = endpoint.adapter(max_tokens=20)
    prompts = [replace(PROMPT, user=f"{PROMPT.user} Number {n}.") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        completions = list(pool.map(lambda prompt: model.complete(prompt, Deadline(120)), prompts))
    assert all(completion.text for completion in completions)


def test_ping_and_context(endpoint: Endpoint) -> None:
    """«Return if the endpoint answers»; «None if it does not say. Never raises»."""
    model = endpoint.adapter()
    model.ping()
    assert model.context_tokens() is None


def test_a_late_answer_is_a_timeout(endpoint: Endpoint) -> None:
    """«GenerationTimeout: no answer within the adapter's time-out»."""
    name = endpoint.model if endpoint.is_local else "scripted:slow"
    model = replace(endpoint, model=name).adapter(timeout_seconds=0.1, max_tokens=1_000)
    with operator_told(GenerationTimeout, r"within 0\.1 seconds"):
        model.complete(PROMPT, Deadline(120))


def test_a_wrong_key_is_said_so(endpoint: Endpoint) -> None:
    """«ModelUnavailable: … or bad credentials», and the key is not in the message."""
    model = replace(endpoint, api_key="sk-wrong-key-123").adapter()
    for call in (model.ping, lambda: model.complete(PROMPT, Deadline(120))):
        with operator_told(ModelUnavailable, "Check OPENAI_API_KEY") as error:
            call()
        assert "sk-wrong-key-123" not in error.value.operator


def test_an_endpoint_that_is_gone(endpoint: Endpoint) -> None:
    """«ModelUnavailable: no connection»."""
    gone = replace(endpoint, base_url="http://127.0.0.1:9/v1", is_local=False).adapter()
    for call in (gone.ping, lambda: gone.complete(PROMPT, Deadline(120))):
        with operator_told(ModelUnavailable, "cannot be reached"):
            call()
