"""What a transaction is, how connections fare when the server or the process does not stay, and the
turns in which the threads of a process write to SQLite."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Semaphore, Thread
from typing import cast

import pytest
from sqlalchemy import event, make_url, select, text, update
from sqlalchemy.exc import DBAPIError, InvalidRequestError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from app.extensions import db
from app.services import feed as service
from app.store import database, models
from app.store.trouble import is_passing
from tests.support import concurrent_processes as processes
from tests.support.databases import another_connection
from tests.support.integration import POSTGRESQL, SQLITE, Feed
from tests.support.postgres import PostgresServer
from tests.support.scripted_worker import Worker
from tests.support.startup import wait_until


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


def test_a_fork_leaves_its_parents_connections_alone(feed: Feed, tmp_path: Path) -> None:
    """A connection that two processes use mixes up answers."""
    with processes.ConcurrentProcesses(tmp_path / "forks", 1, processes.forks, feed.url) as forking:
        (((parent, child, still),),) = forking.join()
    assert parent == still != child
    assert name_of(feed) == "Blog!!!"


# --- turns to write: one ends with its transaction, and none lasts as long as a model writes


# A turn that is free comes at once; the one that is lost would be waited for half a minute.
SOON = 10.0
ONE = text("UPDATE accounts SET name = name")


@pytest.fixture(autouse=True)
def another_thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def writes_elsewhere(feed: Feed, pool: ThreadPoolExecutor) -> None:
    """Another thread of this process gets its turn."""

    def write() -> None:
        with database.writing() as session:
            session.execute(ONE)

    pool.submit(write).result(SOON)


@contextmanager
def refused(name: str, error: BaseException) -> Iterator[None]:
    """Every use of that event of the engine fails."""

    def fail(*_: object) -> None:
        raise error

    event.listen(database.engine(), name, fail)
    try:
        yield
    finally:
        event.remove(database.engine(), name, fail)


def fail(session: Session, error: type[BaseException]) -> None:
    """In the middle of a transaction."""
    session.execute(ONE)
    raise error


def test_a_turn_ends_with_its_transaction(feed: Feed, another_thread: ThreadPoolExecutor) -> None:
    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), database.writing() as session:
            fail(session, error)
        writes_elsewhere(feed, another_thread)
    with pytest.raises(DBAPIError), database.writing() as session:
        session.execute(text("UPDATE nowhere SET name = ''"))
    writes_elsewhere(feed, another_thread)
    for moment in ("begin", "commit"):
        broken = refused(moment, OperationalError(moment, None, Exception()))
        with pytest.raises(OperationalError), broken, database.writing() as session:
            session.execute(ONE)
        writes_elsewhere(feed, another_thread)


def test_no_turn_lasts_while_a_model_writes(
    feed: Feed, worker: Worker, another_thread: ThreadPoolExecutor
) -> None:
    worker.queue()
    written: list[bool] = []

    def meanwhile() -> None:
        writes_elsewhere(feed, another_thread)
        written.append(True)

    worker.meanwhile = meanwhile
    assert worker.run_next()
    assert written == [True]
    assert feed.states() == ["pending"]


@SQLITE
def test_a_file_that_another_program_holds_is_away(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """503 for callers, as if the database did not answer"""
    monkeypatch.setattr("app.store.sqlite.BUSY_TIMEOUT_SECONDS", 0.1)
    url = database.engine().url
    database.bind(url)
    with closing(sqlite3.connect(str(url.database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked") as away, database.writing() as session:
            session.execute(ONE)
    assert is_passing(away.value)


@SQLITE
def test_who_waits_for_a_turn_holds_no_connection(feed: Feed) -> None:
    """So that however many wait to write, who only reads waits for nobody."""
    feed.add_items("Coffee")
    many = 40

    started = Semaphore(0)

    def pull() -> object:
        started.release()
        return service.pull_latest(feed.context, feed.token, next_item=False)

    def empty_poll() -> None:
        service.require_feed(feed.context, feed.token)

    connections = cast("QueuePool", database.engine().pool)
    with ThreadPoolExecutor(many) as pool:
        pulls: list[Future[object]]
        with database._turn_to_write:
            pulls = [pool.submit(pull) for _ in range(many - 1)]
            for _ in pulls:
                started.acquire()
            wait_until(lambda: connections.checkedout() == 0)
            pool.submit(empty_poll).result(SOON)
        for done in pulls:
            done.result(60)


@SQLITE
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_takes_no_turn_with_it(feed: Feed) -> None:
    """A worker forks while another thread of its process writes."""
    held, done = Event(), Event()

    def write() -> None:
        with database._turn_to_write:
            held.set()
            done.wait(60)

    holder = Thread(target=write)
    holder.start()
    held.wait(SOON)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with database.writing() as session:
                session.execute(ONE)
            status = 0
        finally:
            os._exit(status)
    ended = os.waitpid(child, 0)[1]
    done.set()
    holder.join(SOON)
    assert ended == 0


def test_transactions_do_not_nest(feed: Feed) -> None:
    nested = pytest.raises(InvalidRequestError, match="already begun")
    for outer in (database.writing, database.reading):
        with outer() as session:
            with nested, database.reading():
                pass
            session.execute(ONE if outer is database.writing else text("SELECT 1"))
    with database.writing(), nested, database.writing():
        pass
    with database.reading(), another_connection(feed.url), database.writing() as session:
        session.execute(ONE)


def test_a_statement_outside_of_a_transaction_fails(feed: Feed) -> None:
    with database.connect(feed.url).app_context():
        with pytest.raises(InvalidRequestError, match="begin"):
            db.session.execute(ONE)
        database.dispose()
