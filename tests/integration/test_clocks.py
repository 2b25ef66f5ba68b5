"""A machine whose clock is wrong: what was agreed on with others still holds."""

import time
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, repeat
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

import scheduler
from app.adapters.system_clock import SharedClock
from app.store import database
from tests.support.integration import POSTGRESQL, SQLITE, Feed

AN_HOUR = timedelta(hours=1)


@POSTGRESQL
def test_processes_keep_the_time_of_the_database_whatever_their_machine_says(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SharedClock(database.server_time)
    right = datetime.now(UTC)

    class Late(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return right - AN_HOUR

    monkeypatch.setattr("app.adapters.system_clock.datetime", Late)
    assert abs(clock.now() - right) < timedelta(minutes=5)
    assert clock.now().tzinfo is UTC


@POSTGRESQL
def test_the_time_is_read_again_when_a_connection_is_used_later(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = database.server_time()
    assert first is not None
    began = time.monotonic()
    # The clock that measures what has passed is an hour fast; the server is not.
    monkeypatch.setattr("app.store.server_time.elapsed", lambda: began + 10_000_000)
    monkeypatch.setattr("app.store.postgresql.elapsed", lambda: began + 10_000_000)
    with database.core_reading():
        pass
    again = database.server_time()
    assert again is not None
    assert again - first < timedelta(minutes=5)


@SQLITE
def test_a_file_has_no_clock_and_the_one_of_the_machine_counts(feed: Feed) -> None:
    assert database.server_time() is None
    assert abs(SharedClock(database.server_time).now() - datetime.now(UTC)) < AN_HOUR


def test_a_scheduler_whose_clock_is_set_back_goes_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran, over = Event(), Event()
    waiting = BackgroundScheduler(timezone=UTC, daemon=True)
    far = datetime.now(UTC) + timedelta(days=40)
    waiting.add_job(ran.set, IntervalTrigger(seconds=5), next_run_time=far)
    waiting.start()
    # Forty days fast when it is first looked at, and right afterwards.
    readings = chain([far.timestamp()], repeat(datetime.now(UTC).timestamp()))
    clock = SimpleNamespace(time=partial(next, readings), monotonic=lambda: 0.0)
    monkeypatch.setattr(scheduler, "time", clock)
    monkeypatch.setattr(scheduler, "_LOOK_SECONDS", 0.01)
    following = Thread(target=scheduler._follow_clock, args=(waiting, over))
    following.start()
    assert ran.wait(60)
    over.set()
    following.join()
    waiting.shutdown()
