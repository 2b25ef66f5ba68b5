"""Times as responses and commands show them; without pydantic, so that commands start quickly."""

from datetime import UTC, datetime


def wire_time(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC with milliseconds: 2026-01-31T09:30:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
