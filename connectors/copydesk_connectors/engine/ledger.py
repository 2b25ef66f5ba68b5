"""The ledger: the received items, and the state of each on each target.

An SQLite file (WAL, synchronous FULL): a row is on disk when its call returns. One process writes,
with any number of threads; any number of processes may read meanwhile.
"""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Self

from copydesk_connectors.engine import ledger_file, states
from copydesk_connectors.engine.records import (
    LARGEST_ITEM,
    Backlog,
    Delivery,
    Entry,
    content_text,
    delivery_of,
    entry_of,
    stored,
)
from copydesk_connectors.target.errors import LedgerError

# Bytes that must be free before a pull: twice what one item takes, because its row is in the log
# and in the file. A feed delivers up to 100 items, and never more than the SDK reads.
_ROOM = 2 * LARGEST_ITEM
_AT_ONCE, _LARGEST_ANSWER = 100, 64_000_000
_FEED_HAS = {states.ItemState.CONFIRMED: "used", states.ItemState.REJECTED: "rejected"}


def _words(wanted: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(wanted))


# Deliveries of items that were not rejected or forgotten. A confirmed one is on some site.
_UNSETTLED = _words(set(states.DeliveryState) - states.SETTLED)
_UNANSWERED = _words({states.ItemState.OPEN, states.ItemState.CONFIRMING})
_PUBLISHED = _words({states.ItemState.CONFIRMED, states.ItemState.CONFLICT})
_WAITING = f"""
    FROM deliveries JOIN items ON items.id = deliveries.item_id
    WHERE deliveries.state IN ({_UNSETTLED}) AND (items.state IN ({_UNANSWERED})
        OR (items.state IN ({_PUBLISHED}) AND EXISTS (
            SELECT 1 FROM deliveries AS other
            WHERE other.item_id = items.id AND other.state IN ({_words(states.ON_A_SITE)})
        )))
"""  # noqa: S608


