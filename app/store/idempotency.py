"""Idempotency keys. Each function runs inside the caller's transaction."""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, select, update
from sqlalchemy.orm import Session

from app.store.ids import new_id
from app.store.tables import IdempotencyRow
from app.store.upsert import insert_if_absent


class KeyStatus(StrEnum):
    """``running`` under a lease, then ``done`` for good, or ``open`` for the next call to try."""

    RUNNING = "running"
    DONE = "done"
    OPEN = "open"


Id = tuple[str, str, str]
"""Account, endpoint, key."""


@dataclass(frozen=True)
class Use:
    """What became of a key's first use; ``result`` is the answer's JSON."""

    fingerprint: str
    status: str
    owner: str
    lease_until: datetime
    result: str | None
    error: dict[str, Any] | None


def find(connection: Session | Connection, key: Id) -> Use | None:
    account_id, endpoint, name = key
    row = connection.execute(
        _FIND, {"account_id": account_id, "endpoint": endpoint, "name": name}
    ).one_or_none()
    return None if row is None else Use(*row)


TABLE = IdempotencyRow.__table__
COLUMNS = [TABLE.c[field.name] for field in fields(Use)]


def is_key_of(account_id: ColumnElement[str]) -> ColumnElement[bool]:
    """The row of that account's key with the parameters ``endpoint`` and ``name``."""
    return and_(
        TABLE.c.account_id == account_id,
        TABLE.c.endpoint == bindparam("endpoint"),
        TABLE.c.key == bindparam("name"),
    )


# Every repeated request runs it: built once, and of the table, which costs less than of the class.
_FIND = select(*COLUMNS).where(is_key_of(bindparam("account_id")))


def add(
    session: Session,
    key: Id,
    fingerprint: str,
    now: datetime,
    *,
    lease_until: datetime,
    result: str | None = None,
) -> str | None:
    """The first use of a key: a call that begins to run, or one that is done already. Returns its
    owner; None where another call was first."""
    account_id, endpoint, name = key
    owner = new_id("call")
    added = insert_if_absent(
        session,
        IdempotencyRow,
        account_id=account_id,
        endpoint=endpoint,
        key=name,
        fingerprint=fingerprint,
        status=(KeyStatus.RUNNING if result is None else KeyStatus.DONE).value,
        owner=owner,
        lease_until=lease_until,
        result=result,
        created_at=now,
    )
    return owner if added else None


def take_over(
    session: Session,
    key: Id,
    was: str,
    fingerprint: str,
    now: datetime,
    *,
    lease_until: datetime,
) -> str | None:
    """Run in place of the call ``was``, which is open or died; the new owner, or None where that
    has changed in the meantime."""
    owner = new_id("call")
    free = (IdempotencyRow.status == KeyStatus.OPEN.value) | (
        (IdempotencyRow.status == KeyStatus.RUNNING.value) & (IdempotencyRow.lease_until <= now)
    )
    taken = _change(
        session,
        and_(_is(key), IdempotencyRow.owner == was, free),
        owner=owner,
        status=KeyStatus.RUNNING.value,
        fingerprint=fingerprint,
        lease_until=lease_until,
        error=None,
        created_at=now,
    )
    return owner if taken else None


def update_mine(session: Session, key: Id, owner: str, **values: Any) -> bool:
    """Change the key of a call that runs; False, and nothing written, where it was taken over."""
    return _change(session, _mine(key, owner), **values)


def delete_mine(session: Session, key: Id, owner: str) -> None:
    """Forget the key of a call that runs, unless it was taken over."""
    session.execute(delete(IdempotencyRow).where(_mine(key, owner)))


def _mine(key: Id, owner: str) -> ColumnElement[bool]:
    return and_(
        _is(key),
        IdempotencyRow.owner == owner,
        IdempotencyRow.status == KeyStatus.RUNNING.value,
    )


def _is(key: Id) -> ColumnElement[bool]:
    account_id, endpoint, name = key
    return and_(
        IdempotencyRow.account_id == account_id,
        IdempotencyRow.endpoint == endpoint,
        IdempotencyRow.key == name,
    )


def _change(session: Session, where: ColumnElement[bool], **values: Any) -> bool:
    result = session.execute(update(IdempotencyRow).where(where).values(**values))
    return bool(result.rowcount)  # type: ignore[attr-defined]
