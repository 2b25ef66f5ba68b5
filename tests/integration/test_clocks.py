"""A machine whose clock is wrong: what was agreed on with others still holds."""

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, repeat
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

import scheduler
from app.ports import Clock, WebhookAnswer
from app.services import idempotency, schedule, usage
from app.services.lease_keeping import LEASE
from app.services.leased_work import JOBS
from app.store import database, models, postgresql
from tests.support.integration import POSTGRESQL, Feed
from tests.support.service_harness import ServiceHarness
from tests.support.startup import wait_until

AN_HOUR = timedelta(hours=1)
SIX_DAYS = timedelta(days=6)
WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


def test_a_scheduler_whose_clock_is_set_back_goes_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran, over = Event(), Event()
    waiting = BackgroundScheduler(timezone=UTC, daemon=True)
    far = datetime.now(UTC) + timedelta(days=40)
    waiting.add_job(ran.set, IntervalTrigger(seconds=5), next_run_time=far)
    pull_in = waiting.add_job(over.set, IntervalTrigger(hours=1), id="pull in", next_run_time=far)
    waiting.start()
    # Forty days fast when it is first looked at, and right afterwards.
    readings = chain([far.timestamp()], repeat(datetime.now(UTC).timestamp()))
    clock = SimpleNamespace(time=partial(next, readings), monotonic=lambda: 0.0)
    monkeypatch.setattr(scheduler, "time", clock)
    monkeypatch.setattr(scheduler, "_LOOK_SECONDS", 0.01)
    following = Thread(target=scheduler._follow_clock, args=(waiting, over))
    following.start()
    assert ran.wait(60)
    wait_until(lambda: pull_in.next_run_time < far, 60, "what waits is looked at")
    assert pull_in.next_run_time > datetime.now(UTC), "in case the clock was only slow for a moment"
    over.set()
    following.join()
    waiting.shutdown()


def test_a_clock_that_was_fast_leaves_no_webhook_waiting(harness: ServiceHarness) -> None:
    """clocks that were wrong leave nothing waiting longer than the longest pause"""
    for _ in range(5):
        harness.create(webhook=WEBHOOK)
        assert harness.work()
    harness.receiver.answers = [WebhookAnswer(status=500)] * 3
    harness.clock.move(SIX_DAYS)
    while harness.deliver():
        pass
    harness.clock.move(-SIX_DAYS)
    harness.create(webhook=WEBHOOK)
    assert harness.work()
    assert harness.deliver(), "the receiver rests no longer"
    assert not harness.deliver()
    schedule.pull_in(harness.context)
    while harness.deliver():
        pass
    assert [row.status for row in harness.rows(models.WebhookDelivery)] == ["delivered"] * 6


def test_what_a_dead_process_held_is_free_after_a_lease_of_the_right_clock(
    harness: ServiceHarness,
) -> None:
    harness.create()
    harness.clock.move(SIX_DAYS)
    now, key = harness.clock.now(), harness.key("k", "generate")
    assert JOBS.claim(now, None, lambda _, row: row) is not None
    idempotency.begin(harness.context, key)
    caller = harness.caller
    with database.writing() as session:
        usage.reserve(session, caller, 100, now, now + LEASE)
    harness.clock.move(-SIX_DAYS)
    assert harness.generate(key)[1] is False
    schedule.pull_in(harness.context)
    assert not harness.work(), "its worker may be alive"
    harness.clock.move(LEASE + timedelta(seconds=1))
    assert usage.release_lapsed(harness.context) == 1
    assert harness.work()


@pytest.mark.parametrize("every", [AN_HOUR, timedelta(days=7)])
def test_a_rule_that_ran_while_the_clock_was_fast_has_its_next_slot(
    feed: Feed, every: timedelta
) -> None:
    begin = feed.clock.now()
    feed.add_rule("Oats", every=every, due=begin + timedelta(minutes=10))
    feed.clock.move(SIX_DAYS)
    schedule.tick(feed.context)
    feed.end_runs()
    feed.clock.move(-SIX_DAYS)
    schedule.pull_in(feed.context)
    assert begin < feed.rule("Oats").next_due_at <= begin + every
    feed.clock.move(every)
    schedule.tick(feed.context)
    feed.end_runs()
    schedule.pull_in(feed.context)
    assert begin + every < feed.rule("Oats").next_due_at <= begin + 2 * every


@POSTGRESQL
@pytest.mark.parametrize("wrong", [timedelta(days=40), timedelta(days=-40)])
def test_a_machine_whose_clock_is_weeks_wrong_keeps_the_time_of_the_database(
    feed: Feed, monkeypatch: pytest.MonkeyPatch, wrong: timedelta
) -> None:
    """“Nothing that was accepted is lost.”"""
    right = datetime.now(UTC)

    class Wrong(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return right + wrong

    monkeypatch.setattr("app.ports.datetime", Wrong)
    with database.reading():
        pass
    assert abs(Clock(postgresql.now).now() - right) < timedelta(minutes=5)


@POSTGRESQL
def test_the_time_of_the_database_is_read_again_when_a_connection_is_used_later(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = postgresql.now()
    later = postgresql._elapsed() + 10_000_000
    # What measures the time that passes goes wrong; the server does not.
    monkeypatch.setattr(postgresql, "_elapsed", lambda: later)
    with database.reading():
        pass
    again = postgresql.now()
    assert first is not None
    assert again is not None
    assert again - first < timedelta(minutes=5)
