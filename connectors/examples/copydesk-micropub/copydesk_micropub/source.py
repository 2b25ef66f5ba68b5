"""What a Micropub server says about a post, by the query ``q=source``."""

from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup

from copydesk_connectors.target import Copy, CopyState, Post

Source = Mapping[str, Any]


def properties(content: Any) -> Source | None:
    """Return the properties in an answer; None if it has none."""
    found = content.get("properties") if isinstance(content, Mapping) else None
    return found if isinstance(found, Mapping) else None


def is_ours(post: Post, source: Source) -> bool:
    """Return whether a post is this one: by our uid, or by its text if the server keeps no uid."""
    uids = _texts(source.get("uid"))
    ours = [uid for uid in uids if uid.startswith("urn:copydesk:")]
    if ours:
        return f"urn:copydesk:{post.key}" in ours
    same_name = [name.split() for name in _texts(source.get("name"))] == [post.title.split()]
    return same_name and _words(source.get("content")) == _words([{"html": post.html}])


def _words(content: object) -> list[str]:
    first = content[0] if isinstance(content, list) and content else ""
    markup = str(first.get("html") or "") if isinstance(first, Mapping) else str(first)
    return BeautifulSoup(markup, "html.parser").get_text(" ").split()


def _texts(value: object) -> list[str]:
    return [str(entry) for entry in value] if isinstance(value, list) else []


def status(source: Source) -> str:
    """Return its post-status; a server without one shows everything."""
    return next(iter(_texts(source.get("post-status"))), "published")


def as_copy(url: str, source: Source) -> Copy:
    """Return what is at that address as a copy."""
    # Private, unlisted or deleted: what the owner decided is done.
    if status(source) == "draft":
        return Copy(url, CopyState.DRAFT)
    if source.get("deleted"):
        return Copy(url, CopyState.WITHDRAWN)
    return Copy(url, CopyState.PUBLIC, url)
