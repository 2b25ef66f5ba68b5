"""The settings of a WordPress site, for either protocol."""

import re
from dataclasses import dataclass
from datetime import timedelta

from copydesk_connectors.target import settings
from copydesk_connectors.target.notice import notice
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import SiteSettings, without_slash
from copydesk_connectors.targets import scheduled
from copydesk_connectors.targets.pictures import Image, image_choice
from copydesk_connectors.targets.scheduled import publish_after

_PARTS = re.compile(r"(?<!/)/(?:wp-admin|wp-json|wp-login\.php|xmlrpc\.php)(?=[/?#]|\Z)")


def _url(url: str) -> str:
    """Return the site's address, also if the address of its admin or of an API was copied."""
    return without_slash(_PARTS.split(url)[0])


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({name.casefold(): name for name in names}.values())


@dataclass(frozen=True, kw_only=True)
class Settings(SiteSettings):
    """The settings of a WordPress site. ``author`` is a login, a slug or an id."""

    url: str = settings.url("The address of the site.", ask="Address of the site", convert=_url)
    username: str = settings.text(
        "The user who writes the posts, with the role Author or Editor.",
        ask="User who writes the posts (role Author or Editor)",
    )
    password: Secret = settings.secret(
        "An application password of that user (Users > Profile).",
        ask="Application password of that user (in WordPress: Users > Profile)",
    )
    protocol: str = settings.choice(
        "`rest`; `xmlrpc` if the host blocks the REST API. XML-RPC needs "
        "`pip install ./sdk './connectors[xmlrpc]'`.",
        choices=("rest", "xmlrpc"),
        default="rest",
    )
    status: str = settings.choice(
        "`publish`; `draft` if you publish posts yourself; `pending` for review; `scheduled` "
        "with `publish_after`. A Contributor can only use `draft` and `pending`.",
        choices=("publish", "draft", "pending", "scheduled"),
        offered=("publish", "draft"),
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    publish_after: timedelta | None = publish_after()
    format: str = settings.choice(
        "`blocks` creates blocks of the WordPress editor, which block themes need to style "
        "quotes and tables; `html` for a site with another editor.",
        choices=("blocks", "html"),
        default="blocks",
    )
    categories: tuple[str, ...] = settings.categories(
        "One category, or a list of them. Missing ones are created if the user may do so.",
        default=(),
        convert=_unique,
    )
    tags: tuple[str, ...] | None = settings.tags()
    author: str = settings.text(
        "The login, slug or id of the user who appears as the author. The connector's own user "
        "then needs the role Editor or Administrator.",
        default="",
    )
    image: Image | None = image_choice()
    seo: str = settings.choice(
        "`auto` fills the title, description and focus keyword of Yoast SEO and Rank Math if "
        "the site accepts them; `none`.",
        choices=("auto", "none"),
        default="auto",
    )
    notice: str = notice()
    json_ld: bool = settings.flag(
        "`true` adds a schema.org BlogPosting. A user below Editor needs the WordPress plugin "
        "for it."
    )

    def __post_init__(self) -> None:
        """Check that ``publish_after`` and ``status`` go together."""
        super().__post_init__()
        scheduled.check(self.status, self.publish_after)
