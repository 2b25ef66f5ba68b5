"""The database of a process, and its transactions.

A transaction that writes holds its locks from its first statement on: on SQLite the whole database,
on PostgreSQL (READ COMMITTED) the rows it touches. A transaction that only reads sees one snapshot
and never waits.

SQLite makes waiting writers retry at growing intervals, so the writer that has waited longest has
the worst chance: of sixteen threads some waited for seconds. Threads of one process therefore queue
for a fair lock first and compete for the database only with other processes.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from enum import Enum
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from sqlalchemy import URL, Connection, create_engine, inspect, make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import Pool

from app.store import postgresql, sqlite
from app.store.fair_lock import FairLock
from app.store.server_time import ServerTime

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).with_name("migrations")


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
    TOO_OLD = (
        "The database was created by a version of Copydesk from before the first release, and this"
        " version cannot upgrade it. Export its accounts with `copydesk-server account export` of"
        " that version, or start with a new database (COPYDESK_DATA_DIR or COPYDESK_DATABASE_URL)."
    )
    NEWER = "The database was created by a newer version of Copydesk. Use that version."


class Database:
    """A SQLite or PostgreSQL database. Threads may share it, and a fork may go on using it."""

    def __init__(self, url: str | URL) -> None:
        """Connect on first use. The folder of a SQLite file is created now."""
        address = make_url(url)
        self._on_postgresql = address.get_backend_name() == "postgresql"
        self._backend = postgresql if self._on_postgresql else sqlite
        # Parameters can be secrets, and an error is logged with its statement.
        self.engine = create_engine(
            address, hide_parameters=True, **self._backend.engine_options(address)
        )
        self._server_time: ServerTime | None = self._backend.prepare(self.engine)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._start_afresh()
        _databases.add(self)

    def _start_afresh(self) -> None:
        self.lock = None if self._on_postgresql else FairLock(sqlite.BUSY_TIMEOUT_SECONDS)
        self._of_thread = local()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction that writes; commit at the end, roll back on any error."""
        with self._locked(), self._transaction() as session:
            yield session

    @contextmanager
    def writing_connection(self) -> Iterator[Connection]:
        """Do the same without a session, for frequent work: Core statements cost half as much."""
        with self._locked(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a transaction that only reads, on one snapshot."""
        with self._transaction(self._backend.READ_ONLY) as session:
            yield session

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Open a connection whose statements only read, each on its own snapshot. It costs half as
        much as a transaction, and on PostgreSQL one round trip instead of three."""
        options = self._backend.AUTOCOMMIT
        with self.engine.connect().execution_options(**options) as connection:
            yield connection

    @contextmanager
    def writing_at_once(self) -> Iterator[Connection]:
        """Open a connection on which each statement that writes is a transaction of its own: on
        PostgreSQL one round trip instead of three."""
        with self._locked(), self.autocommit() as connection:
            yield connection

    def server_time(self) -> datetime | None:
        """Return the time of the database server; None on SQLite, and while the server was never
        reached."""
        if self._server_time is None:
            return None
        if self._server_time.now() is None:
            with suppress(SQLAlchemyError), self.engine.connect():
                pass
        return self._server_time.now()

    def check(self) -> None:
        """Check that the tables can be read and that writes would succeed.

        Raises:
            DatabaseTrouble: reads succeed, writes would not.
            SQLAlchemyError: the tables cannot be read.
        """
        with self.autocommit() as connection:
            connection.execute(text("SELECT 1 FROM plans LIMIT 1"))
            self._backend.check(connection)

    def migrate(self) -> None:
        """Migrate the tables to this version. Concurrent processes wait for one another."""
        # Imported here: a process on a current database does not need it.
        from alembic import command

        command.upgrade(self.migrations(), "head")

    def migrations(self) -> "Config":
        """Return the configuration that Alembic's commands take."""
        from alembic.config import Config

        config = Config(attributes={"engine": self.engine})
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        return config

    def dispose(self) -> None:
        """Close the idle connections."""
        self.engine.dispose()

    def _locked(self) -> AbstractContextManager[None]:
        return nullcontext() if self.lock is None else self.lock.held()

    @contextmanager
    def _transaction(self, options: dict[str, Any] | None = None) -> Iterator[Session]:
        if getattr(self._of_thread, "busy", False):
            raise RuntimeError("a transaction is open already: transactions do not nest")
        self._of_thread.busy = True
        try:
            with self._sessions.begin() as session:
                session.connection(execution_options=options)
                yield session
        finally:
            self._of_thread.busy = False

    def leave_connections_to_the_parent(self) -> None:
        """Use new connections in a fork: it must neither use nor close its parent's."""
        # Kept: garbage collection would close the parent's connections.
        _of_the_parent.append(self.engine.pool)
        self.engine.dispose(close=False)
        # A thread of the parent may hold the lock, and would never release it here.
        self._start_afresh()


_databases: WeakSet[Database] = WeakSet()
_of_the_parent: list[Pool] = []
_bound: Database | None = None


def bind(url: str | URL) -> Database:
    """Make a database the one that this process uses; close the idle connections of another."""
    global _bound
    if _bound is not None:
        _bound.dispose()
    _bound = Database(url)
    return _bound


def bound() -> Database:
    """Return the database that this process uses."""
    if _bound is None:
        raise RuntimeError("no database is bound: call bind() first")
    return _bound


def server_time() -> datetime | None:
    """Return ``bound().server_time()``."""
    return bound().server_time()


def writing() -> AbstractContextManager[Session]:
    """Return ``bound().writing()``."""
    return bound().writing()


def writing_connection() -> AbstractContextManager[Connection]:
    """Return ``bound().writing_connection()``."""
    return bound().writing_connection()


def reading() -> AbstractContextManager[Session]:
    """Return ``bound().reading()``."""
    return bound().reading()


def autocommit() -> AbstractContextManager[Connection]:
    """Return ``bound().autocommit()``."""
    return bound().autocommit()


def writing_at_once() -> AbstractContextManager[Connection]:
    """Return ``bound().writing_at_once()``."""
    return bound().writing_at_once()


def file_is_there(address: URL | str) -> bool:
    """Return whether a database can be opened without creating its file; True for servers."""
    url = make_url(address)
    try:
        return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()
    except PermissionError:
        return True  # opening it says why


def revisions() -> list[str]:
    """Return the revisions that this version knows, the oldest first: the file names of its
    migrations begin with them. Alembic says the same, but takes a quarter of a second to load."""
    return sorted(file.name.split("_")[0] for file in MIGRATIONS.glob("versions/[0-9]*.py"))


def schema_of(database: Database) -> Schema:
    """Compare the database with the migrations of this version."""
    if not file_is_there(database.engine.url):
        return Schema.MISSING
    with database.autocommit() as connection:
        found = None
        if inspect(connection).has_table("alembic_version"):
            found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return Schema.MISSING if found is None else schema_at(found)


def schema_at(revision: str) -> Schema:
    """Compare a revision with the migrations of this version."""
    *older, newest = known = revisions()
    if revision == newest:
        return Schema.CURRENT
    if revision in older:
        return Schema.OLDER
    return Schema.TOO_OLD if revision < known[0] else Schema.NEWER


def _after_fork() -> None:
    for database in list(_databases):
        database.leave_connections_to_the_parent()


os.register_at_fork(after_in_child=_after_fork)
