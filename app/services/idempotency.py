"""Idempotency: of all calls with one key, one works and the others get its answer.

A call reserves its key in a short transaction of its own before it begins. Its answer is stored in
the transaction that bills it, so that there is never one without the other. A call whose process
died leaves a lease that lapses, and the next call with that key begins anew.
"""

import logging
import time
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.orm import Session

from app.core.errors import IdempotencyInProgress, ValidationFailed
from app.ports import Clock
from app.services.leases import LEASE
from app.store import idempotency as store
from app.store.database import autocommit, writing
from app.store.idempotency import KeyStatus, Use

log = logging.getLogger(__name__)

# How often a waiting call looks, in seconds: at first, and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
_RETRY_AFTER_SECONDS = 5


@dataclass(frozen=True)
class Key:
    """A caller's key for one endpoint, and the fingerprint of what it was sent with."""

    account_id: str
    endpoint: str
    name: str
    fingerprint: str
    seen: Use | None = None
    """What had become of it as the caller was authenticated, where that was asked."""

    @property
    def id(self) -> store.Id:
        return self.account_id, self.endpoint, self.name


@dataclass(frozen=True)
class Held:
    """The key is this call's to work under."""

    key: Key
    owner: str

    def extend(self, session: Session, until: datetime) -> bool:
        return store.update_mine(session, self.key.id, self.owner, lease_until=until)

    def finish(
        self,
        session: Session,
        *,
        result: str | None = None,
        error: dict[str, Any] | None = None,
    ) -> bool:
        """Keep the answer; False where another call has taken the key over."""
        return store.update_mine(
            session,
            self.key.id,
            self.owner,
            status=KeyStatus.DONE.value,
            result=result,
            error=error,
        )

    def forget(self, session: Session) -> None:
        """Give the key up as if it had not been used: nothing was done under it."""
        store.delete_mine(session, self.key.id, self.owner)

    def leave(self, session: Session, error: dict[str, Any]) -> None:
        """Give the key up without an answer to keep. Calls that are waiting get this error, the
        next one that comes begins anew."""
        store.update_mine(
            session, self.key.id, self.owner, status=KeyStatus.OPEN.value, error=error
        )


@dataclass(frozen=True)
class Answer:
    """What the first call with a key came to: its answer's JSON, or its error."""

    result: str | None = None
    error: dict[str, Any] | None = None


def begin(key: Key, clock: Clock, wait_seconds: float) -> Held | Answer:
    """Reserve the key, or wait for the call that has it and return its answer.

    Raises:
        ValidationFailed: the key was used with another body.
        IdempotencyInProgress: the call that has it did not end in time.
    """
    until = time.monotonic() + wait_seconds
    pause, waited_for = _FIRST_PAUSE, ""
    seen = key.seen
    while True:
        now = clock.now()
        row, seen = seen or _look(key), None
        if row is None or _may_take(row, waited_for, now):
            owner = _take(key, row, now)
            if owner is not None:
                return Held(key, owner)
            continue
        _require_same(row, key)
        if row.status != KeyStatus.RUNNING:
            return Answer(row.result, row.error)
        waited_for = row.owner
        if time.monotonic() >= until:
            raise IdempotencyInProgress(
                "Another request with this idempotency key is still running. Ask again with the"
                " same key: it returns that request's answer.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        Event().wait(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _look(key: Key) -> Use | None:
    with autocommit() as connection:
        return store.find(connection, key.id)


def find(key: Key) -> Answer | None:
    """The answer that is stored under a key, at once.

    Raises:
        ValidationFailed: the key was used with another body.
    """
    with autocommit() as connection:
        return find_in(connection, key)


def find_in(connection: Session | Connection, key: Key) -> Answer | None:
    """The same within a transaction."""
    row = store.find(connection, key.id)
    if row is None:
        return None
    _require_same(row, key)
    return Answer(row.result, row.error)


def _may_take(row: Use, waited_for: str, now: datetime) -> bool:
    if row.status == KeyStatus.RUNNING:
        return row.lease_until <= now
    # Whoever waited for a call that failed gets its error; only later calls begin anew, or a
    # failing model would be asked once for each of those that wait.
    return row.status == KeyStatus.OPEN and row.owner != waited_for


def _take(key: Key, row: Use | None, now: datetime) -> str | None:
    with writing() as session:
        if row is None:
            return store.add(session, key.id, key.fingerprint, now, lease_until=now + LEASE)
        if row.status == KeyStatus.RUNNING:
            # The request that died was this one: another may not have its key.
            _require_same(row, key)
            log.warning("a request died while it ran; its idempotency key begins anew")
        return store.take_over(
            session, key.id, row.owner, key.fingerprint, now, lease_until=now + LEASE
        )


def _require_same(row: Use, key: Key) -> None:
    if row.fingerprint != key.fingerprint:
        raise ValidationFailed(
            "This idempotency key was used with another body. Send the first body again, or use"
            " a new key.",
            {"field": "idempotencyKey", "problem": "was used with another body"},
        )
