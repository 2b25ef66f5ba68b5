"""The ledger of a consumer: which items of a feed it has published.

A small SQLite file. It has ids and states of items, and neither posts nor secrets.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from copydesk.errors import LedgerError

if TYPE_CHECKING:
    import sqlite3

_APPLICATION_ID = 0x43444C47
# Of two that open it at the same moment, one may have to let the other go first.
_LOCK_WAIT_S = 1.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    changed_at TEXT NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION_ID};
COMMIT;
"""


class State(StrEnum):
    """What the ledger knows of an item."""

    BEGUN = "begun"
    FAILED = "failed"
    PUBLISHED = "published"
    REJECTED = "rejected"


class Entries:
    """The entries of an open ledger. A change is on disk when its call returns."""

    def __init__(self, db: "sqlite3.Connection") -> None:
        self._db = db

    def state(self, item_id: str) -> State | None:
        """Return the state of an item, or None if it is new."""
        row = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
        return State(row[0]) if row else None

    def note(self, item_id: str, state: State) -> None:
        """Set the state of an item."""
        self._db.execute(
            "INSERT OR REPLACE INTO items VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))",
            (item_id, state),
        )

    def delete(self, item_id: str) -> None:
        """Make an item new."""
        self._db.execute("DELETE FROM items WHERE id = ?", (item_id,))


class Ledger:
    """A file in which ``Feed.consume`` notes each item before and after it is published.

    Use one file for each feed, on a local disk. It is created if missing. While ``consume`` runs,
    no other process and no other call can use it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def retry(self, item_id: str) -> None:
        """Let ``consume`` publish an unclear item the next time that the feed sends it.

        Call it after you have made sure that the item is not published.

        Raises:
            LedgerError: the item is not unclear, or the ledger cannot be used.
        """
        with self.open() as entries:
            state = entries.state(item_id)
            if state is not State.BEGUN:
                raise LedgerError(f"{item_id} is not unclear; it is {state or 'not in the ledger'}")
            entries.delete(item_id)

    @contextmanager
    def open(self) -> Iterator[Entries]:
        """Open the ledger for this block alone. Internal: ``Feed.consume`` calls it.

        Raises:
            LedgerError: something else uses the ledger, or the file cannot be used.
        """
        import sqlite3  # not at import: most programs that import copydesk have no ledger

        try:
            connection = sqlite3.connect(self._path, timeout=_LOCK_WAIT_S, isolation_level=None)
            with closing(connection) as db:
                self._lock(db)
                yield Entries(db)
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of it
            if code == sqlite3.SQLITE_BUSY:
                problem = "is in use by another consumer; wait for it, or stop it"
            elif code == sqlite3.SQLITE_NOTADB:
                problem = "is not a ledger; name another file"
            else:
                problem = f"cannot be used: {error}; its folder must exist and be writable"
            raise LedgerError(f"the ledger {self._path} {problem}") from None

    def _lock(self, db: "sqlite3.Connection") -> None:
        # The lock of the file is kept until it is closed, or until the process dies.
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        application = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if application != _APPLICATION_ID and (application or tables):
            raise LedgerError(f"{self._path} is another SQLite file; give the ledger its own")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        # Only a write locks others out.
        db.executescript(_SCHEMA)

    def __repr__(self) -> str:
        return f"Ledger({self._path!r})"
