"""SQLite: one writer at a time, which waits for its turn when it begins and never fails midway.
Readers do not wait."""

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Engine, event
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from app.store.trouble import DatabaseTrouble

# How long a writer waits for another, in seconds.
BUSY_TIMEOUT_SECONDS = 30
_BEGIN = "copydesk_begin"
READ_ONLY = {_BEGIN: "BEGIN DEFERRED"}
# How long a check waits for its turn.
CHECK_SECONDS = 2
# The suffixes of a database, its write-ahead log and the log's index.
SUFFIXES = ("", "-wal", "-shm")
# A post is about 20 kB, and grows several tables and their indexes.
_ROOM_BYTES = 1024 * 1024


def file_of(url: URL) -> Path:
    """Return the path of the database."""
    return Path(url.database or "").resolve()


def engine_options(url: URL) -> dict[str, Any]:
    """Return the options of connections; create the file's folders, for its owner only."""
    for folder in reversed(file_of(url).parents):
        folder.mkdir(mode=0o700, exist_ok=True)
    return {"connect_args": {"timeout": BUSY_TIMEOUT_SECONDS}}


def prepare(engine: Engine) -> None:
    """Use WAL, synchronous=FULL and foreign keys, and BEGIN IMMEDIATE for writers. Keep the files
    private to their owner."""
    path, making = file_of(engine.url), Lock()

    @event.listens_for(engine, "do_connect")
    def do_connect(*_: object) -> None:
        # SQLite gives its other files the mode of this one. An existing file must not be opened
        # here: closing it would release this process's locks on it. SQLite reports errors better.
        with making, suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        for suffix in SUFFIXES:
            # The file may belong to another user or just have been deleted.
            with suppress(OSError):
                path.with_name(path.name + suffix).chmod(0o600)

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, _: object) -> None:
        # Python's own transaction handling begins late and deferred: switch it off.
        dbapi_connection.isolation_level = None
        _switch_to_wal(dbapi_connection)
        dbapi_connection.execute("PRAGMA synchronous = FULL")
        dbapi_connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get(_BEGIN, "BEGIN IMMEDIATE")
        # By the driver: SQLAlchemy takes ten times as long.
        try:
            connection.connection.driver_connection.execute(statement)  # type: ignore[union-attr]
        except sqlite3.OperationalError as error:
            raise OperationalError(statement, None, error) from error


def forbidden(url: URL) -> Path | None:
    """Return the file of the database, or its folder, if this user may not write to it."""
    path = file_of(url)
    for each in (path, *path.parents):
        if os.path.exists(each):  # noqa: PTH110 - false, and no error, where others may not look
            if not os.access(each, os.W_OK | (os.R_OK if each == path else os.X_OK)):
                return each
            if each != path:
                break
    return None


def check(connection: Connection) -> None:
    """Check that the folder can be written to, and that its disk has free space.

    Raises:
        DatabaseTrouble: it cannot, or the disk is full.
    """
    folder = file_of(connection.engine.url).parent
    if shutil.disk_usage(folder).free < _ROOM_BYTES:
        raise DatabaseTrouble("disk full", f"The disk of {folder} is full.")
    if not os.access(folder, os.W_OK):
        raise DatabaseTrouble("not writable", f"{folder} cannot be written to.")


def check_lock(path: Path, seconds: float) -> None:
    """Check that this process could begin to write within a time.

    Raises:
        sqlite3.OperationalError: it could not.
    """
    address = f"{path.as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(address, uri=True, timeout=seconds, isolation_level=None)
    ) as connection:
        connection.execute("BEGIN IMMEDIATE")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL, waiting for other processes: here SQLite does not, and processes that open a
    new file together, such as web, worker and scheduler, would fail."""
    until = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
