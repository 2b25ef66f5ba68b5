"""The threads of a process take turns to write to SQLite: a turn ends with its transaction, however
that ends, and none lasts for as long as a model writes."""

import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event, Semaphore, Thread
from typing import cast

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, InvalidRequestError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from app.extensions import db
from app.services import feed as service
from app.store import database
from app.store.trouble import is_passing
from tests.support.databases import another_connection
from tests.support.integration import SQLITE, Feed
from tests.support.scripted_worker import Worker
from tests.support.startup import wait_until

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
