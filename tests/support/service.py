"""The real service and a scripted model for it, as processes that end with the test.

``CopydeskService`` is all of it in one process on SQLite; ``ManyProcesses`` the same service in
several, on PostgreSQL and Redis.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import requests
from sqlalchemy import Engine, NullPool, create_engine, select, update

from app.ports import Clock
from app.services.context import Context
from app.store import models
from tests.support.contexts import context_at
from tests.support.databases import another_connection
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.startup import free_port, wait_until

ROOT = Path(__file__).parents[2]
# Several engines start at once on a small machine.
START_SECONDS = 180.0
COMMAND_SECONDS = 120.0
# Webhooks of tests go to loopback.
SETTINGS = {"COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1"}
ITEM_SECONDS = 120.0
# Longer than a lease: what is held is being worked on.
SOON = timedelta(minutes=1)
MODEL_KEY = "sk-scripted-not-a-secret"


class ScriptedModel:
    """tests/scripted_model.py on a free port."""

    def __init__(self, group: ProcessGroup) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/v1"
        self._control = f"http://127.0.0.1:{port}/control"
        command = [sys.executable, "tests/scripted_model.py", "--port", str(port)]
        self.process, there = _begin(group, f"model-{port}", command, {}, "ready")
        there()

    def behave(self, behaviour: str, **settings: float) -> None:
        """Answer every call from now on in that way; ``delay`` is how many seconds slow takes."""
        answer = requests.post(self._control, json={"behaviour": behaviour, **settings}, timeout=10)
        answer.raise_for_status()

    @contextmanager
    def behaving(self, behaviour: str, **settings: float) -> Iterator[None]:
        """The same for the length of a block."""
        self.behave(behaviour, **settings)
        try:
            yield
        finally:
            self.behave("good")

    def calls(self) -> int:
        """How many calls it has had."""
        count: int = self._state()["calls"]
        return count

    def last_request(self) -> Any:
        """The body of the last call for a draft, as the model had it."""
        return self._state()["last_request"]

    def tokens(self) -> tuple[int, int]:
        """How many tokens its answers cost, and how many of them those that it gave before."""
        state = self._state()
        return state["paid_tokens"], state["repeated_tokens"]

    def _state(self) -> Any:
        return requests.get(self._control, timeout=10).json()


class CopydeskService:
    """``copydesk-server run`` on a free port; ``settings`` are further environment variables."""

    def __init__(
        self, group: ProcessGroup, model_url: str, name: str = "service", **settings: str
    ) -> None:
        self._group = group
        self._name = name
        self._data = group.folder / name
        self._data.mkdir()
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._env = {
            "COPYDESK_DATA_DIR": str(self._data),
            "COPYDESK_DATABASE_URL": f"sqlite:///{self._data / 'copydesk.db'}",
            "COPYDESK_PUBLIC_URL": self.url,
            "COPYDESK_MODEL": "scripted",
            # A test that breaks the model is followed by one that uses it.
            "COPYDESK_MODEL_REST_SECONDS": "0.05",
            "OPENAI_BASE_URL": model_url,
            "OPENAI_API_KEY": MODEL_KEY,
            **settings,
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.start()

    def commands(self) -> Mapping[str, tuple[Sequence[str], str]]:
        """Each process's arguments for copydesk-server, and what it says once it is there."""
        return {"run": (("run", "--port", str(self._port)), "listening on")}

    def start(self, *names: str) -> None:
        """Start it, or those processes of it, on the database that it has."""
        begun = []
        for name in names or self.commands():
            arguments, said = self.commands()[name]
            command = [sys.executable, "-m", "app.cli", *arguments]
            self.log_of(name).unlink(missing_ok=True)
            process, there = _begin(self._group, f"{self._name}-{name}", command, self._env, said)
            self._processes[name] = process
            begun.append(there)
        for there in begun:
            there()

    def process(self, name: str) -> "subprocess.Popen[bytes]":
        """The process of that name."""
        return self._processes[name]

    def kill(self, *names: str) -> None:
        """End it, or those processes of it, as a crash would; the processes that they started
        have to notice on their own."""
        for name in names or self.commands():
            self._processes[name].kill()
        for name in names or self.commands():
            self._processes[name].wait()

    def terminate(self, *names: str) -> None:
        """Ask it, or those processes of it, to end as an operator does."""
        for name in names or self.commands():
            self._processes[name].terminate()

    def wait_for_end(self, *names: str) -> set[int]:
        """The exit codes of what was asked to end."""
        return {self._processes[name].wait(START_SECONDS) for name in names or self.commands()}

    def log_of(self, name: str) -> Path:
        """What that process has said."""
        return self._group.folder / f"{self._name}-{name}.log"

    def log_text(self) -> str:
        """What all its processes have said."""
        return "".join(self.log_of(name).read_text() for name in self.commands())

    def posts_written(self) -> int:
        """How often the pipeline has come to an end, well or badly."""
        return self.log_text().count("writing ended")

    def answers(self) -> bool:
        """Whether somebody answers at its address."""
        try:
            return requests.get(f"{self.url}/healthz", timeout=2).ok
        except requests.RequestException:
            return False

    def is_idle(self) -> bool:
        """Whether no post is being written in the background, and none is about to be."""
        now = datetime.now(UTC)
        with self.engine.connect() as database:
            return not any(
                database.scalar(
                    select(row.id)
                    .where(row.status.in_((row.WAITING, row.TAKEN)), row.not_before <= now + SOON)
                    .limit(1)
                )
                for row in (models.Job, models.Run)
            )

    def pass_time(self) -> None:
        """As if hours had gone by since now: whatever waits for its time may begin, and what a
        process that died held is free again."""
        past = datetime.now(UTC) - timedelta(seconds=1)
        with self.engine.begin() as database:
            for row in (models.Job, models.Run, models.WebhookDelivery):
                open_ = row.status.in_((row.WAITING, row.TAKEN))
                database.execute(update(row).where(open_).values(not_before=past))
            database.execute(update(models.WebhookReceiver).values(not_before=past))
            database.execute(update(models.IdempotencyKey).values(lease_until=past))
            leased = update(models.Reservation).where(models.Reservation.lease_until.is_not(None))
            database.execute(leased.values(lease_until=past))

    def cli(self, *arguments: str, typed: str = "") -> Any:
        """Run ``copydesk-server … --json`` with that standard input; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments, "--json"],
            cwd=ROOT,
            env={**os.environ, **self._env},
            input=typed,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, f"copydesk-server {arguments[:2]} failed: {done.stderr}"
        return json.loads(done.stdout)

    @contextmanager
    def database(self) -> Iterator[Context]:
        """In the block, this process works on its database, as its own processes do."""
        with another_connection(self._env["COPYDESK_DATABASE_URL"]):
            yield context_at(Clock())

    @cached_property
    def engine(self) -> Engine:
        """The service's database, for what no user can see or do: rows with app.store.*tables."""
        url = self._env["COPYDESK_DATABASE_URL"]
        wait = {"timeout": 30} if url.startswith("sqlite") else {}
        return create_engine(url, poolclass=NullPool, connect_args=wait)


