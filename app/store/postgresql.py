"""PostgreSQL: the pool, its time-outs, when a connection is replaced, and how a migration gets its
tables."""

import random
import select
import time
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError

from app.store.server_time import ServerTime, elapsed
from app.store.trouble import DatabaseTrouble

# A transaction takes milliseconds, so twenty connections serve many more threads. By default a
# server allows a hundred in all.
_CONNECTIONS = 20
_POOL_TIMEOUT_SECONDS = 10
AUTOCOMMIT = {"isolation_level": "AUTOCOMMIT"}
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
# PostgreSQL's code for a disk that is full.
_DISK_FULL = "53100"
# 300 kB, dropped with their transaction.
_TAKE_ROOM = text(
    "CREATE TEMPORARY TABLE copydesk_room ON COMMIT DROP AS"
    " SELECT md5(n::text) FROM generate_series(1, 4000) AS n"
)


def engine_options(_: URL) -> dict[str, Any]:
    """Return the options of the pool and of its connections."""
    return {
        "connect_args": _CONNECT,
        "isolation_level": "READ COMMITTED",
        "max_overflow": 0,
        "pool_size": _CONNECTIONS,
        "pool_timeout": _POOL_TIMEOUT_SECONDS,
        "pool_use_lifo": True,
    }


def prepare(engine: Engine) -> ServerTime:
    """Set time-outs on each new connection; replace one that the server has ended. Return the time
    of the server, which is read again when a connection is used."""
    import psycopg  # takes long to load, and SQLite does without

    server_time = ServerTime()

    def read(dbapi_connection: Any, selected: str, values: list[str]) -> None:
        asked = elapsed()
        dbapi_connection.autocommit = True
        row = dbapi_connection.execute(f"SELECT {selected}clock_timestamp()", values).fetchone()
        dbapi_connection.autocommit = False
        server_time.note(row[-1], asked, elapsed())

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # By statement, because connection poolers refuse connection options.
        settings = "set_config(%s, %s, false), " * len(_SESSION)
        read(dbapi_connection, settings, [part for item in _SESSION.items() for part in item])

    @event.listens_for(engine, "checkout")
    def checkout(dbapi_connection: Any, record: object, proxy: object) -> None:
        if _server_has_spoken(dbapi_connection):
            raise DisconnectionError
        if server_time.is_old():
            try:
                read(dbapi_connection, "", [])
            except psycopg.Error:
                raise DisconnectionError from None

    @event.listens_for(engine, "handle_error")
    def handle_error(context: Any) -> None:
        if getattr(context.original_exception, "sqlstate", None) == _DISK_FULL:
            _full.add(engine)

    return server_time


_full: WeakSet[Engine] = WeakSet()
"""Engines that met a full disk, until ``check`` finds free space."""


def check(connection: Connection) -> None:
    """Check that the server accepts writes. Writes only if the engine has met a full disk before.

    Raises:
        DatabaseTrouble: the server is a standby, or its disk is full.
    """
    if connection.scalar(text("SELECT pg_is_in_recovery()")):
        raise DatabaseTrouble("read only", "The database server is a standby.")
    if connection.engine not in _full:
        return
    try:
        connection.execute(_TAKE_ROOM)
    except DBAPIError as error:
        raise DatabaseTrouble("disk full", f"PostgreSQL: {type(error.orig).__name__}.") from None
    _full.discard(connection.engine)


# PostgreSQL looks for a deadlock when somebody has waited for a second. By then the migration has
# let others go on, so that it is never their transaction that is rolled back.
_TAKE_MILLISECONDS = 500
_TRY_SECONDS = 60.0


def take_tables(connection: Connection, names: Iterable[str]) -> None:
    """Lock all of these tables that exist, for a migration beside a running service.

    Locked one by one, as they are changed, they would deadlock with transactions of the service.

    Raises:
        DatabaseTrouble: transactions that do not end hold tables for a minute.
    """
    there = sorted(set(inspect(connection).get_table_names()).intersection(names))
    until = time.monotonic() + _TRY_SECONDS
    while there:
        try:
            # What was locked since the savepoint is released with it.
            with connection.begin_nested():
                connection.execute(text(f"SET LOCAL statement_timeout = {_TAKE_MILLISECONDS}"))
                connection.execute(text(f"LOCK TABLE {', '.join(there)}"))
                connection.execute(text("SET LOCAL statement_timeout = 0"))
        except OperationalError:
            if time.monotonic() > until:
                raise DatabaseTrouble(
                    "in use", "Long transactions hold the tables. End them, then migrate again."
                ) from None
            time.sleep(random.uniform(0.1, 0.5))  # noqa: S311 - no secret
        else:
            return


def _server_has_spoken(connection: Any) -> bool:
    """Return whether data arrived on an idle connection: usually the server is closing it.

    Unlike ``pool_pre_ping``, this costs no round trip per transaction.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
