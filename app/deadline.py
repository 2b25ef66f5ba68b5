"""The deadline of a generation, which every call that it waits for must keep."""

import time
from threading import Event

from app.core.errors import GenerationCancelled, GenerationTimeout


class Deadline:
    """The time, ``seconds`` from now, by which work must end. Safe to share between threads."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._cancelled = Event()

    def left(self) -> float:
        """Return the seconds that are left, more than 0.

        Raises:
            GenerationTimeout: the time is up.
            GenerationCancelled: the work was cancelled.
        """
        if self._cancelled.is_set():
            raise GenerationCancelled
        left = self._until - time.monotonic()
        if left <= 0:
            raise GenerationTimeout(
                operator=f"The post was not finished within {self._seconds:g} seconds"
                " (COPYDESK_GENERATION_TIMEOUT_SECONDS)."
            )
        return left

    def cancel(self) -> None:
        """End the work now: every later left() and every pause() raises GenerationCancelled."""
        self._cancelled.set()

    def pause(self, seconds: float) -> None:
        """Wait; raise as left() does when the deadline passes or is cancelled."""
        self._cancelled.wait(min(seconds, self.left()))
        self.left()
