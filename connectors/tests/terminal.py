"""A command on a terminal of its own, as a person has it."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

_LONGEST_S = 60.0
# A second one while it ends would end it without its exit status.
_PATIENCE_S = 5.0
# Makes the terminal its own, so that Ctrl-C reaches it, and has it end what it reaches, which the
# background of a shell does not; then becomes the command.
_ON_TERMINAL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])
"""


class Terminal:
    """Runs copydesk-connect, or the command of another module; ``read_until`` gives what it shows,
    ``answer`` types."""

    def __init__(
        self, folder: Path, *arguments: object, module: str = "copydesk_connectors"
    ) -> None:
        self.shown = ""
        self._unread = ""
        self._file, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ON_TERMINAL, module, *map(str, arguments)],
            cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def read_until(self, text: str) -> str:
        """What it shows up to and with ``text``."""
        end = time.monotonic() + _LONGEST_S
        while text not in self._unread:
            if not self._read(end):
                raise AssertionError(f"{text!r} is not in {self.shown!r}")
        before, _, self._unread = self._unread.partition(text)
        return before + text

    def answer(self, line: str) -> None:
        """Type a line."""
        os.write(self._file, f"{line}\n".encode())

    def interrupt(self) -> int:
        """Press Ctrl-C until it ends; the exit status.

        Once is not always enough: a signal that comes right before Python begins to wait for a
        line is noticed only with the next one.
        """
        end = time.monotonic() + _LONGEST_S
        while time.monotonic() < end:
            os.write(self._file, b"\x03")
            try:
                return self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError(f"it goes on: {self.shown!r}")

    def ends_with(self) -> int:
        """Read to the end; the exit status."""
        end = time.monotonic() + _LONGEST_S
        while self._read(end):
            pass
        return self._process.wait(_LONGEST_S)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._file], [], [], max(0, end - time.monotonic()))
        try:
            data = os.read(self._file, 65536) if ready else b""
        except OSError:  # the other side is gone
            data = b""
        text = data.decode().replace("\r\n", "\n")
        self.shown += text
        self._unread += text
        return bool(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._file)
