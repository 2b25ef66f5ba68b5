"""A signed POST to any address: for everything that takes posts in a way of its own.

The receiver keeps each post once: a delivery may come again, always with the same ``webhook-id``.
"""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

import requests

from copydesk_connectors.errors import Misconfigured, Refused, Unavailable
from copydesk_connectors.http_answer import NO_ANSWER, retry_after_s
from copydesk_connectors.json_ld import blog_posting
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Finding, Level
from copydesk_connectors.secret import Secret
from copydesk_connectors.toml_table import Table, is_loopback

_TIMEOUT_S = (10.0, 45.0)  # to connect, and between two bytes of the answer
_ANSWER_BYTES = 65_536
_PREFIX = "whsec_"
_KEY_BYTES = 32
# A dot would make Standard Webhooks' `id.time.body` readable in two ways.
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STATUSES = ("publish", "draft")
_PASSING = frozenset({408, 425, 429})
# Not this post's fault: the address or the secret is wrong, and no post is lost over that.
_OWNERS = frozenset({401, 403, 404, 405, 407})


@dataclass(frozen=True)
class Settings:
    """What is sent along with every post."""

    status: str
    tags: tuple[str, ...] | None
    categories: tuple[str, ...]
    author: str
    json_ld: bool


class Webhook:
    """One receiver. It cannot be asked what it has, so each post is sent until it is answered."""

    def __init__(self, name: str, url: str, secret: Secret, settings: Settings) -> None:
        self._name = name
        self._url = url
        self._host = urlsplit(url).hostname or ""
        self._secret = secret
        self._set = settings

    @classmethod
    def from_table(cls, name: str, table: Table) -> Self:
        """Read the target's settings."""
        url = table.url("url")
        allow_http = table.flag("allow_http", default=False)
        if url.startswith("http://") and not is_loopback(url) and not allow_http:
            table.fail("url", "must begin with https://; allow_http = true permits http")
        secret = table.secret("secret", literal=False)
        if _key(secret.reveal()) is None:
            table.fail("secret", f"must be {_PREFIX} and {_KEY_BYTES} random bytes in base64")
        one, many = table.text("category", ""), table.texts("categories")
        if one and many:
            table.fail("category", "give only one of category or categories")
        settings = Settings(
            status=table.choice("status", _STATUSES, "publish"),
            tags=table.texts("tags") if table.has("tags") else None,
            categories=many or ((one,) if one else ()),
            author=table.text("author", ""),
            json_ld=table.flag("json_ld", default=False),
        )
        return cls(name, url, secret, settings)

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger."""
        return self._name

    def ready(self) -> None:
        """Return when the receiver's server answers at all: a HEAD, of whatever result."""
        status = self._request("HEAD").status_code
        if status in _PASSING or (status >= 500 and status != 501):
            raise Unavailable(f"{self._host} answered {status}")

    def check(self) -> Sequence[Finding]:
        """Whether the receiver's server answers. Sends no post."""
        try:
            self.ready()
        except Unavailable as error:
            return [
                Finding(Level.PROBLEM, self._name, str(error), "start the receiver, or mend url")
            ]
        return [Finding(Level.OK, self._name, f"{self._host} answers; no post was sent")]

    def find(self, post: Post) -> Copy | None:
        """Nothing: only the receiver knows, and tells when the post is sent again."""
        return None

    def draft(self, post: Post) -> Copy:
        """Nothing to do: the post is sent whole."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Send the post. 2xx is published, 409 that it was there already."""
        body = json.dumps(self._payload(post), ensure_ascii=False).encode()
        answer = self._request("POST", body, message_id(post))
        status = answer.status_code
        if 200 <= status < 300 or status == 409:
            return self._copy(post, answer)
        problem = f"{self._host} answered {status}"
        if status in _PASSING or status >= 500:
            raise Unavailable(problem, retry_after_s(answer.headers))
        if status < 400:
            raise Misconfigured(
                f"{problem}: it wants the post elsewhere",
                "give the address that it leads to; a signed post is not sent on",
            )
        if status in _OWNERS:
            raise Misconfigured(problem, "correct the url, or give both sides the same secret")
        raise Refused(problem)

    def _copy(self, post: Post, answer: requests.Response) -> Copy:
        try:
            said = json.loads(_start(answer))
        except (ValueError, *NO_ANSWER):
            said = {}
        texts = said if isinstance(said, Mapping) else {}
        known, url = str(texts.get("id") or message_id(post)), str(texts.get("url") or "")
        draft = self._set.status == "draft"
        return Copy(known, CopyState.DRAFT if draft else CopyState.PUBLIC, "" if draft else url)

    def _payload(self, post: Post) -> dict[str, Any]:
        settings = self._set
        return {
            "event": "post.publish",
            "id": post.id,
            "title": post.title,
            "slug": post.slug,
            "description": post.description,
            "keywords": list(post.keywords),
            "tags": list(post.keywords if settings.tags is None else settings.tags),
            "categories": list(settings.categories),
            "author": settings.author,
            "status": settings.status,
            "html": post.html,
            "markdown": post.markdown,
            "jsonLd": blog_posting(post, author=settings.author) if settings.json_ld else "",
            "generatedAt": post.generated_at.isoformat(),
        }

    def _request(self, method: str, body: bytes = b"", identity: str = "") -> requests.Response:
        headers = {"User-Agent": "copydesk-connect"}
        if identity:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": identity}
            headers |= signed_headers(self._secret.reveal(), identity, int(time.time()), body)
        try:
            return requests.request(
                method,
                self._url,
                data=body,
                headers=headers,
                timeout=_TIMEOUT_S,
                allow_redirects=False,
                stream=True,
            )
        except NO_ANSWER as error:
            # Its text holds the address, whose path may be a secret.
            raise Unavailable(f"{self._host} cannot be reached ({type(error).__name__})") from None


def message_id(post: Post) -> str:
    """The delivery's id: the item's own where its form allows, and always the same."""
    if _MESSAGE_ID.fullmatch(post.id):
        return post.id
    return f"itm_{hashlib.sha256(post.id.encode()).hexdigest()[:40]}"


def signed_headers(secret: str, identity: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers that prove who sent the body and when, as the service signs its own webhooks:
    x-svc-signature with the whole secret, and Standard Webhooks with the bytes in it."""
    now = str(seconds).encode()
    own = hmac.digest(secret.encode(), now + b"." + body, "sha256").hex()
    key = _key(secret) or b""
    standard = hmac.digest(key, identity.encode() + b"." + now + b"." + body, "sha256")
    return {
        "x-svc-signature": f"t={seconds},v1={own}",
        "webhook-id": identity,
        "webhook-timestamp": str(seconds),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
    }


def _key(secret: str) -> bytes | None:
    if not secret.startswith(_PREFIX):
        return None
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _start(answer: requests.Response) -> bytes:
    return next(answer.iter_content(_ANSWER_BYTES), b"")
