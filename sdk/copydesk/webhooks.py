"""Webhooks: verify a request and read its event.

Both functions need the request's raw body: decoded and re-encoded JSON has another signature.
"""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from copydesk._wire import REQUIRED, Received
from copydesk.errors import ConfigurationError, WebhookVerificationError
from copydesk.models import JobError, Post, Quality, Rendered

SIGNATURE_HEADER = "x-svc-signature"
TOLERANCE_S = 300.0
# Fifteen digits: a longer number is not a valid time in seconds.
_SIGNATURE = re.compile(r"t=(?P<time>[0-9]{1,15}),v1=(?P<digest>[0-9a-f]{64})")


@dataclass(frozen=True)
class WebhookEvent(Received):
    """An event this package does not know. ``raw`` is its content."""

    event: Annotated[str, REQUIRED]
    job_id: Annotated[str, REQUIRED]
    request_id: str


@dataclass(frozen=True)
class JobSucceeded(WebhookEvent):
    """The event job.succeeded: the post is ready."""

    post: Annotated[Post, REQUIRED]
    rendered: Rendered
    quality: Quality


@dataclass(frozen=True)
class JobFailed(WebhookEvent):
    """The event job.failed: there will be no post."""

    error: Annotated[JobError, REQUIRED]


_EVENTS: dict[str, type[WebhookEvent]] = {"job.succeeded": JobSucceeded, "job.failed": JobFailed}


class Headers(Protocol):
    """The headers of a request: a dict, or the headers object of a web framework."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Names, in any case, and values."""


def verify(
    body: bytes,
    header: str | None,
    secret: str,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> None:
    """Return if ``header``, the value of x-svc-signature, signs this body with this secret.

    Its time may differ from ``now`` by ``tolerance`` seconds. ``now`` is in seconds since 1970, by
    default the current time.

    Raises:
        WebhookVerificationError: it does not; ``reason`` says why.
        ConfigurationError: the body is not bytes, the secret is empty, or the tolerance below 0.
    """
    _require_bytes(body)
    if not isinstance(secret, str) or not secret:
        raise ConfigurationError("secret must be the job's webhook_signing_secret; it is empty")
    if not tolerance >= 0:
        raise ConfigurationError(f"tolerance must be 0 seconds or more; it is {tolerance}")
    match = _SIGNATURE.fullmatch(header or "")
    if match is None:
        raise WebhookVerificationError(
            f"{SIGNATURE_HEADER} must be t=<seconds>,v1=<64 hexadecimal digits>", "header"
        )
    late = (time.time() if now is None else now) - int(match["time"])
    if not abs(late) <= tolerance:
        raise WebhookVerificationError(
            f"the webhook was signed {abs(late):.0f} s {'ago' if late > 0 else 'ahead'} by this"
            f" machine's clock; {tolerance:g} s are allowed",
            "timestamp",
        )
    signed = match["time"].encode() + b"." + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(digest, match["digest"]):
        raise WebhookVerificationError(
            "the signature is that of another body or secret", "signature"
        )


def parse(
    body: bytes,
    headers: Headers,
    secret: str | Callable[[str], str | None],
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> JobSucceeded | JobFailed | WebhookEvent:
    """Verify a webhook as ``verify`` does, and return its event.

    ``headers`` are all headers of the request. Every job has its own secret: ``secret`` is that
    one, or a function that returns it for a job id, or None if the job is unknown. The id is not
    verified yet when the function gets it, so the function should only look it up.

    Raises:
        WebhookVerificationError: the request cannot be verified as a webhook of the service.
        ConfigurationError: the body is not bytes, the secret is empty, or the tolerance below 0.
    """
    _require_bytes(body)
    values = [value for name, value in headers.items() if name.lower() == SIGNATURE_HEADER]
    if len(values) != 1:
        raise WebhookVerificationError(
            f"there must be one header {SIGNATURE_HEADER}; there are {len(values)}", "header"
        )
    if callable(secret):
        job_id = _object(body).get("jobId")
        found = secret(job_id) if isinstance(job_id, str) else None
        if not found:
            raise WebhookVerificationError("there is no secret for the job of this body", "secret")
        secret = found
    verify(body, values[0], secret, tolerance, now)
    data = _object(body)
    model = _EVENTS.get(str(data.get("event")), WebhookEvent)
    try:
        return model.from_wire(data)
    except ValueError as error:
        raise _no_event(str(error)) from None


def _require_bytes(body: object) -> None:
    if not isinstance(body, bytes):
        raise ConfigurationError(
            f"body must be the bytes of the request as they arrived, not {type(body).__name__}"
        )


def _object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):  # an unverified body may be nested to any depth
        data = None
    if not isinstance(data, dict):
        raise _no_event("it is not a JSON object")
    return data


def _no_event(problem: str) -> WebhookVerificationError:
    return WebhookVerificationError(f"the body is no event: {problem}", "body")
