"""What the owner chose for a Ghost site."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.ghost.key import AdminKey
from copydesk_connectors.toml_table import Table, is_loopback

_STATUSES = ("publish", "draft", "scheduled")
_FORMATS = ("card", "html")
_SPAN = re.compile(r"([1-9][0-9]{0,3})(m|h|d)\Z")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
# Ghost takes no date that is past when the request arrives.
_SOONEST = timedelta(minutes=2)


@dataclass(frozen=True)
class Settings:
    """The choices of one target. None and "" stand for what was not written."""

    url: str
    key: AdminKey
    status: str
    publish_after: timedelta
    format: str
    tags: tuple[str, ...] | None
    category: str
    author: str
    canonical_base_url: str
    json_ld: bool
    image: Path | None

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Read the target's settings.

        Raises:
            ConfigError
        """
        return cls(
            url=_url(table),
            key=_key(table),
            status=table.choice("status", _STATUSES, "publish"),
            publish_after=_publish_after(table),
            format=table.choice("format", _FORMATS, "card"),
            tags=table.texts("tags") if table.has("tags") else None,
            category=table.text("category") if table.has("category") else "",
            author=table.text("author") if table.has("author") else "",
            canonical_base_url=table.url("canonical_base_url", ""),
            json_ld=table.flag("json_ld", default=False),
            image=owner_image.from_table(table),
        )

    def due(self, generated_at: datetime, now: datetime) -> datetime | None:
        """When a post is to be shown, None for at once; all in UTC."""
        if self.status != "scheduled":
            return None
        due = generated_at + self.publish_after
        return due if due > now + _SOONEST else None


def _url(table: Table) -> str:
    url = table.url("url").rstrip("/")
    allow_http = table.flag("allow_http", default=False)
    if url.startswith("http://") and not is_loopback(url) and not allow_http:
        table.fail(
            "url",
            "must begin with https://, because a token travels with every request; "
            "set allow_http = true if this network is yours alone",
        )
    if url.endswith("/ghost"):
        table.fail("url", "is the address of the site itself: leave out /ghost at its end")
    return url


def _key(table: Table) -> AdminKey:
    try:
        return AdminKey.parse(table.secret("admin_key", literal=False))
    except ValueError as error:
        table.fail(
            "admin_key",
            f"{error}: copy the Admin API key, not the Content API key, "
            "of a custom integration (Settings > Integrations in Ghost)",
        )


def _publish_after(table: Table) -> timedelta:
    scheduled = table.text("status", "publish") == "scheduled"
    if table.has("publish_after") and not scheduled:
        table.fail("publish_after", 'goes with status = "scheduled" alone')
    if not scheduled:
        return timedelta()
    match = _SPAN.match(table.text("publish_after"))
    if match is None:
        table.fail("publish_after", 'must be a time span such as "90m", "2h" or "3d"')
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
