"""Workers as threads of this process, fed from the database.

A wake-up makes an idle thread poll immediately. Otherwise each polls every ``poll_seconds``, to
find work queued by other processes. A process that only queues work starts no threads.
"""

import logging
import time
from collections.abc import Callable
from threading import Event, Thread

from app.ports import TaskQueue, Work, WorkKind

log = logging.getLogger(__name__)


class ThreadQueue(TaskQueue):
    """Groups of threads, each for some kinds of work."""

    def __init__(self, poll_seconds: float = 1.0) -> None:
        self._poll_seconds = poll_seconds
        self._wake: dict[WorkKind, Event] = {}
        self._stopping = Event()
        self._threads: list[Thread] = []

    def enqueue(self, *work: Work) -> None:
        for kind in {entry.kind for entry in work} & self._wake.keys():
            self._wake[kind].set()

    def missing(self, *work: Work) -> list[Work]:
        """Return nothing: each thread polls the database."""
        return []

    def ping(self) -> None:
        """Do nothing: the queue is part of this process."""

    def start(self, work: Callable[[], bool], workers: int, *kinds: WorkKind) -> None:
        """Do these kinds of work in threads until ``stop``.

        ``work`` does one piece and returns whether there was any.
        """
        wake = Event()
        self._wake |= dict.fromkeys(kinds, wake)
        for number in range(workers):
            name = f"{'-'.join(kinds)}-{number}"
            thread = Thread(target=self._loop, args=(work, wake), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Ask the threads to end after their current piece of work."""
        self._stopping.set()
        for wake in self._wake.values():
            wake.set()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the threads to end; return False if some are still running.

        Interrupted work is not lost: its lease lapses and it is claimed again.
        """
        until = time.monotonic() + timeout_seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _loop(self, work: Callable[[], bool], wake: Event) -> None:
        while not self._stopping.is_set():
            try:
                found = work()
            except Exception:  # a worker survives any error of one piece of work
                log.exception("a worker met an error; the work will be retried")
                found = False
            if not found and not self._stopping.is_set():
                wake.wait(self._poll_seconds)
                wake.clear()
