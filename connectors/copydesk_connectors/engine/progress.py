"""Show on a terminal what takes longer than two seconds, in a line that disappears afterwards.

Nothing is shown if standard error is not a terminal or the log is JSON. click's progress bar cannot
be used: it cannot share the terminal with log lines, and needs to know the total.
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
    """The last line of a terminal, below all other output."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = False
        self._turn = threading.RLock()

    def show(self, text: str) -> None:
        """Replace the text of the line."""
        with self._turn:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"{_CLEAR}{text[:width]}")
            self._stream.flush()
            self._shown = True

    @contextmanager
    def away(self) -> Iterator[None]:
        """Hide the line while the block writes."""
        with self._turn:
            if self._shown:
                self._stream.write(_CLEAR)
                self._shown = False
            yield


class TerminalHandler(logging.StreamHandler[TextIO]):
    """A log handler for a terminal with a status line."""

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
    """Show what happens, and for how many seconds, while the block runs."""
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
    """Return the line of standard error, or None if it is not a terminal or the log is JSON."""
    return StatusLine(sys.stderr) if sys.stderr.isatty() and not as_json else None
