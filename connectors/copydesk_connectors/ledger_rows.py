"""What the ledger says of an item and of its deliveries."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from copydesk_connectors import states
from copydesk_connectors.internal_links import Links, Page


@dataclass(frozen=True)
class Delivery:
    """One item on one target.

    ``failures`` counts the tries that failed although the target was ready, the first of them at
    ``failing_since``, "" for none; ``links`` are the internal links that were chosen for it.
    """

    target: str
    state: states.Delivery
    remote_id: str
    url: str
    reason: str
    failures: int
    updated_at: str
    links: Links
    failing_since: str

    @property
    def failing_for(self) -> timedelta:
        """From the first of those failures to the last change."""
        if not self.failing_since:
            return timedelta()
        return datetime.fromisoformat(self.updated_at) - datetime.fromisoformat(self.failing_since)


@dataclass(frozen=True)
class Entry:
    """One item. ``raw`` is the item as the feed sent it; times are ISO 8601 in UTC.

    ``feed_has`` is what the feed last agreed to count it as: "used", "rejected", or "" for nothing.
    """

    id: str
    raw: Mapping[str, Any]
    state: states.Item
    reason: str
    delivery_count: int
    received_at: str
    updated_at: str
    feed_has: str
    deliveries: tuple[Delivery, ...]


def entry(row: sqlite3.Row, deliveries: tuple[Delivery, ...]) -> Entry:
    """A row of the table items, and what belongs to it."""
    return Entry(
        id=row["id"],
        raw=json.loads(row["content"]),
        state=states.Item(row["state"]),
        reason=row["reason"],
        delivery_count=row["delivery_count"],
        received_at=row["received_at"],
        updated_at=row["updated_at"],
        feed_has=row["feed_has"],
        deliveries=deliveries,
    )


def delivery(row: sqlite3.Row) -> Delivery:
    """A row of the table deliveries."""
    return Delivery(
        target=row["target"],
        state=states.Delivery(row["state"]),
        remote_id=row["remote_id"],
        url=row["url"],
        reason=row["reason"],
        failures=row["failures"],
        updated_at=row["updated_at"],
        links=_links(row["links"]),
        failing_since=row["failing_since"],
    )


def links_text(links: Links) -> str | None:
    """Links as that table keeps them."""
    return json.dumps([page and [page.title, page.url] for page in links]) if links else None


def _links(text: str | None) -> Links:
    return tuple(entry and Page(*entry) for entry in json.loads(text)) if text else ()
