"""Runs migrations on the current app's database. Alembic calls this file."""

from alembic import context
from flask import current_app
from sqlalchemy import Engine, MetaData

_db = current_app.extensions["migrate"].db
_engine: Engine = _db.engine
_metadata: MetaData = _db.metadata

# With Flask-Migrate there is always an app and so a database: the offline mode has no use.
with _engine.begin() as _connection:
    context.configure(
        connection=_connection,
        target_metadata=_metadata,
        # SQLite cannot alter most of a table: Alembic copies it instead.
        render_as_batch=True,
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()
