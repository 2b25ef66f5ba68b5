"""One request at a time to a host, with the pause that the host asks for."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

_MOST_HOSTS = 1000


@dataclass
class Turn:
    """What its holder may do to a host; ``pause_seconds`` is waited for before the next one."""

    pause_seconds: float = 0.0
    next_at: float = 0.0
    lock: Lock = field(default_factory=Lock)


class TurnsAtHosts:
    """The turns of this process's threads."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._lock = Lock()

    @contextmanager
    def turn(self, host: str, deadline: float) -> Iterator[Turn]:
        """Wait for the turn and hold it.

        Raises:
            TimeoutError: it did not come by the deadline, on the monotonic clock.
        """
        turn = self._of(host)
        if not turn.lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        try:
            wait = turn.next_at - time.monotonic()
            if wait > deadline - time.monotonic():
                raise TimeoutError
            time.sleep(max(0.0, wait))
            try:
                yield turn
            finally:
                turn.next_at = time.monotonic() + turn.pause_seconds
        finally:
            turn.lock.release()

    def _of(self, host: str) -> Turn:
        with self._lock:
            if host not in self._turns and len(self._turns) >= _MOST_HOSTS:
                now = time.monotonic()
                self._turns = {
                    name: turn
                    for name, turn in self._turns.items()
                    if turn.lock.locked() or turn.next_at > now
                }
            return self._turns.setdefault(host, Turn())
