"""A machine whose clock is wrong: what was agreed on with others still holds."""

from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, repeat
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

import scheduler
from app.services import clocks
from tests.support.integration import POSTGRESQL
from tests.support.service_harness import ServiceHarness


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


@POSTGRESQL
def test_nothing_is_deleted_by_a_clock_that_is_weeks_fast(harness: ServiceHarness) -> None:
    """“Nothing that was accepted is lost.”"""
    harness.clock.move(datetime.now(UTC) - harness.clock.now())
    created = harness.create()
    assert harness.work()
    harness.clock.move(timedelta(days=40))
    services: Any = SimpleNamespace(context=harness.context)
    scheduler._delete_old(services, Event())
    assert harness.job(created)["status"] == "succeeded"
    assert not clocks.agrees(harness.context)
    harness.clock.move(timedelta(days=-40))
    assert clocks.agrees(harness.context)
