"""Workers as processes that are fed by Redis; app.adapters.rq_worker is one of them.

The process that was started has the application loaded and nothing open, and forks the workers; a
worker forks once more for each piece of work. RQ's own WorkerPool is not used: it runs RQ's
scheduler in every worker, and waits without limit for what is running when it is to end.
"""

import gc
import logging
import os
import signal
import time
from collections.abc import Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess

from flask import Flask
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from sqlalchemy.exc import SQLAlchemyError

from app import create_app, entry, wiring
from app.adapters.rq_queue import DELIVERIES, QUEUES
from app.adapters.rq_worker import serve
from app.core.locales import language_name
from app.core.quality import identify
from app.ports import WorkKind
from app.services.rehearsal import rehearse
from app.settings import Settings
from app.store.database import db

log = logging.getLogger(__name__)

# RQ takes a second request to end for one to end at once, if it comes after a second.
_STOP_SECONDS = 1.1
_RESTART_SECONDS = 1.0
# Together they take longer to load than a short post takes to check.
_LOADED_LATE = (
    "babel.dates",
    "babel.numbers",
    "jiter",
    "markdown.extensions.sane_lists",
    "markdown.extensions.tables",
    "openai.resources.chat.chat",
    "openai.resources.chat.completions.completions",
)
_NOTHING = "none"  # no piece of work has this id
_fork = get_context("fork").Process
_app: Flask | None = None


def perform(kind: str, work_id: str) -> None:
    """Do one piece of work. Queued work names this function: it stays where it is."""
    app = _app or create_app()
    try:
        entry.perform(app, WorkKind(kind), work_id)
    except Exception:  # RQ would store it in Redis; the work is taken up again in any case
        log.exception("%s %s met an error; it will be taken up again", kind, work_id)


def run_workers(settings: Settings, processes: int) -> None:
    """Work in so many processes, and one more for webhooks alone, so that none waits for a post.

    Returns within about two seconds of SIGTERM or SIGINT: work that takes longer is cut off, and
    taken up by another worker when its lease lapses.
    """
    global _app
    assert settings.redis_url is not None  # noqa: S101 - without it, workers are threads
    _app = create_app(settings)
    _warm_up(_app)
    # The forks share this memory for as long as nobody writes to it.
    gc.freeze()
    Supervisor(
        settings.redis_url.get_secret_value(), [*([QUEUES] * processes), (DELIVERIES,)]
    ).run()


def _warm_up(app: Flask) -> None:
    """Do once what each fork would begin with: modules that others load as they need them are
    there, tables are mapped and statements compiled."""
    for name in _LOADED_LATE:
        import_module(name)
    language_name("en")
    identify.load()
    for answer in (ChatCompletion, Choice, ChatCompletionMessage, CompletionUsage):
        answer.model_rebuild()  # the client puts it off until one arrives
    with app.app_context():
        try:
            for kind in WorkKind:
                entry.perform(app, kind, _NOTHING)
            rehearse(wiring.ports().clock)
        except SQLAlchemyError as error:
            log.warning("the database did not answer: %s", type(error).__name__)
        finally:
            db.engine.dispose()


class Supervisor:
    """Worker processes; one that ends has its place taken by another."""

    def __init__(self, redis_url: str, places: Sequence[Sequence[str]]) -> None:
        """``places`` has the queues that each process works for."""
        self._redis_url = redis_url
        self._places = places
        self._working: dict[ForkProcess, Sequence[str]] = {}

    def run(self) -> None:
        """Until SIGTERM or SIGINT."""
        asked, ask = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os.write(ask, b"."))
        for queues in self._places:
            self._start(queues)
        while asked not in wait([asked, *(process.sentinel for process in self._working)]):
            ended = [process for process in self._working if not process.is_alive()]
            # Where something is wrong with all of them, they are not to keep the machine busy.
            if wait([asked], _RESTART_SECONDS):
                break
            for process in ended:
                log.warning("worker process %s ended; another takes its place", process.pid)
                self._start(self._working.pop(process))
        self._stop()

    def _start(self, queues: Sequence[str]) -> None:
        process = _fork(target=serve, args=(self._redis_url, queues, os.getpid()))
        process.start()
        self._working[process] = queues

    def _stop(self) -> None:
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + _STOP_SECONDS
            for process in self._working:
                if process.is_alive() and process.pid:
                    os.kill(process.pid, number)
            for process in self._working:
                process.join(max(0.0, until - time.monotonic()))
