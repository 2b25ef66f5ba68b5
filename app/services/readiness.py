"""Whether the service's dependencies can be reached; cached, as anybody may call /readyz."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Lock, Thread

from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import ModelResting, ServiceError
from app.core.schemas.times import in_words
from app.ports import QueueUnavailable
from app.services.context import Context
from app.store import database, models
from app.store.trouble import DatabaseTrouble

log = logging.getLogger(__name__)

# Each port is asked once in this time, regardless of how often /readyz is called.
CACHE_SECONDS = 5.0
# How long a caller waits for the model; then it gets the last answer.
_MODEL_SECONDS = 0.5
OK = "ok"
RESTING = "unreachable (not called)"
_WAITING = "unreachable (no answer yet)"
Ping = Callable[[], tuple[str, str] | None]
"""Asks a port: returns its public state and what an operator should know, None if it is well, or
raises."""


class Readiness:
    """The state of each port, for /readyz."""

    def __init__(self) -> None:
        self._ports = {name: _Port(name) for name in ("database", "queue", "model")}

    def report(self, context: Context, *, patient: bool = False) -> Mapping[str, str]:
        """Return ``ok`` or ``unreachable`` for each port, with the kind of trouble in parentheses
        if known. Changes are logged with details.

        Args:
            patient: wait for the model until it answers or its time is up. Otherwise, a model that
                does not answer at once is asked in the background.
        """
        ports = self._ports
        return {
            "database": ports["database"].shown(database.check),
            "queue": ports["queue"].shown(context.queue.ping),
            "model": ports["model"].shown(
                lambda: _ask_model(context), None if patient else _MODEL_SECONDS
            ),
        }

    def reasons(self) -> Mapping[str, str]:
        """Return what is wrong with each port whose last answer was not ``ok``. This is for
        operators: it can name addresses and settings."""
        return {name: port.reason for name, port in self._ports.items() if port.reason}


class _Port:
    """The last answer of a port; ``reason`` says for operators what is wrong, "" if nothing."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.reason = ""
        self._lock = Lock()
        self._answered: Event | None = None
        self._shown: str | None = None
        self._good_until = 0.0

    def shown(self, ping: Ping, seconds: float | None = None) -> str:
        """Return the cached answer. After ``CACHE_SECONDS`` a thread gets a new one: the caller
        that begins it waits for it, at most ``seconds``, and so do others if there is none yet."""
        with self._lock:
            begins = self._answered is None and time.monotonic() >= self._good_until
            if begins:
                self._answered = Event()
                Thread(target=self._ask, args=[ping], name=f"ask-{self._name}", daemon=True).start()
            answered = self._answered
        if answered is not None and (begins or self._shown is None):
            answered.wait(seconds)
        return self._shown or _WAITING

    def _ask(self, ping: Ping) -> None:
        shown, reason = _answer(ping)
        if shown != (self._shown or OK):
            if shown == OK and self.reason:
                log.info("the %s can be reached again", self._name)
            elif shown != OK:
                log.warning("the %s is %s: %s", self._name, shown, reason)
        with self._lock:
            self._shown, self.reason = shown, reason
            self._good_until = time.monotonic() + CACHE_SECONDS
            assert self._answered is not None  # noqa: S101 - a thread asks at a time
            self._answered.set()
            self._answered = None


def _ask_model(context: Context) -> tuple[str, str]:
    """Return the public state of the model, and what an operator should know of it."""
    model = context.model
    try:
        model.check()
    except ModelResting as resting:
        return RESTING, resting.operator
    model.ping()
    # One that answers may have failed at what it was asked last.
    return OK, str(model.state() or "")


def fault_elsewhere(context: Context) -> str:
    """Return why the last call to the model failed, in whichever process, and when; "" if it
    succeeded."""
    with suppress(SQLAlchemyError), database.reading() as session:  # the database is asked as well
        if fault := session.get(models.ModelFault, context.model_hash):
            return f"The last call failed, at {in_words(fault.at)}. {fault.reason}"
    return ""


def _answer(ping: Ping) -> tuple[str, str]:
    """Return the public state of a port and, for the log, what its error says."""
    try:
        return ping() or (OK, "")
    except DatabaseTrouble as trouble:
        return f"unreachable ({trouble.kind})", str(trouble)
    except SQLAlchemyError as error:
        return "unreachable", str(getattr(error, "orig", None) or error)
    except QueueUnavailable as error:
        return "unreachable", str(error)
    except ServiceError as error:
        return "unreachable", error.operator
    except Exception:  # a thread has nobody to raise it to
        log.exception("a port could not be asked")
        return "unreachable", "An unexpected error; see the log."
