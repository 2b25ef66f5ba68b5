"""Creates the tables of the current application's database, or runs the migrations on those of an
earlier version. Alembic calls this file."""

from alembic import context
from sqlalchemy import text

from app.extensions import Base, db
from app.store import new_database, postgresql

# Any number that nothing else in the database uses.
_ADVISORY_LOCK = 0x_C0_FF_EE

with db.engine.begin() as _connection:
    _on_postgresql = _connection.dialect.name == "postgresql"
    if _on_postgresql:
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
    with context.begin_transaction():
        if not _found:
            new_database.create(_connection)
            context.get_context().stamp(context.script, "head")
        else:
            if _on_postgresql and _found != (context.get_head_revision(),):
                postgresql.take_tables(_connection, Base.metadata.tables)
            context.run_migrations()