class ManyProcesses(CopydeskService):
    """The service in several processes: one web, two workers, one scheduler. Its database and its
    Redis are among the settings."""

    def commands(self) -> Mapping[str, tuple[Sequence[str], str]]:
        worker = (("worker",), "waiting for work")
        return {
            "web": (("web", "--port", str(self._port)), "listening on"),
            "worker-1": worker,
            "worker-2": worker,
            "scheduler": (("scheduler",), "is ticking"),
        }


def one_process(group: ProcessGroup, model_url: str, **settings: str) -> CopydeskService:
    """SQLite, with web, workers and scheduler as threads of one process."""
    return CopydeskService(group, model_url, **SETTINGS, **settings)


def many_processes(group: ProcessGroup, model_url: str, **settings: str) -> CopydeskService:
    """PostgreSQL and Redis, with one web process, two workers and one scheduler."""
    shared = {
        "COPYDESK_DATABASE_URL": PostgresServer(group).create_database(),
        "COPYDESK_REDIS_URL": RedisServer(group).url,
        "COPYDESK_WORKERS": "1",
    }
    return ManyProcesses(group, model_url, "many", **SETTINGS, **{**shared, **settings})


DEPLOYMENTS: Mapping[str, Callable[..., CopydeskService]] = {
    "one-process": one_process,
    "many-processes": many_processes,
}


def _begin(
    group: ProcessGroup, name: str, command: list[str], env: dict[str, str], said: str
) -> "tuple[subprocess.Popen[bytes], Callable[[], None]]":
    """A process that starts, and what waits until it is there."""
    log = group.folder / f"{name}.log"
    unbuffered = {"PYTHONUNBUFFERED": "1", **env}
    process = group.spawn(command, log=log, env=unbuffered, cwd=ROOT)

    def ready() -> bool:
        ended = process.poll()
        assert ended is None, f"the {name} ended with {ended}: {log.read_text()[-2000:]}"
        return said in log.read_text()

    return process, lambda: wait_until(ready, START_SECONDS, f'the {name} says "{said}"')
