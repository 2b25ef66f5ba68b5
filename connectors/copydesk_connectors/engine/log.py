"""Log lines, with every secret redacted."""

import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote, unquote, urlsplit

from copydesk_connectors.target.secret import SHORTEST_SECRET, Secret

logger = logging.getLogger("copydesk_connectors")

_FIELDS = ("item", "target", "url", "reason")
_SHORTEST_TOKEN = 8  # shorter path segments are words such as "v1", which must stay readable


class Redactor:
    """Replaces secrets in any text."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        hidden: set[str] = set()
        for secret in secrets:
            value = secret.reveal()
            hidden |= {value, quote(value, safe="")}
            if "://" in value:
                parts = urlsplit(value)
                hidden |= {s for s in parts.path.split("/") if _is_token(s)} | {parts.query}
                hidden |= {password, unquote(password)} if (password := parts.password) else set()
        hidden = {value for value in hidden if len(value) >= SHORTEST_SECRET}
        # The longest first, so that no part of one remains.
        self._hidden = sorted(hidden, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return the text with *** for every secret."""
        for value in self._hidden:
            text = text.replace(value, "***")
        return text


class Formatter(logging.Formatter):
    """One line an event, without secrets."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return the time, the message, and item, target, url and reason if known."""
        moment = datetime.fromtimestamp(record.created, UTC)
        time = moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        fields = {key: str(vars(record)[key]) for key in _FIELDS if vars(record).get(key)}
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        about = " ".join(fields[key] for key in ("item", "target") if key in fields)
        parts = [time]
        parts += [record.levelname] if record.levelno >= logging.WARNING else []
        parts += [f"{about}:"] if about else []
        parts += [record.getMessage()]
        parts += [fields["url"]] if "url" in fields else []
        line = " ".join(parts)
        line += f": {fields['reason']}" if "reason" in fields else ""
        return self._redact(f"{line}\n{trace}" if trace else line)


def configure(redact: Redactor) -> None:
    """Send every log line of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter(redact))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logger.setLevel(logging.INFO)


def _is_token(segment: str) -> bool:
    return len(segment) >= _SHORTEST_TOKEN and segment != "content-tokens"
