"""The clock of the machine, and one that several machines share."""

from collections.abc import Callable
from datetime import UTC, datetime

from app.ports import Clock


class SystemClock(Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)


class SharedClock(SystemClock):
    """The clock of the database server, so that a machine with a wrong clock neither takes the work
    of others nor holds its own for too long; the machine's own if ``server`` returns None."""

    def __init__(self, server: Callable[[], datetime | None]) -> None:
        self._server = server

    def now(self) -> datetime:
        return self._server() or super().now()
