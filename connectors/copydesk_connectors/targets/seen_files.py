"""What was read of a folder's files, kept so that no file is read twice, not by a later run either.

It is only a cache: each entry counts for one state of one file, so a lost or a foreign one costs
time and nothing else.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

# Of an entry with another number nothing is believed: the facts were others then.
_FORM = 1


@dataclass(frozen=True)
class Facts:
    """What a file of ours says of itself: the post's id and what a list of posts shows."""

    id: str
    title: str = ""
    description: str = ""
    published: str = ""


Stamp = tuple[int, int]
"""A file's time of change in nanoseconds and its size in bytes."""


class SeenFiles:
    """Facts by path. ``file`` is where they are kept; None keeps them for this process alone."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._facts: dict[str, tuple[Stamp, Facts | None]] | None = None
        self._unsaved: set[str] = set()

    def facts(self, name: str, stamp: Stamp, read: Callable[[], Facts | None]) -> Facts | None:
        """What the file says; ``read`` is called where it changed since it was last seen."""
        if self._facts is None:
            self._facts = dict(self._load())
        known = self._facts.get(name)
        if known is None or known[0] != stamp:
            known = self._facts[name] = (stamp, read())
            self._unsaved.add(name)
        return known[1]

    def save(self) -> None:
        """Keep what is new for later runs. Where that fails, they read the files again."""
        if not self._unsaved or self._facts is None:
            return
        rows = [(name, *_row(*self._facts[name])) for name in self._unsaved]
        with self._database() as db:
            if db is not None:
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)", rows)
                db.execute("COMMIT")
        self._unsaved.clear()

    def _load(self) -> Iterator[tuple[str, tuple[Stamp, Facts | None]]]:
        if self._file is None or not self._file.exists():
            return
        with self._database() as db:
            for name, changed, size, facts in db.execute("SELECT * FROM seen") if db else ():
                yield name, ((changed, size), _facts(json.loads(facts)))

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection | None]:
        if self._file is None:
            yield None
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
                yield db
        except sqlite3.OperationalError:
            pass  # locked, or the place cannot be written
        except (sqlite3.DatabaseError, ValueError, TypeError):
            self._file.unlink(missing_ok=True)


def _row(stamp: Stamp, facts: Facts | None) -> tuple[int, int, str]:
    return (*stamp, json.dumps(None if facts is None else vars(facts)))


def _facts(data: Mapping[str, str] | None) -> Facts | None:
    return None if data is None else Facts(**data)
