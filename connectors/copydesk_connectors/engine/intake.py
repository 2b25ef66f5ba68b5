"""Take items from one feed into the ledger, valid or not."""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from time import monotonic
from typing import Any

from copydesk_connectors.engine.delivery import TargetWorker
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Delivery, Entry
from copydesk_connectors.engine.report import Report
from copydesk_connectors.engine.routes import Routing
from copydesk_connectors.engine.states import SETTLED, Held, ItemState
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import usable_id

_MOST_SENDS = 3
# An item delivered twice may be delivered a third time, beside another one, after this time.
_LAST_SEND_AFTER = timedelta(hours=1)
# A long pass looks at an empty feed again after this time.
_LOOK_AGAIN_S = 60.0


class Intake:
    """Pulls the items of one feed in one pass and records them in the ledger.

    Args:
        routing: the routes of all feeds.
        workers: what publishes on each target, by its name.
        feeds: the names of all feeds.
    """

    def __init__(
        self,
        feed: FeedClient,
        ledger: Ledger,
        report: Report,
        routing: Routing,
        workers: Mapping[str, TargetWorker],
        feeds: Collection[str],
    ) -> None:
        self.feed = feed
        self._ledger = ledger
        self._report = report
        self._routing = routing
        self._workers = workers
        self._feeds = feeds
        self._seen: set[str] = set()
        self._looked = False
        self._with_rules = routing.needs_rules(feed.name)
        self._several = False
        self._empty_at: float | None = None
        self._failed = False

    @property
    def is_open(self) -> bool:
        """Whether the feed may have items: it has not failed, and was not empty just now."""
        empty = self._empty_at is not None and monotonic() - self._empty_at < _LOOK_AGAIN_S
        return not (self._failed or empty)

    def waiting(self) -> list[Entry]:
        """Return the items of this feed that are not yet confirmed or rejected."""
        return [entry for entry in self._ledger.unfinished() if self.owns(entry)]

    def owns(self, entry: Entry) -> bool:
        """Return whether an item is this feed's. The only feed owns those of renamed ones."""
        return entry.feed == self.feed.name or (
            len(self._feeds) == 1 and entry.feed not in self._feeds
        )

    def room(self) -> int:
        """Return how many items must be finished before more can be pulled."""
        return sum(not self._leaves_room(entry) for entry in self.waiting())

    def take(self, *, at_once: int) -> list[Entry]:
        """Pull and record new items; return none at the end of the feed or if the feed fails.

        The first item is pulled alone, unless another one is waiting or its rule is needed.
        """
        entries = self._take(at_once)
        self._empty_at = None if entries else monotonic()
        return entries

    def _take(self, at_once: int) -> list[Entry]:
        while True:
            waiting = {entry.id for entry in self.waiting()}
            several = self._several or self._with_rules or bool(waiting)
            with self._ledger.receiving(several=several):
                pulled = self._pull(several=several)
                known = [raw for raw in pulled if usable_id(raw)]
                # Waiting items are delivered again with the rest: only their count is new.
                fresh = [raw for raw in known if raw["id"] not in self._seen - waiting]
                entries = self._receive(fresh)
            new = [raw for raw in fresh if raw["id"] not in waiting]
            self._seen |= {raw["id"] for raw in fresh}
            for entry in entries:
                said = f"received (delivery {entry.delivery_count} of {_MOST_SENDS})"
                self._report.say(logging.INFO, said, item=entry.id)
            if skipped := len(pulled) - len(known):
                self._report.trouble(
                    f"{skipped} items of {self.feed.label} have no usable id and cannot be "
                    "answered; they are skipped, and the feed will give them up",
                    retry=False,
                )
            if known and not fresh:
                again = f"{self.feed.label} delivers {known[0]['id']} again although it was"
                self._report.trouble(f"{again} answered")
            if new or several or len(known) == len(pulled):
                self._several = at_once > 1 and all(_sendings(raw) == 1 for raw in new)
                return [entry for entry in entries if entry.id not in waiting]
            # An unusable item comes before those behind it until the feed abandons it.
            self._several = True

    def owe(self, entry: Entry) -> Entry:
        """Add missing deliveries to an open item, one for each of its targets, and return it."""
        # An ended item that is delivered again is not published on targets added since.
        ended = entry.feed_has == "used" or all(d.state in SETTLED for d in entry.deliveries)
        if entry.deliveries and ended:
            return entry
        targets = self._routing.of(self.feed.name, entry.raw, self._workers)
        if set(targets) <= {delivery.target for delivery in entry.deliveries}:
            return entry
        return self._ledger.owe(entry.id, targets)

    def _pull(self, *, several: bool) -> list[Mapping[str, Any]]:
        try:
            if not self._looked:
                self.feed.ready()
                self._looked = True
            return self.feed.pull(several=several)
        except (Unavailable, Misconfigured) as error:
            self._failed = True
            self._report.trouble(self.feed.label, error)
            return []

    def _receive(self, pulled: Sequence[Mapping[str, Any]]) -> list[Entry]:
        """Record all items before anything is sent."""
        return [
            self.owe(self._ledger.receive(raw["id"], raw, _sendings(raw), self.feed.name))
            for raw in sorted(pulled, key=_generated)
            if not self._is_anothers(raw["id"])
        ]

    def _is_anothers(self, item_id: str) -> bool:
        """Return whether another feed has delivered the item, and say so."""
        try:
            owner = self._ledger.entry(item_id).feed
        except KeyError:
            return False
        if owner == self.feed.name or owner not in self._feeds:
            return False
        self._report.trouble(
            f"{item_id} came from the feed {owner}; it is left alone at {self.feed.label}, which "
            "delivers it as well",
            retry=False,
        )
        return True

    def _leaves_room(self, entry: Entry) -> bool:
        """Return whether more may be pulled beside a waiting item, which costs it a delivery."""
        if entry.state is not ItemState.OPEN:
            return False
        held = {self._held(delivery) for delivery in entry.deliveries} - {None}
        if not (entry.faults or (held and "" not in held)):
            return False
        # A block is often gone in the next pass, and then cost no delivery.
        if entry.delivery_count == 1 and Held.BLOCKED not in held:
            return True
        waited = self._ledger.since_received(entry) >= _LAST_SEND_AFTER
        return waited and entry.delivery_count < _MOST_SENDS

    def _held(self, delivery: Delivery) -> str | None:
        """Return why a post waits, as ``Delivery.held``; None if it does not wait for a target."""
        worker = self._workers.get(delivery.target)
        if worker is None or delivery.state in SETTLED:
            return None
        # A post for a target that is down is like a refused one: other posts need not wait. One
        # that failed again on a target that was ready is like one that a firewall blocks.
        if not worker.usable:
            return Held.REFUSED
        return delivery.held or (Held.BLOCKED if delivery.failures > 1 else "")


def _sendings(raw: Mapping[str, Any]) -> int:
    value = raw.get("deliveryCount")
    return value if isinstance(value, int) and 0 <= value <= _MOST_SENDS else 0


def _generated(raw: Mapping[str, Any]) -> str:
    value = raw.get("generatedAt")
    return value if isinstance(value, str) else ""
