"""The sign of life of a worker or scheduler: a file that it touches while its work advances."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

BEAT_SECONDS = 10.0
# A process whose file is older does not advance.
STALE_SECONDS = 60.0


class Heartbeat:
    """Touches a file, unless something that is watched takes longer than it may.

    Args:
        file: None to do nothing.
        pulses: functions that return when, in monotonic seconds, a part last advanced. A part may
            pause for ``STALE_SECONDS``.
    """

    def __init__(self, file: Path | None, pulses: Sequence[Callable[[], float]] = ()) -> None:
        self._file = file
        self._pulses = pulses
        self._numbers = count()
        self._overdue_at: dict[int, float] = {}

    @contextmanager
    def watching(self, seconds: float) -> Iterator[None]:
        """Run a block that may take this long."""
        number = next(self._numbers)
        self._overdue_at[number] = time.monotonic() + seconds
        try:
            yield
        finally:
            del self._overdue_at[number]

    def beat(self) -> None:
        """Touch the file if everything advances; called every ``BEAT_SECONDS``."""
        now = time.monotonic()
        is_late = any(at < now for at in list(self._overdue_at.values()))
        if self._file is None or is_late:
            return
        if all(now - pulse() < STALE_SECONDS for pulse in self._pulses):
            # A full disk must not end the process.
            with suppress(OSError):
                self._file.touch()


def trouble(file: Path) -> str | None:
    """Return what is wrong with the process that touches this file, or None."""
    try:
        age = time.time() - file.stat().st_mtime
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}. No worker or scheduler has started."
    if age > STALE_SECONDS:
        return f"The process has made no progress for {age:,.0f} s. Restart it, and see its log."
    return None
