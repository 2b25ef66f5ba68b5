"""Codes of an authenticator app (TOTP, RFC 6238): six digits, SHA-1, a new one every 30 seconds."""

import base64
import hashlib
import hmac
from datetime import datetime
from secrets import token_bytes
from urllib.parse import quote

_SECRET_BYTES = 20
_STEP_SECONDS = 30
_DIGITS = 6
# How many steps the clock of a phone may be off.
_STEPS_OFF = 1


def new_secret() -> str:
    """Return a new secret in Base32, as apps take it."""
    return base64.b32encode(token_bytes(_SECRET_BYTES)).decode()


def is_secret(text: str) -> bool:
    """Return whether a text is a secret that ``new_secret`` could have made."""
    try:
        return len(base64.b32decode(text)) == _SECRET_BYTES
    except ValueError:
        return False


def address(secret: str, name: str) -> str:
    """Return the otpauth address that adds a secret to an app under a name."""
    label = quote(f"Copydesk:{name}", safe="")
    return f"otpauth://totp/{label}?secret={secret}&issuer=Copydesk"


def code_at(secret: str, step: int) -> str:
    """Return the code of a step; steps count 30 seconds from 1970 on."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8), hashlib.sha1)
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4]) & 0x7FFFFFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}}"


def matching_step(secret: str, code: str, now: datetime) -> int | None:
    """Return the step whose code this is: the current one or one next to it; None if it is wrong.

    Args:
        code: what was typed; spaces do not count.
    """
    typed = "".join(code.split()).encode()
    current = int(now.timestamp()) // _STEP_SECONDS
    found = None
    for step in range(current - _STEPS_OFF, current + _STEPS_OFF + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), typed):
            found = step
    return found