class Ledger:
    """An open ledger, as a context manager: ``open`` it to write, ``read`` it to look.

    Every method raises a LedgerError that names the cause if the file cannot be used, such as a
    full disk or another program that holds it.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, lock: sqlite3.Connection | None) -> None:
        self._path = path
        self._file = ledger_file.identity(path)
        self._db = db
        self._db.row_factory = sqlite3.Row
        self._lock = lock
        # Held for a whole transaction; a call inside it joins it.
        self._turn = threading.RLock()
        self._open_transactions = 0
        self._room = 0
        """The proven free room in bytes."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create the ledger, as its only writer."""
        path = path.resolve()  # one lock, whatever name leads to the file
        return cls(path, *ledger_file.open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the ledger to read it, even while another process writes it."""
        return cls(path, ledger_file.open_to_read(path), None)

    def close(self) -> None:
        """Close the file and let another process write it."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def receiving(self, *, several: bool = False) -> Iterator[None]:
        """Keep the ledger writable, with room for new items, while the block pulls and receives.

        A feed counts each pull, so nothing is pulled that could not be recorded: one item of any
        size, or ``several`` as large as the largest of the newest ones. If this raises, the block
        has not run.
        """
        if ledger_file.identity(self._path) != self._file:
            raise LedgerError(
                f"the ledger {self._path} or its .lock was moved or deleted while it was in use; "
                "put it back, or stop and start copydesk-connect"
            )
        room = self._room_for_several() if several else _ROOM
        proven = room <= self._room
        with self.together():
            self._do("DROP TABLE IF EXISTS room")
            self._do(f"CREATE TABLE room AS SELECT zeroblob({1 if proven else room})")
        if not proven:
            # After the checkpoint both the file and its log have room that nothing else uses.
            with self.together():
                self._do("DROP TABLE room")
            self._all("PRAGMA wal_checkpoint")
            self._room = room
        with self.together():  # until then no other program can begin to write
            yield

    def _room_for_several(self) -> int:
        ((largest,),) = self._all(
            "SELECT coalesce(max(length(content)), 0) FROM"
            " (SELECT content FROM items ORDER BY rowid DESC LIMIT ?)",
            _AT_ONCE,
        )
        return max(_ROOM, min(2 * _AT_ONCE * int(largest), _LARGEST_ANSWER))

    def receive(
        self, item_id: str, raw: Mapping[str, Any], delivery_count: int, feed: str = ""
    ) -> Entry:
        """Store an item of a feed and return it. A known item keeps its content and deliveries.

        An ended item is open again. As its deliveries are settled, the feed is answered again, but
        nothing is published again.
        """
        now = _now()
        self._room = 0
        with self.together():
            self._do(
                "INSERT OR IGNORE INTO items (id, content, state, delivery_count, received_at,"
                " updated_at) VALUES (?, ?, ?, 0, ?, ?)",
                *(item_id, content_text(raw), states.ItemState.OPEN, now, now),
            )
            state = self._state(item_id)
            if state in states.ENDED:
                state = states.ItemState.OPEN
            self._do(
                "UPDATE items SET state = ?, delivery_count = ?, updated_at = ?, feed = ?"
                " WHERE id = ?",
                *(state, delivery_count, now, feed, item_id),
            )
        return self.entry(item_id)

    def owe(self, item_id: str, targets: Iterable[str]) -> Entry:
        """Add a delivery for each of these targets that has none, and return the item."""
        with self.together():
            for target in targets:
                self._do(
                    "INSERT OR IGNORE INTO deliveries (item_id, target, state, updated_at)"
                    " VALUES (?, ?, ?, ?)",
                    *(item_id, target, states.DeliveryState.RECEIVED, _now()),
                )
        return self.entry(item_id)

    def move_delivery(
        self, item_id: str, target: str, state: states.DeliveryState, **facts: Any
    ) -> None:
        """Record the new state of a delivery, and other members of it as ``facts``.

        Facts that are omitted, None or () stay, but an omitted reason is cleared.
        """
        with self.together():
            states.check_move(self._delivery(item_id, target).state, state)
            values: dict[str, Any] = {"reason": ""}
            values |= {key: value for key, value in facts.items() if value not in (None, ())}
            if state is states.DeliveryState.RECEIVED:
                values |= {"failures": 0, "failing_since": "", "slot": None, "shown": ""}
            elif state in states.SETTLED:
                values["held"] = ""
            self._change(item_id, target, state=state, updated_at=_now(), **values)

    def note_failure(
        self,
        item_id: str,
        target: str,
        reason: str,
        *,
        target_ready: bool,
        held: states.Held | None = None,
    ) -> Delivery:
        """Record why a step failed and return the delivery. Its state stays: the step is retried.

        The failure counts against the post only if the target was ready. Without ``held``, the old
        value stays.
        """
        now = _now()
        with self.together():
            owed = self._delivery(item_id, target)
            values: dict[str, Any] = {"held": held} if held else {}
            if target_ready:
                values["failures"] = owed.failures + 1
                # The clock may have been set back since.
                values["failing_since"] = min(owed.failing_since or now, now)
            self._change(item_id, target, reason=reason, updated_at=now, **values)
            return self._delivery(item_id, target)

    def set_slots(self, target: str, slots: Mapping[str, datetime | None]) -> None:
        """Record when posts appear on a target, by item; None for immediately."""
        with self.together():
            for item_id, slot in slots.items():
                self._change(item_id, target, slot=slot)

    def slots(self, target: str) -> dict[str, tuple[datetime, states.DeliveryState]]:
        """Return the slot and the state of each post on a target that has a slot, by item."""
        rows = self._all(
            "SELECT item_id, slot, state FROM deliveries WHERE target = ? AND slot IS NOT NULL"
            " ORDER BY slot",
            target,
        )
        return {
            str(item_id): (datetime.fromisoformat(slot), states.DeliveryState(state))
            for item_id, slot, state in rows
        }

    def lacks_slot(self, item_id: str, target: str) -> bool:
        """Return whether a post that the target has not received yet has no slot there."""
        owed = self._delivery(item_id, target)
        return owed.state is states.DeliveryState.RECEIVED and owed.slot is None

    def held(self, target: str) -> set[str]:
        """Return the ids of the items that a target did not accept, but not finally refused."""
        query = "SELECT item_id FROM deliveries WHERE target = ? AND held != ''"
        return {str(row[0]) for row in self._all(query, target)}

    def note_fault(self, item_id: str, reason: str) -> int:
        """Record that an item caused an internal error, and return how many it has caused."""
        with self.together():
            change = "UPDATE items SET faults = faults + 1, reason = ? WHERE id = ?"
            self._do(change, reason, item_id)
        return self.entry(item_id).faults

    def since_received(self, entry: Entry) -> timedelta:
        """Return the time since the feed last delivered an open item; positive by any clock."""
        return abs(datetime.fromisoformat(_now()) - datetime.fromisoformat(entry.updated_at))

    def parked_in_a_row(self, target: str) -> int:
        """Return how many posts were parked on a target since it last accepted one."""
        ((number,),) = self._all(
            "SELECT count(*) FROM deliveries WHERE target = ? AND state = ? AND updated_at >"
            " (SELECT coalesce(max(updated_at), '') FROM deliveries"
            " WHERE target = ? AND state = ?)",
            *(target, states.DeliveryState.PARKED, target, states.DeliveryState.PUBLISHED),
        )
        return int(number)

    def move_item(self, item_id: str, state: states.ItemState, *, reason: str = "") -> None:
        """Record the new state of the whole item."""
        with self.together():
            states.check_move(self._state(item_id), state)
            is_retried = state is states.ItemState.OPEN
            self._do(
                "UPDATE items SET state = ?, reason = ?, updated_at = ?,"
                " feed_has = coalesce(?, feed_has), faults = faults * ? WHERE id = ?",
                *(state, reason, _now(), _FEED_HAS.get(state), not is_retried, item_id),
            )

    def entry(self, item_id: str) -> Entry:
        """Return one item; raise KeyError if it was never received."""
        for entry in self._entries("WHERE id = ?", item_id):
            return entry
        raise KeyError(item_id)

    def queue(
        self, target: str, limit: int, without: Set[str] = frozenset(), *, only_held: bool = False
    ) -> list[str]:
        """Return the ids of the next items that a target lacks, the oldest first, held ones last.

        An item that was confirmed because another target has it stays in the queue.
        """
        rows = self._all(
            f"SELECT item_id {_WAITING} AND target = ? AND held != ? ORDER BY"
            " CASE held WHEN '' THEN '' ELSE deliveries.updated_at END,"
            " received_at, items.rowid",
            *(target, "" if only_held else "any"),
        )
        ids = (str(row[0]) for row in rows)
        return list(islice((item_id for item_id in ids if item_id not in without), limit))

    def backlogs(self) -> list[Backlog]:
        """Return what waits for each target; targets for which nothing waits are left out."""
        counts = f"SELECT target, count(*), min(received_at) {_WAITING}"
        return [Backlog(*row) for row in self._all(f"{counts} GROUP BY target ORDER BY target")]

    def not_put(self) -> list[Entry]:
        """Return the items that a target refused or parked, or no target got, oldest first."""
        return self._entries(
            "WHERE id IN (SELECT item_id FROM deliveries"
            " WHERE state IN (?, ?)) OR (state IN (?, ?) AND id NOT IN"
            " (SELECT item_id FROM deliveries)) ORDER BY received_at, rowid",
            *sorted(states.NOT_PUT),
            *(states.ItemState.REJECTED, states.ItemState.CONFLICT),
        )

    def unfinished(self) -> list[Entry]:
        """Return the items that are not yet confirmed or rejected, oldest first."""
        return self._entries(
            f"WHERE state NOT IN ({_words(states.ENDED)}) ORDER BY received_at, rowid"
        )

    def newest(self, limit: int) -> list[Entry]:
        """Return the last items that were received, newest first."""
        return self._entries("ORDER BY received_at DESC, rowid DESC LIMIT ?", limit)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run the block in one transaction; inside another one, join it."""
        with self._turn:
            if self._open_transactions:
                yield
                return
            self._do("BEGIN IMMEDIATE")
            self._open_transactions += 1
            try:
                yield
                self._do("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk ends it as well
                    self._do("ROLLBACK")
                raise
            finally:
                self._open_transactions -= 1

    def _do(self, statement: str, *values: object) -> None:
        with self._turn, ledger_file.as_ledger_errors(self._path):
            self._db.execute(statement, values)

    def _all(self, query: str, *values: object) -> Sequence[sqlite3.Row]:
        with self._turn, ledger_file.as_ledger_errors(self._path):
            return self._db.execute(query, values).fetchall()

    def _entries(self, which: str, *values: object) -> list[Entry]:
        deliveries = defaultdict(list)
        with self._turn:
            rows = self._all(f"SELECT * FROM items {which}", *values)  # noqa: S608
            ids = f"SELECT id FROM items {which}"  # noqa: S608
            owed = f"SELECT * FROM deliveries WHERE item_id IN ({ids}) ORDER BY target"  # noqa: S608
            for row in self._all(owed, *values):
                deliveries[row["item_id"]].append(delivery_of(row))
        return [entry_of(row, tuple(deliveries[row["id"]])) for row in rows]

    def _state(self, item_id: str) -> states.ItemState:
        ((state,),) = self._all("SELECT state FROM items WHERE id = ?", item_id)
        return states.ItemState(state)

    def _delivery(self, item_id: str, target: str) -> Delivery:
        query = "SELECT * FROM deliveries WHERE item_id = ? AND target = ?"
        (row,) = self._all(query, item_id, target)
        return delivery_of(row)

    def _change(self, item_id: str, target: str, **columns: Any) -> None:
        named = ", ".join(f"{column} = ?" for column in columns)
        change = f"UPDATE deliveries SET {named} WHERE item_id = ? AND target = ?"  # noqa: S608
        self._do(change, *map(stored, columns.values()), item_id, target)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
