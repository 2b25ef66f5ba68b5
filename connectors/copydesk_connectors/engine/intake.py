"""Take items from the feed into the ledger, valid or not."""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Entry, Ledger
from copydesk_connectors.engine.report import Report
from copydesk_connectors.engine.states import SETTLED, Held, ItemState
from copydesk_connectors.target.errors import Misconfigured, Unavailable
from copydesk_connectors.target.post import usable_id

_MOST_SENDS = 3
# An item delivered twice may be delivered a third time, beside another one, after this time.
_LAST_SEND_AFTER = timedelta(hours=1)


class Intake:
    """Pulls items for one pass and records them in the ledger."""

    def __init__(
        self, feed: FeedClient, ledger: Ledger, report: Report, targets: Collection[str]
    ) -> None:
        self._feed = feed
        self._ledger = ledger
        self._report = report
        self._targets = targets
        self._seen: set[str] = set()
        self._looked = False
        self._several = False

    def room(self) -> int:
        """Return how many items must be finished before more can be pulled."""
        return sum(not self._leaves_room(entry) for entry in self._ledger.unfinished())

    def take(self, *, at_once: int) -> list[Entry]:
        """Pull and record new items; return none at the end of the feed or if the feed fails.

        The first item is pulled alone, unless another one is waiting.
        """
        while True:
            waiting = {entry.id for entry in self._ledger.unfinished()}
            several = self._several or bool(waiting)
            pulled = self._pull(several=several)
            known = [raw for raw in pulled if usable_id(raw)]
            # Waiting items are delivered again with the rest: only their count is new.
            fresh = [raw for raw in known if raw["id"] not in self._seen - waiting]
            new = [raw for raw in fresh if raw["id"] not in waiting]
            self._seen |= {raw["id"] for raw in fresh}
            if skipped := len(pulled) - len(known):
                self._report.trouble(
                    f"{skipped} items of the feed have no usable id and cannot be answered; they "
                    "are skipped, and the feed will give them up",
                    retry=False,
                )
            if known and not fresh:
                again = f"the feed delivers {known[0]['id']} again although it was answered"
                self._report.trouble(again)
            entries = self._receive(fresh)
            if new or several or len(known) == len(pulled):
                self._several = at_once > 1 and all(_sendings(raw) == 1 for raw in new)
                return [entry for entry in entries if entry.id not in waiting]
            # An unusable item comes before those behind it until the feed abandons it.
            self._several = True

    def owe(self, entry: Entry) -> Entry:
        """Add missing deliveries to an open item, one for each target, and return it."""
        # An ended item that is delivered again is not published on targets added since.
        if entry.deliveries and all(d.state in SETTLED for d in entry.deliveries):
            return entry
        if set(self._targets) <= {delivery.target for delivery in entry.deliveries}:
            return entry
        return self._ledger.owe(entry.id, self._targets)

    def _pull(self, *, several: bool) -> list[Mapping[str, Any]]:
        try:
            if not self._looked:
                self._feed.ready()
                self._looked = True
            return self._feed.pull(several=several)
        except (Unavailable, Misconfigured) as error:
            self._report.trouble("the feed", error)
            return []

    def _receive(self, pulled: Sequence[Mapping[str, Any]]) -> list[Entry]:
        """Record all items in one transaction, before anything is sent."""
        entries = []
        with self._ledger.together():
            for raw in sorted(pulled, key=_generated):
                entry = self._ledger.receive(raw["id"], raw, _sendings(raw))
                entries.append(self.owe(entry))
        for entry in entries:
            said = f"received (delivery {entry.delivery_count} of {_MOST_SENDS})"
            self._report.say(logging.INFO, said, item=entry.id)
        return entries

    def _leaves_room(self, entry: Entry) -> bool:
        """Return whether more may be pulled beside a waiting item, which costs it a delivery."""
        there = [d for d in entry.deliveries if d.target in self._targets]
        held = {d.held for d in there if d.state not in SETTLED}
        if entry.state is not ItemState.OPEN or not (entry.faults or (held and "" not in held)):
            return False
        # A block is often gone in the next pass, and then cost no delivery.
        if entry.delivery_count == 1 and Held.BLOCKED not in held:
            return True
        waited = self._ledger.since_received(entry) >= _LAST_SEND_AFTER
        return waited and entry.delivery_count < _MOST_SENDS


def _sendings(raw: Mapping[str, Any]) -> int:
    value = raw.get("deliveryCount")
    return value if isinstance(value, int) and 0 <= value <= _MOST_SENDS else 0


def _generated(raw: Mapping[str, Any]) -> str:
    value = raw.get("generatedAt")
    return value if isinstance(value, str) else ""
