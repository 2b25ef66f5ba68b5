"""Operators of the console: who may sign in, their sessions, and the log of what they change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from secrets import token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy.orm import Session

from app.core.credentials import fingerprint
from app.core.errors import Conflict, Forbidden, NotFound, RateLimited, ValidationFailed
from app.core.schemas.names import name_key, read_name
from app.services.context import Context
from app.store import models
from app.store import operators as store
from app.store.database import reading, writing

SESSION_LASTS = timedelta(hours=12)
PASSWORD_CHARS = (12, 200)
_SUBJECT_CHARS = 100
# Guesses in a minute: at one name from anywhere, and from one network at any name.
_PER_NAME, _PER_NETWORK = 10, 20

_hasher = PasswordHasher()
# Verified if the name is unknown, so that the time of an answer does not tell which names exist.
_NOBODY = _hasher.hash("nobody's password")


class Role(StrEnum):
    """What an operator may do in the console."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True)
class SignedIn:
    """A signed-in operator. ``csrf`` is a secret of the session that each form must return."""

    id: str
    name: str
    role: Role
    csrf: str

    @property
    def may_write(self) -> bool:
        return self.role is Role.WRITE


def create_operator(context: Context, name: str, password: str, role: str = Role.WRITE) -> str:
    """Add an operator and return its id.

    Raises:
        ValidationFailed: name, password or role is invalid.
        Conflict: there is an operator of this name.
    """
    columns = {
        "name": read_name(name),
        "role": _read_role(role),
        "password_hash": _hasher.hash(_read_password(password)),
    }
    with writing() as session:
        made = store.add_operator(session, context.clock.now(), **columns)
    if made is None:
        raise Conflict(f"There is an operator “{columns['name']}” already.", {"field": "name"})
    return made


def list_operators() -> Sequence[models.Operator]:
    """Return all operators, the oldest first."""
    with reading() as session:
        return store.operators(session)


def is_any() -> bool:
    """Return whether anybody can sign in."""
    with reading() as session:
        return store.is_any(session)


def change_password(name: str, password: str) -> str:
    """Set a new password, and sign the operator out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
        ValidationFailed: the password is too short or too long.
    """
    hashed = _hasher.hash(_read_password(password))
    with writing() as session:
        operator = _require(session, name)
        store.change_password(session, operator.id, hashed)
        return operator.id


def remove_operator(name: str) -> str:
    """Remove an operator, signed out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
    """
    with writing() as session:
        operator = _require(session, name)
        store.remove_operator(session, operator.id)
        return operator.id


def sign_in(context: Context, name: str, password: str, network: str) -> str | None:
    """Return the secret of a new session; None if name and password do not belong together.

    Args:
        network: the client's, whose guesses are counted.

    Raises:
        RateLimited: too many guesses within a minute.
    """
    guesses = {
        f"sign-in:{fingerprint(name_key(name))}": _PER_NAME,
        f"sign-in:{network}": _PER_NETWORK,
    }
    for key, most in guesses.items():
        allowance = context.limiter.hit(key, most, always=True)
        if not allowance.allowed:
            seconds = allowance.reset_seconds
            raise RateLimited(
                f"Too many attempts to sign in. Try again in {seconds} s.", retry_after=seconds
            )
    with reading() as session:
        operator = store.find_operator(session, name)
    if not _fits(operator.password_hash if operator else _NOBODY, password) or operator is None:
        return None
    secret, now = token_urlsafe(32), context.clock.now()
    with writing() as session:
        store.delete_expired(session, now)
        store.add_session(session, operator.id, fingerprint(secret), now + SESSION_LASTS)
    return secret


def signed_in(context: Context, secret: str) -> SignedIn | None:
    """Return the operator of a session; None if it is unknown or has ended."""
    with reading() as session:
        found = store.operator_of(session, fingerprint(secret), context.clock.now())
    if found is None:
        return None
    return SignedIn(found.id, found.name, Role(found.role), fingerprint(f"csrf:{secret}"))


def sign_out(secret: str) -> None:
    """End a session."""
    with writing() as session:
        store.end_session(session, fingerprint(secret))


def record_change(context: Context, operator: SignedIn, action: str, subject: str) -> None:
    """Add what an operator changed to the audit log; of a longer subject, the first 100 characters.

    Raises:
        Forbidden: the operator may only read.
    """
    require_write(operator)
    with writing() as session:
        store.note(session, operator.name, action, subject[:_SUBJECT_CHARS], context.clock.now())


def require_write(operator: SignedIn) -> None:
    """Check that an operator may change things.

    Raises:
        Forbidden: the operator may only read.
    """
    if not operator.may_write:
        raise Forbidden("Your role is “read”: you can look at everything, but change nothing.")


def audit_log(before: str, limit: int) -> Sequence[models.AuditEntry]:
    """Return entries of the audit log, newest first, from before an id ("": from the newest)."""
    with reading() as session:
        return store.audit_entries(session, before, limit)


def _fits(hashed: str, password: str) -> bool:
    try:
        return _hasher.verify(hashed, password[: PASSWORD_CHARS[1]])
    except (VerificationError, InvalidHashError):
        return False


def _read_password(password: str) -> str:
    least, most = PASSWORD_CHARS
    if not least <= len(password) <= most:
        raise ValidationFailed(
            f"The password must have {least} to {most} characters.", {"field": "password"}
        )
    return password


def _read_role(role: str) -> str:
    if role not in set(Role):
        known = " or ".join(Role)
        raise ValidationFailed(f"The role must be {known}; it is “{role}”.", {"field": "role"})
    return role


def _require(session: Session, name: str) -> models.Operator:
    operator = store.find_operator(session, name)
    if operator is None:
        raise NotFound(f"There is no operator “{name}”.")
    return operator
