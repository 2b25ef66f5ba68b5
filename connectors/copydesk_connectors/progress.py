"""What takes longer than two seconds says so on a terminal, in one line that goes away again.

Where standard error is no terminal, or the log is JSON, nothing is shown: the log's own lines tell.
click's progress bar was not taken, because it knows no log lines between its own, and has to know
how much there is to do.
"""

import logging
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_AFTER_S = 2.0
_EVERY_S = 0.5
_CLEAR = "\r\x1b[K"


class StatusLine:
    """The last line of a terminal, below whatever else is written there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False
        self._turn = threading.RLock()

    def show(self, text: str) -> None:
        """Put a text in place of the one before it."""
        with self._turn:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"{_CLEAR}{text[:width]}")
            self._stream.flush()
            self._shown = True

    @contextmanager
    def away(self) -> Iterator[None]:
        """Nothing of it is there while the block writes."""
        with self._turn:
            if self._shown:
                self._stream.write(_CLEAR)
                self._shown = False
            yield


class TerminalHandler(logging.StreamHandler[TextIO]):
    """A log on a terminal that has a status line."""

    def __init__(self, line: StatusLine, stream: TextIO) -> None:
        super().__init__(stream)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record above the status line."""
        with self._line.away():
            super().emit(record)


@contextmanager
def busy(
    what: Callable[[], str],
    line: StatusLine | None,
    *,
    after_s: float = _AFTER_S,
    every_s: float = _EVERY_S,
) -> Iterator[None]:
    """Say what goes on, and for how many seconds, while the block runs; nothing without a line."""
    if line is None:
        yield
        return
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        wait_s = after_s
        while not ended.wait(wait_s):
            line.show(f"{what()} … {time.monotonic() - began:.0f} s")
            wait_s = every_s

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
        with line.away():
            pass


def status_line(*, as_json: bool) -> StatusLine | None:
    """Standard error's, where it is a terminal and people read it."""
    return StatusLine(sys.stderr) if sys.stderr.isatty() and not as_json else None
