"""The real service and a scripted model for it, as processes that end with the test."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from tests.running.process_group import ProcessGroup
from tests.running.starting import free_port, wait_until

ROOT = Path(__file__).parents[2]
START_SECONDS = 60.0
COMMAND_SECONDS = 60.0
ITEM_SECONDS = 120.0
MODEL_KEY = "sk-scripted-not-a-secret"


@dataclass(frozen=True)
class Feed:
    """A feed of the service; ``handle`` names it where ``pull_url`` would give its secret away."""

    handle: str
    pull_url: str


@dataclass(frozen=True)
class FeedItem:
    """An item as the service's database has it."""

    id: str
    status: str
    delivery_count: int


class ScriptedModel:
    """tests/scripted_model.py on a free port."""

    def __init__(self, group: ProcessGroup) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/v1"
        self._control = f"http://127.0.0.1:{port}/control"
        command = [sys.executable, "tests/scripted_model.py", "--port", str(port)]
        self.process = _start(group, f"model-{port}", command, {}, "ready")

    def behave(self, behaviour: str) -> None:
        """Answer every call from now on in that way."""
        answer = requests.post(self._control, json={"behaviour": behaviour}, timeout=10)
        answer.raise_for_status()

    def calls(self) -> int:
        """How many calls it has had."""
        count: int = requests.get(self._control, timeout=10).json()["calls"]
        return count


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
        self.log = group.folder / f"{name}.log"
        self._env = {
            "COPYDESK_DATA_DIR": str(self._data),
            "COPYDESK_PUBLIC_URL": self.url,
            "COPYDESK_MODEL": "scripted",
            "OPENAI_BASE_URL": model_url,
            "OPENAI_API_KEY": MODEL_KEY,
            **settings,
        }
        self.start()

    def start(self) -> None:
        """Start it, on the database that it has."""
        self.log.unlink(missing_ok=True)
        command = [sys.executable, "-m", "app.cli", "run", "--port", str(self._port)]
        self.process = _start(self._group, self._name, command, self._env, "listening on")

    def kill(self) -> None:
        """End the command as a crash would; its own processes have to notice by themselves."""
        self.process.kill()
        self.process.wait()

    def feed(self, keyword: str, offer: str) -> Feed:
        """A feed of a new account, whose one rule generates its first item in the background.

        ``offer`` is written ``Name=https://…``.
        """
        account = self.cli("account", "create", "A customer")["accountId"]
        token = self.cli("token", "create", account, "A blog")
        rule = ["rule", "create", token["handle"], "A rule", "--keyword", keyword]
        self.cli(*rule, "--every", "1h", "--max-words", "350", "--offer", offer)
        return Feed(token["handle"], token["pullUrl"])

    def wait_for_item(self, feed: Feed) -> FeedItem:
        """The feed's first item, once it has been generated."""
        wait_until(lambda: bool(self.items(feed)), ITEM_SECONDS, "the rule's first item")
        return self.items(feed)[0]

    def items(self, feed: Feed) -> list[FeedItem]:
        """Every item of the feed in whatever state, read from the database."""
        query = "SELECT id, status, delivery_count FROM feed_items WHERE token_id = ? ORDER BY id"
        with closing(sqlite3.connect(self._database, timeout=10)) as database:
            return [FeedItem(*row) for row in database.execute(query, (feed.handle,))]

    def put_back(self, feed: Feed) -> None:
        """Make the feed's items pending again, as if none had been pulled. No user can do this."""
        change = "UPDATE feed_items SET status = 'pending', delivery_count = 0 WHERE token_id = ?"
        with closing(sqlite3.connect(self._database, timeout=10)) as database, database:
            database.execute(change, (feed.handle,))

    def cli(self, *arguments: str) -> Any:
        """Run ``copydesk-server … --json``; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments, "--json"],
            cwd=ROOT,
            env={**os.environ, **self._env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, f"copydesk-server {arguments[:2]} failed: {done.stderr}"
        return json.loads(done.stdout)

    @property
    def _database(self) -> Path:
        return self._data / "copydesk.db"


def _start(
    group: ProcessGroup, name: str, command: list[str], env: dict[str, str], said: str
) -> "subprocess.Popen[bytes]":
    log = group.folder / f"{name}.log"
    unbuffered = {"PYTHONUNBUFFERED": "1", **env}
    process = group.spawn(command, log=log, env=unbuffered, cwd=ROOT)

    def ready() -> bool:
        ended = process.poll()
        assert ended is None, f"the {name} ended with {ended}: {log.read_text()[-2000:]}"
        return said in log.read_text()

    wait_until(ready, START_SECONDS, f'the {name} says "{said}"')
    return process
