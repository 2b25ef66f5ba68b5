"""What a web server loads: the application, by itself or with workers and scheduler beside it."""

import logging
import multiprocessing
import os
import signal
from threading import Thread

from flask import Flask

from app import create_app
from app.services import runs
from app.settings import Settings
from app.wiring import ports


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
    return create_app(settings)


def everything() -> Flask:
    """The web application with workers and scheduler as threads of its process."""
    import scheduler

    app = web()
    start_workers(app)
    scheduler.start_in_background(app)
    return app


def _end_with_parent() -> None:
    """End this process when the command that started it was killed: it would keep the port."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGKILL)


def start_workers(app: Flask) -> None:
    """Begin to work on what is queued."""
    with app.app_context():
        wired = ports()

    def work() -> bool:
        with app.app_context():
            return runs.run_next(wired.model, wired.clock, wired.limits)

    wired.queue.start(work, wired.settings.workers)
