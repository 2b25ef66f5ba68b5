"""Scheduler and worker processes on one database, whose time the test moves, and which it kills.

They run until they are killed. Each reads its clock from a file of its own, so that the test can
move all of them together, or let one of them jump.
"""

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event

from app.ports import Clock
from app.services import post_writer, rules, runs
from app.writing.pipeline import Written
from tests.support.concurrent_processes import CONTEXT, connected
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue
from tests.support.scripted_worker import WRITTEN

Work = Callable[[str, Path], None]
_PAUSE_SECONDS = 0.02
# As if a model wrote: long enough for a kill to find a run in the middle.
_WRITING_SECONDS = 0.003


class FileClock(Clock):
    """Shows the time that is in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> datetime:
        return datetime.fromisoformat(self._file.read_text())


class Crew:
    """Processes of one kind; one that is killed is replaced."""

    def __init__(self, folder: Path, work: Work, count: int, url: str, now: datetime) -> None:
        self._work, self._url = work, url
        self._clocks = [folder / f"{work.__name__}-{number}" for number in range(count)]
        self.set_clocks(now)
        self._processes = [self._start(clock) for clock in self._clocks]
        self.kills = 0

    def set_clocks(self, *times: datetime) -> None:
        """Give each its time, or one time to all."""
        for number, file in enumerate(self._clocks):
            new = file.with_suffix(".new")
            new.write_text(times[number % len(times)].isoformat())
            new.replace(file)

    def kill(self, number: int) -> None:
        """End a process as a crash would, and start another in its place."""
        self._end(self._processes[number])
        self._processes[number] = self._start(self._clocks[number])
        self.kills += 1

    def check(self) -> None:
        """Fail if a process ended without being killed."""
        ended = [process.exitcode for process in self._processes]
        assert ended == [None] * len(ended), f"{self._work.__name__} ended: {ended}"

    def close(self) -> None:
        for process in self._processes:
            self._end(process)

    def _start(self, clock: Path) -> BaseProcess:
        process = CONTEXT.Process(target=self._work, args=(self._url, clock))
        process.start()
        return process

    def _end(self, process: BaseProcess) -> None:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()


@contextmanager
def crews(
    folder: Path, url: str, now: datetime, *, schedulers: int, workers: int
) -> Iterator[tuple[Crew, Crew]]:
    """Start this number of schedulers and workers, and end all of them on exit."""
    made: list[Crew] = []
    try:
        for work, count in ((schedule, schedulers), (write, workers)):
            made.append(Crew(folder, work, count, url, now))
        yield made[0], made[1]
    finally:
        for crew in made:
            crew.close()


def schedule(url: str, clock: Path) -> None:
    """Ticks again and again."""
    with connected(url):
        while True:
            rules.tick(context_at(FileClock(clock), CountingQueue()))
            Event().wait(_PAUSE_SECONDS)


def write(url: str, clock: Path) -> None:
    """Takes runs and writes their items, each another text."""
    setattr(post_writer, "write_post", _write_post)  # noqa: B010 - what a test would have to patch
    with connected(url):
        while True:
            if not runs.run_next(context_at(FileClock(clock))):
                Event().wait(_PAUSE_SECONDS)


def _write_post(*_: object, **__: object) -> Written:
    Event().wait(_WRITING_SECONDS)
    words = " ".join(f"{random.getrandbits(40):x}" for _ in range(60))
    section = WRITTEN.post.sections[0].model_copy(update={"content_markdown": words})
    return replace(WRITTEN, post=WRITTEN.post.model_copy(update={"sections": (section,)}))
