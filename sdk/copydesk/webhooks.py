"""Webhooks: verify a request and read its event.

``unwrap`` does both with the root secret in COPYDESK_WEBHOOK_SECRET, which serves all jobs of an
account; ``parse`` takes the secrets as an argument. All functions need the request's raw body:
decoded and re-encoded JSON has another signature.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from copydesk._wire import REQUIRED, Received
from copydesk.errors import ConfigurationError, WebhookVerificationError
from copydesk.models import JobError, Post, Quality, Rendered

SIGNATURE_HEADER = "x-svc-signature"
SECRET_VARIABLE = "COPYDESK_WEBHOOK_SECRET"  # noqa: S105 - a name, not a secret
TOLERANCE_S = 300.0
# A body is read as JSON before it is verified. No event of the service is nearly as large.
MAX_BODY_BYTES = 4 * 2**20
# Fifteen digits: a longer number is not a valid time in seconds.
_SIGNATURE = re.compile(r"t=(?P<time>[0-9]{1,15}),v1=(?P<digest>[0-9a-f]{64})")
_ROOT_PREFIX = "whroot_"
_JOB_PREFIX = "whsec_"
_SECRET = re.compile(rf"(?:{_ROOT_PREFIX}|{_JOB_PREFIX})[A-Za-z0-9+/]{{43}}=")


@dataclass(frozen=True)
class WebhookEvent(Received):
    """An event this package does not know. ``raw`` is its content."""

    event: Annotated[str, REQUIRED]
    job_id: Annotated[str, REQUIRED]
    request_id: str

    @property
    def key(self) -> str:
        """A text that is the same each time this event is delivered, to detect repetitions.

        A job sends each of its events once. The header webhook-id is no substitute:
        x-svc-signature does not cover it.
        """
        return f"{self.event}:{self.job_id}"


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


class HeaderItems(Protocol):
    """A dict, the headers object of a web framework, or an ``environ`` of WSGI."""

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names, in any case, and values."""


Headers = HeaderItems | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]


def signing_secrets(text: str, job_id: str) -> list[str]:
    """Return the secrets that may sign webhooks of this job, one for each that is given.

    ``text`` is as for ``parse``. A root signs with ``whsec_`` and HMAC-SHA256(root, job id) in
    base64.

    Raises:
        ConfigurationError: there is no secret, or one is malformed.
    """
    return [
        _derived(secret, job_id) if secret.startswith(_ROOT_PREFIX) else secret
        for secret in _read_secrets(text)
    ]


def _read_secrets(text: str | None) -> list[str]:
    # Quotation marks of a shell or of a file of settings are no part of a secret.
    given = [each.strip("\"'") for each in (text or "").replace(",", " ").split()]
    if not any(given):
        raise ConfigurationError(
            f"no webhook secret: pass one, or set {SECRET_VARIABLE} to the root secret of your"
            " account"
        )
    for number, secret in enumerate(given, 1):
        if not _SECRET.fullmatch(secret):
            raise ConfigurationError(
                f"webhook secret {number} of {len(given)} must be {_ROOT_PREFIX} or {_JOB_PREFIX}"
                " and 44 characters of base64: check that all of it was copied"
            )
    return given


def _derived(root: str, job_id: str) -> str:
    # An unverified id may contain half of a surrogate pair.
    digest = hmac.digest(root.encode(), job_id.encode("utf-8", "surrogatepass"), hashlib.sha256)
    return _JOB_PREFIX + base64.b64encode(digest).decode()


