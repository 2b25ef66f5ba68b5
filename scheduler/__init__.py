"""The scheduler: triggers the periodic work. ``app.services.schedule`` decides which rules are due.

Any number of processes may run one: each slot of a rule is queued once, by the first to tick.
"""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event, Thread
from typing import Any

from apscheduler.events import EVENT_SCHEDULER_SHUTDOWN
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler

from app.container import Services
from app.heartbeat import BEAT_SECONDS, Heartbeat
from app.ports import QueueUnavailable
from app.services import leased_work, retention, review, review_links, schedule, usage

log = logging.getLogger(__name__)

_LOOK_SECONDS, _SET_BACK_SECONDS = 1.0, 5.0
_DELETE_SECONDS = 3600
# How long each may take; a round of deletion ends after ten minutes.
_LIMIT_SECONDS, _DELETE_LIMIT_SECONDS = 300, 900
# Not while everything else begins.
_FIRST_DELETE = timedelta(minutes=3)
_PULL_IN, _PULL_IN_SECONDS = "pull in", 600
# How long a clock that was set back has to stay before something is done about it.
_STEADY = timedelta(minutes=1)


def start_in_background(services: Services) -> BackgroundScheduler:
    """Tick from a thread of this process until its end or ``shutdown``."""
    # A tick that comes late (a busy machine, a sleeping laptop) still counts; several late ones
    # are one, as the tick itself catches up.
    late = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    scheduler = BackgroundScheduler(timezone=UTC, daemon=True, job_defaults=late)
    ending = Event()
    scheduler.add_listener(lambda _: ending.set(), EVENT_SCHEDULER_SHUTDOWN)
    _add_jobs(scheduler, services, ending)
    scheduler.start()
    follow = partial(_follow_clock, scheduler, ending)
    Thread(target=follow, name="clock", daemon=True).start()
    return scheduler


def _follow_clock(scheduler: BaseScheduler, ending: Event) -> None:
    """Run everything at once when the clock of this machine was set back: the scheduler waits for
    times of day, which would be as far away as the clock was wrong."""
    before = time.time() - time.monotonic()
    while not ending.wait(_LOOK_SECONDS):
        now = time.time() - time.monotonic()
        if now < before - _SET_BACK_SECONDS:
            log.warning("the clock was set back by %d s", before - now)
            for job in scheduler.get_jobs():
                # A clock that was slow for a moment leaves nothing that waits for too long.
                wait = _STEADY if job.id == _PULL_IN else timedelta(0)
                job.modify(next_run_time=datetime.now(UTC) + wait)
        before = now


def _add_jobs(scheduler: BaseScheduler, services: Services, ending: Event) -> None:
    settings, now = services.settings, datetime.now(UTC)
    heart = Heartbeat(settings.heartbeat_file)

    def watched(work: Callable[[], None], seconds: float = _LIMIT_SECONDS) -> Callable[[], None]:
        def run() -> None:
            with heart.watching(seconds):
                work()

        return run

    # At the start as well, for what fell due while nothing ran. It brings no second run of a day
    # on the restricted schedule: how often a rule may run is with its slots.
    every: dict[str, Any] = {"trigger": "interval", "seconds": int(settings.tick_seconds) or 1}
    if settings.schedule == "restricted":
        every = {"trigger": "cron", "hour": 0}
    scheduler.add_job(watched(partial(_tick, services)), id="tick", next_run_time=now, **every)
    scheduler.add_job(heart.beat, "interval", seconds=int(BEAT_SECONDS), next_run_time=now)
    for work, seconds in ((_sweep, 10), (_requeue, 5), (_review, 60), (_remind, 600)):
        scheduler.add_job(watched(partial(work, services)), "interval", seconds=seconds)
    delete = watched(partial(_delete_old, services, ending), _DELETE_LIMIT_SECONDS)
    first = now + _FIRST_DELETE
    scheduler.add_job(delete, "interval", seconds=_DELETE_SECONDS, next_run_time=first)
    often: dict[str, Any] = {"trigger": "interval", "seconds": _PULL_IN_SECONDS}
    pull_in = watched(partial(_pull_in, services))
    scheduler.add_job(pull_in, id=_PULL_IN, next_run_time=now + _STEADY, **often)


def _tick(services: Services) -> None:
    queued = schedule.tick(services.context)
    log.info("tick: %d runs were queued", queued)


def _pull_in(services: Services) -> None:
    schedule.pull_in(services.context)


def _sweep(services: Services) -> None:
    released = usage.release_lapsed(services.context)
    if released:
        log.warning("released the words of %d requests whose process died", released)


def _review(services: Services) -> None:
    decided = review.after_time(services.context)
    if decided:
        log.info("decided on %d posts that nobody reviewed in time", decided)


def _remind(services: Services) -> None:
    if (address := services.settings.public_url) is not None:
        review_links.send_reminders(services.context, address)


def _delete_old(services: Services, ending: Event) -> None:
    deleted = retention.delete_old(services.context, ending.wait)
    if deleted:
        log.info("deleted %s", ", ".join(f"{count} {kind}" for kind, count in deleted.items()))


def _requeue(services: Services) -> None:
    try:
        leased_work.requeue_lost(services.context)
    except QueueUnavailable as error:
        log.warning("the queue cannot be reached: %s", error)
