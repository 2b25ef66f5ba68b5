"""A post: the part of a feed item that a site needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from slugify import slugify

from copydesk_connectors.target.errors import BadItem

_SLUG_LENGTH = 100
# Characters. The service writes far less; sites refuse or cut longer texts.
_LONGEST_ID = 500
_LONGEST_TITLE = 2_000
_LONGEST_BODY = 4_000_000
_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 5_000
_MOST_KEYWORDS = 100
# Sites add to and subtract from a post's time, and write it with four digits.
_YEARS = range(1971, 2200)
_HTML_TITLE = re.compile(r"\A\s*<h1\b[^>]*>.*?</h1\s*>\s*", re.DOTALL | re.IGNORECASE)
_MARKDOWN_TITLE = re.compile(r"\A\s*#[ \t][^\n]*\s*")
# Control characters that no page shows, and that XML and some databases cannot hold.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


@dataclass(frozen=True)
class Post:
    """One post to publish.

    ``html`` and ``markdown`` are the body without the title, which every site adds.
    ``slug`` holds only a-z, 0-9 and hyphens. ``generated_at`` is in UTC. ``slot`` is when the
    target's calendar shows the post, in UTC, or None for immediately.
    """

    id: str
    title: str
    slug: str
    description: str
    keywords: tuple[str, ...]
    html: str
    markdown: str
    generated_at: datetime
    slot: datetime | None = None

    @property
    def key(self) -> str:
        """The id in a form that is safe in a file name and in an HTML comment."""
        return quote(self.id, safe="")

    @classmethod
    def from_item(cls, raw: Any) -> "Post":
        """Return the post of an item, as the feed sent it.

        Removes control characters, and the end of a description or list of keywords that is too
        long.

        Raises:
            BadItem: the id, title, text or time is missing, unusable or too long.
        """
        try:
            return cls._read(raw)
        except BadItem:
            raise
        except Exception as error:  # noqa: BLE001 - an item may contain anything
            raise BadItem(f"the feed's item cannot be read ({type(error).__name__})") from None

    @classmethod
    def _read(cls, raw: Any) -> "Post":
        if not isinstance(raw, Mapping):
            raise BadItem("the feed's item is not an object")
        item_id = usable_id(raw)
        if not item_id:
            raise BadItem("the feed's item has no usable id")
        content = _object(raw, "post")
        rendered = _object(raw, "rendered")
        title = " ".join(_text(content, "title", _LONGEST_TITLE).split())
        meta = _object(content, "meta", required=False)
        html, markdown = (_text(rendered, key, _LONGEST_BODY) for key in ("html", "markdown"))
        return cls(
            id=item_id,
            title=title,
            slug=_slug(_start(content, "slugSuggestion", _LONGEST_NAME), title, item_id),
            description=" ".join(_start(meta, "description", _LONGEST_DESCRIPTION).split()),
            keywords=_keywords(content, meta),
            html=_HTML_TITLE.sub("", html).strip(),
            markdown=_MARKDOWN_TITLE.sub("", markdown).strip(),
            generated_at=_time(_text(raw, "generatedAt", _LONGEST_NAME)),
        )


def usable_id(raw: Mapping[str, Any]) -> str:
    """Return the item's id, or "" if it has none that can be sent back to the feed."""
    value = raw.get("id")
    if not isinstance(value, str) or len(value) > _LONGEST_ID or not value.isprintable():
        return ""
    return value if value.strip(" .") else ""


def _object(parent: Mapping[str, Any], key: str, *, required: bool = True) -> Mapping[str, Any]:
    value = parent.get(key)
    if isinstance(value, Mapping):
        return value
    if required:
        raise BadItem(f"the feed's item has no {key} object")
    return {}


def _text(parent: Mapping[str, Any], key: str, longest: int) -> str:
    value = parent.get(key)
    if isinstance(value, str) and len(value) > longest:
        raise BadItem(f"the feed's item has more than {longest:,} characters under {key}")
    if text := _start(parent, key, longest):
        return text
    raise BadItem(f"the feed's item has no text under {key}")


def _start(parent: Mapping[str, Any], key: str, longest: int) -> str:
    value = parent.get(key)
    if not isinstance(value, str):
        return ""
    text = _UNPRINTABLE.sub("", value[:longest])
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadItem(f"the feed's item has half a character under {key}") from None
    return text if text.strip() else ""


def _slug(suggestion: str, title: str, item_id: str) -> str:
    # The suggestion becomes a file name and part of a URL, so it is never used unchecked.
    for source in (suggestion, title, item_id):
        slug = slugify(source, max_length=_SLUG_LENGTH, word_boundary=True)
        if slug:
            return slug
    return "post"


def _keywords(content: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[str, ...]:
    notes = _object(content, "coverageNotes", required=False).get("keywordCoverage")
    entries = notes[:_MOST_KEYWORDS] if isinstance(notes, list) else []
    covered = [entry for entry in entries if isinstance(entry, Mapping)]
    names = [_start(meta, "primaryKeyword", _LONGEST_NAME)]
    names += [_start(entry, "keyword", _LONGEST_NAME) for entry in covered]
    unique: dict[str, str] = {}
    for name in (" ".join(name.split()) for name in names):
        if name:
            unique.setdefault(name.casefold(), name)
    return tuple(unique.values())


def _time(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadItem(
            f"the feed's item has an unreadable time under generatedAt: {value[:40]}"
        ) from None
    if moment.year not in _YEARS:
        raise BadItem(f"the feed's item has an impossible time under generatedAt: {value[:40]}")
    return moment
