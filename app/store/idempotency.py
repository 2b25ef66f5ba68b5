"""Idempotency keys. Each function runs inside the caller's transaction."""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, select, update
from sqlalchemy.orm import Session

from app.store.models import IdempotencyKey
from app.store.rows import changes, insert_if_absent, new_id, record


class KeyStatus(StrEnum):
    """``running`` under a lease, then ``done``, or ``open`` for the next call to retry."""

    RUNNING = "running"
    DONE = "done"
    OPEN = "open"


Id = tuple[str, str, str]
"""Account, endpoint, key."""


@dataclass(frozen=True)
class KeyRecord:
    """The outcome of a key's first use; ``result`` is the answer's JSON."""

    fingerprint: str
    status: str
    owner: str
    lease_until: datetime
    result: str | None
    error: dict[str, Any] | None


TABLE = IdempotencyKey.__table__
_key = TABLE.c
COLUMNS = [_key[field.name] for field in fields(KeyRecord)]


def is_key(account_id: Any, endpoint: Any, name: Any) -> ColumnElement[bool]:
    """Return the condition of a key; each part is a value, a column or a parameter."""
    return and_(_key.account_id == account_id, _key.endpoint == endpoint, _key.key == name)


# Every repeated request runs it: built once, and of the table, which costs less than of the class.
_FIND = select(*COLUMNS).where(
    is_key(bindparam("account_id"), bindparam("endpoint"), bindparam("name"))
)


def find(connection: Session | Connection, key: Id) -> KeyRecord | None:
    """Return the record of a key, or None if the key is unused."""
    given = dict(zip(("account_id", "endpoint", "name"), key, strict=True))
    row = connection.execute(_FIND, given).one_or_none()
    return None if row is None else record(KeyRecord, row)


def add(
    session: Session,
    key: Id,
    fingerprint: str,
    now: datetime,
    *,
    lease_until: datetime,
    result: str | None = None,
) -> str | None:
    """Record the first use of a key, by a call that is starting or already done.

    Returns the id of its owner, or None if another call was first.
    """
    owner = new_id("call")
    account_id, endpoint, name = key
    added = insert_if_absent(
        session,
        IdempotencyKey,
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
    """Take over from the call ``was``, which is open or has died.

    Returns the new owner, or None if the record has changed in the meantime.
    """
    owner = new_id("call")
    running = _key.status == KeyStatus.RUNNING.value
    # As ``services.idempotency`` reads it.
    lapsed = (_key.lease_until <= now) | (_key.lease_until > lease_until + (lease_until - now))
    free = (_key.status == KeyStatus.OPEN.value) | (running & lapsed)
    taken = update(TABLE).where(is_key(*key), _key.owner == was, free)
    values = {
        "owner": owner,
        "status": KeyStatus.RUNNING.value,
        "fingerprint": fingerprint,
        "lease_until": lease_until,
        "error": None,
        "created_at": now,
    }
    return owner if changes(session, taken.values(values)) else None


def update_mine(session: Session, key: Id, owner: str, **values: Any) -> bool:
    """Change the key of a running call; return False and write nothing if another call has it."""
    return changes(session, update(TABLE).where(_mine(key, owner)).values(values))


def delete_mine(session: Session, key: Id, owner: str) -> None:
    """Delete the key of a running call, unless another call has taken it over."""
    session.execute(delete(TABLE).where(_mine(key, owner)))


def _mine(key: Id, owner: str) -> ColumnElement[bool]:
    running = _key.status == KeyStatus.RUNNING.value
    return and_(is_key(*key), _key.owner == owner, running)
