"""The line that says what goes on."""

import io
import logging
import threading

import pytest

from copydesk_connectors.engine.progress import StatusLine, TerminalHandler, busy, status_line

CLEAR = "\r\x1b[K"
_LONGEST_S = 20.0


class Screen(io.StringIO):
    """A terminal that tells when a text has been written to it."""

    def __init__(self, awaited: str = "") -> None:
        super().__init__()
        self.awaited = awaited
        self.written = threading.Event()

    def write(self, text: str) -> int:
        if self.awaited and self.awaited in text:
            self.written.set()
        return super().write(text)


def test_what_takes_long_says_what_it_is_and_goes_away_again() -> None:
    """Progress on terminals for anything over two seconds"""
    screen = Screen("3 of 12 posts")
    with busy(lambda: "3 of 12 posts", StatusLine(screen), after_s=0.0, every_s=0.01):
        assert screen.written.wait(_LONGEST_S)
    assert screen.getvalue().startswith(f"{CLEAR}3 of 12 posts … 0 s")
    assert screen.getvalue().endswith(CLEAR)


def test_what_is_quick_shows_nothing() -> None:
    """for anything over two seconds"""
    screen = Screen()
    with busy(lambda: "never", StatusLine(screen)):
        pass
    assert screen.getvalue() == ""
    assert not [t for t in threading.enumerate() if t.name == "progress"]


def test_a_log_line_is_written_above_it() -> None:
    """plain lines … progress and plain logs"""
    screen = Screen()
    line = StatusLine(screen)
    handler = TerminalHandler(line, screen)
    record = logging.LogRecord("x", logging.INFO, "x", 1, "itm_1: published", None, None)
    handler.emit(record)
    line.show("1 of 2")
    handler.emit(record)
    handler.emit(record)
    published = "itm_1: published\n"
    assert screen.getvalue() == f"{published}{CLEAR}1 of 2{CLEAR}{published}{published}"


def test_there_is_none_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """plain lines elsewhere, JSON logs by flag"""
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert status_line(as_json=False) is None
    monkeypatch.setattr(screen, "isatty", lambda: True)
    assert status_line(as_json=False) is not None
    assert status_line(as_json=True) is None
