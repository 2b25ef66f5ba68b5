"""API keys and feed tokens: their format, checksum and fingerprint; the sandbox of an account.

An API key is `cd_live_` (`cd_test_` for the sandbox), 32 random base-62 characters and 6 characters
of checksum. The checksum detects a mistyped or truncated key without a database query.

A key `cd_test_` belongs to the sandbox of an account, which is an account of its own: the jobs,
idempotency keys and rate limits of the two never meet.
"""

import hashlib
from zlib import crc32

KEY_PREFIX = "cd_live_"
SANDBOX_KEY_PREFIX = "cd_test_"  # as long as the other
TOKEN_PREFIX = "ct_"  # noqa: S105 - a prefix, not a secret
RANDOM_CHARS = 32  # 190 bits
_ACCOUNT, _SANDBOX = "acc_", "sbx_"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS = 6


def base62(number: int, length: int) -> str:
    """Return the lowest ``length`` base-62 digits of a number."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def make_api_key(random: bytes, *, sandbox: bool = False) -> str:
    prefix = SANDBOX_KEY_PREFIX if sandbox else KEY_PREFIX
    body = prefix + base62(int.from_bytes(random), RANDOM_CHARS)
    return body + _checksum(body)


def make_token_id(random: bytes) -> str:
    return TOKEN_PREFIX + base62(int.from_bytes(random), RANDOM_CHARS)


def is_api_key(text: str) -> bool:
    """Return whether a text has the format of an API key and a correct checksum."""
    body, checksum = text[:-_CHECKSUM_CHARS], text[-_CHECKSUM_CHARS:]
    return (
        len(text) == len(KEY_PREFIX) + RANDOM_CHARS + _CHECKSUM_CHARS
        and text.isascii()
        and text.startswith((KEY_PREFIX, SANDBOX_KEY_PREFIX))
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


def sandbox_of(account_id: str) -> str:
    """Return the id of an account's sandbox."""
    return _SANDBOX + account_id.removeprefix(_ACCOUNT)


def account_of(account_id: str) -> str:
    """Return the account that a sandbox belongs to; any other account is its own."""
    return _ACCOUNT + account_id.removeprefix(_SANDBOX) if is_sandbox(account_id) else account_id


def is_sandbox(account_id: str) -> bool:
    """Return whether an account is the sandbox of another one."""
    return account_id.startswith(_SANDBOX)
