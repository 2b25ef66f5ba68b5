"""The connection to the database, and what a transaction is.

A transaction that writes holds its locks from its first statement on: on SQLite the whole database,
on PostgreSQL (READ COMMITTED) the rows that it takes. One that only reads sees one snapshot and
waits for nobody.

SQLite lets those who wait to write look again at growing intervals, so that who has waited longest
has the worst chance: of sixteen threads some waited for seconds. So the threads of a process take
turns (``app.store.turns``) before they go to the database, where they meet other processes alone.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from flask import Flask
from flask_migrate import Migrate, upgrade
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import Connection, DateTime, Dialect, Engine, MetaData
from sqlalchemy.engine import make_url
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.pool import Pool
from sqlalchemy.types import TypeDecorator

from app.store import postgresql, sqlite
from app.store.turns import Turns

MIGRATIONS = Path(__file__).with_name("migrations")


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
# Every engine; with turns where it is SQLite's.
_engines: WeakKeyDictionary[Engine, Turns | None] = WeakKeyDictionary()
_of_the_parent: list[Pool] = []


def init_app(app: Flask, url: str) -> None:
    """Bind the app to its database, SQLite or PostgreSQL; nothing is opened yet."""
    address = make_url(url)
    on_postgresql = address.get_backend_name() == "postgresql"
    own = postgresql.engine_options() if on_postgresql else sqlite.engine_options(address)
    app.config["SQLALCHEMY_DATABASE_URI"] = address
    # Parameters can be secrets, and an error is logged with its statement.
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {**own, "hide_parameters": True}
    db.init_app(app)
    _migrate.init_app(app, db)
    with app.app_context():
        prepare = postgresql.prepare if on_postgresql else sqlite.prepare
        prepare(db.engine)
        _engines[db.engine] = None if on_postgresql else Turns(sqlite.BUSY_TIMEOUT_SECONDS)


def migrate_to_head(app: Flask) -> None:
    """Bring the tables up to this version's. Processes that do it at once take turns."""
    with app.app_context():
        upgrade(directory=str(MIGRATIONS))


@contextmanager
def writing() -> Iterator[Session]:
    """One transaction that writes: committed at the end, rolled back on any error."""
    with _turn(), _transaction() as session:
        yield session


@contextmanager
def writing_connection() -> Iterator[Connection]:
    """The same without a session, for what runs often: statements of tables cost half as much."""
    with _turn(), db.engine.begin() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[Session]:
    """One transaction that only reads, on one snapshot."""
    on_postgresql = db.engine.dialect.name == "postgresql"
    with _transaction(postgresql.READ_ONLY if on_postgresql else sqlite.READ_ONLY) as session:
        yield session


@contextmanager
def autocommit() -> Iterator[Connection]:
    """Statements that only read, each on its own snapshot, for what every request asks first. It
    costs half of a session's transaction, and on PostgreSQL one round trip instead of three."""
    on_postgresql = db.engine.dialect.name == "postgresql"
    options = postgresql.AUTOCOMMIT if on_postgresql else sqlite.AUTOCOMMIT
    with db.engine.connect().execution_options(**options) as connection:
        yield connection


def _turn() -> AbstractContextManager[None]:
    """This thread's turn to write, where threads take turns."""
    turns = _engines[db.engine]
    return nullcontext() if turns is None else turns.turn()


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


def _leave_connections_to_the_parent() -> None:
    """A fork must not speak on its parent's connections, nor end them: it makes its own."""
    for engine, turns in list(_engines.items()):
        # Kept: closing what is no longer referenced would speak on it, too.
        _of_the_parent.append(engine.pool)
        engine.dispose(close=False)
        if turns is not None:
            # A turn that another thread had belongs to the parent: nobody would pass it on here.
            _engines[engine] = Turns(sqlite.BUSY_TIMEOUT_SECONDS)


os.register_at_fork(after_in_child=_leave_connections_to_the_parent)
