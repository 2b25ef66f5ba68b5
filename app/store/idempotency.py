"""Idempotency keys. Each function runs inside the caller's transaction."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, literal_column, update
from sqlalchemy.orm import Session

from app.store.models import IdempotencyKey
from app.store.rows import changes, insert_if_absent, new_id


class KeyStatus(StrEnum):
    """``running`` under a lease, then ``done``, or ``open`` for the next call to retry."""

    RUNNING = "running"
    DONE = "done"
    OPEN = "open"


_key = IdempotencyKey.__table__
# The key of a running call. The other parameters are the columns that change.
_CHANGE = update(_key).where(
    _key.c.account_id == bindparam("of_account"),
    _key.c.endpoint == bindparam("of_endpoint"),
    _key.c.key == bindparam("of_key"),
    _key.c.owner == bindparam("of_owner"),
    _key.c.status == literal_column(f"'{KeyStatus.RUNNING}'"),
)


Id = tuple[str, str, str]
"""Account, endpoint, key."""


def add(session: Session, key: Id, now: datetime, **columns: Any) -> str | None:
    """Record the first use of a key, by a call that is starting or, with a ``result``, done.

    Returns the id of its owner, or None if another call was first.
    """
    status = KeyStatus.DONE if "result" in columns else KeyStatus.RUNNING
    columns |= dict(zip(("account_id", "endpoint", "key"), key, strict=True))
    columns |= {"owner": new_id("call"), "status": status.value, "created_at": now}
    return columns["owner"] if insert_if_absent(session, IdempotencyKey, **columns) else None


def take_over(
    session: Session, key: Id, was: str, now: datetime, *, lease_until: datetime, fingerprint: str
) -> str | None:
    """Take over from the call ``was``, which is open or has died.

    Returns the new owner, or None if the record has changed in the meantime.
    """
    row = IdempotencyKey
    # As ``services.idempotency`` reads it.
    lapsed = (row.lease_until <= now) | (row.lease_until > lease_until + (lease_until - now))
    free = (row.status == KeyStatus.OPEN.value) | ((row.status == KeyStatus.RUNNING.value) & lapsed)
    owner = new_id("call")
    taken = update(row).where(_is(key), row.owner == was, free)
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
    mine = dict(zip(("of_account", "of_endpoint", "of_key"), key, strict=True))
    row = {**mine, "of_owner": owner, **values}
    return session.connection().execute(_CHANGE, row).rowcount > 0


def delete_mine(session: Session, key: Id, owner: str) -> None:
    """Delete the key of a running call, unless another call has taken it over."""
    session.execute(delete(IdempotencyKey).where(_mine(key, owner)))


def _is(key: Id) -> ColumnElement[bool]:
    row = IdempotencyKey
    account_id, endpoint, name = key
    return and_(row.account_id == account_id, row.endpoint == endpoint, row.key == name)


def _mine(key: Id, owner: str) -> ColumnElement[bool]:
    row = IdempotencyKey
    return and_(_is(key), row.owner == owner, row.status == KeyStatus.RUNNING.value)
