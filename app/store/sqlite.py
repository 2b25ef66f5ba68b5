"""SQLite: one writer at a time, who waits for its turn at its start and never fails in its middle;
who only reads waits for nobody."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, event
from sqlalchemy.engine import Connection

# How long a writer waits for another, in seconds.
BUSY_TIMEOUT_SECONDS = 30
READ_ONLY = {"copydesk_begin": "BEGIN DEFERRED"}
AUTOCOMMIT = {"copydesk_begin": None}


def engine_options(url: URL) -> dict[str, Any]:
    """How connections are made; the file's folder is made as well."""
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    return {"connect_args": {"timeout": BUSY_TIMEOUT_SECONDS}}


def prepare(engine: Engine) -> None:
    """WAL, synchronous=FULL, references; BEGIN IMMEDIATE for what writes."""

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # Python's own transaction handling begins late and deferred: switch it off.
        dbapi_connection.isolation_level = None
        _switch_to_wal(dbapi_connection)
        dbapi_connection.execute("PRAGMA synchronous = FULL")
        dbapi_connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statement = connection.get_execution_options().get("copydesk_begin", "BEGIN IMMEDIATE")
        if statement is not None:
            connection.exec_driver_sql(statement)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite waits for other processes everywhere but here: the first ones to open a new file,
    such as web, worker and scheduler started together, would fail."""
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
