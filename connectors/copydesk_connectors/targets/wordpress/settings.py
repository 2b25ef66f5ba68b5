"""The settings of a WordPress site, for either protocol."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, model_validator

from copydesk_connectors.target import settings
from copydesk_connectors.target.additions import NoticeSettings
from copydesk_connectors.target.settings import (
    Names,
    SecretText,
    SettingError,
    SiteSettings,
    Text,
    Texts,
    Url,
    setting,
    without_slash,
)
from copydesk_connectors.targets.pictures import ImageSettings
from copydesk_connectors.targets.scheduled import DelaySettings

_PARTS = re.compile(r"(?<!/)/(?:wp-admin|wp-json|wp-login\.php|xmlrpc\.php)(?=[/?#]|\Z)")


def _url(url: str) -> str:
    """Return the site's address, also if the address of its admin or of an API was copied."""
    return without_slash(_PARTS.split(url)[0])


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({name.casefold(): name for name in names}.values())


class Settings(SiteSettings, ImageSettings, NoticeSettings, DelaySettings):
    """The settings of a WordPress site. ``author`` is a login, a slug or an id."""

    url: Annotated[Url, AfterValidator(_url)] = setting(
        "The address of the site.", ask="Address of the site"
    )
    username: Text = setting(
        "The user who writes the posts, with the role Author or Editor.",
        ask="User who writes the posts (role Author or Editor)",
    )
    password: SecretText = setting(
        "An application password of that user (Users > Profile).",
        ask="Application password of that user (in WordPress: Users > Profile)",
    )
    protocol: Literal["rest", "xmlrpc"] = setting(
        "`rest`; `xmlrpc` if the host blocks the REST API. XML-RPC needs "
        "`pip install ./sdk './connectors[xmlrpc]'`.",
        default="rest",
    )
    status: Literal["publish", "draft", "pending", "scheduled"] = setting(
        "`publish`; `draft` if you publish posts yourself; `pending` for review; `scheduled` "
        "with `publish_after`. A Contributor can only use `draft` and `pending`.",
        offered=("publish", "draft"),
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    format: Literal["blocks", "html"] = setting(
        "`blocks` creates blocks of the WordPress editor, which block themes need to style "
        "quotes and tables; `html` for a site with another editor.",
        default="blocks",
    )
    category: Annotated[Names, AfterValidator(_unique)] = settings.category(
        "One category, or a list of them. Missing ones are created if the user may do so."
    )
    tags: Texts | None = settings.tags()
    author: Text = setting(
        "The login, slug or id of the user who appears as the author. The connector's own user "
        "then needs the role Editor or Administrator.",
        default="",
    )
    seo: Literal["auto", "none"] = setting(
        "`auto` fills the title, description and focus keyword of Yoast SEO and Rank Math if "
        "the site accepts them; `none`.",
        default="auto",
    )
    json_ld: bool = setting(
        "`true` adds a schema.org BlogPosting. It needs the plugin Copydesk for WordPress on the "
        "site.",
        default=False,
    )

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        """Check what XML-RPC cannot do."""
        if self.json_ld and self.protocol == "xmlrpc":
            raise SettingError("json_ld", 'needs protocol = "rest"')
        return self
