"""Signatures of webhooks: the interface's own header, and those of Standard Webhooks.

The two differ in their key. `x-svc-signature` uses the secret as it is written, with its prefix;
Standard Webhooks uses the bytes encoded after the prefix.

The secret of a job is derived from a root secret of its account, so a receiver needs to know only
the root.
"""

import base64
import hashlib
import hmac

SECRET_PREFIX = "whsec_"  # noqa: S105 - a form, not a secret
ROOT_PREFIX = "whroot_"


def new_secret(random: bytes) -> str:
    """Return a secret: `whsec_` and 32 random bytes in base64."""
    return SECRET_PREFIX + base64.b64encode(random).decode()


def new_root(random: bytes) -> str:
    """Return a root secret: `whroot_` and 32 random bytes in base64."""
    return ROOT_PREFIX + base64.b64encode(random).decode()


def derived_secret(root: str, job_id: str) -> str:
    """Return the secret of a job: `whsec_` and HMAC-SHA256(root, job id) in base64.

    The key is the whole root as UTF-8, with its prefix, as for `x-svc-signature`. Receivers repeat
    this derivation, so it never changes.
    """
    return new_secret(_hmac(root.encode(), job_id.encode()))


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that prove who sent a body, and when.

    Args:
        secret: from ``new_secret``.
        message_id: the same on every attempt, so that a receiver can detect repetitions; without
            dots, which would make `id.time.body` of Standard Webhooks ambiguous.
        timestamp: of this attempt, in seconds since 1970.
        body: the bytes that are sent.
    """
    time = str(timestamp).encode()
    own = _hmac(secret.encode(), time + b"." + body).hex()
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    standard = _hmac(key, message_id.encode() + b"." + time + b"." + body)
    return {
        "x-svc-signature": f"t={timestamp},v1={own}",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": "v1," + base64.b64encode(standard).decode(),
    }


def _hmac(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, payload, hashlib.sha256)
