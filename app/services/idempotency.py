"""Idempotency: of all calls with one key, one does the work and the others get its answer.

A call reserves its key before it begins. Its answer is stored in the transaction that bills it. If
its process dies, its lease lapses and the next call with the key goes on where it stopped.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, literal_column, update
from sqlalchemy.orm import Session

from app.core.errors import IdempotencyInProgress, RecordedError, ValidationFailed
from app.services.context import Context
from app.services.lease_keeping import LEASE
from app.store import hot
from app.store.database import reading, writing
from app.store.models import IdempotencyKey, KeyStatus
from app.store.rows import changes, insert_if_absent, new_id

log = logging.getLogger(__name__)

_RETRY_AFTER_SECONDS = 5
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


class KeyInUse(IdempotencyInProgress):
    """Another call, ``owner``, is using the key."""

    def __init__(self, owner: str) -> None:
        super().__init__(
            "Another request with this idempotency key is still running. Ask again with the"
            " same key: it returns that request's answer.",
            retry_after=_RETRY_AFTER_SECONDS,
        )
        self.owner = owner


@dataclass(frozen=True)
class Key:
    """A caller's key for one endpoint, and the fingerprint of the body it was sent with."""

    account_id: str
    endpoint: str
    name: str
    fingerprint: str

    @property
    def id(self) -> tuple[str, str, str]:
        return self.account_id, self.endpoint, self.name


@dataclass(frozen=True)
class KeyLease:
    """A key that this call works under."""

    key: Key
    owner: str

    def extend(self, session: Session, until: datetime) -> bool:
        """Extend the lease; return False if another call has taken the key over."""
        return self._change(session, lease_until=until)

    def finish(
        self, session: Session, result: str | None = None, error: dict[str, Any] | None = None
    ) -> bool:
        """Store the answer; return False if another call has taken the key over."""
        done = KeyStatus.DONE.value
        return self._change(session, status=done, result=result, error=error)

    def delete(self, session: Session) -> None:
        """Delete the key as if it had not been used: nothing was done under it."""
        session.execute(_DELETE, self._mine)

    def reopen(self, session: Session, error: dict[str, Any]) -> None:
        """Free the key: waiting calls get this error, and the next call goes on."""
        self._change(session, status=KeyStatus.OPEN.value, error=error)

    def _change(self, session: Session, **values: Any) -> bool:
        return session.connection().execute(_CHANGE, {**self._mine, **values}).rowcount > 0

    @property
    def _mine(self) -> dict[str, str]:
        names = ("of_account", "of_endpoint", "of_key", "of_owner")
        return dict(zip(names, (*self.key.id, self.owner), strict=True))


def begin(context: Context, key: Key, waited_for: str = "") -> KeyLease | str:
    """Reserve the key, or return the JSON of the answer that the call got which had it.

    Args:
        waited_for: the owner of the call that this one waited for; its error is an answer too.

    Raises:
        ValidationFailed: the key was used with another body.
        KeyInUse: another call is using it; begin again when that call has ended.
        RecordedError: that call failed.
    """
    while True:
        now = context.clock.now()
        row = _look(key)
        if row is not None and not _may_take(row, waited_for, now):
            return _answer(key, row)
        owner = _take(key, row, now)
        if owner is not None:
            return KeyLease(key, owner)


def answered(context: Context, key: Key | None, waited_for: str = "") -> str | None:
    """Return or raise what ``begin`` would, without reserving the key; None if there is none, or it
    is free."""
    if key is None:
        return None
    if (answer := hot.find_answered(*key.id)) is not None:
        _require_same(answer.fingerprint, key)
        return answer.result
    row = _look(key)
    if row is None or _may_take(row, waited_for, context.clock.now()):
        return None
    return _answer(key, row)


def _answer(key: Key, row: IdempotencyKey) -> str:
    _require_same(row.fingerprint, key)
    if row.status == KeyStatus.RUNNING:
        raise KeyInUse(row.owner)
    if row.error is not None:
        raise RecordedError(row.error)
    assert row.result is not None  # noqa: S101 - a stored answer is one or the other
    return row.result


def _look(key: Key) -> IdempotencyKey | None:
    with reading() as session:
        return session.get(IdempotencyKey, key.id)


def find(session: Session, key: Key) -> str | None:
    """Return the answer of the job that was created with a key; None if none was.

    Raises:
        ValidationFailed: the key was used with another body.
    """
    row = session.get(IdempotencyKey, key.id)
    if row is None:
        return None
    _require_same(row.fingerprint, key)
    return row.result


def _may_take(row: IdempotencyKey, waited_for: str, now: datetime) -> bool:
    if row.status == KeyStatus.RUNNING:
        # A longer lease was stored by a clock that was wrong.
        return not now < row.lease_until <= now + 2 * LEASE
    # A call that waited for one that failed gets its error; only later calls go on. Otherwise
    # a failing model would be asked once for each waiting call.
    return row.status == KeyStatus.OPEN and row.owner != waited_for


def _take(key: Key, row: IdempotencyKey | None, now: datetime) -> str | None:
    with writing() as session:
        if row is None:
            return add(session, key, now, lease_until=now + LEASE)
        if row.status == KeyStatus.RUNNING:
            # Only the request that died may take its key again.
            _require_same(row.fingerprint, key)
            log.warning(
                "a request died while it ran; the next call with its idempotency key goes on"
            )
        return _take_over(session, row, now, lease_until=now + LEASE, fingerprint=key.fingerprint)


def add(session: Session, key: Key, now: datetime, **columns: Any) -> str | None:
    """Record the first use of a key, by a call that is starting or, with a ``result``, done; return
    the id of its owner, or None if another call was first."""
    status = KeyStatus.DONE if "result" in columns else KeyStatus.RUNNING
    columns |= dict(zip(("account_id", "endpoint", "key"), key.id, strict=True))
    columns |= {"owner": new_id("call"), "status": status.value, "created_at": now}
    added = insert_if_absent(session, IdempotencyKey, fingerprint=key.fingerprint, **columns)
    return columns["owner"] if added else None


def _take_over(session: Session, row: IdempotencyKey, now: datetime, **columns: Any) -> str | None:
    """Take over from a call that is open or has died; return the new owner, or None if the record
    has changed in the meantime."""
    read = ("account_id", "endpoint", "key", "owner", "status", "lease_until")
    same = update(IdempotencyKey).filter_by(**{name: getattr(row, name) for name in read})
    columns |= {"status": KeyStatus.RUNNING.value, "error": None, "created_at": now}
    owner = new_id("call")
    return owner if changes(session, same.values(owner=owner, **columns)) else None


def _require_same(fingerprint: str, key: Key) -> None:
    if fingerprint != key.fingerprint:
        raise ValidationFailed(
            "This idempotency key was used with another body. Send the first body again, or use"
            " a new key.",
            {"field": "idempotencyKey", "problem": "was used with another body"},
        )
