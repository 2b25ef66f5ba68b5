"""What a transaction is, and how connections fare when the server or the process does not stay."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url, select, text, update
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from app.store import database, models
from tests.support import concurrent_processes as processes
from tests.support.databases import another_connection
from tests.support.integration import POSTGRESQL, SQLITE, Feed
from tests.support.postgres import PostgresServer


def rename(session: Session, feed: Feed, name: str) -> None:
    session.execute(
        update(models.Account).where(models.Account.id == feed.account_id).values(name=name)
    )


def name_of(feed: Feed) -> str:
    with database.reading() as session:
        return session.scalars(select(models.Account.name)).one()


def test_what_reads_sees_one_moment(feed: Feed) -> None:
    with database.reading() as session:
        before = session.scalar(select(models.Account.name))
        with another_connection(feed.url), database.writing() as another:
            rename(another, feed, "Renamed meanwhile")
        session.expire_all()
        assert session.scalar(select(models.Account.name)) == before
    assert name_of(feed) == "Renamed meanwhile"


@SQLITE
def test_a_transaction_locks_the_database_on_a_connection_that_was_only_read_with(
    feed: Feed,
) -> None:
    with database.reading() as session:
        session.execute(text("SELECT 1"))
    other = sqlite3.connect(str(make_url(feed.url).database), timeout=0)
    with closing(other), database.writing() as session:
        session.connection()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")


@POSTGRESQL
def test_what_reads_cannot_write(feed: Feed) -> None:
    with pytest.raises(DBAPIError, match="read-only"), database.reading() as session:
        rename(session, feed, "Changed")
    with database.writing() as session:
        rename(session, feed, "Changed")


@POSTGRESQL
def test_a_connection_gives_up_what_takes_too_long_and_speaks_utc(feed: Feed) -> None:
    """Whatever the server's own settings are."""
    with database.reading() as session:
        values = {
            name: session.scalar(text(f"SHOW {name}"))
            for name in ("lock_timeout", "statement_timeout", "TimeZone", "transaction_isolation",
                         "idle_in_transaction_session_timeout", "application_name")
        }  # fmt: skip
    assert values == {
        "lock_timeout": "10s", "statement_timeout": "30s", "TimeZone": "UTC",
        "transaction_isolation": "repeatable read", "application_name": "copydesk",
        "idle_in_transaction_session_timeout": "8s",
    }  # fmt: skip
    with database.writing() as session:
        assert session.scalar(text("SHOW transaction_isolation")) == "read committed"


def test_an_error_does_not_repeat_what_was_to_be_stored(feed: Feed) -> None:
    with pytest.raises(DBAPIError) as failed, database.writing() as session:
        session.execute(text("INSERT INTO nowhere VALUES (:secret)"), {"secret": "whsec_hunter2"})
    assert "hunter2" not in str(failed.value)


@pytest.fixture
def server(feed: Feed, postgres: PostgresServer) -> Iterator[PostgresServer]:
    yield postgres
    if postgres.process.poll() is not None:
        postgres.start()


@POSTGRESQL
@pytest.mark.parametrize("end", [PostgresServer.stop, PostgresServer.kill])
def test_a_restart_costs_no_call_that_comes_after_it(
    feed: Feed, server: PostgresServer, end: Callable[[PostgresServer], None]
) -> None:
    """Not even where several connections lie idle."""
    for read_first in (True, False):
        idle = [database.engine().connect() for _ in range(5)]
        for connection in idle:
            connection.close()
        end(server)
        server.start()
        if read_first:
            assert name_of(feed) == "Blog"
        with database.writing() as session:
            rename(session, feed, "Blog")
        assert [name_of(feed) for _ in range(6)] == ["Blog"] * 6


@POSTGRESQL
def test_a_server_that_is_away_is_an_operational_error(feed: Feed, server: PostgresServer) -> None:
    server.stop()
    for _ in range(2):
        with pytest.raises(OperationalError):
            name_of(feed)
    server.start()
    assert name_of(feed) == "Blog"


@POSTGRESQL
@pytest.mark.parametrize("end", [PostgresServer.stop, PostgresServer.kill])
def test_a_transaction_that_is_cut_off_is_an_operational_error(
    feed: Feed, server: PostgresServer, end: Callable[[PostgresServer], None]
) -> None:
    """Which callers are told as 503."""

    def cut_off(*, before: str) -> None:
        with database.writing() as session:
            rename(session, feed, "Half")
            end(server)
            if before == "a statement":
                rename(session, feed, "Half")

    for moment in ("a statement", "its end"):
        with pytest.raises(OperationalError):
            cut_off(before=moment)
        server.start()
        assert name_of(feed) == "Blog"


@POSTGRESQL
def test_a_pool_that_is_used_up_says_so(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLAlchemy's TimeoutError, which is no error of the database: callers get 503 for it, too."""
    monkeypatch.setattr(database.engine().pool, "_timeout", 0.05)
    taken = [database.engine().connect() for _ in range(20)]
    with pytest.raises(PoolTimeout):
        name_of(feed)
    taken.pop().close()
    assert name_of(feed) == "Blog"
    for connection in taken:
        connection.close()
    assert not issubclass(PoolTimeout, OperationalError | InterfaceError)


def test_a_fork_leaves_its_parents_connections_alone(feed: Feed, tmp_path: Path) -> None:
    """A connection that two processes use mixes up answers."""
    with processes.ConcurrentProcesses(tmp_path / "forks", 1, processes.forks, feed.url) as forking:
        (((parent, child, still),),) = forking.join()
    assert parent == still != child
    assert name_of(feed) == "Blog!!!"
