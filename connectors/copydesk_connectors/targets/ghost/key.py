"""The Admin API key of an integration, and the tokens made of it."""

import base64
import hashlib
import hmac
import json
import re
from typing import Self

from copydesk_connectors.secret import Secret

_FORM = re.compile(r"([0-9a-f]{24}):([0-9a-f]{64})\Z")
# Ghost refuses tokens whose iat is more than five minutes old, whatever exp says.
_LIFETIME_S = 300


class AdminKey:
    """A key, ``id:secret`` in hexadecimal.

    Its tokens are made here and not by a JWT library: their form never changes, and what such a
    library is good for, reading the tokens of others, does not happen.
    """

    def __init__(self, key_id: str, secret: Secret) -> None:
        self._id = key_id
        self._secret = secret

    @classmethod
    def parse(cls, value: Secret) -> Self:
        """Read a key as Ghost shows it.

        Raises:
            ValueError: it does not have that form. The message does not show it.
        """
        match = _FORM.match(value.reveal())
        if match is None:
            raise ValueError("an Admin API key is 24 hexadecimal digits, a colon, and 64 more")
        return cls(match[1], Secret(match[2]))

    def token(self, now_s: int) -> str:
        """A JSON Web Token for one request; ``now_s`` in seconds since 1970."""
        header = {"alg": "HS256", "kid": self._id, "typ": "JWT"}
        claims = {"iat": now_s, "exp": now_s + _LIFETIME_S, "aud": "/admin/"}
        signed = b".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
        secret = bytes.fromhex(self._secret.reveal())
        return b".".join([signed, _base64(hmac.digest(secret, signed, hashlib.sha256))]).decode()


def _base64(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
