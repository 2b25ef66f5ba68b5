"""Read the entries of an RSS or Atom feed."""

from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import feedparser

from app.sources.text import bounded, bounded_title

_MAX_ENTRIES = 500
_MAX_URL_CHARS = 2048
# Enough to identify the subject.
_MAX_SUMMARY_CHARS = 1000


def feed_entries(
    body: bytes, media_type: str, charset: str, url: str
) -> list[dict[str, Any]] | None:
    """Return a feed's entries in its own order, or None if the body is not a feed.

    An entry has ``url``, ``title``, ``summary`` and ``published_at``, which is in UTC, or None.

    Args:
        media_type: the declared type of the body.
        charset: the declared charset, or "".
        url: the feed's URL, for relative links.
    """
    kind = f"{media_type}; charset={charset}" if charset else media_type
    # feedparser would take a string for the name of a file or a URL.
    feed: Any = feedparser.parse(
        BytesIO(body),
        response_headers={"content-type": kind, "content-location": url},
        sanitize_html=False,
    )
    return list(_entries(feed, url)) if feed.get("version") else None


def _entries(feed: Any, url: str) -> Iterator[dict[str, Any]]:
    for entry in feed.entries[:_MAX_ENTRIES]:
        link = entry.get("link", "")
        is_web = link.startswith(("http://", "https://"))
        if not is_web or link == url or len(link) > _MAX_URL_CHARS:
            continue
        try:
            # feedparser's own get() would return the first for the second, with a warning.
            date = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
            at = datetime.fromtimestamp(timegm(date), UTC) if date else None
        except (ValueError, OverflowError, OSError, TypeError):
            at = None
        yield {
            "url": link,
            "title": bounded_title(entry.get("title", "")),
            "summary": bounded(entry.get("summary", ""))[:_MAX_SUMMARY_CHARS],
            "published_at": at,
        }
