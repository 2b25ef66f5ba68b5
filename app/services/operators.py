"""Operators of the console: who may sign in, their sessions, and the log of what they change."""

import hmac
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from secrets import choice, token_bytes, token_urlsafe
from threading import BoundedSemaphore, Lock

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy.orm import Session

from app.core.credentials import fingerprint
from app.core.errors import Conflict, Forbidden, NotFound, RateLimited, ValidationFailed
from app.core.schemas.names import name_key, read_name
from app.services import totp
from app.services.context import Context
from app.store import models
from app.store import operators as store
from app.store.database import reading, writing
from app.store.rows import new_row

log = logging.getLogger(__name__)

SESSION_LASTS = timedelta(hours=12)
PASSWORD_CHARS = (12, 200)
_SUBJECT_CHARS = 100
# Wrong codes after which no first operator is created in the browser. Without letters and digits
# that look like others.
_SETUP_ATTEMPTS, _SETUP_LETTERS = 10, "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE = {"field": "code"}
COMMAND_LINE = "(command line)"
"""Who made a change with a command, in the audit log."""
# Guesses in a minute: from one network at one name, and at any name. There is no limit of guesses
# at a name from everywhere: with it, strangers could keep an operator out.
_PER_NAME, _PER_NETWORK = 10, 20
# Of codes, by those who know the password, there is one.
_CODES = 10

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


class Role(StrEnum):
    """What an operator may do in the console."""

    READ = "read"
    WRITE = "write"


@dataclass(frozen=True)
class SignedIn:
    """A signed-in operator. ``csrf`` is a secret of the session that each form must return, and
    ``has_codes`` whether the operator also needs a code of an app to sign in."""

    id: str
    name: str
    role: Role
    csrf: str
    has_codes: bool = False

    @property
    def may_write(self) -> bool:
        return self.role is Role.WRITE


@dataclass(frozen=True)
class Credentials:
    """What somebody types to sign in. ``code`` is "" for operators without an authenticator app."""

    name: str
    password: str
    code: str = ""


def create_operator(
    context: Context,
    name: str,
    password: str,
    role: Role = Role.WRITE,
    *,
    is_first: bool = False,
) -> str:
    """Add an operator and return its id.

    Raises:
        ValidationFailed: name or password is invalid.
        Conflict: there is an operator of this name, or ``is_first`` and there is any.
    """
    columns = {
        "name": read_name(name),
        "role": role.value,
        "password_hash": _hasher.hash(_read_password(password)),
    }
    if is_first:
        # The key that all first operators have: of two at once, one is added.
        columns["id"] = store.FIRST
    with writing() as session:
        is_late = is_first and bool(store.operators(session))
        made = None if is_late else store.add_operator(session, context.clock.now(), **columns)
    if made is None and is_first:
        raise Conflict("There is an operator by now. Sign in.")
    if made is None:
        raise Conflict(f"There is an operator “{columns['name']}” already.", {"field": "name"})
    return made


class SetupCode:
    """The code with which a visitor creates the first operator, once. The attempts are counted: it
    is short, so that people can type it."""

    def __init__(self, code: str) -> None:
        self._code, self._left, self._lock = _typed_code(code), _SETUP_ATTEMPTS, Lock()

    def use(self, context: Context, typed: str, name: str, password: str) -> None:
        """Add the first operator.

        Raises:
            RateLimited: too many wrong codes were typed.
            ValidationFailed: code, name or password is wrong.
            Conflict: there is an operator by now.
        """
        with self._lock:
            if self._left < 1:
                raise RateLimited("Too many wrong codes. Start the service again for a new one.")
            if not hmac.compare_digest(_typed_code(typed), self._code):
                self._left -= 1
                raise ValidationFailed("The code is not the one that the terminal shows.", _CODE)
            create_operator(context, name, password, is_first=True)
            self._left = 0


def new_setup_code() -> str:
    """Return a code of 39 random bits that is easy to type."""
    typed = "".join(choice(_SETUP_LETTERS) for _ in range(8))
    return f"{typed[:4]}-{typed[4:]}"


def _typed_code(text: str) -> bytes:
    return "".join(filter(str.isalnum, text[:100])).upper().encode()


def list_operators() -> Sequence[models.Operator]:
    """Return all operators, the oldest first."""
    with reading() as session:
        return store.operators(session)


def is_any() -> bool:
    """Return whether anybody can sign in."""
    with reading() as session:
        return bool(store.operators(session))


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


def sign_in(context: Context, given: Credentials, network: str) -> str | None:
    """Return the secret of a new session; None if name, password and code do not belong together.

    A code works once. Each attempt is logged, and in the audit log if there is such an operator.

    Args:
        network: the client's, whose guesses are counted.

    Raises:
        RateLimited: too many guesses within a minute, or too many people sign in at this moment.
    """
    secret = None
    try:
        secret = _sign_in(context, given, network)
    finally:
        _note_attempt(context, given.name, network, refused=secret is None)
    return secret


def _note_attempt(context: Context, name: str, network: str, *, refused: bool) -> None:
    with reading() as session:
        operator = store.find_operator(session, name)
    # What is typed as a name may be a password.
    whose = operator.name if operator else f"(unknown, hash {fingerprint(name_key(name))[:12]})"
    if refused:
        log.warning("a sign-in of %s from %s was refused", whose, network)
    else:
        log.info("%s signed in from %s", whose, network)
    if operator is not None:
        record(context, operator.name, "sign_in_refused" if refused else "sign_in", network)


