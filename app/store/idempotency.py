"""Idempotency keys. Each function runs inside the caller's transaction."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import bindparam, delete, literal_column, update
from sqlalchemy.orm import Session

from app.store.models import IdempotencyKey
from app.store.rows import changes, insert_if_absent, new_id


class KeyStatus(StrEnum):
    """``running`` under a lease, then ``done``, or ``open`` for the next call to retry."""

    RUNNING = "running"
    DONE = "done"
    OPEN = "open"


_key = IdempotencyKey.__table__
# The key of a running call.
_MINE = (
    _key.c.account_id == bindparam("of_account"),
    _key.c.endpoint == bindparam("of_endpoint"),
    _key.c.key == bindparam("of_key"),
    _key.c.owner == bindparam("of_owner"),
    _key.c.status == literal_column(f"'{KeyStatus.RUNNING}'"),
)
# Its other parameters are the columns that change.
_CHANGE, _DELETE = update(_key).where(*_MINE), delete(_key).where(*_MINE)


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


def take_over(session: Session, row: IdempotencyKey, now: datetime, **columns: Any) -> str | None:
    """Take over from a call that is open or has died; ``columns`` hold the lease and the
    fingerprint.

    Returns the new owner, or None if the record has changed in the meantime.
    """
    read = ("account_id", "endpoint", "key", "owner", "status", "lease_until")
    same = update(IdempotencyKey).filter_by(**{name: getattr(row, name) for name in read})
    columns |= {"status": KeyStatus.RUNNING.value, "error": None, "created_at": now}
    owner = new_id("call")
    return owner if changes(session, same.values(owner=owner, **columns)) else None


def update_mine(session: Session, key: Id, owner: str, **values: Any) -> bool:
    """Change the key of a running call; return False and write nothing if another call has it."""
    changed = session.connection().execute(_CHANGE, {**_mine(key, owner), **values})
    return changed.rowcount > 0


def delete_mine(session: Session, key: Id, owner: str) -> None:
    """Delete the key of a running call, unless another call has taken it over."""
    session.execute(_DELETE, _mine(key, owner))


def _mine(key: Id, owner: str) -> dict[str, str]:
    names = ("of_account", "of_endpoint", "of_key", "of_owner")
    return dict(zip(names, (*key, owner), strict=True))
