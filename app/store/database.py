"""The database of the application, and its transactions.

A transaction that writes holds its locks from its first statement on: on SQLite the whole database,
on PostgreSQL (READ COMMITTED) the rows it touches. A transaction that only reads sees one snapshot
and never waits. A statement outside of a transaction fails, and so does one within another.

SQLite makes waiting writers retry at growing intervals: of sixteen threads some waited for seconds.
Threads of one process therefore take turns, and compete for the database only with other processes.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import Enum
from pathlib import Path
from threading import Lock
from typing import Any

from flask import Flask, current_app, has_app_context
from sqlalchemy import URL, Connection, Engine, inspect, make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from app.extensions import db
from app.store import postgresql, sqlite
from app.store.trouble import DatabaseTrouble

MIGRATIONS = Path(__file__).with_name("migrations")
_BACKENDS = {"postgresql": postgresql, "sqlite": sqlite}


class Schema(Enum):
    """The state of a database relative to this version; the value is shown to operators."""

    CURRENT = "The database is up to date."
    MISSING = (
        "There is no database here yet. Start the service or run `copydesk-server migrate`, or"
        " check COPYDESK_DATA_DIR, COPYDESK_DATABASE_URL and the current folder."
    )
    OLDER = (
        "The database was created by an earlier version of Copydesk. Stop the service, then run"
        " `copydesk-server migrate` or start the service of this version."
    )
    FOREIGN = (
        "The database was created by another version of Copydesk, a newer one or one from before"
        " the first release, and this version cannot migrate it. Use that version, or start with a"
        " new database (COPYDESK_DATA_DIR or COPYDESK_DATABASE_URL)."
    )


_app: Flask | None = None
"""The application whose database this process uses outside of requests."""
_turn_to_write = Lock()
_of_the_parent: list[Pool] = []


def connect(url: str | URL, app: Flask | None = None) -> Flask:
    """Return an application with a database, which it connects to on first use. The folder of a
    SQLite file is created now.

    Args:
        app: a bare one if None, for commands and workers.
    """
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        # Flask-SQLAlchemy would look for it in the folder of the application.
        address = address.set(database=str(sqlite.file_of(address)))
    backend = _BACKENDS[address.get_backend_name()]
    app = app or Flask("copydesk", static_folder=None)
    app.config["SQLALCHEMY_DATABASE_URI"] = address
    # Parameters can be secrets, and an error is logged with its statement.
    options = {"hide_parameters": True, **backend.engine_options(address)}
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = options
    db.init_app(app)
    with app.app_context():
        backend.prepare(db.engine)
    return app


def bind(url: str | URL, app: Flask | None = None) -> Flask:
    """Do the same, and make this the application whose database this process uses outside of
    requests."""
    global _app
    if _app is not None:
        with _app.app_context():
            dispose()
    _app = connect(url, app)
    return _app


def _context() -> AbstractContextManager[Any]:
    """Return the context of the request, or a new one of the process's application: so threads of
    workers and the scheduler need none of their own."""
    if has_app_context():
        return nullcontext()
    if _app is None:
        raise RuntimeError("no database is bound: call bind() first")
    return _app.app_context()


@contextmanager
def writing() -> Iterator[Session]:
    """Open a transaction that writes; commit at the end, roll back on any error."""
    with _transaction(_turn) as session:
        yield session


@contextmanager
def reading() -> Iterator[Session]:
    """Open a transaction that only reads, on one snapshot."""
    with _transaction(nullcontext) as session:
        session.connection(execution_options=_backend().READ_ONLY)
        yield session


@contextmanager
def core_writing() -> Iterator[Connection]:
    """Do what ``writing`` does without a session, for ``store/hot.py`` alone."""
    with _context(), _turn(), db.engine.begin() as connection:
        yield connection


@contextmanager
def _transaction(turn: Callable[[], AbstractContextManager[None]]) -> Iterator[Session]:
    with _context():
        transaction = db.session.begin()  # who waits for a turn holds no connection yet
        try:
            with turn(), transaction:
                yield db.session()
        finally:
            db.session.remove()  # the next transaction sees nothing that this one has read


@contextmanager
def _turn(seconds: float | None = None) -> Iterator[None]:
    """Wait for this thread's turn to write to SQLite, as long as for another program if no time is
    given. PostgreSQL needs none."""
    if _backend() is postgresql:
        yield
        return
    turn = _turn_to_write
    if not turn.acquire(timeout=seconds or sqlite.BUSY_TIMEOUT_SECONDS):
        late = sqlite3.OperationalError("database is locked")
        raise OperationalError("BEGIN IMMEDIATE", None, late)
    try:
        yield
    finally:
        turn.release()


def _backend() -> Any:
    return _BACKENDS[db.engine.name]


def engine() -> Engine:
    """Return the engine, for what needs neither session nor transaction."""
    with _context():
        return db.engine


def check() -> None:
    """Check that the tables can be read and that writes would succeed.

    Raises:
        DatabaseTrouble: reads succeed, writes would not.
        SQLAlchemyError: the tables cannot be read.
    """
    with reading() as session:
        session.execute(text("SELECT 1 FROM plans LIMIT 1"))
        _backend().check(session.connection())
    with _context():
        if _backend() is sqlite:
            _check_lock(sqlite.file_of(db.engine.url))


def _check_lock(path: Path) -> None:
    try:
        with _turn(sqlite.CHECK_SECONDS):
            sqlite.check_lock(path, sqlite.CHECK_SECONDS)
    except (OperationalError, sqlite3.OperationalError) as error:
        reason = str(getattr(error, "orig", error))
        said = f"Nothing can be written to {path} ({reason})."
        if "locked" not in reason:
            raise DatabaseTrouble("not writable", said) from error
        raise DatabaseTrouble("locked", f"{said} Close the program that holds it.") from error


def migrate() -> None:
    """Create the tables, or migrate those of an earlier version. Concurrent processes wait for one
    another."""
    # Imported here: a process on a current database need not wait for it.
    from alembic import command
    from flask_migrate import Migrate

    with _context():
        migrations = Migrate(current_app, db, directory=str(MIGRATIONS))
        command.upgrade(migrations.get_config(), "head")


def dispose() -> None:
    """Close the idle connections."""
    engine().dispose()


def file_is_there(address: URL | str) -> bool:
    """Return whether a database can be opened without creating its file; True for servers."""
    url = make_url(address)
    try:
        return url.get_backend_name() != "sqlite" or sqlite.file_of(url).exists()
    except PermissionError:
        return True  # opening it says why


def revisions() -> list[str]:
    """Return the revisions that this version knows, the oldest first: the file names of its
    migrations begin with them. Alembic says the same, but takes a quarter of a second to load."""
    return sorted(file.name.split("_")[0] for file in MIGRATIONS.glob("versions/[0-9]*.py"))


def schema() -> Schema:
    """Compare the database with the migrations of this version."""
    if not file_is_there(engine().url):
        return Schema.MISSING
    with reading() as session:
        found = None
        if inspect(session.connection()).has_table("alembic_version"):
            found = session.scalar(text("SELECT version_num FROM alembic_version"))
    return Schema.MISSING if found is None else schema_at(found)


def schema_at(revision: str) -> Schema:
    """Compare a revision with the migrations of this version."""
    *older, newest = revisions()
    if revision == newest:
        return Schema.CURRENT
    return Schema.OLDER if revision in older else Schema.FOREIGN


def _after_fork() -> None:
    """Use new connections in a fork: it must neither use nor close its parent's."""
    global _turn_to_write
    # A thread of the parent may hold it, and would never release it here.
    _turn_to_write = Lock()
    if _app is not None:
        with _app.app_context():
            # Kept: garbage collection would close the parent's connections.
            _of_the_parent.append(db.engine.pool)
            db.engine.dispose(close=False)


os.register_at_fork(after_in_child=_after_fork)
