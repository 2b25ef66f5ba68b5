"""The settings of a Ghost site."""

import re
from dataclasses import dataclass
from datetime import timedelta

from copydesk_connectors.target import settings
from copydesk_connectors.target.notice import notice
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import SiteSettings, without_slash
from copydesk_connectors.targets import scheduled
from copydesk_connectors.targets.ghost.api import check_key
from copydesk_connectors.targets.pictures import Image, image_choice
from copydesk_connectors.targets.scheduled import publish_after

_ADMIN = re.compile(r"(?<!/)/ghost(?=[/?#]|\Z)")


def _url(url: str) -> str:
    """Return the site's address, also if the address of its admin was copied."""
    return without_slash(_ADMIN.split(url)[0])


@dataclass(frozen=True, kw_only=True)
class Settings(SiteSettings):
    """The settings of a Ghost site."""

    url: str = settings.url(
        "The address under which you open Ghost's admin.",
        ask="Address under which Ghost's admin is opened",
        convert=_url,
    )
    admin_key: Secret = settings.secret(
        "The Admin API key of a custom integration (Settings > Integrations).",
        ask="Admin API key (in Ghost: Settings > Integrations > Add custom integration)",
        convert=check_key,
    )
    status: str = settings.choice(
        "`publish`; `draft` if you publish posts yourself; `scheduled` with `publish_after`.",
        choices=("publish", "draft", "scheduled"),
        offered=("publish", "draft"),
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    publish_after: timedelta | None = publish_after()
    format: str = settings.choice(
        "`card` keeps the HTML unchanged in one HTML card. `html` creates Ghost's own blocks, "
        'which are easier to edit but lose `target="_blank"` on offer links.',
        choices=("card", "html"),
        default="card",
    )
    tags: tuple[str, ...] | None = settings.tags()
    category: str = settings.text("Ghost's primary tag: a tag in front of the others.", default="")
    author: str = settings.text(
        "The slug or e-mail address of a staff member (Settings > Staff). Without it, the "
        "blog's owner.",
        default="",
    )
    canonical_base_url: str = settings.url(
        "Where the posts were published first, if not here. A post's canonical address is "
        "this address and its slug.",
        default="",
    )
    notice: str = notice()
    json_ld: bool = settings.flag(
        "`true` adds a schema.org BlogPosting to the page's head, beside the Article that "
        "Ghost writes."
    )
    image: Image | None = image_choice()

    def __post_init__(self) -> None:
        """Check that ``publish_after`` and ``status`` go together."""
        super().__post_init__()
        scheduled.check(self.status, self.publish_after)
