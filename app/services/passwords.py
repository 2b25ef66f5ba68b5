"""Passwords of operators: hashing and verifying them without letting strangers keep the machine
busy."""

from threading import BoundedSemaphore, Lock

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.core.errors import RateLimited, ValidationFailed

PASSWORD_CHARS = (12, 200)

# In one thread, and one password at a time, so that strangers cannot keep all processors busy. The
# others wait, each for a fraction of a second, in few of the threads for short calls.
_hasher = PasswordHasher(parallelism=1)
_one_at_a_time, _few_wait = Lock(), BoundedSemaphore(4)
# Verified if the name is unknown, so that the time of an answer does not tell which names exist.
# It costs the same, but is written down: hashing a password takes a quarter of a second and 64 MB.
_NOBODY = (
    f"$argon2id$v=19$m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    f"${'A' * 22}${'A' * 43}"
)


def hashed(password: str) -> str:
    """Return the hash of a new password.

    Raises:
        ValidationFailed: it is too short or too long.
    """
    least, most = PASSWORD_CHARS
    if not least <= len(password) <= most:
        raise ValidationFailed(
            f"The password must have {least} to {most} characters.", {"field": "password"}
        )
    return _hasher.hash(password)


def fits(known: str | None, password: str) -> bool:
    """Return whether a password has that hash; None if there is no such operator.

    Raises:
        RateLimited: too many people sign in at this moment.
    """
    if not _few_wait.acquire(blocking=False):
        raise RateLimited("Many people sign in at this moment. Try again.", retry_after=1)
    try:
        with _one_at_a_time:
            return _hasher.verify(known or _NOBODY, password[: PASSWORD_CHARS[1]])
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _few_wait.release()
