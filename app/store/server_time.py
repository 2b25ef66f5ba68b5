"""The time of a database server, on which all machines that use it agree."""

import time
from datetime import UTC, datetime, timedelta

# Clocks of two machines drift apart by some milliseconds in this time.
_OLD_SECONDS = 60.0


def elapsed() -> float:
    """Return seconds from a clock that nobody sets, and that goes on while the machine sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class ServerTime:
    """The time of a server, as it was read last and has passed since. Threads may share it."""

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None

    def note(self, server: datetime, asked: float, answered: float) -> None:
        """Note the time that the server told between two readings of ``elapsed``."""
        self._read = server.astimezone(UTC), (asked + answered) / 2

    def is_old(self) -> bool:
        """Return whether it is to be read again."""
        return self._read is None or elapsed() - self._read[1] > _OLD_SECONDS

    def now(self) -> datetime | None:
        """Return the server's time, or None if it was never read."""
        if self._read is None:
            return None
        server, at = self._read
        return server + timedelta(seconds=elapsed() - at)
