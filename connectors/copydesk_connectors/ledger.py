"""The ledger: what was received, and how far each post has got on each target.

An SQLite file (WAL, synchronous FULL): a row is on disk when its call returns. One process
writes; any number may read while it does. In the one that writes any number of threads may.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from copydesk_connectors import ledger_file, ledger_rows, states
from copydesk_connectors.internal_links import Links
from copydesk_connectors.ledger_rows import Delivery, Entry

__all__ = ["Delivery", "Entry", "Ledger"]


_FEED_HAS = {
    states.ItemEvent.CONFIRM_ACCEPTED: "used",
    states.ItemEvent.REJECT_ACCEPTED: "rejected",
}


class Ledger:
    """The ledger file, open. Use as a context manager; ``open`` to write, ``read`` to look."""

    def __init__(self, db: sqlite3.Connection, lock: sqlite3.Connection | None) -> None:
        self._db = db
        self._db.row_factory = sqlite3.Row
        self._lock = lock
        # Held for the whole of a transaction; a call inside of one joins it.
        self._turn = threading.RLock()
        self._open_transactions = 0

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create the ledger and be its one writer until closed.

        Raises:
            LedgerError: another process writes it, or the file is not a ledger.
        """
        return cls(*ledger_file.open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the ledger to look at it, also while another process writes it.

        Raises:
            LedgerError: there is no such file, or it is not a ledger.
        """
        return cls(ledger_file.open_to_read(path), None)

    def close(self) -> None:
        """Close the file and let another process write it."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self, item_id: str, raw: Mapping[str, Any], delivery_count: int) -> Entry:
        """Write an item down. One that is known keeps its content and what was done with it.

        An item that had ended and is handed out again is open again: its deliveries are
        settled, so that it will be answered once more and not published once more.
        """
        now = _now()
        with self.together():
            known = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
            if known is None:
                self._db.execute(
                    "INSERT INTO items (id, content, state, delivery_count, received_at,"
                    " updated_at) VALUES (?, ?, ?, ?, ?, ?)",
                    (item_id, json.dumps(raw), states.Item.OPEN, delivery_count, now, now),
                )
            else:
                state = states.Item(known["state"])
                if state in states.ENDED:
                    state = states.move_item(state, states.ItemEvent.HANDED_OUT_AGAIN)
                self._db.execute(
                    "UPDATE items SET state = ?, delivery_count = ?, updated_at = ? WHERE id = ?",
                    (state, delivery_count, now, item_id),
                )
        return self.entry(item_id)

    def owe(self, item_id: str, targets: Iterable[str]) -> Entry:
        """Make sure that there is a delivery of the item for each of these targets."""
        now = _now()
        with self.together():
            self._db.executemany(
                "INSERT OR IGNORE INTO deliveries (item_id, target, state, updated_at)"
                " VALUES (?, ?, ?, ?)",
                [(item_id, target, states.Delivery.RECEIVED, now) for target in targets],
            )
        return self.entry(item_id)

    def move_delivery(
        self,
        item_id: str,
        target: str,
        event: states.DeliveryEvent,
        *,
        remote_id: str | None = None,
        url: str | None = None,
        reason: str = "",
        links: Links = (),
    ) -> Delivery:
        """Record what happened; remote_id, url and links stay as they are where none is given."""
        with self.together():
            row = self._db.execute(
                "SELECT state FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
            ).fetchone()
            state = states.move_delivery(states.Delivery(row["state"]), event)
            self._db.execute(
                "UPDATE deliveries SET state = ?, remote_id = coalesce(?, remote_id),"
                " url = coalesce(?, url), links = coalesce(?, links), reason = ?, updated_at = ?"
                " WHERE item_id = ? AND target = ?",
                (
                    state,
                    remote_id,
                    url,
                    ledger_rows.links_text(links),
                    reason,
                    _now(),
                    item_id,
                    target,
                ),
            )
            if event is states.DeliveryEvent.RETRIED:
                self._db.execute(
                    "UPDATE deliveries SET failures = 0, failing_since = ''"
                    " WHERE item_id = ? AND target = ?",
                    (item_id, target),
                )
            return self._delivery(item_id, target)

    def note_failure(
        self, item_id: str, target: str, reason: str, *, target_ready: bool
    ) -> Delivery:
        """Record why a step did not succeed; the state stays, so that it is tried again.

        It counts against the post only where the target was ready for others.
        """
        now = _now()
        with self.together():
            self._db.execute(
                "UPDATE deliveries SET reason = ?, failures = failures + ?, updated_at = ?,"
                " failing_since = CASE WHEN ? AND failing_since = '' THEN ? ELSE failing_since END"
                " WHERE item_id = ? AND target = ?",
                (reason, target_ready, now, target_ready, now, item_id, target),
            )
            return self._delivery(item_id, target)

    def set_aside_in_a_row(self, target: str) -> int:
        """How many posts were set aside on a target since it last took one."""
        with self._turn:
            row = self._db.execute(
                "SELECT count(*) FROM deliveries WHERE target = ? AND state = ? AND updated_at >"
                " (SELECT coalesce(max(updated_at), '') FROM deliveries"
                " WHERE target = ? AND state = ?)",
                (target, states.Delivery.SET_ASIDE, target, states.Delivery.PUBLISHED),
            ).fetchone()
        return int(row[0])

    def move_item(self, item_id: str, event: states.ItemEvent, *, reason: str = "") -> states.Item:
        """Record what happened to the item as a whole."""
        with self.together():
            row = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
            state = states.move_item(states.Item(row["state"]), event)
            self._db.execute(
                "UPDATE items SET state = ?, reason = ?, updated_at = ?,"
                " feed_has = coalesce(?, feed_has) WHERE id = ?",
                (state, reason, _now(), _FEED_HAS.get(event), item_id),
            )
        return state

    def entry(self, item_id: str) -> Entry:
        """One item with its deliveries.

        Raises:
            KeyError: it was never received.
        """
        with self._turn:
            row = self._db.execute("SELECT * FROM items WHERE id = ?", (item_id,)).fetchone()
            if row is None:
                raise KeyError(item_id)
            return self._entry(row)

    def deliveries(self, item_id: str) -> tuple[Delivery, ...]:
        """How far one item has got on each target that it is owed to, by their names."""
        with self._turn:
            rows = self._db.execute(
                "SELECT * FROM deliveries WHERE item_id = ? ORDER BY target", (item_id,)
            )
            return tuple(map(ledger_rows.delivery, rows.fetchall()))

    def not_put(self) -> list[Entry]:
        """The items that a target refused, or that were set aside there; oldest first."""
        with self._turn:
            rows = self._db.execute(
                "SELECT * FROM items WHERE id IN (SELECT item_id FROM deliveries"
                " WHERE state IN (?, ?)) ORDER BY received_at, rowid",
                sorted(states.NOT_PUT),
            )
            return [self._entry(row) for row in rows.fetchall()]

    def unfinished(self) -> list[Entry]:
        """The items that are not yet confirmed or rejected, oldest first."""
        ended = ", ".join(f"'{state}'" for state in sorted(states.ENDED))
        with self._turn:
            rows = self._db.execute(
                f"SELECT * FROM items WHERE state NOT IN ({ended}) ORDER BY received_at, rowid"  # noqa: S608
            )
            return [self._entry(row) for row in rows.fetchall()]

    def newest(self, limit: int) -> list[Entry]:
        """The last items that were received, newest first."""
        with self._turn:
            rows = self._db.execute(
                "SELECT * FROM items ORDER BY received_at DESC, rowid DESC LIMIT ?", (limit,)
            )
            return [self._entry(row) for row in rows.fetchall()]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make one of all that is written in the block: at its end it is on disk, or none of it."""
        with self._turn:
            if self._open_transactions:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            self._open_transactions += 1
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            else:
                self._db.execute("COMMIT")
            finally:
                self._open_transactions -= 1

    def _entry(self, row: sqlite3.Row) -> Entry:
        return ledger_rows.entry(row, self.deliveries(row["id"]))

    def _delivery(self, item_id: str, target: str) -> Delivery:
        return ledger_rows.delivery(
            self._db.execute(
                "SELECT * FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
            ).fetchone()
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
