"""Parse the times that servers and pages state."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

# HTTP allows no decimals, but some model endpoints send them.
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_MAX_CHARS = 64


def moment(value: object) -> datetime | None:
    """Return a time in ISO 8601 or RFC 2822 in UTC, or None for anything else.

    A time without a zone is taken as UTC.
    """
    text = str(value).strip()[:_MAX_CHARS]
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def retry_after(value: str) -> float | None:
    """Return the seconds from now that a Retry-After header asks for, or None if it is invalid.

    A date in the past is 0.
    """
    text = value.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    date = moment(text)
    return max(0.0, (date - datetime.now(UTC)).total_seconds()) if date else None
