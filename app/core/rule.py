"""Keyword rules: how often they run, and which slot comes next."""

import re
from datetime import datetime, timedelta

from app.core.errors import ValidationFailed

MIN_EVERY = timedelta(minutes=15)
MAX_EVERY = timedelta(days=30)
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
# A rule with this many unread items waits until some are pulled.
QUEUE_CAP = 100
MAX_ATTEMPTS = 3


def parse_every(text: str) -> timedelta:
    """A frequency such as `30m`, `1h`, `12h` or `7d`.

    Raises:
        ValidationFailed: not of that form, or outside 15 minutes to 30 days.
    """
    match = re.fullmatch(r"\s*(\d{1,5})\s*([mhd])\s*", text)
    if not match:
        raise ValidationFailed(
            f"every must be a number and m, h or d, such as 30m, 1h or 7d; it is “{text[:40]}”.",
            {"field": "every", "received": text[:40]},
        )
    every = timedelta(**{_UNITS[match.group(2)]: int(match.group(1))})
    if not MIN_EVERY <= every <= MAX_EVERY:
        raise ValidationFailed(
            f"every must be between 15m and 30d; it is {text.strip()}.",
            {"field": "every", "received": text},
        )
    return every


def format_every(every: timedelta) -> str:
    """The shortest spelling of a frequency: `90m`, `12h`, `7d`."""
    minutes = int(every.total_seconds()) // 60
    if minutes % (24 * 60) == 0:
        return f"{minutes // (24 * 60)}d"
    return f"{minutes // 60}h" if minutes % 60 == 0 else f"{minutes}m"


def next_slot(due: datetime, every: timedelta, now: datetime) -> datetime:
    """The first slot after now. Missed slots coalesce into the one that runs now; no drift."""
    missed = max(0, (now - due) // every)
    return due + (missed + 1) * every


def retry_after(attempts: int) -> timedelta:
    """How long a run waits after its attempt number ``attempts`` failed."""
    return timedelta(minutes=2 ** max(0, attempts - 1))
