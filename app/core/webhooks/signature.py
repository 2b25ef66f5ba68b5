"""Signatures of webhooks: the interface's own header, and those of Standard Webhooks.

The two differ in their key. `x-svc-signature` uses the secret as it is written, with its prefix;
Standard Webhooks uses the bytes encoded after the prefix.

The secret of a job is derived from a root secret of its account, so a receiver needs to know only
the root.
"""

import base64
import hashlib
import hmac
import re

SECRET_PREFIX = "whsec_"  # noqa: S105 - a form, not a secret
ROOT_PREFIX = "whroot_"
SECRET_BYTES = 32
# A dot would make `id.time.body` of Standard Webhooks ambiguous.
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,255}")


def new_secret(random: bytes) -> str:
    """Return a secret: `whsec_` and 32 random bytes in base64.

    Raises:
        ValueError: there are not 32 bytes.
    """
    return _encoded(SECRET_PREFIX, random)


def new_root(random: bytes) -> str:
    """Return a root secret: `whroot_` and 32 random bytes in base64.

    Raises:
        ValueError: there are not 32 bytes.
    """
    return _encoded(ROOT_PREFIX, random)


def derived_secret(root: str, job_id: str) -> str:
    """Return the secret of a job: `whsec_` and HMAC-SHA256(root, job id) in base64.

    The key is the whole root as UTF-8, with its prefix, as for `x-svc-signature`. Receivers repeat
    this derivation, so it never changes.
    """
    return new_secret(_hmac(root.encode("utf-8"), job_id.encode("utf-8")))


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove who sent a body, and when.

    Args:
        secret: from ``new_secret``.
        message_id: the same on every attempt, so that a receiver can detect repetitions.
        timestamp: of this attempt, in seconds since 1970.
        body: the bytes that are sent.

    Raises:
        ValueError: an argument is malformed; the message never contains the secret.
    """
    key = _decoded(secret)
    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError("a webhook's id is 1 to 255 letters, digits, hyphens and underscores")
    if timestamp < 0:
        raise ValueError("a webhook's timestamp is in seconds since 1970, never below 0")
    time = str(timestamp).encode("ascii")
    own = _hmac(secret.encode("utf-8"), time + b"." + body).hex()
    standard = _hmac(key, message_id.encode("ascii") + b"." + time + b"." + body)
    return {
        "x-svc-signature": f"t={timestamp},v1={own}",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": "v1," + base64.b64encode(standard).decode("ascii"),
    }


def _encoded(prefix: str, secret: bytes) -> str:
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a signing secret is made of {SECRET_BYTES} bytes, not {len(secret)}")
    return prefix + base64.b64encode(secret).decode("ascii")


def _decoded(secret: str) -> bytes:
    if secret.startswith(SECRET_PREFIX):
        try:
            key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
        except ValueError:
            key = b""
        if len(key) == SECRET_BYTES:
            return key
    raise ValueError(f"a signing secret is {SECRET_PREFIX} and {SECRET_BYTES} bytes in base64")


def _hmac(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, payload, hashlib.sha256)
