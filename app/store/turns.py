"""A lock inside one process for which nobody waits much longer than the others.

To hand each turn to who has waited longest would be fair, and slow: that thread sleeps and has to
be woken, while the one that runs could go on at once. So whoever runs may take a turn that is free,
as with any lock, until somebody has waited for too long: the next turn is that one's.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, get_ident

from sqlalchemy.exc import OperationalError

# After so long a wait a turn is handed over.
_PATIENCE_SECONDS = 0.1


@dataclass(eq=False)
class _Waiter:
    """Waits on a lock of its own, which is opened when a turn is free or its own."""

    thread: int
    since: float
    closed: Lock = field(default_factory=Lock)


class Turns:
    """One at a time; who has waited for too long is the next."""

    def __init__(self, timeout_seconds: float, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._timeout_seconds = timeout_seconds
        self._patience_seconds = patience_seconds
        self._state = Lock()
        self._owner: int | None = None
        # In the order in which they came.
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
        """Whether one that was woken has the turn: it was handed over, or is free still."""
        with self._state:
            if waiter not in self._waiting:
                return True
            if self._owner is not None:
                return False
            self._waiting.remove(waiter)
            self._owner = waiter.thread
            return True

    def _leave(self, waiter: _Waiter) -> bool:
        """Wait no longer; False where the turn was handed over at this very moment."""
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
