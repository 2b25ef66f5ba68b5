"""The local model: it keeps the protocol of ``Model``, a small one and the one that is shipped; its
process starts or says why not, and never outlives its parent."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.adapters.local_model import (
    SAMPLING,
    LocalModel,
    check_runtime,
    local_model,
)
from app.adapters.openai_model import OpenAIModel
from app.adapters.weights import find
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.writing.completion import Prompt
from tests.support.endpoints import model_at
from tests.support.small_model import small_weights
from tests.support.startup import wait_until

ROOT = Path(__file__).parents[2]
PROMPT = Prompt("You are a helpful writer.", "Write one paragraph of 2 sentences about making tea.")
PARENT = """
import os, sys, time
from pathlib import Path
from app.adapters.local_model import local_model
running = local_model(Path(sys.argv[1]))
model = running.__enter__()
if sys.argv[2] == "fork" and os.fork() == 0:
    os.close(1)
    time.sleep(60)
print(model.pid, flush=True)
if sys.argv[2] == "exit":
    sys.exit(0)
if sys.argv[2] == "raise":
    raise RuntimeError("a crash")
time.sleep(60)
"""


@pytest.fixture
def model() -> Iterator[LocalModel]:
    with local_model(small_weights()) as running:
        yield running


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("how", ["kill", "terminate", "exit", "raise", "fork"])
def test_ends_with_its_parent(how: str) -> None:
    """«the child dies when its parent dies in any way»: real processes, real signals."""
    command = [sys.executable, "-c", PARENT, str(small_weights()), how]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as parent:
        try:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            # The other parents exit on their own; they and their children may be gone by now.
            if how in {"kill", "fork", "terminate"}:
                assert lives(pid)
            if how in {"kill", "fork"}:
                parent.send_signal(signal.SIGKILL)
            if how == "terminate":
                parent.send_signal(signal.SIGTERM)
            parent.wait(10)
            wait_until(lambda: not lives(pid), seconds=10)
        finally:
            os.killpg(parent.pid, signal.SIGKILL) if how == "fork" else parent.kill()


def test_it_ends_with_its_block() -> None:
    with local_model(small_weights()) as model:
        assert lives(model.pid)
    assert not lives(model.pid)


def test_answers_nobody_else(model: LocalModel) -> None:
    """Other programs of this machine do not have the key."""
    request = urllib.request.Request(f"{model.base_url}/chat/completions", data=b"{}")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=10)
    error.value.close()
    assert error.value.code == 401
    assert model.base_url.startswith("http://127.0.0.1:")
    assert model.api_key not in repr(model)
    command = Path(f"/proc/{model.pid}/cmdline").read_text()
    assert model.api_key not in command


def test_writes_nothing_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """«never writes noise to the terminal»."""
    with local_model(small_weights()) as model:
        asked = model_at(
            model.base_url, model.api_key, "local", timeout_seconds=60, extra_body={"max_tokens": 5}
        )
        asked.complete(PROMPT, Deadline(60))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("content", "why"), [(b"no weights at all", "magic"), (None, "failed to open")]
)
def test_says_why_it_does_not_start(tmp_path: Path, content: bytes | None, why: str) -> None:
    """Bad input gets one clear error: what, where, what would be right."""
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=why) as error, local_model(path):
        pass
    assert str(path) in error.value.message
    assert "model pull" in error.value.message


def test_says_what_to_install_before_a_gigabyte_is_downloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.adapters.local_model.find_spec", lambda _: None)
    with pytest.raises(ModelUnavailable, match=r"llama\.cpp is not installed\. Run `make local"):
        check_runtime()


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
            extra_body=SAMPLING | {"max_tokens": 120},
            api_key=running.api_key,
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
    model = adapter(extra_body=SAMPLING | {"max_tokens": 20})
    prompts = [replace(PROMPT, user=f"{PROMPT.user} Number {n}.") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        completions = list(pool.map(lambda prompt: model.complete(prompt, Deadline(120)), prompts))
    assert all(completion.text for completion in completions)


def test_ping_and_context(adapter: Callable[..., OpenAIModel]) -> None:
    """«Return if the endpoint answers»; «None if it does not say. Never raises»."""
    model = adapter()
    model.ping()
    assert model.context_tokens() is None
