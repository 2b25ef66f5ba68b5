"""Webhooks as a receiver gets them, signed as the service signs them."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from copydesk.models import Job
from copydesk.testing._factories import make_generation
from copydesk.webhooks import SIGNATURE_HEADER, SigningSecrets

SECRET = "whroot_" + base64.b64encode(b"for tests only; no real receiver").decode()


@dataclass(frozen=True)
class SignedWebhook:
    """A request to a receiver: POST ``body`` with ``headers`` to ``url``."""

    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


def sign_webhook(
    event: Mapping[str, Any] | bytes,
    secret: str = SECRET,
    *,
    url: str = "https://www.example.com/copydesk",
    now: datetime | None = None,
) -> SignedWebhook:
    """Return the request that a receiver gets for an event, such as one of ``make_event``.

    Args:
        event: the decoded JSON, or the bytes of the body.
        secret: what the receiver has in COPYDESK_WEBHOOK_SECRET, by default the
            ``webhook_secret`` of a ``FakeService``; or a job's ``webhook_signing_secret``.
        now: the time of the signature; by default the current time.

    Raises:
        ConfigurationError: the secret is malformed.
    """
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    time = str(int((now or datetime.now(UTC)).timestamp()))
    secret = SigningSecrets(secret).for_job(_job_id(body))[0]
    message_id = f"msg_{hashlib.sha256(body).hexdigest()[:26]}"
    own = hmac.new(secret.encode(), time.encode() + b"." + body, hashlib.sha256).hexdigest()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message = f"{message_id}.{time}.".encode() + body
    standard = base64.b64encode(hmac.digest(key, message, hashlib.sha256)).decode()
    headers = {
        "Content-Type": "application/json",
        SIGNATURE_HEADER: f"t={time},v1={own}",
        "webhook-id": message_id,
        "webhook-timestamp": time,
        "webhook-signature": f"v1,{standard}",
    }
    return SignedWebhook(url, headers, body)


def _job_id(body: bytes) -> str:
    try:
        found = json.loads(body)["jobId"]
    except (ValueError, LookupError, TypeError):  # no event: a receiver must refuse it
        found = ""
    return str(found)


def make_event(job: Job) -> dict[str, Any]:
    """Return the event that announces the end of a job: job.succeeded or job.failed.

    Raises:
        ValueError: the job is not done.
    """
    if not job.done:
        raise ValueError(f"job {job.job_id} is {job.status}: only a job that is done has an event")
    ids = {"jobId": job.job_id, "requestId": job.request_id}
    if job.error is not None:
        return {"event": "job.failed", **ids, "error": job.raw["error"]}
    made = make_generation().raw
    members = {"post": job.raw["result"], "rendered": made["rendered"], "quality": made["quality"]}
    members |= {name: job.raw[name] for name in ("rendered", "quality") if name in job.raw}
    return {"event": "job.succeeded", **ids, **members}
