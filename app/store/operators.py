"""Operators of the console, their sessions, and what they changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.orm import Session

from app.core.schemas.names import name_key
from app.store.models import AuditEntry, Operator, OperatorSession
from app.store.overview import newest_first
from app.store.rows import insert_if_absent, new_id

# The id of an operator who may be added only if there is no other: one of two at once is refused.
FIRST = f"opr_{'0' * 26}"


def add_operator(session: Session, now: datetime, **columns: Any) -> str | None:
    """Add an operator; ``columns`` hold name, role and password_hash, and the id if it is not new.

    Returns:
        The id, or None if the name or the id is taken.
    """
    key = name_key(columns["name"])
    row = {"id": new_id("opr"), "name_key": key, "created_at": now, **columns}
    return row["id"] if insert_if_absent(session, Operator, **row) else None


def operators(session: Session) -> Sequence[Operator]:
    """Return all operators, the oldest first."""
    return list(session.scalars(select(Operator).order_by(Operator.id)))


def find_operator(session: Session, name: str) -> Operator | None:
    """Return the operator with a name, in any case and spacing."""
    return session.scalar(select(Operator).where(Operator.name_key == name_key(name)))


def change_totp(session: Session, operator_id: str, secret: str | None, step: int | None) -> None:
    """Set the secret of an operator's codes, None for no codes, and the last step that was used."""
    changed = update(Operator).where(Operator.id == operator_id)
    session.execute(changed.values(totp_secret=secret, totp_step=step))


def use_step(session: Session, operator: Operator, step: int) -> bool:
    """Use up the code of a step and all before it; return False if that was done already, or the
    operator has another secret by now."""
    unused = or_(Operator.totp_step.is_(None), Operator.totp_step < step)
    used = (
        update(Operator)
        .where(Operator.id == operator.id, Operator.totp_secret == operator.totp_secret, unused)
        .values(totp_step=step)
        .returning(Operator.id)
    )
    return session.execute(used).first() is not None


def sign_out_all(session: Session, operator_id: str, but: str = "") -> None:
    """End the sessions of an operator, except the one with the hash ``but``."""
    ended = delete(OperatorSession).where(OperatorSession.operator_id == operator_id)
    session.execute(ended.where(OperatorSession.hash != but))


def add_session(
    session: Session, operator: Operator, hash_: str, now: datetime, ends: datetime
) -> bool:
    """Add a session; delete those that have ended. Return False if the operator was removed, or has
    another password or other codes, since it was read: that has signed it out everywhere."""
    same = (
        Operator.id == operator.id,
        Operator.password_hash == operator.password_hash,
        Operator.totp_secret.is_not_distinct_from(operator.totp_secret),
    )
    if session.scalar(select(Operator.id).where(*same).with_for_update()) is None:
        return False
    session.execute(delete(OperatorSession).where(OperatorSession.expires_at <= now))
    session.add(OperatorSession(hash=hash_, operator_id=operator.id, expires_at=ends))
    return True


def operator_of(session: Session, hash_: str, now: datetime) -> Operator | None:
    """Return whose session it is; None if it is unknown or has ended."""
    open_session = (OperatorSession.hash == hash_) & (OperatorSession.expires_at > now)
    joined = select(Operator).join(OperatorSession, OperatorSession.operator_id == Operator.id)
    return session.scalar(joined.where(open_session))


def end_session(session: Session, hash_: str) -> None:
    """Delete a session."""
    session.execute(delete(OperatorSession).where(OperatorSession.hash == hash_))


def audit_entries(session: Session, before: str, limit: int) -> Sequence[AuditEntry]:
    """Return entries of the audit log, newest first, from before an id ("": from the newest)."""
    return newest_first(session, select(AuditEntry), AuditEntry.id, before, limit)
