"""The promises of the Model port, kept by every model that the service can be given.

The scripted endpoint shows the protocol, a small real model in the real local server shows that
llama.cpp keeps it, and the model that the product ships with shows it for the real thing.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import jsonschema
import pytest

from app.adapters.local_model import LocalModel
from app.adapters.openai_model import OpenAIModel
from app.adapters.weights import find
from app.core.errors import GenerationTimeout, ModelUnavailable
from app.core.writing.completion import Prompt
from app.core.writing.foreign import comparison_prompt
from app.core.writing.order import continuation_prompt
from app.deadline import Deadline
from tests.support.long_tests import EVERYTHING
from tests.support.operator_errors import operator_told
from tests.support.small_model import small_weights

ROOT = Path(__file__).parents[2]
SEEDS = 4 if EVERYTHING else 2
PLAIN = Prompt(
    system="You are a helpful writer.",
    user="Write one paragraph of 2 sentences about making tea.",
    max_tokens=120,
    seed=7,
)
SCHEMA = replace(
    PLAIN,
    user="Name a drink, and two things that go into it.",
    schema={
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "points": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        },
        "required": ["title", "points"],
        "additionalProperties": False,
    },
    max_tokens=400,
)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that runs, and how to talk to it."""

    base_url: str
    api_key: str
    model: str
    llama_cpp: bool

    def adapter(self, timeout_seconds: float = 120, concurrency: int = 2) -> OpenAIModel:
        return OpenAIModel(
            self.base_url,
            self.api_key,
            self.model,
            timeout_seconds=timeout_seconds,
            concurrency=concurrency,
            llama_cpp=self.llama_cpp,
        )


@contextmanager
def scripted() -> Iterator[Endpoint]:
    command = [sys.executable, "tests/scripted_model.py", "--port", "0", "--delay", "5"]
    command += ["--api-key", "sk-test-key-456"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready, url = process.stdout.readline().split()
            assert ready == "ready"
            yield Endpoint(url, "sk-test-key-456", "scripted", llama_cpp=False)
        finally:
            process.kill()


@contextmanager
def local(weights: Path) -> Iterator[Endpoint]:
    with LocalModel.start(weights) as running:
        yield Endpoint(running.base_url, running.api_key, "local", llama_cpp=True)


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
    """«Answer one prompt»; «Token counts are the endpoint's own»."""
    completion = endpoint.adapter().complete(PLAIN, Deadline(120))
    assert len(completion.text.split()) > 5
    assert completion.refusal is None
    assert completion.prompt_tokens > 10
    assert 5 < completion.completion_tokens <= PLAIN.max_tokens


def test_answers_in_the_shape_of_a_schema(endpoint: Endpoint) -> None:
    """«``schema`` asks for structured output (strict JSON schema)»; a new seed fixes a bad one."""
    model = endpoint.adapter()
    assert SCHEMA.schema is not None
    read = []
    for seed in range(SEEDS):
        completion = model.complete(replace(SCHEMA, seed=seed), Deadline(120))
        try:
            read.append(json.loads(completion.text))
        except ValueError:
            assert completion.cut_off
    assert len(read) >= SEEDS // 2
    for answer in read:
        jsonschema.validate(answer, SCHEMA.schema)


def test_tells_how_probable_a_text_is_behind_another(endpoint: Endpoint) -> None:
    """«the probability of this text behind ``user``»; «None if the endpoint does not tell»."""
    model = endpoint.adapter()
    asked = continuation_prompt("The capital of France is", "Paris.")
    found = model.complete(asked, Deadline(120)).likelihood
    elsewhere = replace(asked, user="Boil the eggs for seven minutes in")
    other = model.complete(elsewhere, Deadline(120)).likelihood
    if endpoint.llama_cpp:
        assert found is not None
        assert other is not None
        assert other < found < 0
    else:
        assert found is None


def test_tells_how_alike_texts_are(endpoint: Endpoint) -> None:
    """«how alike these texts are, of at most 500 bytes each»; «None if the endpoint does not
    tell»."""
    tea, more, longest = "Tea steeps in hot water.", "Tea is made with hot water.", "7" * 500
    asked = comparison_prompt([tea, "The striker scored twice.", more, longest])
    found = endpoint.adapter().complete(asked, Deadline(120)).cosines
    # Texts that the server reads at once do not change each other.
    pair = endpoint.adapter().complete(comparison_prompt([tea, longest]), Deadline(120)).cosines
    if endpoint.llama_cpp:
        assert found is not None
        assert pair is not None
        assert found[0][3] == pytest.approx(pair[0][1], abs=0.02)
        assert [len(row) for row in found] == [4, 4, 4, 4]
        assert found[0][1] < found[0][2] < found[0][0] == pytest.approx(1, abs=0.001)
    else:
        assert found is None


def test_says_when_an_answer_was_cut_off(endpoint: Endpoint) -> None:
    """«``cut_off`` is true when the answer ended at ``max_tokens``»."""
    completion = endpoint.adapter().complete(replace(PLAIN, max_tokens=5), Deadline(120))
    assert completion.cut_off
    assert completion.text


def test_stops_where_it_is_told(endpoint: Endpoint) -> None:
    """``stop`` ends the answer and is not part of it."""
    plain = endpoint.adapter().complete(PLAIN, Deadline(120)).text
    stop = plain.split()[3]
    stopped = endpoint.adapter().complete(replace(PLAIN, stop=(stop,)), Deadline(120))
    assert stop not in stopped.text
    assert not stopped.cut_off


def test_serves_several_threads(endpoint: Endpoint) -> None:
    """«Safe to call from several threads»: more at once than it has places for."""
    model = endpoint.adapter(concurrency=2)
    prompts = [replace(PLAIN, user=f"{PLAIN.user} Number {n}.", max_tokens=20) for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        completions = list(pool.map(lambda prompt: model.complete(prompt, Deadline(120)), prompts))
    assert all(completion.text for completion in completions)


def test_ping(endpoint: Endpoint) -> None:
    """«Return when the endpoint answers»."""
    endpoint.adapter().ping()


def test_a_late_answer_is_a_timeout(endpoint: Endpoint) -> None:
    """«GenerationTimeout: no answer within the adapter's time-out»."""
    name = endpoint.model if endpoint.llama_cpp else "scripted:slow"
    model = replace(endpoint, model=name).adapter(timeout_seconds=0.1)
    with operator_told(GenerationTimeout, r"within 0\.1 seconds"):
        model.complete(replace(PLAIN, max_tokens=1000), Deadline(120))


def test_a_wrong_key_is_said_so(endpoint: Endpoint) -> None:
    """«ModelUnavailable: … or bad credentials», and the key is not in the message."""
    model = replace(endpoint, api_key="sk-wrong-key-123").adapter()
    for call in (model.ping, lambda: model.complete(PLAIN, Deadline(120))):
        with operator_told(ModelUnavailable, "Check OPENAI_API_KEY") as error:
            call()
        assert "sk-wrong-key-123" not in error.value.operator


def test_an_endpoint_that_is_gone(endpoint: Endpoint) -> None:
    """«ModelUnavailable: no connection»; «raise ModelUnavailable when it does not»."""
    gone = replace(endpoint, base_url="http://127.0.0.1:9/v1", llama_cpp=False).adapter()
    for call in (gone.ping, lambda: gone.complete(PLAIN, Deadline(120))):
        with operator_told(ModelUnavailable, "cannot be reached"):
            call()
