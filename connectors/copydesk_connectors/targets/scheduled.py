"""Posts that are to appear at a time: ``status = "scheduled"`` with ``publish_after``."""

import re
from datetime import datetime, timedelta

from copydesk_connectors.toml_table import Table

_SPAN = re.compile(r"([1-9][0-9]{0,3})(m|h|d)\Z")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
# Ghost takes no date that is past when the request arrives; WordPress shows what is due within
# about a minute at once.
_SOONEST = timedelta(minutes=2)


def publish_after(table: Table) -> timedelta | None:
    """The time from a post's generation until readers see it; None where nothing is scheduled.

    Raises:
        ConfigError: it is missing, unreadable, or given with another status.
    """
    if table.text("status", "publish") != "scheduled":
        if table.has("publish_after"):
            table.fail("publish_after", 'goes with status = "scheduled" alone')
        return None
    match = _SPAN.match(table.text("publish_after"))
    if match is None:
        table.fail("publish_after", 'must be a time span such as "90m", "2h" or "3d"')
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def due(generated_at: datetime, after: timedelta | None, now: datetime) -> datetime | None:
    """When a post is to be shown, None for at once; all in UTC."""
    if after is None:
        return None
    moment = generated_at + after
    return moment if moment > now + _SOONEST else None
