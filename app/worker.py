"""Workers as processes that are fed by Redis (``app.adapters.rq_worker``).

The process that was started loads the application, opens nothing, forks the workers and replaces
those that end. RQ's own WorkerPool is not used: it runs RQ's scheduler in
every worker, and its shutdown waits without limit for running work.
"""

import gc
import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import RawArray
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app import container, logs, runtime
from app.adapters.rq_queue import DELIVERIES, QUEUES
from app.adapters.rq_worker import end_with_parent, serve
from app.heartbeat import BEAT_SECONDS, Heartbeat
from app.ports import WorkKind
from app.rules import identify
from app.rules.markdown_file import check_markdown
from app.settings import GRACE_SECONDS, Settings
from app.store import database

log = logging.getLogger(__name__)

_RESTART_SECONDS = 1.0
_NOTHING = "none"  # no piece of work has this id
_fork = get_context("fork").Process
_services: container.Services | None = None
# What a worker process does; it calls its argument every few seconds.
_Place = Callable[[Callable[[], None]], None]


def perform(kind: str, work_id: str) -> None:
    """Do one piece of work. Work in Redis names this function, so it must stay here."""
    services = _services or container.build(Settings.from_env())
    try:
        runtime.perform(services.context, WorkKind(kind), work_id)
    except Exception:  # RQ would store it in Redis; the work is retried in any case
        log.exception("%s %s met an error; it will be retried", kind, work_id)


def run_workers_beside_web(settings: Settings) -> None:
    """Run workers in a process that ends with its parent."""
    logs.set_up(settings.log_level, settings.log_format, settings.secrets)
    runtime.end_with_parent()
    run_workers(settings, settings.workers)


def run_workers(
    settings: Settings,
    processes: int,
    *,
    with_metrics: bool = False,
    ready: Callable[[Settings], None] = lambda _: None,
) -> None:
    """Run worker processes, plus one for webhooks alone, so that no webhook waits for a post.

    ``with_metrics`` serves the metrics from one more process: a thread must not run where others
    are forked. ``ready`` is called once they have started.

    After SIGTERM or SIGINT no new work starts. Work unfinished after the drain time is handed back
    for another worker to take.
    """
    global _services
    assert settings.redis_url is not None  # noqa: S101 - without it, workers are threads
    _services = container.build(settings)
    _warm_up(_services)
    # Keeps the garbage collector from writing to memory that the forks share.
    gc.freeze()
    url, parent = settings.redis_url.get_secret_value(), os.getpid()
    places: list[_Place] = [
        partial(_serve, _services, url, queues, parent)
        for queues in (*([QUEUES] * processes), (DELIVERIES,))
    ]
    if with_metrics:
        places.append(partial(_serve_metrics, _services, parent))
    workers = _Workers(places)
    workers.run(settings.drain_seconds, settings.heartbeat_file, lambda: ready(settings))


def _serve(
    services: container.Services,
    redis_url: str,
    queues: Sequence[str],
    parent: int,
    beat: Callable[[], None],
) -> None:
    try:
        serve(redis_url, queues, parent, services.context.options.running.cancel_all, beat)
    finally:
        services.context.tracer.flush()  # a fork ends without doing it


def _serve_metrics(services: container.Services, parent: int, beat: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    end_with_parent(parent)
    serving = runtime.serve_metrics(services)
    while serving.is_alive():
        beat()
        serving.join(BEAT_SECONDS)


# A text with all that a post can have makes the checks load what they need.
_SAMPLE = """# A post

It has a paragraph, so that the checks of sentences and words read something as well.

- An item
- Another item

| Part | Use |
| --- | --- |
| Cell | Text |
"""


def _warm_up(services: container.Services) -> None:
    """Do what every worker would otherwise do first: load the languages, their identifier, the
    checks and the model's client, and map the tables."""
    identify.load()
    check_markdown(_SAMPLE, "en")
    services.context.model()
    try:
        for kind in WorkKind:
            runtime.perform(services.context, kind, _NOTHING)
    except SQLAlchemyError as error:
        log.warning("the database did not answer: %s", type(error).__name__)
    finally:
        database.bound().dispose()


class _Workers:
    """Running worker processes, each with what it does."""

    def __init__(self, places: Sequence[_Place]) -> None:
        self._places = places
        self._working: dict[ForkProcess, int] = {}
        # When each place last advanced, in memory that the forks share.
        self._pulses = RawArray("d", len(places))

    def run(
        self, drain_seconds: float, heartbeat_file: Path | None, started: Callable[[], None]
    ) -> None:
        """Run a worker for each place, and replace it if it ends, until SIGTERM or SIGINT."""
        places = range(len(self._places))
        pulses = [partial(self._pulses.__getitem__, place) for place in places]
        heart = Heartbeat(heartbeat_file, pulses)
        asked, ask = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(ask, b"."))
        for place in places:
            self._start(place)
        started()
        while True:
            heart.beat()
            sentinels = [process.sentinel for process in self._working]
            ready = wait([asked, *sentinels], BEAT_SECONDS)
            if asked in ready:
                break
            ended = [process for process in self._working if not process.is_alive()]
            if not ended:
                continue
            # Workers that all fail at once must not keep the machine busy.
            if wait([asked], _RESTART_SECONDS):
                break
            for process in ended:
                log.warning("worker process %s ended; another takes its place", process.pid)
                self._start(self._working.pop(process))
        self._stop(signal.SIGTERM, drain_seconds)  # finish the current piece of work
        self._stop(signal.SIGTERM, GRACE_SECONDS)  # hand it back
        self._stop(signal.SIGKILL, 1.0)

    def _start(self, place: int) -> None:
        self._pulse(place)
        process = _fork(target=self._places[place], args=(partial(self._pulse, place),))
        process.start()
        self._working[process] = place

    def _pulse(self, place: int) -> None:
        self._pulses[place] = time.monotonic()

    def _stop(self, number: signal.Signals, seconds: float) -> None:
        until = time.monotonic() + seconds
        for process in self._working:
            if process.is_alive() and process.pid:
                os.kill(process.pid, number)
        for process in self._working:
            process.join(max(0.0, until - time.monotonic()))
