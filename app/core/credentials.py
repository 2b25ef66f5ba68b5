"""API keys and feed tokens: how they are written, checked and recognised.

An API key is `cd_live_` + 32 random base-62 characters + 6 of checksum, so that a mistyped or
truncated key is told from an unknown one without asking the database.
"""

import hashlib
from zlib import crc32

KEY_PREFIX = "cd_live_"
TOKEN_PREFIX = "ct_"  # noqa: S105 - a form, not a secret
RANDOM_CHARS = 32  # 190 bits
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS = 6


def base62(number: int, length: int) -> str:
    """The lowest ``length`` base-62 digits of a number."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def make_api_key(random: bytes) -> str:
    body = KEY_PREFIX + base62(int.from_bytes(random), RANDOM_CHARS)
    return body + _checksum(body)


def make_token_id(random: bytes) -> str:
    return TOKEN_PREFIX + base62(int.from_bytes(random), RANDOM_CHARS)


def is_api_key(text: str) -> bool:
    """Whether a text has the form of an API key, checksum included."""
    body, checksum = text[:-_CHECKSUM_CHARS], text[-_CHECKSUM_CHARS:]
    return (
        len(text) == len(KEY_PREFIX) + RANDOM_CHARS + _CHECKSUM_CHARS
        and text.isascii()
        and text.startswith(KEY_PREFIX)
        and checksum == _checksum(body)
    )


def _checksum(body: str) -> str:
    return base62(crc32(body.encode()), _CHECKSUM_CHARS)


def fingerprint(secret: str) -> str:
    """What is stored of a secret: SHA-256 in hex. Enough for 190 random bits; no salt is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hint(secret: str) -> str:
    """What may be shown of a secret, for telling one from another."""
    return f"{secret[: secret.rindex('_') + 1]}…{secret[-4:]}"
