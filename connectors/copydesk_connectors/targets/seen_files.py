"""What was read of a folder's files, kept so that no file is read twice, not by a later run either.

It is only a cache: each entry counts for one state of one file, so a lost or a foreign one costs
time and nothing else.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

# Of an entry with another number nothing is believed: the facts were others then.
_FORM = 1


class Facts(NamedTuple):
    """What a file of ours says of itself: the post's id and what a list of posts shows."""

    id: str
    title: str = ""
    description: str = ""
    published: str = ""


Stamp = tuple[int, int]
"""A file's time of change in nanoseconds and its size in bytes."""


class _Unknown:
    """Nothing is known of the file as it is now."""


UNKNOWN = _Unknown()


class SeenFiles:
    """Facts by path. ``file`` is where they are kept; None keeps them for this process alone."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._facts: dict[str, tuple[Stamp, Facts | None]] | None = None
        self._unsaved: set[str] = set()

    def known(self, name: str, stamp: Stamp) -> Facts | _Unknown | None:
        """What the file says; UNKNOWN where it changed since it was last seen."""
        if self._facts is None:
            self._facts = self._load()
        known = self._facts.get(name)
        return UNKNOWN if known is None or known[0] != stamp else known[1]

    def learn(self, name: str, stamp: Stamp, facts: Facts | None) -> Facts | None:
        """Note what the file says, and give it back."""
        if self._facts is None:
            self._facts = self._load()
        self._facts[name] = (stamp, facts)
        self._unsaved.add(name)
        return facts

    def save(self) -> None:
        """Keep what is new for later runs. Where that fails, they read the files again."""
        if not self._unsaved or self._facts is None:
            return
        rows = [(name, *_row(*self._facts[name])) for name in self._unsaved]

        def write(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)", rows)
            db.execute("COMMIT")

        self._with_database(write)
        self._unsaved.clear()

    def _load(self) -> dict[str, tuple[Stamp, Facts | None]]:
        known: dict[str, tuple[Stamp, Facts | None]] = {}

        def read(db: sqlite3.Connection) -> None:
            for name, changed, size, facts in db.execute("SELECT * FROM seen"):
                known[name] = ((changed, size), _facts(json.loads(facts)))

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
                if db.execute("PRAGMA user_version").fetchone()[0] != _FORM:
                    db.execute("DROP TABLE IF EXISTS seen")
                    db.execute(
                        "CREATE TABLE IF NOT EXISTS seen"
                        " (name TEXT PRIMARY KEY, changed INTEGER, size INTEGER, facts TEXT)"
                    )
                    db.execute(f"PRAGMA user_version = {_FORM}")
                work(db)
        except sqlite3.OperationalError:
            pass  # locked, or the place cannot be written
        except (sqlite3.DatabaseError, ValueError, TypeError):
            with suppress(OSError):
                self._file.unlink()


def _row(stamp: Stamp, facts: Facts | None) -> tuple[int, int, str]:
    return (*stamp, json.dumps(facts))


def _facts(data: list[str] | None) -> Facts | None:
    return None if data is None else Facts(*data)
