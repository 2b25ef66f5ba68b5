"""Anything that speaks Micropub (https://www.w3.org/TR/micropub/).

The protocol has no key of the client's and no list of posts, so a post is known again by where it
is: by the address that the server gave (kept in the ledger), else by a slug that the server takes
as it is. The draft is made first and published by an update, which can be repeated.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import requests
from bs4 import BeautifulSoup
from requests.utils import parse_header_links

from copydesk_connectors.errors import DraftGone, Misconfigured, Refused, Unavailable
from copydesk_connectors.http_answer import NO_ANSWER, retry_after_s
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.secret import Secret
from copydesk_connectors.targets import micropub_source
from copydesk_connectors.toml_table import Table, has_possible_host, is_loopback

_TIMEOUT_S = (10.0, 45.0)
_PAGE_BYTES = 2_000_000
_STATUSES = ("publish", "draft")
_NUMBERED = 4  # how far a slug is tried where others have it
_PASSING = frozenset({408, 425, 429})
_PLACES = re.compile(r"\{(slug|year|month|day)\}")


class Micropub:
    """One site. ``address`` is how the server makes a post's URL of its slug, empty if unknown."""

    def __init__(
        self,
        name: str,
        url: str,
        token: Secret,
        *,
        endpoint: str,
        address: str,
        draft: bool,
        allow_http: bool,
        tags: Sequence[str] | None,
        categories: Sequence[str],
    ) -> None:
        self._name = name
        self._url = url
        self._host = urlsplit(url).hostname or ""
        self._token = token
        self._endpoint = endpoint
        self._address = address
        self._keep_draft = draft
        self._allow_http = allow_http
        self._tags = tags
        self._categories = categories

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        allow_http = table.flag("allow_http", default=False)
        addresses = {key: table.url(key, None if key == "url" else "") for key in _ADDRESSES}
        for key, value in addresses.items():
            if not allow_http and _is_readable(value):
                table.fail(key, "must begin with https://; allow_http = true permits http")
        address = table.text("address", "")
        if address and "{slug}" not in address:
            table.fail("address", "must hold {slug}, such as https://blog.example/{year}/{slug}")
        one, many = table.text("category", ""), table.texts("categories")
        return cls(
            name,
            addresses["url"],
            table.secret("token", literal=False),
            endpoint=addresses["endpoint"],
            address=address,
            draft=table.choice("status", _STATUSES, "publish") == "draft",
            allow_http=allow_http,
            tags=table.texts("tags") if table.has("tags") else None,
            categories=(*many, one) if one else many,
        )

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the endpoint knows the token. Changes nothing: it asks for its settings."""
        self._ask({"q": "config"})

    def check(self) -> Sequence[Finding]:
        """Whether the endpoint is there, knows the token, and can tell what it has."""
        try:
            self.ready()
        except Misconfigured as error:
            return [Finding(Level.PROBLEM, self._name, str(error.args[0]), error.fix)]
        except Unavailable as error:
            return [Finding(Level.PROBLEM, self._name, str(error), "see whether the site is up")]
        if not self._address:
            problem = "a post cannot be found again if the connection breaks while it is made"
            fix = f"set address to the form of your posts' addresses, as {self._url}/{{slug}}"
            return [Finding(Level.WARNING, self._name, problem, fix)]
        return [Finding(Level.OK, self._name, f"{self._host} knows the token")]

    def find(self, post: Post) -> Copy | None:
        """The site's copy, by each address that a server may have given it."""
        if not self._address:
            return None
        for slug in _slugs(post):
            url = self._expected(post, slug)
            source = self._source(url)
            if source is not None and micropub_source.is_ours(post, source):
                return micropub_source.as_copy(url, source)
        return None

    def draft(self, post: Post) -> Copy:
        """Make the post, as a draft; a server without drafts shows it at once.

        The slug is one that nothing of another's has, so that the address tells the post.
        """
        for slug in _slugs(post):
            there = self._source(self._expected(post, slug)) if self._address else None
            if there is None:
                return self._make(post, slug)
            if micropub_source.is_ours(post, there):  # made by another instance since we looked
                return micropub_source.as_copy(self._expected(post, slug), there)
        raise Refused(f"{self._host} has other posts under {post.slug} and its numbers")

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Publish the draft at this address, unless its owner decided about it meanwhile."""
        source = self._source(remote_id)
        if source is None and (found := self.find(post)) is not None:
            remote_id, source = found.remote_id, self._source(found.remote_id)
        if source is not None and (self._keep_draft or micropub_source.status(source) != "draft"):
            return micropub_source.as_copy(remote_id, source)
        if source is None and self._keep_draft:
            return Copy(remote_id, CopyState.DRAFT)
        update = {"action": "update", "url": remote_id, "replace": {"post-status": ["published"]}}
        # A server without source queries is asked to publish what it may not have any more.
        known = source is not None
        answer = self._call("POST", json=update, allowed=set() if known else {400, 404, 410, 501})
        if answer.status_code >= 400 and self._send("GET", remote_id).status_code >= 400:
            raise DraftGone(f"{self._host} has nothing at the draft's address any more")
        moved = urljoin(self._endpoint, answer.headers.get("Location", remote_id))
        return Copy(moved, CopyState.PUBLIC, moved)

    def _make(self, post: Post, slug: str) -> Copy:
        answer = self._call("POST", json=self._entry(post, slug))
        location = answer.headers.get("Location", "")
        if answer.status_code not in (201, 202) or not location:
            raise Unavailable(f"{self._host} answered {answer.status_code} without a Location")
        url = urljoin(self._endpoint, location)
        expected = self._expected(post, slug)
        if self._address and url.rstrip("/") != expected.rstrip("/"):
            # The slug was taken meanwhile; where that was by this very post, ours is one too many.
            there = self._source(expected)
            if there is not None and micropub_source.is_ours(post, there):
                self._call("POST", json={"action": "delete", "url": url})
                return micropub_source.as_copy(expected, there)
        return Copy(url, CopyState.DRAFT)

    def _entry(self, post: Post, slug: str) -> dict[str, Any]:
        tags = post.keywords if self._tags is None else self._tags
        properties: dict[str, list[Any]] = {
            "name": [post.title],
            "content": [{"html": post.html}],
            "summary": [post.description] if post.description else [],
            "category": list(dict.fromkeys([*self._categories, *tags])),
            "published": [post.generated_at.isoformat(timespec="seconds")],
            "uid": [f"urn:copydesk:{post.key}"],
            "mp-slug": [slug],
            "post-status": ["draft"],
        }
        return {"type": ["h-entry"], "properties": {k: v for k, v in properties.items() if v}}

    def _expected(self, post: Post, slug: str) -> str:
        at = post.generated_at
        parts = {"slug": slug, "year": f"{at:%Y}", "month": f"{at:%m}", "day": f"{at:%d}"}
        return _PLACES.sub(lambda match: parts[match[1]], self._address)

    def _source(self, url: str) -> Mapping[str, Any] | None:
        """The properties of the post at an address; None where there is none."""
        answer = self._call("GET", params={"q": "source", "url": url}, allowed={400, 404, 410})
        if answer.status_code >= 400:
            return None
        properties = _object(answer).get("properties")
        return properties if isinstance(properties, Mapping) else None

    def _ask(self, params: dict[str, str]) -> None:
        # The config query is the one that every server has; some answer it with nothing.
        self._call("GET", params=params, allowed={400, 404, 501})

    def _call(
        self, method: str, *, allowed: frozenset[int] | set[int] = frozenset(), **options: Any
    ) -> requests.Response:
        self._endpoint = self._endpoint or self._safe(self._discovered())
        answer = self._send(method, self._endpoint, token=True, **options)
        status = answer.status_code
        if status < 300 or status in allowed:
            return answer
        error = _object(answer).get("error")
        problem = f"{self._host} answered {status}" + (f" ({error})" if _plain(error) else "")
        if status in _PASSING or status >= 500:
            raise Unavailable(problem, retry_after_s(answer.headers))
        if status in (401, 403):
            fix = "make a token with the scopes create, update and draft, and configure it"
            raise Misconfigured(problem, fix)
        if status < 400 or status in (404, 405):
            raise Misconfigured(problem, "set endpoint to the site's Micropub endpoint")
        raise Refused(problem)

    def _send(
        self, method: str, url: str, *, token: bool = False, **options: Any
    ) -> requests.Response:
        headers = {"Accept": "application/json", "User-Agent": "copydesk-connect"}
        if token:
            headers["Authorization"] = f"Bearer {self._token.reveal()}"
        else:
            headers["Accept"] = "text/html"
        try:
            return requests.request(
                method,
                url,
                headers=headers,
                timeout=_TIMEOUT_S,
                # The token goes nowhere but to the endpoint.
                allow_redirects=not token,
                **options,
            )
        except NO_ANSWER as error:
            raise Unavailable(f"{self._host} cannot be reached ({type(error).__name__})") from None

    def _safe(self, endpoint: str) -> str:
        """What a page names as the endpoint, unless nobody can be there or the token could be read
        on the way."""
        if not has_possible_host(endpoint):
            raise Misconfigured(
                f"{self._host} names a Micropub endpoint at a host that cannot exist",
                "have the site name its own address, or set endpoint to it",
            )
        if self._allow_http or not _is_readable(endpoint):
            return endpoint
        raise Misconfigured(
            f"{self._host} names a Micropub endpoint without https: {urlsplit(endpoint).netloc}",
            "have the site name its https address, or set endpoint to it",
        )

    def _discovered(self) -> str:
        """The endpoint by HTTP Link header, else by <link> or <a> (section 5.3)."""
        page = self._send("GET", self._url)
        if page.status_code >= 500 or page.status_code in _PASSING:
            raise Unavailable(f"{self._host} answered {page.status_code}")
        for link in parse_header_links(page.headers.get("Link", "")):
            if "micropub" in link.get("rel", "").split():
                return urljoin(page.url, link["url"])
        tree = BeautifulSoup(page.content[:_PAGE_BYTES], "html.parser")
        found = tree.select_one('link[rel~="micropub"][href], a[rel~="micropub"][href]')
        if found is None:
            raise Misconfigured(
                f"{self._host} names no Micropub endpoint", "set endpoint to its address"
            )
        return urljoin(page.url, str(found["href"]))


_ADDRESSES = ("url", "endpoint")


def _is_readable(url: str) -> bool:
    """Whether others can read on the way what is sent there."""
    return url.startswith("http://") and not is_loopback(url)


def _slugs(post: Post) -> list[str]:
    return [post.slug, *(f"{post.slug}-{number}" for number in range(2, _NUMBERED + 1))]


def _object(answer: requests.Response) -> Mapping[str, Any]:
    try:
        data = json.loads(answer.content)
    except ValueError:
        return {}
    return data if isinstance(data, Mapping) else {}


def _plain(error: object) -> bool:
    return isinstance(error, str) and re.fullmatch(r"[a-z_]{1,40}", error) is not None
