"""Times and numbers as responses, commands and people read them; without pydantic, so that
commands start quickly."""

from datetime import UTC, datetime
from math import inf


def wire_time(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds: 2026-01-31T09:30:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def in_words(moment: datetime) -> str:
    """Return a time for people: 22 Nov 2026, 14:05 UTC."""
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def span(seconds: int) -> str:
    """Return a span of time for people: 90 seconds, 5 minutes, 26 hours, 3 days."""
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return counted(seconds // size, name)
    return counted(seconds, "second")


def counted(number: int, noun: str = "", most: float = inf) -> str:
    """Return a number with its noun in the right form: “1 post”, “1,200 posts”.

    Args:
        most: up to where it was counted: “1,000+ posts”.
    """
    shown = f"{number:,}{'+' if number >= most else ''}"
    return f"{shown} {noun}{'' if number == 1 else 's'}" if noun else shown
