"""Real processes for races: they begin at the same moment, and what they did outlives them.

What a process does is a generator; each value that it yields is a line of a file at once, so that
nothing of it is lost when the process is killed. The processes are forked from a server that has
the code loaded and no database open, so that sixteen of them cost no more than one.
"""

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import Event
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.core.errors import Conflict
from app.ports import Clock
from app.services import accounts, retention, runs, schedule
from app.services import feed as service
from app.services.context import Context
from app.store import database
from tests.support.contexts import context_at
from tests.support.feed_oracle import CONFLICT, OK
from tests.support.integration import CountingQueue, ManualClock
from tests.support.startup import wait_until

Work = Callable[..., Iterator[Any]]
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([__name__])
DEADLINE_SECONDS = 60.0


class ConcurrentProcesses:
    """``count`` processes that do the same work at once. The context ends all of them on exit."""

    def __init__(self, folder: Path, count: int, work: Work, *arguments: Any) -> None:
        """``work`` is called with the number of the process, then the arguments."""
        folder.mkdir()
        # Kept here: its semaphores vanish with the last reference in this process.
        self._barrier = CONTEXT.Barrier(count, timeout=DEADLINE_SECONDS)
        self._files = [folder / f"{number}.jsonl" for number in range(count)]
        self._processes: list[BaseProcess] = [
            CONTEXT.Process(target=_record, args=(file, self._barrier, work, number, *arguments))
            for number, file in enumerate(self._files)
        ]

    def __enter__(self) -> "ConcurrentProcesses":
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            process.kill()
            process.join()

    def kill(self, number: int) -> None:
        """End a process as a crash would."""
        pid = self._processes[number].pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        self._processes[number].join()

    def wait_for_lines(self, count: int) -> None:
        """Wait until every process has written ``count`` lines."""
        wait_until(lambda: all(len(_lines(file)) >= count for file in self._files))

    def join(self) -> list[list[Any]]:
        """What each process yielded; fails where one that was not killed did not end well."""
        until = time.monotonic() + DEADLINE_SECONDS
        for process in self._processes:
            process.join(max(0.0, until - time.monotonic()))
        ended = [process.exitcode for process in self._processes]
        assert all(code in {0, -signal.SIGKILL} for code in ended), f"exit codes: {ended}"
        return [[json.loads(line) for line in _lines(file)] for file in self._files]


def _lines(file: Path) -> list[str]:
    """The complete lines; a process that was killed may have left half of one."""
    return file.read_text().split("\n")[:-1] if file.exists() else []


def _record(file: Path, barrier: Barrier, work: Work, *arguments: Any) -> None:
    with file.open("ab", buffering=0) as out:
        barrier.wait()
        for value in work(*arguments):
            out.write(json.dumps(value).encode() + b"\n")


@contextmanager
def connected(url: str) -> Iterator[None]:
    database.bind(url)
    yield
    database.dispose()


def _still(now: str) -> Context:
    return context_at(ManualClock(datetime.fromisoformat(now)), CountingQueue())


def call(token: str, verb: str, argument: str | None) -> Any:
    """One operation through the services: what it sent as [id, deliveryCount], or a status."""
    context = context_at(Clock(), CountingQueue())
    if verb in {"confirm", "reject"}:
        assert argument is not None
        change = service.confirm if verb == "confirm" else service.reject
        try:
            change(context, token, argument)
        except Conflict:
            return CONFLICT
        return OK
    if verb == "items":
        sent = service.pull_items(context, token, rule=argument)
    else:
        item = service.pull_latest(context, token, next_item=verb == "next")
        sent = [item] if item else []
    return [[item.id, item.delivery_count] for item in sent]


def record(
    verb: str, argument: str | None, operation: Callable[[], Any], result: list[Any]
) -> Iterator[list[Any]]:
    """An operation as two lines, before and after it, so that a kill between them shows."""
    yield [verb, argument, time.monotonic_ns()]
    result[:] = [operation()]
    yield [time.monotonic_ns(), result[0]]


def ticks(number: int, url: str, now: str) -> Iterator[Any]:
    with connected(url):
        yield schedule.tick(_still(now))


def pulls_at(number: int, url: str, token: str, now: str) -> Iterator[Any]:
    queue = CountingQueue()
    with connected(url):
        service.pull_latest(replace(_still(now), queue=queue), token, next_item=False)
    yield queue.wakes


def claims(number: int, url: str, now: str) -> Iterator[Any]:
    """Takes runs until there is none."""
    with connected(url):
        while run := runs.claim(_still(now)):
            yield run.id


def takes_a_run_and_hangs(number: int, url: str, now: str) -> Iterator[Any]:
    with connected(url):
        run = runs.claim(_still(now))
        assert run is not None
        yield [run.id, run.attempt]
        time.sleep(timedelta(minutes=10).total_seconds())


def forgets(number: int, url: str, now: str, pause_seconds: float) -> Iterator[Any]:
    """Forgets what is past its time; says how much."""
    pause = Event()
    with connected(url):
        yield dict(retention.delete_old(_still(now), lambda _: pause.wait(pause_seconds)))


def rotates(number: int, url: str, account_id: str) -> Iterator[Any]:
    """Replaces the webhook root of an account: the new one, and the one that it replaced."""
    with connected(url):
        yield accounts.replace_webhook_root(account_id)


def migrates(number: int, url: str) -> Iterator[Any]:
    database.bind(url)
    database.migrate()
    yield "migrated"


def forks(number: int, url: str) -> Iterator[Any]:
    """Forks while a connection lies idle, and writes in the fork: the server's number of the
    parent's connection, of the fork's, and of the parent's after it."""

    def server_process() -> int:
        with database.writing() as session:
            session.execute(text("UPDATE accounts SET name = name || '!'"))
            return _server_process(session)

    with connected(url):
        before, (answer, say) = server_process(), os.pipe()
        child = os.fork()
        if child == 0:
            os.write(say, json.dumps(server_process()).encode())
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        yield [before, json.loads(os.read(answer, 100)), server_process()]


def _server_process(session: Session) -> int:
    """Which of the server's processes serves a connection; on SQLite there are none."""
    if database.engine().dialect.name == "sqlite":
        return os.getpid()
    return int(session.scalar(text("SELECT pg_backend_pid()")) or 0)
