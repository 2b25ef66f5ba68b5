"""Passes of the connector in this process, by a clock that the test sets."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine import delivery, item_actions, ledger
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery, Entry
from copydesk_connectors.engine.routes import Routing

from .feed_server import FakeFeed
from .items import make_item
from .notebook import Notebook

MONDAY = datetime(2026, 6, 1, 5, tzinfo=UTC)
"""Seven o'clock in Berlin."""


class Passes:
    """Passes over one feed, each with a newly opened ledger."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loaded = config.load(file)
        self.now = MONDAY
        monkeypatch.setattr(ledger, "_now", lambda: self.now.isoformat(timespec="milliseconds"))
        monkeypatch.setattr(delivery, "_now", lambda: self.now)

    def once(
        self,
        *targets: Notebook,
        hours: float = 0,
        parallel: int = 1,
        optional: frozenset[str] = frozenset(),
        stop: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """One pass, some hours after the one before."""
        self.now += timedelta(hours=hours)
        feeds, routing = [FeedClient(self.loaded.feeds[0])], Routing(optional=optional)
        with Ledger.open(self.loaded.ledger) as opened:
            return Courier(feeds, opened, targets, stop, parallel, routing).once()

    def waiting(self) -> dict[str, int]:
        """How many posts wait for each target."""
        with Ledger.read(self.loaded.ledger) as opened:
            return {backlog.target: backlog.posts for backlog in opened.backlogs()}

    def entry(self, item_id: str) -> Entry:
        with Ledger.read(self.loaded.ledger) as opened:
            return opened.entry(item_id)

    def delivery(self, item_id: str) -> Delivery:
        """The delivery of an item that has one."""
        with Ledger.read(self.loaded.ledger) as opened:
            (found,) = opened.entry(item_id).deliveries
            return found

    def retry(self, item_id: str | None = None) -> None:
        with Ledger.open(self.loaded.ledger) as opened:
            item_actions.retry(opened, item_actions.to_retry(opened, item_id))


def add(feed: FakeFeed, *numbers: int) -> None:
    """Queue items with these numbers."""
    for number in numbers:
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
