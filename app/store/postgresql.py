"""PostgreSQL: the pool and its time-outs."""

from typing import Any

from sqlalchemy import URL, Connection, Engine, event, text

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


def prepare(engine: Engine) -> None:
    """Set time-outs on each new connection."""

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # By statement, because connection poolers refuse connection options.
        settings = ", ".join(["set_config(%s, %s, false)"] * len(_SESSION))
        values = [part for item in _SESSION.items() for part in item]
        dbapi_connection.autocommit = True
        dbapi_connection.execute(f"SELECT {settings}", values)
        dbapi_connection.autocommit = False


def check(connection: Connection) -> None:
    """Check that the server accepts writes.

    Raises:
        DatabaseTrouble: the server is a standby.
    """
    if connection.scalar(text("SELECT pg_is_in_recovery()")):
        raise DatabaseTrouble("read only", "The database server is a standby.")
