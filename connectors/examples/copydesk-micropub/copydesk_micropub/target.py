"""Posts on any server that speaks Micropub (https://www.w3.org/TR/micropub/).

The protocol has no key of the client's and no list of posts. So a post is identified by where it
is: by the address that the server returned, which is in the ledger, else by a slug that the server
uses as it is. The draft is made first and published by an update, which can be repeated.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urljoin

from copydesk_connectors.target import (
    Copy,
    CopyState,
    DraftGone,
    Finding,
    Level,
    Post,
    Refused,
    Target,
    Unavailable,
)
from copydesk_micropub import source
from copydesk_micropub.endpoint import Endpoint
from copydesk_micropub.settings import MicropubSettings
from copydesk_micropub.source import Source

_NUMBERED = 4  # the highest number that is tried behind a slug that others have
_PLACES = re.compile(r"\{(slug|year|month|day)\}")
_NO_QUERY = frozenset({400, 404, 410})


class Micropub(Target):
    """One site."""

    Settings = MicropubSettings

    def __init__(self, name: str, settings: MicropubSettings) -> None:
        super().__init__(name)
        self._settings = settings
        self._endpoint = Endpoint(settings)

    def ready(self) -> None:
        """Return if the endpoint knows the token: it is asked for its configuration."""
        # Every server has this query; some answer it with nothing.
        self._endpoint.ask("GET", _NO_QUERY | {501}, params={"q": "config"})

    def inspect(self) -> Sequence[Finding]:
        """Return whether a post can be found again."""
        if not self._settings.address:
            problem = "a post cannot be found again if the connection breaks while it is made"
            form = f"{self._settings.url}/{{slug}}"
            fix = f"set address to the form of your posts' addresses, as {form}"
            return [Finding(Level.WARNING, self.name, problem, fix)]
        return [Finding(Level.OK, self.name, f"{self._endpoint.host} knows the token")]

    def find(self, post: Post) -> Copy | None:
        """Return the copy at one of the addresses that a server may have given it."""
        if not self._settings.address:
            return None
        for slug in _slugs(post):
            url = self._expected(post, slug)
            there = self._source(url)
            if there is not None and source.is_ours(post, there):
                return source.as_copy(url, there)
        return None

    def draft(self, post: Post) -> Copy:
        """Make a draft under a slug that no other post has; a server without drafts shows it."""
        for slug in _slugs(post):
            url = self._expected(post, slug)
            there = self._source(url) if url else None
            if there is None:
                return self._make(post, slug)
            if source.is_ours(post, there):  # made by another process since we looked
                return source.as_copy(url, there)
        raise Refused(f"{self._endpoint.host} has other posts under {post.slug} and its numbers")

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Publish the draft at this address, unless its owner decided about it meanwhile."""
        keep_draft = self._settings.status == "draft"
        there = self._source(remote_id)
        if there is None and (found := self.find(post)) is not None:
            remote_id, there = found.remote_id, self._source(found.remote_id)
        if there is not None and (keep_draft or source.status(there) != "draft"):
            return source.as_copy(remote_id, there)
        if there is None and keep_draft:
            return Copy(remote_id, CopyState.DRAFT)
        update = {"action": "update", "url": remote_id, "replace": {"post-status": ["published"]}}
        # A server without source queries is asked to publish what it may not have any more.
        allowed = frozenset() if there is not None else _NO_QUERY | {501}
        answer = self._endpoint.ask("POST", allowed, json=update)
        if answer.status_code >= 400:
            if not self._endpoint.message(answer.json()):
                self._endpoint.raise_for_status(answer)  # a firewall knows nothing of the draft
            status = self._endpoint.page(remote_id).status_code
            if status in {404, 410}:
                raise DraftGone("the draft was deleted")
            if status >= 400:
                raise Unavailable(f"{self._endpoint.host} answered {status} at the draft's address")
        moved = urljoin(self._endpoint.address, answer.headers.get("Location", remote_id))
        return Copy(moved, CopyState.PUBLIC, moved)

    def _make(self, post: Post, slug: str) -> Copy:
        answer = self._endpoint.ask("POST", json=self._entry(post, slug))
        location = answer.headers.get("Location", "")
        if answer.status_code not in {201, 202} or not location:
            host, status = self._endpoint.host, answer.status_code
            raise Unavailable(f"{host} answered {status} without a Location")
        url = urljoin(self._endpoint.address, location)
        expected = self._expected(post, slug)
        if expected and url.rstrip("/") != expected.rstrip("/"):
            # The slug was taken meanwhile; if that was by this very post, ours is one too many.
            there = self._source(expected)
            if there is not None and source.is_ours(post, there):
                self._endpoint.ask("POST", json={"action": "delete", "url": url})
                return source.as_copy(expected, there)
        return Copy(url, CopyState.DRAFT)

    def _entry(self, post: Post, slug: str) -> dict[str, Any]:
        tags = post.keywords if self._settings.tags is None else self._settings.tags
        properties: dict[str, list[Any]] = {
            "name": [post.title],
            "content": [{"html": post.html}],
            "summary": [post.description] if post.description else [],
            "category": list(dict.fromkeys([*self._settings.category, *tags])),
            "published": [post.generated_at.isoformat(timespec="seconds")],
            "uid": [f"urn:copydesk:{post.key}"],
            "mp-slug": [slug],
            "post-status": ["draft"],
        }
        return {"type": ["h-entry"], "properties": {k: v for k, v in properties.items() if v}}

    def _expected(self, post: Post, slug: str) -> str:
        """Return the address that the server makes of a slug, "" if that is not configured."""
        at = post.generated_at
        parts = {"slug": slug, "year": f"{at:%Y}", "month": f"{at:%m}", "day": f"{at:%d}"}
        return _PLACES.sub(lambda match: parts[match[1]], self._settings.address)

    def _source(self, url: str) -> Source | None:
        """Return the properties of the post at an address; None if there is none."""
        answer = self._endpoint.ask("GET", _NO_QUERY, params={"q": "source", "url": url})
        return None if answer.status_code >= 400 else source.properties(answer.json())


def _slugs(post: Post) -> list[str]:
    return [post.slug, *(f"{post.slug}-{number}" for number in range(2, _NUMBERED + 1))]
