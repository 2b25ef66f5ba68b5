"""The ledger's file: its tables, the lock of its only writer, and its errors."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from copydesk_connectors.target.errors import LedgerError

_SCHEMA_VERSION = 5
_BUSY_S = 5.0  # how long a step waits for another program that holds the ledger
_SCHEMA = """
CREATE TABLE items (
    id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    delivery_count INTEGER NOT NULL,
    received_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    feed_has TEXT NOT NULL DEFAULT '',
    faults INTEGER NOT NULL DEFAULT 0,
    feed TEXT NOT NULL DEFAULT ''
);
CREATE INDEX items_by_state ON items (state);
CREATE TABLE deliveries (
    item_id TEXT NOT NULL REFERENCES items (id),
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    remote_id TEXT NOT NULL DEFAULT '',
    url TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    failures INTEGER NOT NULL DEFAULT 0,
    updated_at TEXT NOT NULL,
    links TEXT,
    failing_since TEXT NOT NULL DEFAULT '',
    held TEXT NOT NULL DEFAULT '',
    slot TEXT,
    shown TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (item_id, target)
) WITHOUT ROWID;
CREATE INDEX deliveries_by_state ON deliveries (state, target);
"""


_NOT_WRITABLE = (
    "the ledger {path} cannot be used: {error}; its folder must exist, this user must be allowed "
    "to write there, and the disk must have room for new files"
)
_NOT_A_LEDGER = (
    "the ledger {path} cannot be used: {error}; put back a copy of the ledger, or set [ledger] "
    "path to a new file"
)
_NO_LOCKS = (
    "the ledger {path} cannot be locked: {error}; keep it on a local disk, as some network shares "
    "have no locks"
)
_HELD = "another program holds the ledger {path}; close it there, or save or discard its changes"
_NO_ROOM = (
    "the ledger {path} cannot be written: {error}; free space on its disk, or raise the quota or "
    "the limit on file sizes"
)
_CAUSES = {
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_IOERR_LOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_RDLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMMAP: _NO_LOCKS,
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _NOT_WRITABLE,
    sqlite3.SQLITE_NOTADB: _NOT_A_LEDGER,
    sqlite3.SQLITE_CORRUPT: _NOT_A_LEDGER,
}
"""What an owner can do about an error of SQLite. Any other one is a bug of this program."""


def open_to_write(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """Return the database, created if missing, and the lock that keeps other writers out.

    Raises:
        LedgerError: another process writes it, or the file is not a ledger.
    """
    _need_file(path)
    with ExitStack() as undo, as_ledger_errors(path):
        _keep_private(path)
        lock = undo.enter_context(closing(_lock(path)))
        # Several threads use it, one at a time: see Ledger.
        db = undo.enter_context(closing(_connect(path, check_same_thread=False)))
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        if _version(db, path) == 0:
            set_version = f"PRAGMA user_version = {_SCHEMA_VERSION};"
            db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {set_version} COMMIT;")
        # Before anything is pulled: a damaged index is noticed only by the row that needs it.
        (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise LedgerError(_NOT_A_LEDGER.format(path=path, error=f"it is damaged, {found}"))
        undo.pop_all()
    return db, lock


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return the database for reading, while another process may write it.

    Raises:
        LedgerError: there is no such file, or it is not a ledger.
    """
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path} yet: nothing was received so far")
    _need_file(path)
    with ExitStack() as undo, as_ledger_errors(path):
        db = undo.enter_context(closing(_connect(path)))
        db.execute("PRAGMA query_only = ON")
        if _version(db, path) == 0:
            raise LedgerError(_NOT_A_LEDGER.format(path=path, error="it is not a ledger"))
        undo.pop_all()
    return db


def _need_file(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise LedgerError(_NOT_A_LEDGER.format(path=path, error="it is not a file"))


def _keep_private(path: Path) -> None:
    """Make the ledger readable only by its owner: it contains unpublished posts."""
    # Do not open an existing file: closing it would release this process's locks on it. If the
    # file cannot be created, SQLite reports a better error.
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    # SQLite gives its other files the mode of the first.
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        with suppress(OSError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)


def need_writable(path: Path) -> None:
    """Return if the ledger can be written now; else raise a LedgerError. Changes nothing."""
    with as_ledger_errors(path), closing(_connect(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        # A file that may only be read is noticed by the first change.
        db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        db.execute("ROLLBACK")


def identity(path: Path) -> tuple[int, ...]:
    """Return which files the ledger and its lock are now; shorter if one of them is gone."""
    found: list[int] = []
    for file in (path, Path(f"{path}.lock")):
        with suppress(OSError):
            status = file.stat()
            found += [status.st_dev, status.st_ino]
    return tuple(found)


def _connect(path: Path, *, check_same_thread: bool = True) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=_BUSY_S, isolation_level=None, check_same_thread=check_same_thread
    )


@contextmanager
def as_ledger_errors(path: Path) -> Iterator[None]:
    """Turn an error of SQLite that the owner can end into a LedgerError that names its cause."""
    try:
        yield
    except sqlite3.Error as error:
        # A text that is not UTF-8 has no code.
        is_unreadable = isinstance(error, sqlite3.OperationalError)
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT if is_unreadable else 0)
        cause = _CAUSES.get(code, _CAUSES.get(code & 0xFF))
        if cause is None:
            raise
        raise LedgerError(cause.format(path=path, error=str(error)[:100])) from error


def _lock(path: Path) -> sqlite3.Connection:
    # SQLite's own lock on a file beside the ledger: held while the transaction is open, released by
    # the system when the process dies, and no obstacle to readers of the ledger.
    lock = sqlite3.connect(f"{path}.lock", isolation_level=None, timeout=0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise
        raise LedgerError(
            f"another copydesk-connect is using the ledger {path}; "
            "wait for it, stop it, or give this one its own ledger. If none runs, the disk has no "
            "locks, as some network shares: keep the ledger on a local disk"
        ) from None
    return lock


def _version(db: sqlite3.Connection, path: Path) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > _SCHEMA_VERSION:
        raise LedgerError(
            f"the ledger {path} was written by a newer copydesk-connectors: upgrade this one"
        )
    if 0 < version < _SCHEMA_VERSION:
        raise LedgerError(
            f"the ledger {path} was written by an earlier copy of this version: publish with that "
            "copy until `status` shows nothing that waits, then move the file away"
        )
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if (tables and version == 0) or (version > 0 and not {"items", "deliveries"} <= tables):
        problem = "another program made it"
        raise LedgerError(_NOT_A_LEDGER.format(path=path, error=problem))
    return version
