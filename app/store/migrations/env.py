"""Creates the tables and the plans in the current application's database, or runs the migrations on
those of an earlier version. Alembic calls this file."""

from alembic import context
from sqlalchemy import Connection, insert, text

from app.extensions import Base, db
from app.store.models import Plan

# Any number that nothing else in the database uses.
_ADVISORY_LOCK = 0x_C0_FF_EE
_PLANS = (
    ("starter", "Starter", 20_000, 1_500, 10, 50, False, 1),
    ("growth", "Growth", 100_000, 3_000, 60, 500, False, 5),
    ("scale", "Scale", 500_000, 5_000, 300, 5_000, True, 25),
)


def _create(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for table in Base.metadata.tables.values():
            for index in table.indexes:
                where = index.dialect_options["sqlite"]["where"]
                if where is not None:
                    condition = text(where.text.replace("IS 0", "IS false"))
                    index.dialect_options["postgresql"]["where"] = condition
    Base.metadata.create_all(connection)
    columns = Plan.__table__.columns.keys()
    rows = [dict(zip(columns, row, strict=True)) for row in _PLANS]
    connection.execute(insert(Plan.__table__), rows)


with db.engine.begin() as _connection:
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
    with context.begin_transaction():
        if not _found:
            _create(_connection)
            context.get_context().stamp(context.script, "head")
        else:
            context.run_migrations()
