"""Log lines: their format, and the ids that they carry.

``about`` and ``note`` set the ids for the current thread; each line that it logs carries them. A
thread of a pool starts without ids: pass its work through ``in_context``.
"""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import wraps
from traceback import walk_tb
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote

from pythonjsonlogger.json import JsonFormatter

P = ParamSpec("P")
R = TypeVar("R")

_REDACTED = "[secret]"
# API keys, content tokens, webhook secrets and links to reviews, in case a library or a caller
# repeats one.
_ISSUED = (
    r"(?<![A-Za-z0-9])(?:cd_(?:live|test)_|ct_|whsec_|whroot_)[A-Za-z0-9+/=]{16,}"
    r"|(?<=/review/)\w{1,40}\.\d{1,12}\.[\w-]{16,}"
)
# They log at INFO every model call, every check of an idle scheduler and every migration.
_TALKATIVE = ("httpx", "httpx2", "apscheduler", "alembic")
# How long a trouble has no second traceback, and how many are told apart.
_QUIET_SECONDS, _MOST_TROUBLES = 60.0, 1000
# SQLAlchemy's errors if the database is away.
_AWAY = frozenset({"OperationalError", "InterfaceError", "TimeoutError"})
# Shorter secrets would replace ordinary words.
_MIN_SECRET_CHARS = 6

_ids: ContextVar[Mapping[str, str]] = ContextVar("copydesk_log_ids", default={})  # noqa: B039


@contextmanager
def about(**ids: str) -> Iterator[None]:
    """Add these ids to each line logged in the block, and to the traceback of an error that leaves
    it."""
    token = _ids.set({**_ids.get(), **ids})
    try:
        yield
    except BaseException as error:
        if ids:
            error.add_note(f"about {_pairs()}")
        raise
    finally:
        _ids.reset(token)


def note(**ids: str) -> None:
    """Add these ids for the rest of the innermost ``about`` block."""
    _ids.set({**_ids.get(), **ids})


def in_context(work: Callable[P, R]) -> Callable[P, R]:
    """Return ``work`` for another thread, with the ids of this one.

    Only the ids: a copy of the whole context would share this thread's database session as well.
    """
    ids = _ids.get()

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with about(**ids):
            return work(*args, **kwargs)

    return run


def _pairs() -> str:
    return " ".join(f"{name}={value}" for name, value in _ids.get().items())


class _Formatter(logging.Formatter):
    """Removes secrets, and the traceback of a trouble that had one within the last minute.

    An outage of the database would otherwise fill a disk with the same traceback.
    """

    redact: Callable[[str], str]
    quiet_until: dict[Hashable, float]
    secrets: frozenset[str] = frozenset()

    def hide(self, secrets: Iterable[str]) -> None:
        self.secrets = self.secrets.union(secrets)
        self.redact = redactor(self.secrets)

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and self._is_repeated(record, error):
            name, record = type(error).__name__, copy(record)
            record.msg, record.args = f"{record.getMessage()} ({name}, as before)", ()
            record.exc_info = record.exc_text = None
        return self.redact(super().format(record))

    def _is_repeated(self, record: logging.LogRecord, error: BaseException) -> bool:
        # A database that is away is one trouble, wherever it is noticed.
        is_away = type(error).__name__ in _AWAY
        stack = walk_tb(None if is_away else error.__traceback__)
        places = tuple((frame.f_code.co_filename, line) for frame, line in stack)
        key, now = (record.name, type(error), places), time.monotonic()
        if now < self.quiet_until.get(key, 0.0):
            return True
        if len(self.quiet_until) >= _MOST_TROUBLES:
            self.quiet_until.clear()
        self.quiet_until[key] = now + _QUIET_SECONDS
        return False


class _Text(_Formatter):
    """``time level logger [request=… account=…] message``."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        record.about = f"[{_pairs()}] " if _ids.get() else ""
        # Untrusted text must not look like another log line.
        record.message = record.message.replace("\r", "\\r").replace("\n", "\\n")
        return super().formatMessage(record)


class _Json(_Formatter, JsonFormatter):
    """One object a line: time, level, logger, message, the ids, and the members of ``extra``."""

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        super().add_fields(log_data, record, message_dict)
        log_data.update(_ids.get())


def formatter(log_format: str, secrets: Iterable[str] = ()) -> logging.Formatter:
    """Return the formatter of ``text`` or ``json`` lines, which replaces ``secrets`` in each."""
    made: _Formatter
    if log_format == "json":
        made = _Json(
            ["levelname", "name", "message"],
            rename_fields={"levelname": "level", "name": "logger", "exc_info": "exception"},
            timestamp="time",
            json_ensure_ascii=False,
        )
    else:
        made = _Text("%(asctime)s %(levelname)s %(name)s %(about)s%(message)s")
    made.quiet_until = {}
    made.hide(secrets)
    return made


def set_up(level: str, log_format: str, secrets: Iterable[str] = ()) -> None:
    """Log one line per event to stderr, without secrets, and remove all other handlers."""
    # No line names the code, thread or process that it is from, so none has to be found out for
    # each: https://docs.python.org/3/howto/logging.html#optimization
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(log_format, secrets))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def hide(secrets: Iterable[str]) -> None:
    """Replace these secrets as well in what this process logs from now on."""
    for handler in logging.getLogger().handlers:
        if isinstance(found := handler.formatter, _Formatter):
            found.hide(secrets)


def redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return a function that replaces secrets in a line, also as URLs and JSON spell them."""
    spelled = {
        spelling
        for secret in secrets
        if len(secret) >= _MIN_SECRET_CHARS
        for spelling in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1])
    }
    # The longest first: one can be the beginning of another.
    patterns = [re.escape(each) for each in sorted(spelled, key=len, reverse=True)]
    pattern = re.compile("|".join([*patterns, _ISSUED]))
    return lambda line: pattern.sub(_REDACTED, line)
