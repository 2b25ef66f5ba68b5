"""Parse untrusted pages in separate processes, so that no page can block this one.

`concurrent.futures` cannot end a running task. `pebble` can, but returns results as pickles,
through which a compromised process could compromise this one; it also loads the program's main
module into each process, and its threads poll for work many times a second. These processes have
no secrets in their environment, and answer with JSON of a bounded length.
"""

import atexit
import json
import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import Pipe
from queue import Empty, LifoQueue
from threading import Timer
from typing import Any

from app.adapters import page_process
from app.ports import PageRefused

log = logging.getLogger(__name__)

# A page of 15,000 elements takes about two.
CPU_SECONDS = 10
# A page of two megabytes takes a tenth of it.
MEMORY_BYTES = 768 * 1024 * 1024
# On three processors, two hostile pages at once leave one for the service.
MOST_PROCESSES = 2
# Parsers keep memory; a new process starts without.
PAGES_OF_A_PROCESS = 200
# trafilatura loads numpy, which needs no thread with its own buffers for each processor.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
_MAX_ANSWER_BYTES = 8_000_000
_END_SECONDS = 5.0
_REASONS = {
    -signal.SIGXCPU: "The page takes too long to read.",
    page_process.NO_MEMORY: "The page needs too much memory to read.",
}
_CRASHED = "The page cannot be read: its reader ended with an error."


class _Ended(Exception):
    """The process has ended, or its answer is too long."""


class _Process:
    """One running page process."""

    def __init__(self, limits: list[str]) -> None:
        self.pages = 0
        self._channel, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", page_process.__name__, *limits],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)},
            )

    def ask(self, request: dict[str, Any], body: bytes, until: float) -> Any:
        """Send a request and return its answer.

        Raises:
            TimeoutError: there was no answer by ``until``, on the monotonic clock.
            _Ended
        """
        self.pages += 1
        # Whatever it is at then, this ends the exchange.
        watchdog = Timer(_left(until), self.process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            self._channel.send_bytes(json.dumps(request).encode())
            self._channel.send_bytes(body)
            return json.loads(self._channel.recv_bytes(_MAX_ANSWER_BYTES))
        except (EOFError, OSError):
            _left(until)
            raise _Ended from None
        finally:
            watchdog.cancel()

    def exit_code(self) -> int:
        """Return the exit code, or 0 if the process is still running after some seconds."""
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return 0

    def end(self) -> None:
        self._channel.close()
        self.process.kill()
        self.process.wait()


class PageProcesses:
    """Up to two processes, started when they are needed and used again. Safe to call from several
    threads. They end with this process, however it ends.

    Args:
        cpu_seconds: of processor time for each page.
        memory_bytes: for a process with its libraries.
    """

    def __init__(self, cpu_seconds: int = CPU_SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self._limits = [str(cpu_seconds), str(memory_bytes)]
        # One entry for each process that may run: an idle process, or None if none was started.
        self._idle: LifoQueue[_Process | None] = LifoQueue()
        for _ in range(MOST_PROCESSES):
            self._idle.put(None)

    def read(self, kind: str, body: bytes, seconds: float, **said: str) -> Any:
        """Return the result of one of ``page_process``'s readers for a body.

        Args:
            said: the reader's other arguments.

        Raises:
            PageRefused: the page has no text, or takes too much time or memory.
            TimeoutError: no process answered within ``seconds``.
        """
        until = time.monotonic() + seconds
        try:
            one = self._idle.get(timeout=_left(until))
        except Empty:
            raise TimeoutError from None
        fit = False
        try:
            if one and one.process.poll() is not None:
                one.end()
                one = None
            one = one or _Process(self._limits)
            try:
                answer = one.ask({"kind": kind, **said}, body, until)
            except _Ended:
                code = one.exit_code()
                log.info("a process that read a page ended with %d", code)
                raise PageRefused(_REASONS.get(code, _CRASHED)) from None
            fit = one.pages < PAGES_OF_A_PROCESS
        finally:
            if one and not fit:
                one.end()
            self._idle.put(one if fit else None)
        if refused := answer.get("refused"):
            raise PageRefused(refused)
        if failed := answer.get("failed"):
            raise RuntimeError(f"a page tripped its reader:\n{failed}")
        return answer["read"]

    def close(self) -> None:
        """End the idle processes."""
        idle = []
        with suppress(Empty):
            while True:
                idle.append(self._idle.get_nowait())
        for one in idle:
            if one:
                one.end()
            self._idle.put(None)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


# One pool for the whole process: the limits protect the machine.
page_processes = PageProcesses()
atexit.register(page_processes.close)
