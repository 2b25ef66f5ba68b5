"""The local model: a child process that serves the OpenAI protocol on loopback.

``OpenAIModel`` calls it like any other endpoint.
"""

import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from app.adapters import weights
from app.core.errors import ModelUnavailable

PARALLEL = 2
"""How many answers are written at once. On two cores, a second one costs no throughput and keeps
the prompts of two posts in the cache."""
CONTEXT_TOKENS = 4096
"""How many tokens a prompt and its answer have together at most."""
# What keeps a small model from repeating itself. It may loop all the same, hence the limit.
SAMPLING = {
    "temperature": 0.2,
    "max_tokens": 1_600,
    "min_p": 0.05,
    "top_k": 40,
    "top_p": 0.95,
    "repeat_penalty": 1.05,
    "repeat_last_n": 256,
    "dry_multiplier": 0.8,
    "dry_base": 1.75,
    "dry_allowed_length": 4,
}
_MAX_THREADS = 8
_START_SECONDS = 120.0
# The only system library that llama.cpp's wheel needs.
_OPENMP = "libgomp"
_OPENMP_REMEDY = (
    "Install the OpenMP library (on Debian: apt-get install libgomp1), or set OPENAI_BASE_URL to"
    " use another model."
)


@dataclass(frozen=True)
class LocalModel:
    """A running local model."""

    base_url: str
    api_key: str = field(repr=False)
    pid: int


def find(cache_dir: Path) -> Path | None:
    """Return the weights of the local model, if they and llama.cpp are on this machine."""
    return weights.find(cache_dir) if find_spec("xllamacpp") else None


@contextmanager
def local_model(path: Path) -> Iterator[LocalModel]:
    """Run the model of the weights at ``path`` for the block, which begins once it answers.

    Raises:
        ModelUnavailable: it did not start; the message says why and what to do.
    """
    api_key = secrets.token_urlsafe(24)
    numbers = (os.getpid(), PARALLEL, min(_MAX_THREADS, _usable_cores()), CONTEXT_TOKENS)
    command = [sys.executable, "-m", "app.adapters.local_model_server", str(path)]
    command += map(str, numbers)
    with (
        tempfile.TemporaryFile("w+", errors="replace") as said,
        # In a new session, so that only the parent gets Ctrl-C from the terminal.
        subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(api_key)
            ended, _, _ = select.select([process.stdout], [], [], _START_SECONDS)
            url = process.stdout.readline().strip() if ended else ""
            if not url:
                code = process.wait() if ended else None
                said.seek(0)
                raise _failure(path, code, said.read())
            yield LocalModel(f"{url}/v1", api_key, process.pid)
        finally:
            # It has nothing to save, and ignores signals while it loads its weights.
            process.kill()


def _failure(path: Path, code: int | None, said: str) -> ModelUnavailable:
    """Return the error of a model that ended with this code, or is not ready if None."""
    remedy = "Set OPENAI_BASE_URL to use another model."
    if code is None:
        why = f"it was not ready within {_START_SECONDS:g} seconds"
    elif code == -signal.SIGKILL:
        why = "it was killed, probably because memory ran out: it needs about 2.2 GB"
    else:
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        errors = [line.partition(" E ")[2] for line in lines if " E " in line] or lines[-1:]
        why = errors[0][:300] if errors else f"it ended with code {code}"
        if _OPENMP in said:
            remedy = _OPENMP_REMEDY
        if "failed to load model" in said:
            remedy = "Delete the file and run `copydesk-server model pull`."
    return ModelUnavailable(f"The local model {path} did not start: {why}. {remedy}")


def check_runtime() -> None:
    """Check that llama.cpp is installed, before a gigabyte is downloaded for it.

    Raises:
        ModelUnavailable: it is not; the message says what to do.
    """
    if find_spec("xllamacpp") is None:
        raise ModelUnavailable(
            "The local model cannot run here: llama.cpp is not installed. Run `make local-model` in"
            " the repository, or install the extra copydesk-server[local], or set OPENAI_BASE_URL"
            " to use another model."
        )


def _usable_cores() -> int:
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
