"""The settings of a Ghost site."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from copydesk_connectors.target import settings
from copydesk_connectors.target.additions import NoticeSettings
from copydesk_connectors.target.settings import (
    SecretText,
    SiteSettings,
    Text,
    Texts,
    Url,
    setting,
    without_slash,
)
from copydesk_connectors.targets.ghost.api import check_key
from copydesk_connectors.targets.pictures import ImageSettings
from copydesk_connectors.targets.scheduled import DelaySettings

LONGEST_TAG = 191
"""Characters."""
_ADMIN = re.compile(r"(?<!/)/ghost(?=[/?#]|\Z)")


def _url(url: str) -> str:
    """Return the site's address, also if the address of its admin was copied."""
    return without_slash(_ADMIN.split(url)[0])


def _tag(name: str) -> str:
    """Return the name of a tag if Ghost takes it."""
    if len(name) > LONGEST_TAG:
        raise ValueError(f"must have at most {LONGEST_TAG} characters, Ghost's limit for a tag")
    return name


def _tags(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(map(_tag, names))


class Settings(SiteSettings, ImageSettings, NoticeSettings, DelaySettings):
    """The settings of a Ghost site."""

    url: Annotated[Url, AfterValidator(_url)] = setting(
        "The address under which you open Ghost's admin.",
        ask="Address under which Ghost's admin is opened",
    )
    admin_key: Annotated[SecretText, AfterValidator(check_key)] = setting(
        "The Admin API key of a custom integration (Settings > Integrations).",
        ask="Admin API key (in Ghost: Settings > Integrations > Add custom integration)",
    )
    status: Literal["publish", "draft", "scheduled"] = setting(
        "`publish`; `draft` if you publish posts yourself; `scheduled` with `publish_after`.",
        offered=("publish", "draft"),
        default="publish",
        ask="Publish posts, or leave them as drafts",
    )
    format: Literal["card", "html"] = setting(
        "`card` keeps the HTML unchanged in one HTML card. `html` creates Ghost's own blocks, "
        'which are easier to edit but lose `target="_blank"` on offer links.',
        default="card",
    )
    tags: Annotated[Texts | None, AfterValidator(_tags)] = settings.tags()
    category: Annotated[Text, AfterValidator(_tag)] = setting(
        "Ghost's primary tag: a tag in front of the others.", default=""
    )
    author: Text = setting(
        "The slug or e-mail address of a staff member (Settings > Staff). Without it, the "
        "blog's owner.",
        default="",
    )
    canonical_base_url: Url = setting(
        "Where the posts were published first, if not here. A post's canonical address is "
        "this address and its slug.",
        default="",
    )
    json_ld: bool = setting(
        "`true` adds a schema.org BlogPosting to the page's head, beside the Article that "
        "Ghost writes.",
        default=False,
    )
