"""The sign of life of a worker or scheduler: a file that it touches while its work advances."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing.sharedctypes import RawArray
from pathlib import Path

BEAT_SECONDS = 10.0
# A process whose file is older does not advance.
STALE_SECONDS = 60.0


class Heartbeat:
    """Touches a file, unless something takes longer than it may.

    Args:
        file: None to do nothing.
        processes: the number of forks that will call ``allow``.
    """

    def __init__(self, file: Path | None, processes: int = 0) -> None:
        self._file = file
        # By when each fork must be heard of, in monotonic seconds; in memory that they share.
        self._due = RawArray("d", [time.monotonic() + STALE_SECONDS] * processes)
        self._numbers = count()
        self._due_blocks: dict[int, float] = {}

    def allow(self, process: int, seconds: float) -> None:
        """Let this fork be silent for this long."""
        self._due[process] = time.monotonic() + seconds

    @contextmanager
    def watching(self, seconds: float) -> Iterator[None]:
        """Run a block that may take this long."""
        number = next(self._numbers)
        self._due_blocks[number] = time.monotonic() + seconds
        try:
            yield
        finally:
            del self._due_blocks[number]

    def beat(self) -> None:
        """Touch the file if nothing is overdue; called every ``BEAT_SECONDS`` or more often."""
        now = time.monotonic()
        if self._file is None or min((*self._due, *self._due_blocks.copy().values(), now)) < now:
            return
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
