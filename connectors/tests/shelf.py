"""The target ``type = "shelf"`` of kill_driver.py: a table of posts in SQLite.

It takes several posts at a time and keeps nothing unique; every draft is one more row.
"""

import sqlite3
from contextlib import closing
from typing import Any

from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import FilePath, Settings, setting


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
        self._ask("CREATE TABLE IF NOT EXISTS posts (id INTEGER PRIMARY KEY, item, slug, public)")

    def find(self, post: Post) -> Copy | None:
        rows = self._ask("SELECT id, public FROM posts WHERE item = ? ORDER BY id", post.id)
        return _copy(*rows[0]) if rows else None

    def draft(self, post: Post) -> Copy:
        ((row, public),) = self._ask(
            "INSERT INTO posts (item, slug, public) VALUES (?, ?, 0) RETURNING id, public",
            *(post.id, post.slug),
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
