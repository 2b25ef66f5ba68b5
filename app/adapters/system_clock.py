"""The clock of the machine, or the one that all machines of a service share."""

from collections.abc import Callable
from datetime import UTC, datetime

from app.ports import Clock


class SystemClock(Clock):
    """The clock of this machine, or that of the database's server once ``server`` returns it: so a
    machine whose own is wrong neither takes the work of others nor makes what it stores look
    old."""

    def __init__(self, server: Callable[[], datetime | None] = lambda: None) -> None:
        self._server = server

    def now(self) -> datetime:
        return self._server() or datetime.now(UTC)
