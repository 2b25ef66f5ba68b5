"""The ledger: what was received, and how far each post has got on each target.

An SQLite file (WAL, synchronous FULL): a row is on disk when its call returns. One process
writes; any number may read while it does.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from copydesk_connectors import ledger_file, states
from copydesk_connectors.internal_links import Links, Page


@dataclass(frozen=True)
class Delivery:
    """One item on one target. ``failures`` counts the tries that ended in an error; ``links``
    are the internal links that were chosen for it."""

    target: str
    state: states.Delivery
    remote_id: str
    url: str
    reason: str
    failures: int
    updated_at: str
    links: Links


@dataclass(frozen=True)
class Entry:
    """One item. ``raw`` is the item as the feed sent it; times are ISO 8601 in UTC."""

    id: str
    raw: Mapping[str, Any]
    state: states.Item
    reason: str
    delivery_count: int
    received_at: str
    updated_at: str
    deliveries: tuple[Delivery, ...]


class Ledger:
    """The ledger file, open. Use as a context manager; ``open`` to write, ``read`` to look."""

    def __init__(self, db: sqlite3.Connection, lock: sqlite3.Connection | None) -> None:
        self._db = db
        self._db.row_factory = sqlite3.Row
        self._lock = lock

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
        with self._transaction():
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
        with self._transaction():
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
        with self._transaction():
            row = self._db.execute(
                "SELECT state FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
            ).fetchone()
            state = states.move_delivery(states.Delivery(row["state"]), event)
            self._db.execute(
                "UPDATE deliveries SET state = ?, remote_id = coalesce(?, remote_id),"
                " url = coalesce(?, url), links = coalesce(?, links), reason = ?, updated_at = ?"
                " WHERE item_id = ? AND target = ?",
                (state, remote_id, url, _links_text(links), reason, _now(), item_id, target),
            )
            changed = self._db.execute(
                "SELECT * FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
            ).fetchone()
        return _delivery(changed)

    def note_failure(self, item_id: str, target: str, reason: str) -> None:
        """Record why a step did not succeed; the state stays, so that it is tried again."""
        self._db.execute(
            "UPDATE deliveries SET reason = ?, failures = failures + 1, updated_at = ?"
            " WHERE item_id = ? AND target = ?",
            (reason, _now(), item_id, target),
        )

    def move_item(self, item_id: str, event: states.ItemEvent, *, reason: str = "") -> states.Item:
        """Record what happened to the item as a whole."""
        with self._transaction():
            row = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
            state = states.move_item(states.Item(row["state"]), event)
            self._db.execute(
                "UPDATE items SET state = ?, reason = ?, updated_at = ? WHERE id = ?",
                (state, reason, _now(), item_id),
            )
        return state

    def entry(self, item_id: str) -> Entry:
        """One item with its deliveries."""
        row = self._db.execute("SELECT * FROM items WHERE id = ?", (item_id,)).fetchone()
        return self._entry(row)

    def unfinished(self) -> list[Entry]:
        """The items that are not yet confirmed or rejected, oldest first."""
        ended = ", ".join(f"'{state}'" for state in sorted(states.ENDED))
        rows = self._db.execute(
            f"SELECT * FROM items WHERE state NOT IN ({ended}) ORDER BY received_at, rowid"  # noqa: S608
        ).fetchall()
        return [self._entry(row) for row in rows]

    def newest(self, limit: int) -> list[Entry]:
        """The last items that were received, newest first."""
        rows = self._db.execute(
            "SELECT * FROM items ORDER BY received_at DESC, rowid DESC LIMIT ?", (limit,)
        )
        return [self._entry(row) for row in rows.fetchall()]

    def _entry(self, row: sqlite3.Row) -> Entry:
        deliveries = self._db.execute(
            "SELECT * FROM deliveries WHERE item_id = ? ORDER BY target", (row["id"],)
        ).fetchall()
        return Entry(
            id=row["id"],
            raw=json.loads(row["content"]),
            state=states.Item(row["state"]),
            reason=row["reason"],
            delivery_count=row["delivery_count"],
            received_at=row["received_at"],
            updated_at=row["updated_at"],
            deliveries=tuple(_delivery(delivery) for delivery in deliveries),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _delivery(row: sqlite3.Row) -> Delivery:
    return Delivery(
        target=row["target"],
        state=states.Delivery(row["state"]),
        remote_id=row["remote_id"],
        url=row["url"],
        reason=row["reason"],
        failures=row["failures"],
        updated_at=row["updated_at"],
        links=_links(row["links"]),
    )


def _links_text(links: Links) -> str | None:
    return json.dumps([page and [page.title, page.url] for page in links]) if links else None


def _links(text: str | None) -> Links:
    return tuple(entry and Page(*entry) for entry in json.loads(text)) if text else ()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
