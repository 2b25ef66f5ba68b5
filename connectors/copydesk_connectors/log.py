"""Progress as lines, for people or as JSON, with every secret struck out."""

import json
import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from copydesk_connectors.progress import StatusLine, TerminalHandler
from copydesk_connectors.secret import Secret

logger = logging.getLogger("copydesk_connectors")

_FIELDS = ("item", "target", "url", "reason")
_SHORTEST_TOKEN = 8  # shorter path segments are words such as "v1", which must stay readable


class Redactor:
    """Replaces secrets in texts, whatever put them there."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        hidden: set[str] = set()
        for secret in secrets:
            value = secret.reveal()
            hidden |= {value, quote(value, safe="")}
            if "://" in value:
                parts = urlsplit(value)
                hidden |= {s for s in parts.path.split("/") if _is_token(s)} | {parts.query}
        # The longest first, so that no part of one is left over.
        self._hidden = sorted(hidden - {""}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """``text`` with every secret shown as ***."""
        for value in self._hidden:
            text = text.replace(value, "***")
        return text


class LineFormatter(logging.Formatter):
    """One readable line an event."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The time, what it is about, what happened."""
        fields = _fields(record)
        about = " ".join(fields[key] for key in ("item", "target") if key in fields)
        line = f"{_time(record)} {about + ': ' if about else ''}{record.getMessage()}"
        if record.levelno >= logging.WARNING:
            line = line.replace(" ", f" {record.levelname} ", 1)
        line += "".join(f" {fields[key]}" for key in ("url",) if key in fields)
        if "reason" in fields:
            line += f": {fields['reason']}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return self._redact(line)


class JsonFormatter(logging.Formatter):
    """One JSON object an event: time, level, message and item, target, url, reason if known."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The object, on one line."""
        event = {"time": _time(record), "level": record.levelname.lower()}
        event["message"] = record.getMessage()
        event |= _fields(record)
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        return json.dumps({key: self._redact(value) for key, value in event.items()})


def configure(redact: Redactor, *, as_json: bool, line: StatusLine | None = None) -> None:
    """Send every log line of this process, libraries included, to standard error, above a status
    line where there is one."""
    handler = TerminalHandler(line, sys.stderr) if line else logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(redact) if as_json else LineFormatter(redact))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logger.setLevel(logging.INFO)


def _is_token(segment: str) -> bool:
    return len(segment) >= _SHORTEST_TOKEN and segment != "content-tokens"


def _fields(record: logging.LogRecord) -> dict[str, str]:
    return {key: str(vars(record)[key]) for key in _FIELDS if vars(record).get(key)}


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
