"""A lock inside one process whose waiters are served in the order in which they came."""

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, get_ident

from sqlalchemy.exc import OperationalError


@dataclass(eq=False)
class _Waiter:
    """Waits on a lock of its own, which is opened as its turn comes."""

    thread: int
    closed: Lock = field(default_factory=Lock)


class Turns:
    """One at a time, first come, first served."""

    def __init__(self, timeout_seconds: float) -> None:
        self._timeout_seconds = timeout_seconds
        self._state = Lock()
        self._owner: int | None = None
        self._waiting: deque[_Waiter] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and hold it for the length of the block.

        Raises:
            OperationalError: the turn did not come in time; the database would say the same.
            RuntimeError: this thread has a turn already: it would wait for itself.
        """
        self._take()
        try:
            yield
        finally:
            self._pass_on()

    def _take(self) -> None:
        waiter = _Waiter(get_ident())
        with self._state:
            if self._owner == waiter.thread:
                raise RuntimeError("a transaction is open already: transactions do not nest")
            if self._owner is None:
                self._owner = waiter.thread
                return
            waiter.closed.acquire()
            self._waiting.append(waiter)
        came = False
        try:
            came = waiter.closed.acquire(timeout=self._timeout_seconds)
        finally:
            if not came:
                self._leave(waiter)
        if not came:
            late = sqlite3.OperationalError("database is locked")
            raise OperationalError("BEGIN IMMEDIATE", None, late)

    def _leave(self, waiter: _Waiter) -> None:
        with self._state:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
                return
        # The turn came at the very moment at which nobody waited for it any more.
        self._pass_on()

    def _pass_on(self) -> None:
        with self._state:
            if self._waiting:
                following = self._waiting.popleft()
                self._owner = following.thread
                following.closed.release()
            else:
                self._owner = None
