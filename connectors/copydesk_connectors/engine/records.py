"""The records of the ledger, and how its rows hold them."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from copydesk_connectors.engine import states
from copydesk_connectors.target.internal_links import Links, Page

LARGEST_ITEM = 2_000_000
"""Bytes of JSON. A post of 10,000 words takes a tenth of it."""


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


def entry_of(row: sqlite3.Row, deliveries: tuple[Delivery, ...]) -> Entry:
    """Return a row of ``items`` as an item."""
    values = dict(zip(row.keys(), row, strict=True))
    values |= {"raw": _raw(values.pop("content")), "state": states.ItemState(row["state"])}
    return Entry(**values, deliveries=deliveries)


def delivery_of(row: sqlite3.Row) -> Delivery:
    """Return a row of ``deliveries``."""
    values = dict(zip(row.keys(), row, strict=True))
    del values["item_id"]
    slot = row["slot"] and datetime.fromisoformat(row["slot"])
    values |= {
        "state": states.DeliveryState(row["state"]),
        "links": _links(row["links"]),
        "slot": slot,
    }
    return Delivery(**values)


def content_text(raw: Mapping[str, Any]) -> str:
    """Return an item as JSON, or only its id if it cannot be stored: it is then rejected."""
    try:
        text = json.dumps(raw)
    except (ValueError, RecursionError, TypeError):
        text = ""
    return text if 0 < len(text) <= LARGEST_ITEM else json.dumps({"id": str(raw.get("id"))})


def _raw(text: str) -> Mapping[str, Any]:
    # An item that cannot be read must not hide the others.
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, Mapping) else {}


def stored(value: Any) -> object:
    """Return a fact of a delivery as its column has it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):  # links
        return json.dumps([page and [page.title, page.url] for page in value])
    if isinstance(value, str):
        # A site may answer with half a character, which SQLite does not store.
        return value.encode(errors="replace").decode()
    return value


def _links(text: str | None) -> Links:
    return tuple(entry and Page(*entry) for entry in json.loads(text)) if text else ()
