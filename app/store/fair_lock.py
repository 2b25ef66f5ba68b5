"""A lock inside one process for which nobody waits much longer than the others.

Always handing the lock to the thread that has waited longest would be fair but slow: that thread
sleeps and must be woken, while a running thread could continue at once. So a running thread may
take a free lock, as usual, until some thread has waited too long: that one gets the lock next.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, get_ident

from sqlalchemy.exc import OperationalError

# A thread that has waited this long gets the lock next.
_PATIENCE_SECONDS = 0.1


@dataclass(eq=False)
class _Waiter:
    """A waiting thread; ``closed`` is released when it may try for, or owns, the lock."""

    thread: int
    since: float
    closed: Lock = field(default_factory=Lock)


class FairLock:
    """A mutex that goes next to a thread that has waited too long."""

    def __init__(self, timeout_seconds: float, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._timeout_seconds = timeout_seconds
        self._patience_seconds = patience_seconds
        self._state = Lock()
        self._owner: int | None = None
        # In the order in which they came.
        self._waiting: deque[_Waiter] = deque()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Acquire the lock for the length of the block.

        Raises:
            OperationalError: the lock was not free in time; SQLite would raise the same.
            RuntimeError: this thread holds the lock already and would wait for itself.
        """
        self._take()
        try:
            yield
        finally:
            self._pass_on()

    def _take(self) -> None:
        me = get_ident()
        with self._state:
            if self._owner == me:
                raise RuntimeError("a transaction is open already: transactions do not nest")
            if self._owner is None:
                self._owner = me
                return
            waiter = _Waiter(me, time.monotonic())
            waiter.closed.acquire()
            self._waiting.append(waiter)
        try:
            until = waiter.since + self._timeout_seconds
            while waiter.closed.acquire(timeout=max(0.0, until - time.monotonic())):
                if self._came(waiter):
                    return
        except BaseException:
            if not self._leave(waiter):
                self._pass_on()
            raise
        if self._leave(waiter):
            late = sqlite3.OperationalError("database is locked")
            raise OperationalError("BEGIN IMMEDIATE", None, late)

    def _came(self, waiter: _Waiter) -> bool:
        """Return whether a woken waiter has the lock: it was handed over or is still free."""
        with self._state:
            if waiter not in self._waiting:
                return True
            if self._owner is not None:
                return False
            self._waiting.remove(waiter)
            self._owner = waiter.thread
            return True

    def _leave(self, waiter: _Waiter) -> bool:
        """Stop waiting; return False if the lock was handed over in the meantime."""
        with self._state:
            if waiter not in self._waiting:
                return False
            self._waiting.remove(waiter)
            if self._owner is None:
                self._wake_first()
            return True

    def _pass_on(self) -> None:
        with self._state:
            self._owner = None
            self._wake_first()

    def _wake_first(self) -> None:
        if not self._waiting:
            return
        first = self._waiting[0]
        if time.monotonic() - first.since >= self._patience_seconds:
            self._waiting.popleft()
            self._owner = first.thread
        if first.closed.locked():
            first.closed.release()
