"""The clock of the machine, and the one that all machines of a service share."""

from collections.abc import Callable
from datetime import UTC, datetime

from app.ports import Clock


class SystemClock(Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)


class SharedClock(SystemClock):
    """The clock of the database's server, so that a machine whose own is wrong neither takes the
    work of others nor makes what it stores look old; its own until ``server`` was read."""

    def __init__(self, server: Callable[[], datetime | None]) -> None:
        self._server = server

    def now(self) -> datetime:
        return self._server() or super().now()
