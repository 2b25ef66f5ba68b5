"""What the owner chose for a Ghost site."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.ghost.key import AdminKey
from copydesk_connectors.targets.owner_image import Image
from copydesk_connectors.targets.scheduled import publish_after
from copydesk_connectors.targets.site_url import site_url
from copydesk_connectors.toml_table import Table

_STATUSES = ("publish", "draft", "scheduled")
_FORMATS = ("card", "html")


@dataclass(frozen=True)
class Settings:
    """The choices of one target. None and "" stand for what was not written."""

    url: str
    key: AdminKey
    status: str
    publish_after: timedelta | None
    format: str
    tags: tuple[str, ...] | None
    category: str
    author: str
    canonical_base_url: str
    json_ld: bool
    image: Image | None

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
            publish_after=publish_after(table),
            format=table.choice("format", _FORMATS, "card"),
            tags=table.texts("tags") if table.has("tags") else None,
            category=table.text("category") if table.has("category") else "",
            author=table.text("author") if table.has("author") else "",
            canonical_base_url=table.url("canonical_base_url", ""),
            json_ld=table.flag("json_ld", default=False),
            image=owner_image.from_table(table),
        )


def _url(table: Table) -> str:
    url = site_url(table, "token")
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
