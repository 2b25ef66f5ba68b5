"""A post in the fields of Ghost's Admin API."""

import json
import textwrap
from collections.abc import Mapping
from typing import Any

from copydesk_connectors.json_ld import blog_posting
from copydesk_connectors.post import Post
from copydesk_connectors.targets.ghost.copies import marker
from copydesk_connectors.targets.ghost.settings import Settings

# The longest texts, in characters, that Ghost takes.
_EXCERPT = 300
_META_TITLE = 300
_META_DESCRIPTION = 500
_ALT = 191


def draft_fields(
    post: Post, settings: Settings, *, picture_url: str, site: Mapping[str, Any]
) -> dict[str, Any]:
    """The whole post as a draft. ``site`` is what GET site/ says, empty where json_ld is off."""
    fields: dict[str, Any] = {
        "status": "draft",
        "title": post.title,
        "slug": post.slug,
        "tags": [{"name": name} for name in _tags(post, settings)],
        "custom_excerpt": _short(post.description, _EXCERPT),
        "meta_title": _short(post.title, _META_TITLE),
        "meta_description": _short(post.description, _META_DESCRIPTION),
        **_body(post, settings),
    }
    if settings.author:
        fields["authors"] = [{author_key(settings.author): settings.author}]
    if settings.canonical_base_url:
        fields["canonical_url"] = f"{settings.canonical_base_url.rstrip('/')}/{post.slug}/"
    if picture_url:
        fields["feature_image"] = picture_url
        fields["feature_image_alt"] = _short(post.title, _ALT)
    if settings.json_ld:
        text = blog_posting(
            post,
            language=str(site.get("locale") or ""),
            publisher=str(site.get("title") or ""),
            image=picture_url,
        )
        fields["codeinjection_head"] = f'<script type="application/ld+json">{text}</script>'
    return fields


def author_key(author: str) -> str:
    """By what Ghost knows an author that was written like this."""
    return "email" if "@" in author else "slug"


def _body(post: Post, settings: Settings) -> dict[str, str]:
    if settings.format == "html":
        return {"html": post.html}
    # Ghost keeps the text of an HTML card as it is; its own blocks would lose target.
    card = {"type": "html", "version": 1, "html": post.html}
    root = {"children": [card], "direction": None, "format": "", "indent": 0}
    return {"lexical": json.dumps({"root": {**root, "type": "root", "version": 1}})}


def _tags(post: Post, settings: Settings) -> list[str]:
    # Ghost hides a tag that begins with #, and refuses one that begins with a comma.
    keywords = [word.lstrip("#, ") for word in post.keywords]
    tags = keywords if settings.tags is None else settings.tags
    # The first one is the primary tag, which themes show as the category.
    return [name for name in [settings.category, *tags] if name] + [marker(post)]


def _short(text: str, length: int) -> str:
    return textwrap.shorten(text, length, placeholder="…")
