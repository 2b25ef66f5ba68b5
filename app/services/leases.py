"""Leases: how long work is held without a sign of life, and the heartbeat that is that sign."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread

from flask import current_app
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.ports import Clock
from app.store.database import writing

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
_HEARTBEAT_SECONDS = 5.0


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
