"""What a web server loads: the application, by itself or with workers and scheduler beside it."""

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable
from threading import Thread

from flask import Flask

from app import create_app
from app.adapters.thread_queue import ThreadQueue
from app.ports import WorkKind
from app.services import job_work, runs, webhooks
from app.settings import Settings
from app.wiring import ports

# A receiver that is slow must not keep the others waiting for theirs.
_DELIVERY_THREADS = 4


def set_up_logging(settings: Settings) -> None:
    """One line per event on stderr."""
    logging.basicConfig(
        level=settings.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s %(message)s",
        force=True,
    )
    # Both log every call at INFO: the model's endpoint and each look of an idle scheduler.
    for name in ("httpx", "httpx2", "apscheduler", "alembic.runtime.plugins"):
        logging.getLogger(name).setLevel(logging.WARNING)


def web() -> Flask:
    """The web application alone."""
    settings = Settings.from_env()
    set_up_logging(settings)
    Thread(target=_end_with_parent, name="parent", daemon=True).start()
    app = create_app(settings)
    with app.app_context():
        _ = ports().model  # loaded now, so that no request waits for that
    return app


def everything() -> Flask:
    """The web application with the scheduler, and without Redis the workers, as threads of its
    process."""
    import scheduler

    app = web()
    if app.extensions["copydesk"].settings.redis_url is None:
        start_workers(app)
    scheduler.start_in_background(app)
    return app


def redis_workers(settings: Settings) -> None:
    """Workers that Redis feeds, in processes that end with the one that started this."""
    from app.worker import run_workers

    set_up_logging(settings)
    Thread(target=_end_with_parent, name="parent", daemon=True).start()
    run_workers(settings, settings.workers)


def _end_with_parent() -> None:
    """End this process when the command that started it was killed: it would keep the port."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGKILL)


def start_workers(app: Flask) -> ThreadQueue:
    """Begin to work on what is queued, in threads of this process; ``stop`` ends them."""
    with app.app_context():
        wired = ports()
    queue = wired.queue
    assert isinstance(queue, ThreadQueue)  # noqa: S101 - with Redis, workers are processes

    def within(work: Callable[[], bool]) -> Callable[[], bool]:
        def run() -> bool:
            with app.app_context():
                return work()

        return run

    def generate() -> bool:
        # One of each in turn, so that neither keeps the other waiting.
        found = [perform_next(kind) for kind in (WorkKind.JOB, WorkKind.RUN)]
        return any(found)

    queue.start(within(generate), wired.settings.workers, WorkKind.JOB, WorkKind.RUN)
    queue.start(
        within(lambda: perform_next(WorkKind.DELIVERY)), _DELIVERY_THREADS, WorkKind.DELIVERY
    )
    return queue


def perform(app: Flask, kind: WorkKind, work_id: str) -> bool:
    """Take that piece of work and do it; False where it is not to be had (any more)."""
    with app.app_context():
        return perform_next(kind, work_id)


def perform_next(kind: WorkKind, work_id: str | None = None) -> bool:
    """Do that piece of work, or the next of its kind; False where there is none."""
    wired = ports()
    if kind is WorkKind.DELIVERY:
        return webhooks.deliver_next(wired.sender, wired.clock, work_id)
    if kind is WorkKind.JOB:
        return job_work.run_next(wired.model, wired.clock, wired.options, wired.queue, work_id)
    policy = wired.settings.schedule_policy
    return runs.run_next(wired.model, wired.clock, wired.options, work_id, policy)
