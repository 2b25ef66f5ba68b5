"""PostgreSQL: the pool, its time-outs and its time."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import URL, Connection, Engine, event, text
from sqlalchemy.exc import DisconnectionError

from app.store.trouble import DatabaseTrouble

READ_ONLY = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
_SESSION = {
    "lock_timeout": "10s",
    "statement_timeout": "30s",
    # Frees the locks of a process that hangs, or whose machine is gone, before those who wait for
    # them time out.
    "idle_in_transaction_session_timeout": "8s",
    "timezone": "UTC",
}
_CONNECT = {
    "connect_timeout": 5,
    "application_name": "copydesk",
    # Detect a vanished server within a minute.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def engine_options(_: URL) -> dict[str, Any]:
    """Return the options of the pool and of its connections."""
    return {
        "connect_args": _CONNECT,
        "isolation_level": "READ COMMITTED",
        "max_overflow": 0,
        # A server that was restarted costs no call: connections are tried before they are used.
        "pool_pre_ping": True,
        # A transaction takes milliseconds, so twenty connections serve many more threads. By
        # default a server allows a hundred in all.
        "pool_size": 20,
        "pool_timeout": 10,
        "pool_use_lifo": True,
    }


# Clocks of two machines drift apart by some milliseconds in this time.
_TIME_KEPT_SECONDS = 60.0
_time: tuple[datetime, float] | None = None
"""The time of the server, and that of ``_elapsed``, when it was read last."""


def now() -> datetime | None:
    """Return the time of the server, as it was read last and has passed since; None if it was never
    read."""
    if _time is None:
        return None
    server, at = _time
    return server + timedelta(seconds=_elapsed() - at)


def _elapsed() -> float:
    """Return seconds from a clock that nobody sets, and that goes on while the machine sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def _select(dbapi_connection: Any, settings: str = "", values: Iterable[str] = ()) -> None:
    """Read the time of the server, and select these settings with it."""
    global _time
    asked = _elapsed()
    dbapi_connection.autocommit = True
    row = dbapi_connection.execute(f"SELECT {settings}clock_timestamp()", list(values)).fetchone()
    dbapi_connection.autocommit = False
    _time = row[-1].astimezone(UTC), (asked + _elapsed()) / 2


def prepare(engine: Engine) -> None:
    """Set time-outs on each new connection, and read the time of the server now and then."""
    import psycopg  # takes long to load, and SQLite does without

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # By statement, because connection poolers refuse connection options.
        settings = "set_config(%s, %s, false), " * len(_SESSION)
        _select(dbapi_connection, settings, [part for item in _SESSION.items() for part in item])

    @event.listens_for(engine, "checkout")
    def checkout(dbapi_connection: Any, record: object, proxy: object) -> None:
        if _time is None or _elapsed() - _time[1] > _TIME_KEPT_SECONDS:
            try:
                _select(dbapi_connection)
            except psycopg.Error:
                raise DisconnectionError from None  # the pool tries another one


def check(connection: Connection) -> None:
    """Check that the server accepts writes.

    Raises:
        DatabaseTrouble: the server is a standby.
    """
    if connection.scalar(text("SELECT pg_is_in_recovery()")):
        raise DatabaseTrouble("read only", "The database server is a standby.")
