"""Objects for tests of code that uses Copydesk: posts, jobs, feed items and signed webhooks.

The factories return what the service would; each argument replaces one member, by its name in
Python. ``sign_webhook`` returns the request that a webhook receiver gets.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from copydesk._wire import Received, camel
from copydesk.models import FeedItem, Generation, Job, Post
from copydesk.webhooks import signed_headers, signing_secrets

__all__ = [
    "WEBHOOK_SECRET",
    "SignedWebhook",
    "make_event",
    "make_generation",
    "make_item",
    "make_job",
    "make_post",
    "sign_webhook",
]

M = TypeVar("M", bound=Received)

WEBHOOK_SECRET = "whroot_" + base64.b64encode(b"for tests only; no real receiver").decode()
"""A root secret for ``COPYDESK_WEBHOOK_SECRET`` in tests."""
_QUALITY = {"status": "pass", "score": 80, "revisionCount": 1, "qualityVersion": "4.0.0"}
_TEXT = "A cast iron pan lasts for decades if it stays oiled and dry."
_NOW = "2026-01-31T09:30:00.000Z"


def make_post(**members: Any) -> Post:
    """Return a post about cast iron pans. ``keywords`` sets the keywords that it covers."""
    keywords = list(members.pop("keywords", ["cast iron pan"]))
    title = members.get("title", "How to care for a cast iron pan")
    covered = [{"keyword": each, "covered": True, "evidence": _TEXT} for each in keywords]
    defaults = {
        "title": title,
        "slugSuggestion": "care-for-a-cast-iron-pan",
        "meta": {"description": "Keep a pan without rust.", "primaryKeyword": keywords[0]},
        "outline": {"h1": title, "h2": ["Clean it after cooking"]},
        "sections": [
            {"type": "introduction", "contentMarkdown": _TEXT},
            {
                "type": "body",
                "heading": "Clean it after cooking",
                "contentMarkdown": "Rinse the pan while it is still warm, and dry it.",
            },
            {"type": "conclusion", "contentMarkdown": "Oil it before you put it away."},
        ],
        "faqs": [],
        "conclusion": "Oil it before you put it away.",
        "coverageNotes": {"keywordCoverage": covered},
    }
    return _made(Post, defaults, members)


def make_generation(post: Post | None = None, **members: Any) -> Generation:
    """Return the result of ``generate`` with that post."""
    return _made(Generation, {"requestId": "req_test", **_content("post", post)}, members)


def make_item(post: Post | None = None, **members: Any) -> FeedItem:
    """Return a feed item with that post, as a first pull returns it."""
    defaults = {"id": "itm_test", "generatedAt": _NOW, "deliveryCount": 1, **_content("post", post)}
    del defaults["quality"]  # a feed has only posts that passed
    return _made(FeedItem, defaults, members)


def make_job(status: str = "queued", post: Post | None = None, **members: Any) -> Job:
    """Return a job in that state; one that succeeded has that post."""
    defaults: dict[str, Any] = {
        "jobId": "job_test",
        "status": status,
        "createdAt": _NOW,
        "updatedAt": _NOW,
        "requestId": "req_test",
        "inputSummary": {"keywords": ["cast iron pan"], "language": "en", "maxWords": 1200},
    }
    if status == "succeeded":
        defaults |= _content("result", post)
    if status == "failed":
        defaults["error"] = {"code": "PROHIBITED_INPUT", "message": "The model declined this."}
    return _made(Job, defaults, members)


def make_event(job: Job) -> dict[str, Any]:
    """Return the event that announces the end of a job: job.succeeded or job.failed.

    Raises:
        ValueError: the job is not done.
    """
    if not job.done:
        raise ValueError(f"job {job.job_id} is {job.status}: only a job that is done has an event")
    members = {"post": "result", "rendered": "rendered", "quality": "quality", "error": "error"}
    sent = {name: job.raw[member] for name, member in members.items() if member in job.raw}
    ids = {"jobId": job.job_id, "requestId": job.request_id}
    return {"event": f"job.{job.status}", **ids, **sent}


@dataclass(frozen=True)
class SignedWebhook:
    """A request to a receiver: POST ``body`` with ``headers``."""

    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


def sign_webhook(
    event: Mapping[str, Any], secret: str = WEBHOOK_SECRET, *, now: datetime | None = None
) -> SignedWebhook:
    """Return the request that a receiver gets for an event, such as one of ``make_event``.

    Args:
        secret: what the receiver has in COPYDESK_WEBHOOK_SECRET, or the
            ``webhook_signing_secret`` of a job.
        now: the time of the signature; by default the current time.

    Raises:
        ConfigurationError: the secret is malformed.
    """
    body = json.dumps(event).encode()
    seconds = int((now or datetime.now(UTC)).timestamp())
    (secret,) = signing_secrets(secret, str(event.get("jobId", "")))
    message_id = f"msg_{hashlib.sha256(body).hexdigest()[:26]}"
    headers = signed_headers(secret, message_id, seconds, body)
    headers["Content-Type"] = "application/json"
    return SignedWebhook(headers, body)


def _content(name: str, post: Post | None) -> dict[str, Any]:
    """Return a post, its representations and its quality; ``name`` is the post's member."""
    post = post or make_post()
    texts = [section.content_markdown for section in post.sections if section.content_markdown]
    rendered = {
        "markdown": "\n\n".join(texts) + "\n",
        "html": "".join(f"<p>{html.escape(text, quote=False)}</p>\n" for text in texts),
    }
    return {name: post.raw, "rendered": rendered, "quality": dict(_QUALITY)}


def _made(model: type[M], defaults: dict[str, Any], members: dict[str, Any]) -> M:
    for name in members:
        if name not in model.__dataclass_fields__:
            raise TypeError(f"a {model.__name__} has no member {name!r}")
    given = {camel(name): _wire(value) for name, value in members.items()}
    return model.from_wire({**defaults, **given})


def _wire(value: Any) -> Any:
    if isinstance(value, Received):
        return value.raw
    if isinstance(value, datetime):
        return value.isoformat()
    return [_wire(each) for each in value] if isinstance(value, (list, tuple)) else value
