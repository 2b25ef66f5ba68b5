"""The scheduler: when rules are looked at. What is due is decided in ``app.services.rules``.

Any number of processes may run one: a slot of a rule is queued once, whoever ticks first.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event

from apscheduler.events import EVENT_SCHEDULER_SHUTDOWN
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger
from flask import Flask

from app.ports import QueueUnavailable
from app.services import retention, rules, sweep, usage
from app.wiring import ports

log = logging.getLogger(__name__)

_SWEEP_SECONDS = 10
_REQUEUE_SECONDS = 5
_FORGET_SECONDS = 3600
# Not while everything else begins.
_FIRST_FORGET = timedelta(minutes=3)


def start_in_background(app: Flask) -> BackgroundScheduler:
    """Tick from a thread of this process until its end or ``shutdown``."""
    scheduler = BackgroundScheduler(timezone=UTC, daemon=True)
    _add_jobs(scheduler, app)
    scheduler.start()
    return scheduler


def _add_jobs(scheduler: BaseScheduler, app: Flask) -> None:
    settings = app.extensions["copydesk"].settings
    # A tick that comes late (a busy machine, a sleeping laptop) still counts; several late ones
    # are one, as the tick itself catches up.
    late = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    restricted = settings.schedule == "restricted"
    every = (
        CronTrigger(hour=0, timezone=UTC)
        if restricted
        else IntervalTrigger(seconds=int(settings.tick_seconds) or 1, timezone=UTC)
    )
    # At the start as well, for what fell due while nothing ran. It brings no second run of a day
    # on the restricted schedule: how often a rule may run is with its slots.
    now = datetime.now(UTC)
    scheduler.add_job(_within(app, _tick), every, id="tick", next_run_time=now, **late)
    scheduler.add_job(_within(app, _sweep), IntervalTrigger(seconds=_SWEEP_SECONDS), **late)
    scheduler.add_job(_within(app, _requeue), IntervalTrigger(seconds=_REQUEUE_SECONDS), **late)
    ending = Event()
    scheduler.add_listener(lambda _: ending.set(), EVENT_SCHEDULER_SHUTDOWN)
    hourly = IntervalTrigger(seconds=_FORGET_SECONDS, timezone=UTC)
    first = datetime.now(UTC) + _FIRST_FORGET
    scheduler.add_job(_within(app, lambda: _forget(ending)), hourly, next_run_time=first, **late)


def _within(app: Flask, job: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        with app.app_context():
            job()

    return run


def _tick() -> None:
    wired = ports()
    queued = rules.tick(wired.clock, wired.queue, wired.settings.schedule_policy)
    log.info("tick: %d runs were queued", queued)


def _sweep() -> None:
    released = usage.release_lapsed(ports().clock)
    if released:
        log.warning("gave back the words of %d requests whose process died", released)


def _forget(ending: Event) -> None:
    forgotten = retention.forget_old(ports().clock, ending.wait)
    if forgotten:
        log.info("forgot %s", ", ".join(f"{count} {kind}" for kind, count in forgotten.items()))


def _requeue() -> None:
    wired = ports()
    try:
        sweep.requeue_lost(wired.queue, wired.clock)
    except QueueUnavailable as error:
        log.warning("the queue cannot be reached: %s", error)
