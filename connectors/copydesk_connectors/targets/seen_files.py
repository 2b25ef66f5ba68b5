"""A cache of what a folder's files say, so that no file is read twice, not even by a later run.

Each entry is valid for one state of one file. A lost or foreign cache only costs time.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from copydesk_connectors.target import settings

# Raise it if the facts change: a cache of another version is dropped.
_VERSION = 2


class Facts(NamedTuple):
    """What a generated file contains: the post's id and the details for a list of posts."""

    id: str
    title: str = ""
    description: str = ""
    published: str = ""
    thumbnail: str = ""
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: list[Any]) -> Self:
        """Return the facts that were stored as JSON."""
        return cls._make([*stored[:-1], tuple(stored[-1])])


Stamp = tuple[int, int]
"""A file's time of change in nanoseconds and its size in bytes."""


def cache_path() -> Any:
    """Declare the setting ``cache``."""
    return settings.path(
        "A cache of the folder's contents, so that later runs do not read a large site again. It "
        "can be deleted.",
        default=".copydesk-{name}.cache",
    )


class SeenFiles:
    """Facts by path, kept in ``file``; if that is None, only in this process."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._facts: dict[str, tuple[Stamp, Facts | None]] | None = None
        self._unsaved: set[str] = set()

    def facts(self, name: str, stamp: Stamp, read: Callable[[], Facts | None]) -> Facts | None:
        """Return what the file says. ``read`` is called if it changed since it was last seen."""
        if self._facts is None:
            self._facts = self._load()
        known = self._facts.get(name)
        if known is None or known[0] != stamp:
            known = self._facts[name] = (stamp, read())
            self._unsaved.add(name)
        return known[1]

    def save(self) -> None:
        """Save what is new. If that fails, later runs read the files again."""
        if not self._unsaved or self._facts is None:
            return
        new = [(name, *self._facts[name]) for name in self._unsaved]
        rows = [(name, *stamp, json.dumps(facts)) for name, stamp, facts in new]

        def write(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)", rows)
            db.execute("COMMIT")

        self._with_database(write)
        self._unsaved.clear()

    def _load(self) -> dict[str, tuple[Stamp, Facts | None]]:
        known: dict[str, tuple[Stamp, Facts | None]] = {}

        def read(db: sqlite3.Connection) -> None:
            for name, changed, size, stored in db.execute("SELECT * FROM seen"):
                facts = json.loads(stored)
                known[name] = ((changed, size), None if facts is None else Facts.of(facts))

        if self._file is not None and self._file.exists():
            self._with_database(read)
        return known

    def _with_database(self, work: Callable[[sqlite3.Connection], None]) -> None:
        if self._file is None:
            return
        try:
            with closing(sqlite3.connect(self._file, isolation_level=None)) as db:
                # A power cut may cost the whole cache, and that is cheaper than waiting for disks.
                db.execute("PRAGMA synchronous = OFF")
                if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                    db.execute("DROP TABLE IF EXISTS seen")
                    db.execute(
                        "CREATE TABLE IF NOT EXISTS seen"
                        " (name TEXT PRIMARY KEY, changed INTEGER, size INTEGER, facts TEXT)"
                    )
                    db.execute(f"PRAGMA user_version = {_VERSION}")
                work(db)
        except sqlite3.OperationalError:
            pass  # locked, or the place cannot be written
        except (sqlite3.DatabaseError, ValueError, TypeError):
            with suppress(OSError):
                self._file.unlink()
