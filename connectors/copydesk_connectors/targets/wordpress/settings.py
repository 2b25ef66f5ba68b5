"""What the owner chose for a WordPress site, by whichever protocol."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from copydesk_connectors.secret import Secret
from copydesk_connectors.targets import owner_image
from copydesk_connectors.targets.owner_image import Image
from copydesk_connectors.targets.scheduled import publish_after
from copydesk_connectors.targets.site_url import site_url
from copydesk_connectors.toml_table import Table

_PROTOCOLS = ("rest", "xmlrpc")
_STATUSES = ("publish", "draft", "pending", "scheduled")
# Block themes style quotes and tables only where they are blocks: so blocks are the default.
_FORMATS = ("blocks", "html")
_SEO = ("auto", "none")


@dataclass(frozen=True)
class Settings:
    """The choices of one target. None and "" stand for what was not written.

    ``url`` has no slash at its end. ``publish_after`` counts from a post's generation and is None
    unless ``status`` is "scheduled"; ``tags`` take the place of a post's keywords unless they are
    None. ``author`` is a login, a slug or the digits of an id. ``seo`` is "auto" or "none".
    """

    url: str
    username: str
    password: Secret
    protocol: str
    status: str
    publish_after: timedelta | None
    format: str
    categories: tuple[str, ...]
    tags: tuple[str, ...] | None
    author: str
    image: Image | None
    seo: str
    json_ld: bool

    @classmethod
    def from_table(cls, table: Table) -> Self:
        """Read the target's settings.

        Raises:
            ConfigError
        """
        return cls(
            url=_url(table),
            username=table.text("username"),
            password=table.secret("password", literal=False),
            protocol=table.choice("protocol", _PROTOCOLS, "rest"),
            status=table.choice("status", _STATUSES, "publish"),
            publish_after=publish_after(table),
            format=table.choice("format", _FORMATS, "blocks"),
            categories=_categories(table),
            tags=table.texts("tags") if table.has("tags") else None,
            author=table.text("author", ""),
            image=owner_image.from_table(table),
            seo=table.choice("seo", _SEO, "auto"),
            json_ld=table.flag("json_ld", default=False),
        )


def _url(table: Table) -> str:
    url = site_url(table, "password")
    for end in ("/wp-json", "/wp-admin", "/xmlrpc.php", "/wp-login.php"):
        if url.endswith(end):
            table.fail("url", f"is the address of the site itself: leave out {end} at its end")
    return url


def _categories(table: Table) -> tuple[str, ...]:
    one, many = table.text("category", ""), table.texts("categories")
    if one and many:
        table.fail("category", "give only one of category or categories")
    names = many or ((one,) if one else ())
    return tuple({name.casefold(): name for name in names}.values())
