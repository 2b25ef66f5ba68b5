"""Workers as threads of this process, fed from the database.

A wake-up makes an idle thread look at once; without one each looks every ``poll_seconds``, so that
work queued by another process is found as well. A process that only queues has no threads.
"""

import logging
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
        """None: each thread looks into the database by itself."""
        return []

    def ping(self) -> None:
        """It is a part of this process."""

    def start(self, work: Callable[[], bool], workers: int, *kinds: WorkKind) -> None:
        """Begin to do these kinds of work in so many threads, until ``stop``. ``work`` does one
        piece of them and says whether there was any."""
        wake = Event()
        self._wake |= dict.fromkeys(kinds, wake)
        for number in range(workers):
            name = f"{'-'.join(kinds)}-{number}"
            thread = Thread(target=self._loop, args=(work, wake), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout_seconds: float) -> None:
        """Ask the threads to end after what they are doing, and wait at most so long for them.

        Work that is cut off is not lost: its lease lapses and it is taken up again.
        """
        self._stopping.set()
        for wake in self._wake.values():
            wake.set()
        for thread in self._threads:
            thread.join(timeout_seconds)

    def _loop(self, work: Callable[[], bool], wake: Event) -> None:
        while not self._stopping.is_set():
            try:
                found = work()
            except Exception:  # a worker outlives whatever one piece of work does
                log.exception("a worker met an error; the work will be taken up again")
                found = False
            if not found and not self._stopping.is_set():
                wake.wait(self._poll_seconds)
                wake.clear()