def _sign_in(context: Context, given: Credentials, network: str) -> str | None:
    # The network first: what it is refused for does not count against a name.
    _count(context, f"sign-in:{network}", _PER_NETWORK)
    _count(context, f"sign-in:{network}:{fingerprint(name_key(given.name))}", _PER_NAME)
    operator = _with_password(given)
    if operator is None:
        return None
    now = context.clock.now()
    step = None
    if operator.totp_secret:
        # An answer of its own would tell that the password is right.
        if not context.limiter.hit(f"code:{operator.id}", _CODES, always=True).allowed:
            return None
        step = totp.matching_step(operator.totp_secret, given.code, now)
        if step is None:
            return None
    secret = token_urlsafe(32)
    with writing() as session:
        if step is not None and not store.use_step(session, operator, step):
            return None
        store.add_session(session, operator.id, fingerprint(secret), now, now + SESSION_LASTS)
    return secret


def new_secret() -> str:
    """Return a secret for an operator's app. It is not stored before ``require_codes``."""
    return totp.make_secret(token_bytes(totp.SECRET_BYTES))


def require_codes(context: Context, given: Credentials, secret: str, session: str) -> None:
    """Let an operator sign in only with codes of this secret; end its other sessions.

    Args:
        given: the operator's name and password, and a code of the secret.
        session: the secret of the session that goes on.

    Raises:
        RateLimited: too many guesses within a minute.
        ValidationFailed: the password or the code is wrong.
    """
    _count(context, f"codes:{fingerprint(name_key(given.name))}", _CODES)
    operator = _with_password(given)
    if not totp.is_secret(secret):
        raise ValidationFailed("The secret is incomplete. Start again.", {"field": "secret"})
    step = totp.matching_step(secret, given.code, context.clock.now())
    if operator is None or step is None:
        raise ValidationFailed("The password or the code is wrong. A code works for a minute.")
    with writing() as opened:
        store.change_totp(opened, operator.id, secret, step)
        store.sign_out_all(opened, operator.id, but=fingerprint(session))


def stop_codes(context: Context, given: Credentials) -> None:
    """Let an operator sign in without codes.

    Raises:
        RateLimited: too many guesses within a minute.
        ValidationFailed: the password or the code is wrong.
    """
    _count(context, f"codes:{fingerprint(name_key(given.name))}", _CODES)
    operator = _with_password(given)
    step = None
    if operator is not None and operator.totp_secret:
        step = totp.matching_step(operator.totp_secret, given.code, context.clock.now())
    with writing() as session:
        if operator is None or step is None or not store.use_step(session, operator, step):
            raise ValidationFailed("The password or the code is wrong. A code works only once.")
        store.change_totp(session, operator.id, None, None)


def set_codes(name: str, secret: str | None) -> str:
    """Give an operator this secret, which its next sign-in needs, or None if it has lost its app;
    sign it out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
    """
    with writing() as session:
        operator = _require(session, name)
        store.change_totp(session, operator.id, secret, None)
        store.sign_out_all(session, operator.id)
        return operator.id


def _count(context: Context, key: str, most: int) -> None:
    allowance = context.limiter.hit(key, most, always=True)
    if not allowance.allowed:
        seconds = allowance.reset_seconds
        raise RateLimited(
            f"Too many attempts to sign in. Try again in {seconds} s.", retry_after=seconds
        )


def _with_password(given: Credentials) -> models.Operator | None:
    """Return the operator with that name and password."""
    with reading() as session:
        operator = store.find_operator(session, given.name)
    fits = _fits(operator.password_hash if operator else _NOBODY, given.password)
    return operator if fits else None


def signed_in(context: Context, secret: str) -> SignedIn | None:
    """Return the operator of a session; None if it is unknown or has ended."""
    with reading() as session:
        found = store.operator_of(session, fingerprint(secret), context.clock.now())
    if found is None:
        return None
    csrf = fingerprint(f"csrf:{secret}")
    return SignedIn(found.id, found.name, Role(found.role), csrf, found.totp_secret is not None)


def sign_out(secret: str) -> None:
    """End a session."""
    with writing() as session:
        store.end_session(session, fingerprint(secret))


def record(context: Context, who: str, action: str, subject: str) -> None:
    """Add a change to the audit log; of a longer subject, the first 100 characters.

    Args:
        who: an operator's name, or ``COMMAND_LINE``.
    """
    columns = {"operator": who, "action": action, "subject": subject[:_SUBJECT_CHARS]}
    with writing() as session:
        session.add(new_row(models.AuditEntry, "aud", at=context.clock.now(), **columns))


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
    if not _few_wait.acquire(blocking=False):
        raise RateLimited("Many people sign in at this moment. Try again.", retry_after=1)
    try:
        with _one_at_a_time:
            return _hasher.verify(hashed, password[: PASSWORD_CHARS[1]])
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _few_wait.release()


def _read_password(password: str) -> str:
    least, most = PASSWORD_CHARS
    if not least <= len(password) <= most:
        raise ValidationFailed(
            f"The password must have {least} to {most} characters.", {"field": "password"}
        )
    return password


def _require(session: Session, name: str) -> models.Operator:
    operator = store.find_operator(session, name)
    if operator is None:
        raise NotFound(f"There is no operator “{name}”.")
    return operator
