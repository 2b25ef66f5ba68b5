"""The ledger: the received items, and the state of each on each target.

An SQLite file (WAL, synchronous FULL): a row is on disk when its call returns. One process writes,
with any number of threads; any number of processes may read meanwhile.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Self

from copydesk_connectors.engine import ledger_file, states
from copydesk_connectors.target.internal_links import Links, Page

_LARGEST_ITEM = 16_000_000  # characters of JSON; the service's own items are below 1 % of it
_FEED_HAS = {
    states.ItemEvent.CONFIRM_ACCEPTED: "used",
    states.ItemEvent.REJECT_ACCEPTED: "rejected",
}


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


@dataclass(frozen=True)
class Delivery:
    """One item on one target.

    ``failures`` counts the tries that failed although the target was ready, the first of them at
    ``failing_since`` ("" for none). ``links`` are the internal links chosen for the post. ``held``
    is a ``states.Held`` while the target's refusal is not final, else "". ``slot`` is when the
    post appears by the target's calendar, or when the site will show it; None for immediately.
    ``shown`` is the CopyState that the target last returned, or "".
    """

    target: str
    state: states.DeliveryState
    remote_id: str
    url: str
    reason: str
    failures: int
    updated_at: str
    links: Links
    failing_since: str
    held: str
    slot: datetime | None
    shown: str

    @property
    def failing_for(self) -> timedelta:
        """The time from the first of those failures to the last change."""
        if not self.failing_since:
            return timedelta()
        return datetime.fromisoformat(self.updated_at) - datetime.fromisoformat(self.failing_since)


@dataclass(frozen=True)
class Entry:
    """One item. ``raw`` is the item as the feed sent it; times are ISO 8601 in UTC.

    ``feed`` is the name of the feed that delivered it.
    ``feed_has`` is how the feed counts it: "used", "rejected", or "" for neither. ``faults`` counts
    the passes in which the item caused an internal error.
    """

    id: str
    raw: Mapping[str, Any]
    state: states.ItemState
    reason: str
    delivery_count: int
    received_at: str
    updated_at: str
    feed_has: str
    faults: int
    feed: str
    deliveries: tuple[Delivery, ...]


@dataclass(frozen=True)
class Backlog:
    """The posts that wait for a target: how many, and since when (ISO 8601 in UTC)."""

    target: str
    posts: int
    since: str


class Ledger:
    """An open ledger, as a context manager: ``open`` it to write, ``read`` it to look."""

    def __init__(self, db: sqlite3.Connection, lock: sqlite3.Connection | None) -> None:
        self._db = db
        self._db.row_factory = sqlite3.Row
        self._lock = lock
        # Held for a whole transaction; a call inside it joins it.
        self._turn = threading.RLock()
        self._open_transactions = 0

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create the ledger, as its only writer.

        Raises:
            LedgerError: another process writes it, or the file is not a ledger.
        """
        return cls(*ledger_file.open_to_write(path))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open the ledger to read it, even while another process writes it.

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

    def receive(
        self, item_id: str, raw: Mapping[str, Any], delivery_count: int, feed: str = ""
    ) -> Entry:
        """Store an item of a feed and return it. A known item keeps its content and deliveries.

        An ended item is open again. As its deliveries are settled, the feed is answered again, but
        nothing is published again.
        """
        now = _now()
        with self.together():
            known = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
            if known is None:
                self._db.execute(
                    "INSERT INTO items (id, content, state, delivery_count, received_at,"
                    " updated_at, feed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(item_id, _content_text(raw), states.ItemState.OPEN),
                        *(delivery_count, now, now, feed),
                    ),
                )
            else:
                state = states.ItemState(known["state"])
                if state in states.ENDED:
                    state = states.move_item(state, states.ItemEvent.HANDED_OUT_AGAIN)
                self._db.execute(
                    "UPDATE items SET state = ?, delivery_count = ?, updated_at = ?, feed = ?"
                    " WHERE id = ?",
                    (state, delivery_count, now, feed, item_id),
                )
        return self.entry(item_id)

    def owe(self, item_id: str, targets: Iterable[str]) -> Entry:
        """Add a delivery for each of these targets that has none, and return the item."""
        now = _now()
        with self.together():
            self._db.executemany(
                "INSERT OR IGNORE INTO deliveries (item_id, target, state, updated_at)"
                " VALUES (?, ?, ?, ?)",
                [(item_id, target, states.DeliveryState.RECEIVED, now) for target in targets],
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
        slot: datetime | None = None,
        shown: str | None = None,
    ) -> Delivery:
        """Record an event and return the delivery. Omitted facts other than the reason stay."""
        with self.together():
            row = self._db.execute(
                "SELECT state FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
            ).fetchone()
            state = states.move_delivery(states.DeliveryState(row["state"]), event)
            self._db.execute(
                "UPDATE deliveries SET state = ?, remote_id = coalesce(?, remote_id),"
                " url = coalesce(?, url), links = coalesce(?, links), reason = ?, updated_at = ?,"
                " slot = coalesce(?, slot), shown = coalesce(?, shown)"
                " WHERE item_id = ? AND target = ?",
                (
                    *(state, remote_id, url, _links_text(links), reason, _now()),
                    *(slot and slot.isoformat(), shown, item_id, target),
                ),
            )
            if event is states.DeliveryEvent.RETRIED:
                fresh = "failures = 0, failing_since = '', slot = NULL, shown = ''"
            else:
                fresh = "held = ''" if state in states.SETTLED else ""
            if fresh:
                self._db.execute(
                    f"UPDATE deliveries SET {fresh} WHERE item_id = ? AND target = ?",  # noqa: S608
                    (item_id, target),
                )
            return self._delivery(item_id, target)

    def set_slots(self, target: str, slots: Mapping[str, datetime]) -> None:
        """Record when posts appear on a target, by item."""
        rows = [(slot.isoformat(), item_id, target) for item_id, slot in slots.items()]
        with self.together():
            self._db.executemany(
                "UPDATE deliveries SET slot = ? WHERE item_id = ? AND target = ?", rows
            )

    def slots(self, target: str) -> dict[str, tuple[datetime, states.DeliveryState]]:
        """Return the slot and the state of each post on a target that has a slot, by item."""
        with self._turn:
            rows = self._db.execute(
                "SELECT item_id, slot, state FROM deliveries WHERE target = ? AND slot IS NOT NULL"
                " ORDER BY slot",
                (target,),
            )
            return {
                str(item_id): (datetime.fromisoformat(slot), states.DeliveryState(state))
                for item_id, slot, state in rows.fetchall()
            }

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
            self._db.execute(
                "UPDATE deliveries SET reason = ?, failures = failures + ?, updated_at = ?,"
                " held = coalesce(?, held),"
                " failing_since = CASE WHEN ? AND failing_since = '' THEN ? ELSE failing_since END"
                " WHERE item_id = ? AND target = ?",
                (reason, target_ready, now, held, target_ready, now, item_id, target),
            )
            return self._delivery(item_id, target)

    def held(self, target: str) -> set[str]:
        """Return the ids of the items that a target did not accept, but not finally refused."""
        with self._turn:
            rows = self._db.execute(
                "SELECT item_id FROM deliveries WHERE target = ? AND held != ''", (target,)
            )
            return {str(row[0]) for row in rows.fetchall()}

    def note_fault(self, item_id: str, reason: str) -> int:
        """Record that an item caused an internal error, and return how many it has caused."""
        with self.together():
            self._db.execute(
                "UPDATE items SET faults = faults + 1, reason = ? WHERE id = ?", (reason, item_id)
            )
        return self.entry(item_id).faults

    def since_received(self, entry: Entry) -> timedelta:
        """Return how long ago the feed last delivered an open item."""
        return datetime.fromisoformat(_now()) - datetime.fromisoformat(entry.updated_at)

    def parked_in_a_row(self, target: str) -> int:
        """Return how many posts were parked on a target since it last accepted one."""
        with self._turn:
            row = self._db.execute(
                "SELECT count(*) FROM deliveries WHERE target = ? AND state = ? AND updated_at >"
                " (SELECT coalesce(max(updated_at), '') FROM deliveries"
                " WHERE target = ? AND state = ?)",
                (target, states.DeliveryState.PARKED, target, states.DeliveryState.PUBLISHED),
            ).fetchone()
        return int(row[0])

    def move_item(
        self, item_id: str, event: states.ItemEvent, *, reason: str = ""
    ) -> states.ItemState:
        """Record an event of the whole item and return its state."""
        with self.together():
            row = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
            state = states.move_item(states.ItemState(row["state"]), event)
            by_hand = event is states.ItemEvent.RETRIED
            self._db.execute(
                "UPDATE items SET state = ?, reason = ?, updated_at = ?,"
                " feed_has = coalesce(?, feed_has), faults = faults * ? WHERE id = ?",
                (state, reason, _now(), _FEED_HAS.get(event), not by_hand, item_id),
            )
        return state

    def entry(self, item_id: str) -> Entry:
        """Return one item; raise KeyError if it was never received."""
        with self._turn:
            row = self._db.execute("SELECT * FROM items WHERE id = ?", (item_id,)).fetchone()
            if row is None:
                raise KeyError(item_id)
            return self._entry(row)

    def state(self, item_id: str) -> states.ItemState:
        """Return the state of one item."""
        with self._turn:
            row = self._db.execute("SELECT state FROM items WHERE id = ?", (item_id,)).fetchone()
        return states.ItemState(row["state"])

    def queue(
        self,
        target: str,
        limit: int,
        without: Set[str] = frozenset(),
        *,
        only_held: bool = False,
    ) -> list[str]:
        """Return the ids of the next items that a target lacks, the oldest first, held ones last.

        An item that was confirmed because another target has it stays in the queue.
        """
        with self._turn:
            rows = self._db.execute(
                f"SELECT item_id {_WAITING} AND target = ? AND held != ? ORDER BY"
                " CASE held WHEN '' THEN '' ELSE deliveries.updated_at END,"
                " received_at, items.rowid",
                (target, "" if only_held else "any"),
            )
            ids = (str(row[0]) for row in rows)
            return list(islice((item_id for item_id in ids if item_id not in without), limit))

    def backlogs(self) -> list[Backlog]:
        """Return what waits for each target; targets for which nothing waits are left out."""
        with self._turn:
            rows = self._db.execute(
                f"SELECT target, count(*), min(received_at) {_WAITING}"
                " GROUP BY target ORDER BY target"
            )
            return [Backlog(*row) for row in rows.fetchall()]

    def deliveries(self, item_id: str) -> tuple[Delivery, ...]:
        """Return the deliveries of one item, sorted by target."""
        with self._turn:
            rows = self._db.execute(
                "SELECT * FROM deliveries WHERE item_id = ? ORDER BY target", (item_id,)
            )
            return tuple(map(_delivery, rows.fetchall()))

    def not_put(self) -> list[Entry]:
        """Return the items that a target refused or parked, or no target got, oldest first."""
        return self._entries(
            "SELECT * FROM items WHERE id IN (SELECT item_id FROM deliveries"
            " WHERE state IN (?, ?)) OR (state IN (?, ?) AND id NOT IN"
            " (SELECT item_id FROM deliveries)) ORDER BY received_at, rowid",
            *sorted(states.NOT_PUT),
            *(states.ItemState.REJECTED, states.ItemState.CONFLICT),
        )

    def unfinished(self) -> list[Entry]:
        """Return the items that are not yet confirmed or rejected, oldest first."""
        return self._entries(
            f"SELECT * FROM items WHERE state NOT IN ({_words(states.ENDED)})"  # noqa: S608
            " ORDER BY received_at, rowid"
        )

    def newest(self, limit: int) -> list[Entry]:
        """Return the last items that were received, newest first."""
        return self._entries(
            "SELECT * FROM items ORDER BY received_at DESC, rowid DESC LIMIT ?", limit
        )

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run the block in one transaction; inside another one, join it."""
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

    def _entries(self, query: str, *values: object) -> list[Entry]:
        with self._turn:
            rows = self._db.execute(query, values).fetchall()
            return [self._entry(row) for row in rows]

    def _entry(self, row: sqlite3.Row) -> Entry:
        return _entry(row, self.deliveries(row["id"]))

    def _delivery(self, item_id: str, target: str) -> Delivery:
        row = self._db.execute(
            "SELECT * FROM deliveries WHERE item_id = ? AND target = ?", (item_id, target)
        )
        return _delivery(row.fetchone())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _entry(row: sqlite3.Row, deliveries: tuple[Delivery, ...]) -> Entry:
    values = dict(zip(row.keys(), row, strict=True))
    values |= {"raw": _raw(values.pop("content")), "state": states.ItemState(row["state"])}
    return Entry(**values, deliveries=deliveries)


def _delivery(row: sqlite3.Row) -> Delivery:
    values = dict(zip(row.keys(), row, strict=True))
    del values["item_id"]
    slot = row["slot"] and datetime.fromisoformat(row["slot"])
    values |= {
        "state": states.DeliveryState(row["state"]),
        "links": _links(row["links"]),
        "slot": slot,
    }
    return Delivery(**values)


def _content_text(raw: Mapping[str, Any]) -> str:
    """Return an item as JSON, or only its id if it cannot be stored: it is then rejected."""
    try:
        text = json.dumps(raw)
    except (ValueError, RecursionError, TypeError):
        text = ""
    return text if 0 < len(text) <= _LARGEST_ITEM else json.dumps({"id": str(raw.get("id"))})


def _raw(text: str) -> Mapping[str, Any]:
    # An item that cannot be read must not hide the others.
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, Mapping) else {}


def _links_text(links: Links) -> str | None:
    return json.dumps([page and [page.title, page.url] for page in links]) if links else None


def _links(text: str | None) -> Links:
    return tuple(entry and Page(*entry) for entry in json.loads(text)) if text else ()
