"""The connection to the database, and what a transaction is.

On SQLite a transaction that writes begins with BEGIN IMMEDIATE, so that it waits for its turn at
its start and never fails in its middle; one that only reads begins deferred and waits for nobody.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask
from flask_migrate import Migrate, upgrade
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import DateTime, Dialect, Engine, MetaData, event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.types import TypeDecorator

MIGRATIONS = Path(__file__).with_name("migrations")
# How long a writer waits for another on SQLite, in seconds.
_BUSY_TIMEOUT_SECONDS = 30
_READ_ONLY = {"copydesk_reads": True}


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time in UTC, also where the database (SQLite) keeps none of that."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


db = SQLAlchemy(model_class=Base)
_migrate = Migrate(directory=str(MIGRATIONS))


def init_app(app: Flask, url: str) -> None:
    """Bind the app to its database; nothing is opened yet."""
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    if make_url(url).get_backend_name() == "sqlite":
        path = make_url(url).database
        if path and path != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {
            "connect_args": {"timeout": _BUSY_TIMEOUT_SECONDS}
        }
    db.init_app(app)
    _migrate.init_app(app, db)
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            _prepare_sqlite(db.engine)


def migrate_to_head(app: Flask) -> None:
    """Bring the tables up to this version's."""
    with app.app_context():
        upgrade(directory=str(MIGRATIONS))


@contextmanager
def writing() -> Iterator[Session]:
    """One transaction that writes: committed at the end, rolled back on any error."""
    with _transaction() as session:
        yield session


@contextmanager
def reading() -> Iterator[Session]:
    """One transaction that only reads, on one snapshot."""
    with _transaction(_READ_ONLY) as session:
        yield session


@contextmanager
def _transaction(options: dict[str, Any] | None = None) -> Iterator[Session]:
    session: Session = db.session()
    if session.in_transaction():
        raise RuntimeError("a transaction is open already: transactions do not nest")
    try:
        session.connection(execution_options=options)
        yield session
        session.commit()
    except BaseException:
        session.rollback()
        raise
    finally:
        # Gives the connection back at once: a slow caller must not hold it.
        db.session.remove()


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def connect(dbapi_connection: Any, record: object) -> None:
        # Python's own transaction handling begins late and deferred: switch it off.
        dbapi_connection.isolation_level = None
        _switch_to_wal(dbapi_connection)
        dbapi_connection.execute("PRAGMA synchronous = FULL")
        dbapi_connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get("copydesk_reads")
        connection.exec_driver_sql("BEGIN DEFERRED" if reads else "BEGIN IMMEDIATE")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite waits for other processes everywhere but here: the first ones to open a new file,
    such as web, worker and scheduler started together, would fail."""
    until = time.monotonic() + _BUSY_TIMEOUT_SECONDS
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
