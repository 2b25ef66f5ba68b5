"""What a worker does to keep a lease, whose statements are in ``app.store.leases``: it extends the
lease while it works, and records the end of the work once the database answers."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import wraps
from threading import Event, Thread
from typing import ParamSpec, TypeVar

from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from app.logs import in_context
from app.ports import Clock
from app.store.database import writing

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
_BEAT_SECONDS = 5.0
_PAUSE_SECONDS = 1.0


class TakenOver(Exception):
    """The lease of the work has lapsed, and another worker holds the work."""


@contextmanager
def keep_lease(extend: Callable[[Session, datetime], object], clock: Clock) -> Iterator[None]:
    """Call ``extend`` with a new end of the lease every few seconds while the block runs, in a
    thread with its own transactions."""
    done = Event()

    def beat() -> None:
        while not done.wait(_BEAT_SECONDS):
            try:
                with writing() as session:
                    extend(session, clock.now() + LEASE)
            except SQLAlchemyError as error:
                # The lease outlasts several beats: one missed beat loses nothing.
                log.warning("a lease was not extended: %s", type(error).__name__)

    thread = Thread(target=in_context(beat), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def retry_on_disconnect(record: Callable[P, R]) -> Callable[P, R]:
    """Retry a transaction while the database is away, for as long as a lease lasts.

    ``record`` must be one transaction that writes nothing if the work is no longer held, so that
    it can be repeated even if it was committed and only the confirmation was lost.
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
