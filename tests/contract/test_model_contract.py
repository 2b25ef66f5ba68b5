"""The protocol of ``Model``, held by the local model: a small one, and the one that is shipped."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.adapters.local_model import SAMPLING, TEMPERATURE, local_model
from app.adapters.openai_model import OpenAIModel
from app.adapters.weights import find
from app.deadline import Deadline
from app.writing.completion import Prompt
from tests.support.endpoints import model_at
from tests.support.small_model import small_weights

PROMPT = Prompt("You are a helpful writer.", "Write one paragraph of 2 sentences about making tea.")


@pytest.fixture(
    scope="module", params=["small", pytest.param("shipped", marks=pytest.mark.local_model)]
)
def adapter(request: pytest.FixtureRequest) -> Iterator[Callable[..., OpenAIModel]]:
    """Make a model of the running endpoint."""
    weights = small_weights() if request.param == "small" else find(Path.home() / ".cache/copydesk")
    if weights is None:
        pytest.skip("the weights are not in the cache: run `copydesk-server model pull`")
    with local_model(weights) as running:
        yield partial(
            model_at,
            running.base_url,
            name="local",
            timeout_seconds=120,
            concurrency=2,
            temperature=TEMPERATURE,
            extra_body=SAMPLING,
            api_key=running.api_key,
            max_tokens=120,
        )


def test_answers_a_prompt(adapter: Callable[..., OpenAIModel]) -> None:
    """«Return the answer to one prompt»; «Token counts are the endpoint's own»."""
    completion = adapter().complete(PROMPT, Deadline(120))
    assert len(completion.text.split()) > 5
    assert completion.refusal is None
    assert completion.prompt_tokens > 10
    assert completion.completion_tokens > 5


def test_serves_several_threads(adapter: Callable[..., OpenAIModel]) -> None:
    """«Safe to call from several threads»: more at once than it has places for."""
    model = adapter(max_tokens=20)
    prompts = [replace(PROMPT, user=f"{PROMPT.user} Number {n}.") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        completions = list(pool.map(lambda prompt: model.complete(prompt, Deadline(120)), prompts))
    assert all(completion.text for completion in completions)


def test_ping_and_context(adapter: Callable[..., OpenAIModel]) -> None:
    """«Return if the endpoint answers»; «None if it does not say. Never raises»."""
    model = adapter()
    model.ping()
    assert model.context_tokens() is None
