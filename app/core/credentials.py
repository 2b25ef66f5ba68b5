"""API keys and feed tokens: their format, checksum and fingerprint.

An API key is `cd_live_`, 32 random base-62 characters and 6 characters of checksum. The checksum
detects a mistyped or truncated key without a database query.
"""

import hashlib
from zlib import crc32

KEY_PREFIX = "cd_live_"
TOKEN_PREFIX = "ct_"  # noqa: S105 - a prefix, not a secret
RANDOM_CHARS = 32  # 190 bits
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS = 6


def base62(number: int, length: int) -> str:
    """Return the lowest ``length`` base-62 digits of a number."""
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
    """Return whether a text has the format of an API key and a correct checksum."""
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
    """Return the SHA-256 of a secret in hex, which is stored. 190 random bits need no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hint(secret: str) -> str:
    """Return the part of a secret that may be shown, so that people can tell secrets apart."""
    return f"{secret[: secret.rindex('_') + 1]}…{secret[-4:]}"
