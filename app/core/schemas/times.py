"""Times and numbers as responses, commands and pages show them; without pydantic, so that commands
start quickly."""

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds: 2026-01-31T09:30:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def in_words(moment: datetime) -> str:
    """Return a time for people: 22 Nov 2026, 14:05 UTC."""
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def numbered(number: int, noun: str = "", more: str = "") -> str:
    """Return a number, with its noun in the right form: “1 post”, “1,200 posts”. ``more`` is "+" if
    there may be more."""
    shown = f"{number:,}{more}"
    return f"{shown} {noun}{'' if number == 1 else 's'}" if noun else shown


def span(seconds: int) -> str:
    """Return a span of time for people: 90 seconds, 5 minutes, 26 hours, 3 days."""
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return numbered(seconds // size, name)
    return numbered(seconds, "second")
