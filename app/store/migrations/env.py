"""Runs the migrations on the engine that ``Database.migrate`` passes. Alembic calls this file."""

import random
import time

from alembic import context
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from app.store.models import Base

_engine: Engine = context.config.attributes["engine"]
# Any number that nothing else in the database uses.
_ADVISORY_LOCK = 0x_C0_FF_EE
# PostgreSQL looks for a deadlock when somebody has waited for a second. By then the migration has
# let others go on, so that it is never their transaction that is rolled back.
_TAKE_MILLISECONDS = 500
_TRY_SECONDS = 60.0


def _take_tables(connection: Connection) -> None:
    """Lock all tables before the first is changed: one by one, as migrations need them, they would
    deadlock with transactions of a running service.

    Raises:
        OperationalError: transactions that do not end hold tables for a minute.
    """
    names = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
    until = time.monotonic() + _TRY_SECONDS
    while names:
        try:
            # What was locked since the savepoint is released with it.
            with connection.begin_nested():
                connection.execute(text(f"SET LOCAL statement_timeout = {_TAKE_MILLISECONDS}"))
                connection.execute(text(f"LOCK TABLE {', '.join(sorted(names))}"))
                connection.execute(text("SET LOCAL statement_timeout = 0"))
        except OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(random.uniform(0.1, 0.5))  # noqa: S311 - no secret
        else:
            return


with _engine.begin() as _connection:
    if _connection.dialect.name == "postgresql":
        # One process migrates and the others wait for it, however long it takes; on SQLite the
        # transaction itself is the lock.
        for _setting in ("lock", "statement", "idle_in_transaction_session"):
            _connection.execute(text(f"SET LOCAL {_setting}_timeout = 0"))
        _connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    context.configure(
        connection=_connection,
        target_metadata=Base.metadata,
        # SQLite cannot alter most of a table: Alembic copies it instead.
        render_as_batch=True,
        compare_type=True,
    )
    _found = context.get_context().get_current_heads()
    if _connection.dialect.name == "postgresql" and _found != (context.get_head_revision(),):
        _take_tables(_connection)
    with context.begin_transaction():
        context.run_migrations()
