"""A command of the product that can be killed, wholly or one process of it, and started again."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread

from app.ports import Clock
from app.services import accounts
from app.store import database
from tests.support.contexts import context_at
from tests.support.process_group import ProcessGroup, descendants
from tests.support.startup import free_port, wait_until

ROOT = Path(__file__).parents[3]
START_SECONDS = 180.0


class Program:
    """``copydesk-server …`` with its settings, not started yet; ``says`` is what it prints once it
    works. ``module`` is that of another command."""

    def __init__(
        self,
        group: ProcessGroup,
        name: str,
        command: str,
        settings: Mapping[str, str],
        says: str,
        module: str = "app.cli",
    ) -> None:
        self.name = name
        self.log = group.folder / f"{name}.log"
        self._group = group
        self._command = [sys.executable, "-m", module, *command.split()]
        self._settings = {"PYTHONUNBUFFERED": "1", **settings}
        self._says = says.encode()
        self._wanted = False
        self._lock = Lock()

    def start(self) -> None:
        """Start it and wait until it works. From then on it is wanted."""
        with self._lock:
            self._spawn()
            self._wanted = True
        wait_until(self._works, START_SECONDS, f"the {self.name} works")

    def supervise(self) -> None:
        """Start it again where it has ended, as whatever runs a service does: what was killed can
        hold its port for a moment longer, and a web server whose processes die one after the
        other gives up."""
        with self._lock:
            if self._wanted and self.process.poll() is not None:
                self._spawn()

    def _works(self) -> bool:
        self.supervise()
        return self._says in self.log.read_bytes()[self._from :]

    def _spawn(self) -> None:
        self._from = self.log.stat().st_size if self.log.exists() else 0
        self.process: subprocess.Popen[bytes] = self._group.spawn(
            self._command, log=self.log, env=self._settings, cwd=ROOT
        )

    def kill(self) -> None:
        """SIGKILL to all of its processes at once, as when its machine or container dies. It is
        not wanted until ``start``."""
        with self._lock:
            self._wanted = False
            for pid in (self.process.pid, *descendants(self.process.pid)):
                _send(pid, signal.SIGKILL)
            self.process.wait()

    def freeze(self, seconds: float) -> None:
        """Stop all of its processes for so long, as when its machine is suspended."""
        pids = (self.process.pid, *descendants(self.process.pid))
        for pid in pids:
            _send(pid, signal.SIGSTOP)
        Event().wait(seconds)
        for pid in pids:
            _send(pid, signal.SIGCONT)

    def kill_one_process(self, random: Random) -> bool:
        """SIGKILL to one of the processes that it has started, as when memory runs out; False
        where it has none."""
        pids = descendants(self.process.pid)
        if pids:
            _send(random.choice(pids), signal.SIGKILL)
        return bool(pids)


@contextmanager
def supervised(programs: Sequence[Program]) -> Iterator[None]:
    """In the block, programs that exit are started again."""
    over = Event()

    def look() -> None:
        while not over.wait(0.1):
            for program in programs:
                program.supervise()

    thread = Thread(target=look, name="supervisor")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def web_server(group: ProcessGroup, database_url: str, **more: str) -> Iterator[tuple[int, Path]]:
    """In the block, a web server with this database and further settings: its port, and the file
    with all that it says."""
    settings = {
        "COPYDESK_DATABASE_URL": database_url,
        # An endpoint that nobody asks, so that no local model is looked for.
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        **more,
    }
    port = free_port()
    web = Program(group, f"web-{port}", f"web --port {port}", settings, "listening on")
    web.start()
    try:
        yield port, web.log
    finally:
        web.kill()


def new_key(database_url: str) -> str:
    """The API key of a new account, on a plan whose limits are out of the way."""
    database.bind(database_url)
    context = context_at(Clock())
    accounts.update_plan("scale", {"requests_per_minute": 100_000})
    account = accounts.create_account(context, "A customer", "scale")
    key = accounts.create_key(context, account).secret
    database.dispose()
    return key


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
