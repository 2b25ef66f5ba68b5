"""The local model: a child process that serves the OpenAI protocol on loopback.

``LocalModel`` starts it, starts it again where it dies, and ends it; ``OpenAIModel`` talks to it
as to any other endpoint.
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
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from app.core.errors import ModelUnavailable

log = logging.getLogger(__name__)

PARALLEL = 2
"""How many answers are written at once. On two cores a second one costs no throughput and keeps
the prompts of two posts in the cache; bench/model.py measures it."""
_CONTEXT_TOKENS = 4096
_MAX_THREADS = 8
_START_SECONDS = 120.0
_LONGEST_PAUSE_SECONDS = 60.0
# The one library that llama.cpp's wheel takes from the system.
_OPENMP = "libgomp"
_OPENMP_REMEDY = (
    "Install the OpenMP library (on Debian: apt-get install libgomp1), or set OPENAI_BASE_URL to"
    " use another model."
)


class LocalModel:
    """A running local model. Use it as a context manager, or call ``stop``.

    ``base_url`` and ``api_key`` stay the same when the process had to be started again.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The child's process id."""
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
        """Start the child and wait until it answers; its address."""
        command = [sys.executable, "-m", "app.adapters.local_model_server"]
        command += ["--model", str(self._path), "--port", str(port)]
        command += ["--parallel", str(self.concurrency), "--threads", str(self._threads)]
        command += ["--context", str(_CONTEXT_TOKENS)]
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            with self._launching:
                if self._stopping.is_set():
                    raise ModelUnavailable("The local model is being stopped.")
                # A session of its own: Ctrl-C on the terminal is for the parent to handle.
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
                raise ModelUnavailable(
                    self._reason(process.returncode, said.read(), bool(readable))
                )
        return f"{line.split()[1]}/v1"

    def _watch(self) -> None:
        """Start the child again whenever it ends by itself."""
        pause = 0.0
        while not self._stopping.wait(pause):
            process = self._process
            if process is None:
                return
            process.wait()
            if self._stopping.is_set():
                return
            _end(process)
            log.warning("the local model ended (%d); starting it again", process.returncode)
            try:
                self._launch(port=urlsplit(self.base_url).port or 0)
                pause = 0.0
            except ModelUnavailable as error:
                if self._stopping.is_set():
                    return
                log.error("%s", error.message)
                pause = min(_LONGEST_PAUSE_SECONDS, max(1.0, pause * 2))

    def _reason(self, code: int | None, said: str, ended: bool) -> str:
        remedy = "Set OPENAI_BASE_URL to use another model."
        if not ended:
            why = f"it was not ready within {_START_SECONDS:g} seconds"
        elif code == -signal.SIGKILL:
            why = "it was killed, most likely for want of memory: it needs about 2.2 GB"
        else:
            lines = [line.strip() for line in said.splitlines() if line.strip()]
            errors = [line.partition(" E ")[2] for line in lines if " E " in line] or lines[-1:]
            why = errors[0][:300] if errors else f"it ended with code {code}"
            if _OPENMP in said:
                remedy = _OPENMP_REMEDY
            if "failed to load model" in said:
                remedy = "Delete the file and run `copydesk-server model pull`."
        return f"The local model {self._path} did not start: {why}. {remedy}"


def check_runtime() -> None:
    """See that llama.cpp can be loaded on this machine, before a gigabyte is fetched for it.

    Raises:
        ModelUnavailable: it cannot; the message says why and what to do.
    """
    loaded = subprocess.run(  # in a process of its own, as it is used
        [sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True, check=False
    )
    if loaded.returncode != 0:
        why = (loaded.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        remedy = _OPENMP_REMEDY if _OPENMP in why else "Set OPENAI_BASE_URL to use another model."
        raise ModelUnavailable(f"The local model cannot run here: {why}. {remedy}")


def _end(process: subprocess.Popen[str]) -> None:
    # It has nothing to save, and does not listen while it loads its weights.
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
