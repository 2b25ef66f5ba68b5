"""Saying that work goes on, and for how long."""

import threading
import time
from typing import Self, TextIO

LIVE_EVERY_S = 1.0
PLAIN_EVERY_S = 30.0


class Elapsed:
    """While the block runs: one live line on a terminal, a plain line now and then elsewhere.

    ``seconds`` is the time since the block was entered.
    """

    def __init__(self, what: str, stream: TextIO) -> None:
        self._what = what
        self._stream = stream
        self._live = stream.isatty()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if self._live:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _run(self) -> None:
        line = "\r\033[K{} … {:.0f} s" if self._live else "{} … {:.0f} s\n"
        while True:
            self._stream.write(line.format(self._what, self.seconds))
            self._stream.flush()
            if self._done.wait(LIVE_EVERY_S if self._live else PLAIN_EVERY_S):
                return
