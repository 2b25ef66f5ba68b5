"""Runs ``copydesk-connect once`` with a target of its own, in processes that it may kill.

    python shelf_kill_driver.py < passes

A line is a JSON object: ``folder`` with the configuration, ``feed`` the address of the feed, and
``kill``, the number of the point at which the process ends itself by SIGKILL (see kill_driver.py),
or null. The answer is a line with ``ended``, the exit status, negative for a signal.

The target, ``type = "shelf"``, takes several posts at a time and keeps nothing unique: a table of
posts in SQLite, to which every draft is one more row. Each of its statements is a point too.
"""

import json
import os
import sqlite3
import sys
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import kill_driver

from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import FilePath, Settings, setting
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.registry import GROUP


class ShelfSettings(Settings):
    """The file of the shelf."""

    file: FilePath = setting("The database.")


class Shelf(Target):
    """Draft first, then publish by id, over any number of connections."""

    at_once = 4

    Settings = ShelfSettings

    def __init__(self, name: str, settings: ShelfSettings) -> None:
        self.name = name
        self.file = settings.file

    def ready(self) -> None:
        self._ask("CREATE TABLE IF NOT EXISTS posts (id INTEGER PRIMARY KEY, item, public)")

    def find(self, post: Post) -> Copy | None:
        rows = self._ask("SELECT id, public FROM posts WHERE item = ? ORDER BY id", post.id)
        return _copy(*rows[0]) if rows else None

    def draft(self, post: Post) -> Copy:
        ((row, public),) = self._ask(
            "INSERT INTO posts (item, public) VALUES (?, 0) RETURNING id, public", post.id
        )
        return _copy(row, public)

    def publish(self, post: Post, remote_id: str) -> Copy:
        self._ask("UPDATE posts SET public = 1 WHERE id = ?", remote_id)
        return _copy(remote_id, True)

    def _ask(self, statement: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(self.file, timeout=30, isolation_level=None)) as db:
            return db.execute(statement, values).fetchall()


def _copy(row: object, public: object) -> Copy:
    return Copy(str(row), CopyState.PUBLIC if public else CopyState.DRAFT)


def main() -> None:
    """The passes."""
    TARGETS._ours["shelf"] = EntryPoint("shelf", "__main__:Shelf", GROUP)
    for line in sys.stdin:
        wanted = json.loads(line)
        status = kill_driver.child(Path(wanted["folder"]), wanted["feed"], wanted["kill"])
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
