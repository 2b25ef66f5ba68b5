"""Workers as threads of this process, fed from the database.

A wake-up makes an idle thread look at once; without one each looks every ``poll_seconds``, so that
work queued by another process is found as well. A process that only queues has no threads.
"""

import logging
from collections.abc import Callable
from threading import Event, Thread

from app.ports import TaskQueue, Work

log = logging.getLogger(__name__)


class ThreadQueue(TaskQueue):
    """``work`` does one piece of work and says whether there was any."""

    def __init__(self, poll_seconds: float = 1.0) -> None:
        self._poll_seconds = poll_seconds
        self._wake = Event()
        self._stopping = Event()
        self._threads: list[Thread] = []

    def enqueue(self, *work: Work) -> None:
        self._wake.set()

    def missing(self, *work: Work) -> list[Work]:
        """None: each thread looks into the database by itself."""
        return []

    def ping(self) -> None:
        """It is a part of this process."""

    def start(self, work: Callable[[], bool], workers: int) -> None:
        """Begin to work in so many threads, until ``stop``."""
        for number in range(workers):
            thread = Thread(target=self._loop, args=(work,), name=f"worker-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout_seconds: float) -> None:
        """Ask the threads to end after what they are doing, and wait at most so long for them.

        Work that is cut off is not lost: its lease lapses and it is taken up again.
        """
        self._stopping.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(timeout_seconds)

    def _loop(self, work: Callable[[], bool]) -> None:
        while not self._stopping.is_set():
            try:
                found = work()
            except Exception:  # a worker outlives whatever one piece of work does
                log.exception("a worker met an error; the work will be taken up again")
                found = False
            if not found and not self._stopping.is_set():
                self._wake.wait(self._poll_seconds)
                self._wake.clear()
