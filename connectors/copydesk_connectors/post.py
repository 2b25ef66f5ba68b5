"""An item of the feed, reduced to what a site needs of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from slugify import slugify

from copydesk_connectors.errors import BadItem

_SLUG_LENGTH = 100
_HTML_TITLE = re.compile(r"\A\s*<h1\b[^>]*>.*?</h1\s*>\s*", re.DOTALL | re.IGNORECASE)
_MARKDOWN_TITLE = re.compile(r"\A\s*#[ \t][^\n]*\s*")


@dataclass(frozen=True)
class Post:
    """One post to publish.

    ``html`` and ``markdown`` are the body without the title, which every site shows by itself.
    ``slug`` holds only a-z, 0-9 and hyphens. ``generated_at`` is in UTC.
    """

    id: str
    title: str
    slug: str
    description: str
    keywords: tuple[str, ...]
    html: str
    markdown: str
    generated_at: datetime

    @property
    def key(self) -> str:
        """The id in a form that is safe in a file name and in an HTML comment."""
        return quote(self.id, safe="")

    @classmethod
    def from_item(cls, raw: Mapping[str, Any]) -> "Post":
        """Read an item as the feed sent it.

        Raises:
            BadItem: the id, title, text or time is missing or unusable.
        """
        item_id = _text(raw, "id")
        content = _object(raw, "post")
        rendered = _object(raw, "rendered")
        title = " ".join(_text(content, "title").split())
        meta = _object(content, "meta", required=False)
        return cls(
            id=item_id,
            title=title,
            slug=_slug(_text(content, "slugSuggestion", required=False), title, item_id),
            description=" ".join(_text(meta, "description", required=False).split()),
            keywords=_keywords(content, meta),
            html=_HTML_TITLE.sub("", _text(rendered, "html")).strip(),
            markdown=_MARKDOWN_TITLE.sub("", _text(rendered, "markdown")).strip(),
            generated_at=_time(_text(raw, "generatedAt")),
        )


def _object(parent: Mapping[str, Any], key: str, *, required: bool = True) -> Mapping[str, Any]:
    value = parent.get(key)
    if isinstance(value, Mapping):
        return value
    if required:
        raise BadItem(f"the feed's item has no {key} object")
    return {}


def _text(parent: Mapping[str, Any], key: str, *, required: bool = True) -> str:
    value = parent.get(key)
    if isinstance(value, str) and value.strip():
        return value
    if required:
        raise BadItem(f"the feed's item has no text under {key}")
    return ""


def _slug(suggestion: str, title: str, item_id: str) -> str:
    # The suggestion becomes a file name and a part of a URL, so it is never taken as it is.
    for source in (suggestion, title, item_id):
        slug = slugify(source, max_length=_SLUG_LENGTH, word_boundary=True)
        if slug:
            return slug
    return "post"


def _keywords(content: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[str, ...]:
    notes = _object(content, "coverageNotes", required=False).get("keywordCoverage")
    covered = [entry for entry in notes if isinstance(entry, Mapping)] if notes else []
    names = [_text(meta, "primaryKeyword", required=False)]
    names += [_text(entry, "keyword", required=False) for entry in covered]
    unique: dict[str, str] = {}
    for name in (" ".join(name.split()) for name in names):
        if name:
            unique.setdefault(name.casefold(), name)
    return tuple(unique.values())


def _time(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise BadItem(
            f"the feed's item has an unreadable time under generatedAt: {value}"
        ) from None
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
