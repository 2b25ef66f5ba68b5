"""Whether the service's dependencies can be reached; cached, as anybody may call /readyz."""

import logging
import time
from collections.abc import Callable, Mapping
from threading import Lock

from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import ServiceError
from app.ports import QueueUnavailable
from app.services.context import Context
from app.store import database
from app.store.trouble import DatabaseTrouble

log = logging.getLogger(__name__)

# Each port is asked once in this time, regardless of how often /readyz is called.
CACHE_SECONDS = 5.0
OK = "ok"


class Readiness:
    """The state of each port, for /readyz."""

    def __init__(self) -> None:
        self._ports = {name: _Cached(name) for name in ("database", "queue", "model")}

    def report(self, context: Context) -> Mapping[str, str]:
        """Return ``ok`` or ``unreachable`` for each port, with the kind of trouble in parentheses
        if known. Changes are logged with details."""
        ping = {
            "database": lambda: database.bound().check(),
            "queue": context.queue.ping,
            "model": lambda: context.model().ping(),
        }
        return {name: port.shown(ping[name]) for name, port in self._ports.items()}

    def reasons(self) -> Mapping[str, str]:
        """Return what is wrong with each port whose last answer was not ``ok``. This is for
        operators: it can name addresses and settings."""
        return {name: port.reason for name, port in self._ports.items() if port.reason}


class _Cached:
    """The last answer of a port; ``reason`` says for operators what is wrong, "" if nothing."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.reason = ""
        self._asking = Lock()
        self._shown: str | None = None
        self._good_until = 0.0

    def shown(self, ping: Callable[[], None]) -> str:
        """Return the cached answer. After ``CACHE_SECONDS`` one caller waits for a new one."""
        if self._is_old() and self._asking.acquire(blocking=self._shown is None):
            try:
                if self._is_old():
                    self._learn(*_answer(ping))
            finally:
                self._asking.release()
        assert self._shown is not None  # noqa: S101 - the first to ask waits
        return self._shown

    def _is_old(self) -> bool:
        return time.monotonic() >= self._good_until

    def _learn(self, shown: str, operator: str) -> None:
        if shown != (self._shown or OK):
            if shown == OK:
                log.info("the %s can be reached again", self._name)
            else:
                log.warning("the %s is %s: %s", self._name, shown, operator)
        self._shown, self.reason = shown, operator
        self._good_until = time.monotonic() + CACHE_SECONDS


def _answer(ping: Callable[[], None]) -> tuple[str, str]:
    """Return the public state of a port and, for the log, what its error says."""
    try:
        ping()
    except DatabaseTrouble as trouble:
        return f"unreachable ({trouble.kind})", str(trouble)
    except SQLAlchemyError as error:
        return "unreachable", str(getattr(error, "orig", None) or error)
    except QueueUnavailable as error:
        return "unreachable", str(error)
    except ServiceError as error:
        return "unreachable", error.operator
    return OK, ""
