"""Posts as Ghost's Admin API has them.

The key of a post is an internal tag, ``#copydesk-`` and the item's id in hexadecimal. Ghost shows
such tags only to staff, and finds posts by them whatever else was changed. Ghost keeps the date of
a post that was public or scheduled. So a draft without a date was never published, and a draft with
a date is a post that its owner took back: it is never shown again.
"""

import hashlib
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Self

from bs4 import BeautifulSoup

from copydesk_connectors.target.additions import blog_posting, with_notice
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.draft_site import SiteCopy
from copydesk_connectors.target.markup import lost
from copydesk_connectors.target.post import Post
from copydesk_connectors.targets.ghost.settings import LONGEST_TAG, Settings

# Without uuid and slug Ghost makes wrong addresses.
FIELDS = "id,uuid,slug,url,status,title,created_at,updated_at,published_at"
# Ghost cuts the slug of a tag, by which posts are found, at 185 characters.
_LONGEST_ID_BYTES = 80
# The highest number that Ghost may have added to the slug of a tag because others had it.
_NUMBERED = 4
# The longest texts, in characters, that Ghost takes.
_EXCERPT = _META_TITLE = 300
_META_DESCRIPTION = 500
_ALT = 191


@dataclass(frozen=True)
class RemotePost(SiteCopy):
    """A post as the site stores it. ``updated_at`` is in Ghost's own form."""

    updated_at: str = ""

    @classmethod
    def from_json(cls, post: Post, data: Mapping[str, Any]) -> Self:
        """Read one post of an answer."""
        known = {name: str(data.get(name) or "") for name in FIELDS.split(",")}
        notes: tuple[str, ...] = ()
        state = CopyState.SCHEDULED if known["status"] == "scheduled" else CopyState.PUBLIC
        if known["status"] == "draft":
            state = CopyState.WITHDRAWN if known["published_at"] else CopyState.DRAFT
        if state is CopyState.WITHDRAWN:
            taken_back = f"post {known['id']} was public or scheduled once and is a draft again"
            notes = (f"{taken_back}: that is left as it is",)
        unchanged = known["updated_at"] == known["created_at"]
        return cls(
            remote_id=known["id"],
            state=state,
            url=known["url"] if known["status"] == "published" else "",
            notes=notes,
            due=_moment(known["published_at"]) if state is CopyState.SCHEDULED else None,
            # A duplicate that the owner made has another title.
            untouched=state is CopyState.DRAFT and unchanged and known["title"] == post.title,
            updated_at=known["updated_at"],
        )


def compared_with(
    fields: Mapping[str, Any], data: Mapping[str, Any], copy: RemotePost
) -> RemotePost:
    """Return a post of an answer with what it ``lacks`` of the fields that were sent."""
    names = [
        {str(tag.get("name")).casefold() for tag in given.get("tags") or ()}
        for given in (fields, data)
    ]
    missing = [] if names[0] <= names[1] else ["its tags"]
    if fields.get("feature_image") != data.get("feature_image") and "feature_image" in fields:
        missing.append("its picture")
    return replace(copy, lacks=tuple(missing))


def changes(html: str, title: str, data: Mapping[str, Any]) -> list[str]:
    """Return a sentence about the texts that the site changed; none if it kept them."""
    gone = lost(html, str(data.get("html") or ""))
    if str(data.get("title") or "").split() != title.split():
        gone.append("the title")
    return [f"the site changed or removed {', '.join(gone)}"] if gone else []


def _moment(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written).astimezone(UTC)
    except ValueError:
        return None


def marker(post: Post) -> str:
    """Return the name of the internal tag that identifies the post."""
    return f"#{_key(post)}"


def marked(post: Post) -> str:
    """Return the filter, in Ghost's language NQL, for posts with the marker.

    Tags of one name that are made at the same moment get slugs with numbers.
    """
    slug = f"hash-{_key(post)}"
    return f"tag:[{','.join([slug, *(f'{slug}-{n}' for n in range(2, _NUMBERED + 1))])}]"


def _key(post: Post) -> str:
    item_id = post.id.encode()
    if len(item_id) > _LONGEST_ID_BYTES:
        return f"copydesk-sha256-{hashlib.sha256(item_id).hexdigest()}"
    return f"copydesk-{item_id.hex()}"


def draft_fields(
    post: Post, settings: Settings, *, picture_url: str, site: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the whole post as a draft. ``site`` is the answer of GET site/, for JSON-LD."""
    post = with_notice(post, settings)
    fields: dict[str, Any] = {
        "status": "draft",
        "title": post.title,
        "slug": post.slug,
        "tags": [{"name": name} for name in _tags(post, settings)],
        "custom_excerpt": _short(post.description, _EXCERPT),
        "meta_title": _short(post.title, _META_TITLE),
        "meta_description": _short(post.description, _META_DESCRIPTION),
    }
    if settings.format == "html":
        fields["html"] = _for_own_blocks(post.html)
    else:
        fields["lexical"] = _html_card(post.html)
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


def _for_own_blocks(html: str) -> str:
    """Return HTML in which breaks separate the paragraphs of a list item.

    An item of Ghost's lists has one text, and Ghost would join its paragraphs without a space.
    """
    page = BeautifulSoup(html, "html.parser")
    paragraphs = page.select("li > p")
    for paragraph in paragraphs:
        before = [node for node in paragraph.previous_siblings if str(node).strip()]
        if before and getattr(before[0], "name", None) not in {"ul", "ol"}:
            paragraph.insert_before(page.new_tag("br"))
        paragraph.unwrap()
    return str(page) if paragraphs else html


def author_key(author: str) -> str:
    """Return the field by which Ghost finds an author."""
    return "email" if "@" in author else "slug"


def _html_card(html: str) -> str:
    """Return a document of one HTML card, which Ghost keeps unchanged."""
    card = {"type": "html", "version": 1, "html": html}
    root = {"children": [card], "direction": None, "format": "", "indent": 0}
    return json.dumps({"root": {**root, "type": "root", "version": 1}})


def _tags(post: Post, settings: Settings) -> list[str]:
    # Ghost hides a tag that begins with #, and refuses one that begins with a comma or is long.
    stripped = (word.lstrip("#, ") for word in post.keywords)
    keywords = [word for word in stripped if len(word) <= LONGEST_TAG]
    tags = keywords if settings.tags is None else settings.tags
    # The first one is the primary tag, which themes show as the category.
    return [name for name in [settings.category, *tags] if name] + [marker(post)]


def _short(text: str, length: int) -> str:
    return textwrap.shorten(text, length, placeholder="…")
