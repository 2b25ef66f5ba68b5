"""Idempotency: of all calls with one key, one does the work and the others get its answer.

A call reserves its key before it begins. Its answer is stored in the transaction that bills it. If
its process dies, its lease lapses and the next call with the key goes on where it stopped.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from app.core.errors import IdempotencyInProgress, ValidationFailed
from app.services.context import Context
from app.services.lease_keeping import LEASE
from app.store import hot
from app.store import idempotency as store
from app.store.database import reading, writing
from app.store.idempotency import KeyStatus
from app.store.models import IdempotencyKey

log = logging.getLogger(__name__)

_RETRY_AFTER_SECONDS = 5


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
    def id(self) -> store.Id:
        return self.account_id, self.endpoint, self.name


@dataclass(frozen=True)
class KeyLease:
    """A key that this call works under."""

    key: Key
    owner: str

    def extend(self, session: Session, until: datetime) -> bool:
        return store.update_mine(session, self.key.id, self.owner, lease_until=until)

    def finish(
        self, session: Session, result: str | None = None, error: dict[str, Any] | None = None
    ) -> bool:
        """Store the answer; return False if another call has taken the key over."""
        done = {"status": KeyStatus.DONE.value, "result": result, "error": error}
        return store.update_mine(session, self.key.id, self.owner, **done)

    def delete(self, session: Session) -> None:
        """Delete the key as if it had not been used: nothing was done under it."""
        store.delete_mine(session, self.key.id, self.owner)

    def reopen(self, session: Session, error: dict[str, Any]) -> None:
        """Free the key: waiting calls get this error, and the next call goes on."""
        opened = {"status": KeyStatus.OPEN.value, "error": error}
        store.update_mine(session, self.key.id, self.owner, **opened)


def begin(context: Context, key: Key, waited_for: str = "") -> KeyLease | IdempotencyKey:
    """Reserve the key, or return the record of the call that had it: its result or its error.

    Args:
        waited_for: the owner of the call that this one waited for; its error is an answer too.

    Raises:
        ValidationFailed: the key was used with another body.
        KeyInUse: another call is using it; begin again when that call has ended.
    """
    while True:
        now = context.clock.now()
        row = _look(key)
        if row is not None and not _may_take(row, waited_for, now):
            return _answer(key, row)
        owner = _take(key, row, now)
        if owner is not None:
            return KeyLease(key, owner)


def answered(
    context: Context, key: Key, waited_for: str = ""
) -> IdempotencyKey | hot.Answered | None:
    """Return or raise what ``begin`` would, without reserving the key; None if it is free."""
    answer = hot.find_answered(key.id)
    if answer is not None:
        _require_same(answer, key)
        return answer
    row = _look(key)
    if row is None or _may_take(row, waited_for, context.clock.now()):
        return None
    return _answer(key, row)


def _answer(key: Key, row: IdempotencyKey) -> IdempotencyKey:
    _require_same(row, key)
    if row.status == KeyStatus.RUNNING:
        raise KeyInUse(row.owner)
    return row


def _look(key: Key) -> IdempotencyKey | None:
    with reading() as session:
        return session.get(IdempotencyKey, key.id)


def find(session: Session, key: Key) -> IdempotencyKey | None:
    """Return the record of a job's key.

    Raises:
        ValidationFailed: the key was used with another body.
    """
    row = session.get(IdempotencyKey, key.id)
    if row is not None:
        _require_same(row, key)
    return row


def _may_take(row: IdempotencyKey, waited_for: str, now: datetime) -> bool:
    if row.status == KeyStatus.RUNNING:
        # A longer lease was stored by a clock that was wrong.
        return not now < row.lease_until <= now + 2 * LEASE
    # A call that waited for one that failed gets its error; only later calls go on. Otherwise
    # a failing model would be asked once for each waiting call.
    return row.status == KeyStatus.OPEN and row.owner != waited_for


def _take(key: Key, row: IdempotencyKey | None, now: datetime) -> str | None:
    lease: dict[str, Any] = {"lease_until": now + LEASE, "fingerprint": key.fingerprint}
    with writing() as session:
        if row is None:
            return store.add(session, key.id, now, **lease)
        if row.status == KeyStatus.RUNNING:
            # Only the request that died may take its key again.
            _require_same(row, key)
            log.warning(
                "a request died while it ran; the next call with its idempotency key goes on"
            )
        return store.take_over(session, row, now, **lease)


def _require_same(row: IdempotencyKey | hot.Answered, key: Key) -> None:
    if row.fingerprint != key.fingerprint:
        raise ValidationFailed(
            "This idempotency key was used with another body. Send the first body again, or use"
            " a new key.",
            {"field": "idempotencyKey", "problem": "was used with another body"},
        )
