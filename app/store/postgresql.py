"""PostgreSQL: how connections are made, for how long they wait, and when they are given up."""

import select
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

# A transaction takes milliseconds and gives its connection back, so that some twenty serve many
# more threads; a server allows a hundred in all unless it is told otherwise.
_CONNECTIONS = 20
_POOL_TIMEOUT_SECONDS = 10
AUTOCOMMIT = {"isolation_level": "AUTOCOMMIT"}
READ_ONLY = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
_SESSION = {
    "lock_timeout": "10s",
    "statement_timeout": "30s",
    # Frees the locks of a process that hangs, or whose machine is gone, before those who wait for
    # them give up: a transaction takes milliseconds.
    "idle_in_transaction_session_timeout": "8s",
    "timezone": "UTC",
}
_CONNECT = {
    "connect_timeout": 5,
    "application_name": "copydesk",
    # A server that vanished without a word is noticed within a minute.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def engine_options() -> dict[str, Any]:
    """The pool, and what each connection is made with."""
    return {
        "connect_args": _CONNECT,
        "isolation_level": "READ COMMITTED",
        "max_overflow": 0,
        "pool_size": _CONNECTIONS,
        "pool_timeout": _POOL_TIMEOUT_SECONDS,
        "pool_use_lifo": True,
    }


def prepare(engine: Engine) -> None:
    """Set time-outs on each new connection; replace one that the server has ended."""

    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # By statement and not as connection options: connection poolers refuse those.
        dbapi_connection.autocommit = True
        names = ", ".join(["set_config(%s, %s, false)"] * len(_SESSION))
        values = [part for setting in _SESSION.items() for part in setting]
        dbapi_connection.execute(f"SELECT {names}", values)
        dbapi_connection.autocommit = False

    @event.listens_for(engine, "checkout")
    def checkout(dbapi_connection: Any, record: object, proxy: object) -> None:
        if _server_has_spoken(dbapi_connection):
            raise DisconnectionError


def _server_has_spoken(connection: Any) -> bool:
    """Whether something arrived on a connection that asked nothing: mostly the server's farewell.

    It costs no round trip, as ``pool_pre_ping`` does on every transaction; a connection that is
    replaced without need costs one connect.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
