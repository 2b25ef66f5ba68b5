"""Leases: how long work is held without a sign of life, the heartbeat that is that sign, and the
patience with which the end of work is recorded."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import wraps
from threading import Event, Thread
from typing import ParamSpec, TypeVar

from flask import current_app
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from app.ports import Clock
from app.store.database import writing

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
_HEARTBEAT_SECONDS = 5.0
_PAUSE_SECONDS = 1.0


@contextmanager
def heartbeat(extend: Callable[[Session, datetime], object], clock: Clock) -> Iterator[None]:
    """For as long as the block runs, ``extend`` what it holds, in a thread and transactions of
    its own; given the time until which it is to be held."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    done = Event()

    def beat() -> None:
        while not done.wait(_HEARTBEAT_SECONDS):
            try:
                with app.app_context(), writing() as session:
                    extend(session, clock.now() + LEASE)
            except SQLAlchemyError as error:
                # The lease outlasts several beats: one that is missed loses nothing.
                log.warning("a heartbeat failed: %s", type(error).__name__)

    thread = Thread(target=beat, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def patiently(record: Callable[P, R]) -> Callable[P, R]:
    """Have the end of work recorded even if the database is away for as long as a lease lasts: a
    post that is written has been paid for, a webhook that arrived need not be sent again.

    ``record`` is one transaction that writes nothing where the work is not held (any more). So it
    can be repeated also where it was carried out and only its confirmation was lost.
    """

    @wraps(record)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        until = time.monotonic() + LEASE.total_seconds()
        while True:
            try:
                return record(*args, **kwargs)
            except OperationalError as error:
                if time.monotonic() >= until:
                    raise
                log.warning("the database is away (%s): trying again", type(error.orig).__name__)
                Event().wait(_PAUSE_SECONDS)

    return run
