"""Signing in to the console: passwords, codes and sessions."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.orm import Session

from app.core.credentials import fingerprint
from app.core.errors import RateLimited, ValidationFailed
from app.core.schemas.names import name_key
from app.services import totp
from app.services.audit import record
from app.services.context import Context
from app.services.operators import Role, find_operator, sign_out_all
from app.services.passwords import fits
from app.store.database import reading, writing
from app.store.models import Operator, OperatorSession
from app.store.rows import changes

log = logging.getLogger(__name__)

SESSION_LASTS = timedelta(hours=12)
# Guesses in a minute: from one network at one name, and at any name. There is no limit of guesses
# at a name from everywhere: with it, strangers could keep an operator out.
_PER_NAME, _PER_NETWORK = 10, 20
# Of codes, by those who know the password, there is one.
_CODES = 10


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


def sign_in(context: Context, given: Credentials, network: str) -> str | None:
    """Return the secret of a new session; None if name, password and code do not belong together.

    A code works once. Each attempt is logged, and in the audit log if there is such an operator and
    the attempt was not one too many.

    Args:
        network: the client's, whose guesses are counted.

    Raises:
        RateLimited: too many guesses within a minute, or too many people sign in at this moment.
    """
    try:
        secret = _sign_in(context, given, network)
    except RateLimited:
        # Anyone who knows a name could fill the audit log, which is kept.
        log.warning("a sign-in from %s was refused: too many attempts", network)
        raise
    _note_attempt(context, given.name, network, refused=secret is None)
    return secret


def _note_attempt(context: Context, name: str, network: str, *, refused: bool) -> None:
    with reading() as session:
        operator = find_operator(session, name)
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
        if not context.limiter.hit(f"code:{operator.id}", _CODES).allowed:
            return None
        step = totp.matching_step(operator.totp_secret, given.code, now)
        if step is None:
            return None
    secret, ends = token_urlsafe(32), now + SESSION_LASTS
    row = {"hash": fingerprint(secret), "operator_id": operator.id, "expires_at": ends}
    with writing() as session:
        if step is not None and not _use_step(session, operator, step):
            return None
        if not _is_same(session, operator):
            return None
        session.execute(delete(OperatorSession).where(OperatorSession.expires_at <= now))
        session.execute(insert(OperatorSession).values(row))
    return secret


def _use_step(session: Session, operator: Operator, step: int, **changed: Any) -> bool:
    """Use up the code of a step and all before it, and change columns; return False if that was
    done already, or the operator has another secret by now."""
    unused = or_(Operator.totp_step.is_(None), Operator.totp_step < step)
    mine = (Operator.id == operator.id) & (Operator.totp_secret == operator.totp_secret)
    return changes(session, update(Operator).where(mine, unused).values(totp_step=step, **changed))


def _is_same(session: Session, operator: Operator) -> bool:
    """Return whether an operator still has the password and codes that were read. A change has
    signed it out everywhere: nothing that began before may outlive it."""
    found = select(Operator.id).where(
        Operator.id == operator.id,
        Operator.password_hash == operator.password_hash,
        Operator.totp_secret.is_not_distinct_from(operator.totp_secret),
    )
    return session.scalar(found.with_for_update()) is not None


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
    with writing() as opened:
        if operator is None or step is None or not _is_same(opened, operator):
            raise ValidationFailed("The password or the code is wrong. A code works for a minute.")
        changed = update(Operator).where(Operator.id == operator.id)
        opened.execute(changed.values(totp_secret=secret, totp_step=step))
        sign_out_all(opened, operator.id, but=fingerprint(session))


def stop_codes(context: Context, given: Credentials) -> None:
    """Let an operator sign in without codes.

    Raises:
        RateLimited: too many guesses within a minute.
        ValidationFailed: the password or the code is wrong.
    """
    _count(context, f"codes:{fingerprint(name_key(given.name))}", _CODES)
    operator = _with_password(given)
    if operator is not None and operator.totp_secret:
        step = totp.matching_step(operator.totp_secret, given.code, context.clock.now())
        with writing() as session:
            if step is not None and _use_step(session, operator, step, totp_secret=None):
                return
    raise ValidationFailed("The password or the code is wrong. A code works only once.")


def _count(context: Context, key: str, most: int) -> None:
    allowance = context.limiter.hit(key, most)
    if not allowance.allowed:
        seconds = allowance.reset_seconds
        raise RateLimited(
            f"Too many attempts to sign in. Try again in {seconds} s.", retry_after=seconds
        )


def _with_password(given: Credentials) -> Operator | None:
    """Return the operator with that name and password."""
    with reading() as session:
        operator = find_operator(session, given.name)
    known = operator.password_hash if operator else None
    return operator if fits(known, given.password) else None


def signed_in(context: Context, secret: str) -> SignedIn | None:
    """Return the operator of a session; None if it is unknown or has ended."""
    known, now = OperatorSession.hash == fingerprint(secret), context.clock.now()
    query = select(Operator).join(OperatorSession, OperatorSession.operator_id == Operator.id)
    with reading() as session:
        found = session.scalar(query.where(known, OperatorSession.expires_at > now))
    if found is None:
        return None
    csrf = fingerprint(f"csrf:{secret}")
    return SignedIn(found.id, found.name, Role(found.role), csrf, found.totp_secret is not None)


def sign_out(secret: str) -> None:
    """End a session."""
    with writing() as session:
        known = OperatorSession.hash == fingerprint(secret)
        session.execute(delete(OperatorSession).where(known))
