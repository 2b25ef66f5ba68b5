"""Operators of the console: who may sign in."""

import hmac
from collections.abc import Sequence
from enum import StrEnum
from secrets import choice
from threading import Lock

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.core.errors import Conflict, NotFound, RateLimited, ValidationFailed
from app.core.schemas.names import name_key, read_name
from app.services.context import Context
from app.services.passwords import hashed
from app.store.database import reading, writing
from app.store.models import Operator, OperatorSession
from app.store.rows import insert_if_absent, new_id

# Wrong codes after which no first operator is created in the browser. Without letters and digits
# that look like others.
_SETUP_ATTEMPTS, _SETUP_LETTERS = 10, "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE = {"field": "code"}


class Role(StrEnum):
    """What an operator may do in the console."""

    READ = "read"
    WRITE = "write"


def create_operator(context: Context, name: str, password: str, role: Role = Role.WRITE) -> str:
    """Add an operator and return its id.

    Raises:
        ValidationFailed: name or password is invalid.
        Conflict: there is an operator of this name.
    """
    name, made = read_name(name), new_id("opr")
    columns = {"name": name, "name_key": name_key(name), "role": role.value}
    columns["password_hash"] = hashed(password)
    now = context.clock.now()
    with writing() as session:
        if not insert_if_absent(session, Operator, id=made, created_at=now, **columns):
            raise Conflict(f"There is an operator “{name}” already.", {"field": "name"})
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
            if list_operators():
                raise Conflict("There is an operator by now. Sign in.")
            if self._left < 1:
                raise RateLimited("Too many wrong codes. Start the service again for a new one.")
            if not hmac.compare_digest(_typed_code(typed), self._code):
                self._left -= 1
                raise ValidationFailed("The code is not the one that the terminal shows.", _CODE)
            create_operator(context, name, password)
            self._left = 0


def new_setup_code() -> str:
    """Return a code of 39 random bits that is easy to type."""
    typed = "".join(choice(_SETUP_LETTERS) for _ in range(8))
    return f"{typed[:4]}-{typed[4:]}"


def _typed_code(text: str) -> bytes:
    return "".join(filter(str.isalnum, text[:100])).upper().encode()


def list_operators() -> Sequence[Operator]:
    """Return all operators, the oldest first."""
    with reading() as session:
        return list(session.scalars(select(Operator).order_by(Operator.id)))


def find_operator(session: Session, name: str) -> Operator | None:
    """Return the operator with a name, in any case and spacing."""
    return session.scalar(select(Operator).where(Operator.name_key == name_key(name)))


def sign_out_all(session: Session, operator_id: str, but: str = "") -> None:
    """End the sessions of an operator, except the one with the hash ``but``."""
    ended = delete(OperatorSession).where(OperatorSession.operator_id == operator_id)
    session.execute(ended.where(OperatorSession.hash != but))


def change_password(name: str, password: str) -> str:
    """Set a new password, and sign the operator out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
        ValidationFailed: the password is too short or too long.
    """
    password_hash = hashed(password)
    with writing() as session:
        operator = _require(session, name)
        operator.password_hash = password_hash
        sign_out_all(session, operator.id)
        return operator.id


def remove_operator(name: str) -> str:
    """Remove an operator, signed out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
    """
    with writing() as session:
        operator = _require(session, name)
        # With its sessions; what it changed stays in the audit log.
        session.delete(operator)
        return operator.id


def set_codes(name: str, secret: str | None) -> str:
    """Give an operator this secret, which its next sign-in needs, or None if it has lost its app;
    sign it out everywhere. Return its id.

    Raises:
        NotFound: unknown name.
    """
    with writing() as session:
        operator = _require(session, name)
        operator.totp_secret, operator.totp_step = secret, None
        sign_out_all(session, operator.id)
        return operator.id


def _require(session: Session, name: str) -> Operator:
    operator = find_operator(session, name)
    if operator is None:
        raise NotFound(f"There is no operator “{name}”.")
    return operator
