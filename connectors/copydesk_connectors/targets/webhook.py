"""A signed POST to any address, for sites that no other target supports.

A delivery may arrive again, with the same ``webhook-id``; the receiver keeps each post once.
"""

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from copydesk.webhooks import signed_headers
from copydesk_connectors.target import settings
from copydesk_connectors.target.additions import NoticeSettings, blog_posting, with_notice
from copydesk_connectors.target.base import Copy, CopyState, Finding, Level, Target
from copydesk_connectors.target.errors import ConnectorError, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.http_api import HttpApi, is_transient
from copydesk_connectors.target.http_client import Answer
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import (
    Names,
    SecretText,
    SiteSettings,
    Text,
    Texts,
    Url,
    setting,
)

# The last of 43 digits has four bits.
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
_ANSWER_BYTES = 65_536
# A dot would make Standard Webhooks' `id.time.body` readable in two ways.
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# The address or the secret is wrong; that is no fault of the post.
_OWNERS = frozenset({401, 403, 404, 405, 407})


def _checked(secret: Secret) -> Secret:
    if _SECRET.fullmatch(secret.reveal()) is None:
        raise ValueError("must be whsec_ and 32 random bytes in base64")
    return secret


class WebhookSettings(SiteSettings, NoticeSettings):
    """The settings of a webhook."""

    url: Url = setting(
        "The address that receives the posts.", ask="Address that receives the posts"
    )
    secret: Annotated[SecretText, AfterValidator(_checked)] = setting(
        "The secret that signs them: `whsec_` and 32 bytes in base64. See [Webhook](#webhook).",
        ask="Secret that signs them (whsec_ and 32 bytes in base64)",
    )
    status: Literal["publish", "draft"] = setting(
        "Sent with each post: `publish` or `draft`.", default="publish"
    )
    tags: Texts | None = settings.tags()
    category: Names = settings.category()
    author: Text = setting("The author, sent with each post.", default="")
    json_ld: bool = setting("`true` sends a schema.org BlogPosting with each post.", default=False)


class Webhook(Target):
    """One receiver. It cannot list its posts, so each is sent until it is acknowledged."""

    Settings = WebhookSettings

    def __init__(self, name: str, settings: WebhookSettings) -> None:
        super().__init__(name)
        self._receiver = _Receiver(settings.url, settings.proxy)
        self._set = settings

    def ready(self) -> None:
        """Return if the receiver's server answers a HEAD at all, with whatever result."""
        status = self._request("HEAD").status_code
        if is_transient(status) and status != 501:
            raise Unavailable(f"{self._receiver.host} answered {status}")

    def inspect(self) -> Sequence[Finding]:
        """Return that the receiver's server answers. Sends no post."""
        said = f"{self._receiver.host} answers; no post was sent"
        return [Finding(Level.OK, self.name, said)]

    def find(self, post: Post) -> Copy | None:
        """Return None: only the receiver knows, and says so when the post is sent again."""
        return None

    def draft(self, post: Post) -> Copy:
        """Do nothing: the post is sent whole."""
        return Copy("", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Send the post. 2xx means published, 409 that the receiver already has it."""
        body = json.dumps(self._payload(post), ensure_ascii=False).encode()
        answer = self._request("POST", body, message_id(post))
        if answer.status_code != 409:
            self._receiver.raise_for_status(answer)
        return self._copy(post, answer)

    def _copy(self, post: Post, answer: Answer) -> Copy:
        said = answer.json()
        texts = said if isinstance(said, Mapping) else {}
        known = str(texts.get("id") or message_id(post))
        if self._set.status == "draft":
            return Copy(known, CopyState.DRAFT)
        return Copy(known, CopyState.PUBLIC, str(texts.get("url") or ""))

    def _payload(self, post: Post) -> dict[str, Any]:
        settings = self._set
        post = with_notice(post, settings)
        return {
            "event": "post.publish",
            "id": post.id,
            "title": post.title,
            "slug": post.slug,
            "description": post.description,
            "keywords": list(post.keywords),
            "tags": list(post.keywords if settings.tags is None else settings.tags),
            "categories": list(settings.category),
            "author": settings.author,
            "status": settings.status,
            "html": post.html,
            "markdown": post.markdown,
            "jsonLd": blog_posting(post, author=settings.author) if settings.json_ld else "",
            "generatedAt": post.generated_at.isoformat(),
        }

    def _request(self, method: str, body: bytes = b"", identity: str = "") -> Answer:
        headers = {}
        if identity:
            headers = {"Content-Type": "application/json", "Idempotency-Key": identity}
            headers |= signed_headers(self._set.secret.reveal(), identity, int(time.time()), body)
        # Of the body only an id and an address are read, so a long one may be cut off.
        url = self._receiver.url
        return self._receiver.send(
            method, url, data=body, headers=headers, most=_ANSWER_BYTES, whole=False
        )


class _Receiver(HttpApi):
    redirect_fix = "give the address that it leads to; a signed post is not sent on"

    def refusal(self, answer: Answer) -> ConnectorError:
        problem = f"{self.host} answered {answer.status_code}"
        if answer.status_code in _OWNERS:
            fix = "correct the url, or give both sides the same secret"
            return Misconfigured(problem, fix)
        if "html" in answer.headers.get("Content-Type", "").lower():
            fix = "see whether a firewall answers instead of the receiver, and let the post through"
            return Misconfigured(f"{problem} with a web page", fix)
        return Refused(problem)


def message_id(post: Post) -> str:
    """Return the delivery's id: the item's own id if its form allows, else a digest of it."""
    if _MESSAGE_ID.fullmatch(post.id):
        return post.id
    return f"itm_{hashlib.sha256(post.id.encode()).hexdigest()[:40]}"