def signed_headers(secret: str, message_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove who sent a body and when, as the service signs webhooks.

    x-svc-signature uses the whole secret, ``whsec_`` and 32 bytes in base64; Standard Webhooks uses
    the bytes in it. ``seconds`` is the time since 1970.
    """
    time_sent = str(seconds).encode()
    own = hmac.digest(secret.encode(), time_sent + b"." + body, "sha256").hex()
    key = base64.b64decode(secret.removeprefix(_JOB_PREFIX))
    signed = message_id.encode() + b"." + time_sent + b"." + body
    standard = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    return {
        SIGNATURE_HEADER: f"t={seconds},v1={own}",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{standard}",
    }


def verify(
    body: bytes,
    header: str | None,
    secret: str,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> None:
    """Return if ``header``, the value of x-svc-signature, signs this body with this job's secret.

    Its time may differ from ``now`` by ``tolerance`` seconds. ``now`` is in seconds since 1970, by
    default the current time.

    Raises:
        WebhookVerificationError: it does not; ``reason`` says why.
        ConfigurationError: the body is not bytes, the secret is malformed or a root, or the
            tolerance below 0.
    """
    _require_bytes(body)
    secrets = _read_secrets(secret)
    if any(each.startswith(_ROOT_PREFIX) for each in secrets):
        raise ConfigurationError(
            "secret must be the secret of a job; for a root secret, call"
            " webhooks.parse(body, headers, root)"
        )
    _compare(body, _timely(header, tolerance, now), secrets)


def _timely(header: str | None, tolerance: float, now: float | None) -> re.Match[str]:
    """Return the parts of a signature that is well-formed and not too old."""
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
    return match


def _compare(body: bytes, match: re.Match[str], secrets: Sequence[str]) -> None:
    signed = match["time"].encode() + b"." + body
    digests = [hmac.new(each.encode(), signed, hashlib.sha256).hexdigest() for each in secrets]
    # All are compared, so that the time does not tell which one is right.
    if not sum(hmac.compare_digest(digest, match["digest"]) for digest in digests):
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

    ``headers`` are all headers of the request, as a framework, ASGI or WSGI has them.

    ``secret`` has one or more secrets, separated by commas or spaces: root secrets of an account
    (``whroot_…``), each of which serves all jobs under it, or secrets of single jobs
    (``whsec_…``). While a root is being replaced, give the old and the new one. Or it is a function
    that returns the secret for a job id, or None if the job is unknown. The id is not verified yet
    when the function gets it, so the function should only look it up.

    Raises:
        WebhookVerificationError: the request cannot be verified as a webhook of the service.
        ConfigurationError: the body is not bytes, a secret is missing or malformed, or the
            tolerance below 0.
    """
    _require_bytes(body)
    if not callable(secret):
        _read_secrets(secret)
    match = _timely(_signature(headers), tolerance, now)
    if len(body) > MAX_BODY_BYTES:
        raise _no_event(f"it is larger than {MAX_BODY_BYTES:,} bytes")
    _compare(body, match, _secrets_for(body, secret))
    data = _object(body)
    model = _EVENTS.get(str(data.get("event")), WebhookEvent)
    try:
        return model.from_wire(data)
    except ValueError as error:
        raise _no_event(str(error)) from None


def _signature(headers: Headers) -> str:
    """Return the value of the signature's header."""
    items: Any = headers.items() if hasattr(headers, "items") else headers
    values = []
    try:
        for name, value in items:
            text = name.decode("latin-1") if isinstance(name, bytes) else name
            # An environ of WSGI has HTTP_X_SVC_SIGNATURE.
            if text.lower().replace("_", "-").removeprefix("http-") == SIGNATURE_HEADER:
                values.append(value.decode("latin-1") if isinstance(value, bytes) else str(value))
    except (TypeError, ValueError, AttributeError):
        raise ConfigurationError(
            "headers must be those of the request, such as a dict or pairs of names and values,"
            f" not {type(headers).__name__}"
        ) from None
    if len(values) != 1:
        raise WebhookVerificationError(
            f"there must be one header {SIGNATURE_HEADER}; there are {len(values)}", "header"
        )
    return values[0]


def unwrap(
    body: bytes, headers: Headers, tolerance: float = TOLERANCE_S, now: float | None = None
) -> JobSucceeded | JobFailed | WebhookEvent:
    """Verify a webhook with the secrets in COPYDESK_WEBHOOK_SECRET, and return its event.

    The variable has the root secret of your account. While the root is being replaced, it has the
    old and the new one, separated by a comma or a space.

    Raises:
        WebhookVerificationError: the request cannot be verified as a webhook of the service.
        ConfigurationError: as for ``parse``, or the variable is not set.
    """
    return parse(body, headers, os.environ.get(SECRET_VARIABLE, ""), tolerance, now)


def _secrets_for(body: bytes, secret: str | Callable[[str], str | None]) -> Sequence[str]:
    """Return the secrets for the job that the body names. It is not verified yet."""
    job_id = _object(body).get("jobId")
    found = None
    if isinstance(job_id, str):
        found = secret(job_id) if callable(secret) else secret
    if not isinstance(job_id, str) or not found:
        raise WebhookVerificationError("there is no secret for the job of this body", "secret")
    return signing_secrets(found, job_id)


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
