"""The owner's actions on items: retry or forget one."""

from collections.abc import Sequence

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Entry
from copydesk_connectors.engine.states import ENDED, NOT_PUT, SETTLED, DeliveryState, ItemState
from copydesk_connectors.target.errors import LedgerError


def chosen(ledger: Ledger, item_id: str) -> Entry:
    """Return the item with that id; raise a LedgerError if the ledger has none."""
    try:
        return ledger.entry(item_id)
    except KeyError:
        raise LedgerError(
            f"the ledger has no item {item_id}; to list its items: copydesk-connect status --last "
            "1000. An item that the feed has abandoned comes again after `copydesk-server item "
            f"requeue {item_id}`, on the service"
        ) from None


def to_retry(ledger: Ledger, item_id: str | None) -> list[Entry]:
    """Return the items to retry: one, or every item that a target refused or parked.

    A post that its owner removed from a site is retried only if the item is named.

    Raises:
        LedgerError: that item was not refused, parked or removed anywhere.
    """
    if item_id is None:
        return ledger.not_put()
    entry = chosen(ledger, item_id)
    if not targets_to_retry(entry) and not _is_unrouted(entry):
        reason = f": {entry.reason}" if entry.reason else ""
        raise LedgerError(
            f"{item_id} has nothing to retry: it was not refused, parked or removed anywhere; "
            f"it is {entry.state}{reason}"
        )
    return [entry]


def targets_to_retry(entry: Entry) -> list[str]:
    """Return the targets that refused or parked an item, else those it was removed from."""
    for states in (NOT_PUT, {DeliveryState.WITHDRAWN}):
        if names := [d.target for d in entry.deliveries if d.state in states]:
            return names
    return []


def _is_unrouted(entry: Entry) -> bool:
    """Return whether no route sent an item to a target."""
    return not entry.deliveries and entry.state in ENDED


def retry(ledger: Ledger, entries: Sequence[Entry]) -> None:
    """Queue items again for the targets that lack them."""
    for entry in entries:
        with ledger.together():
            for target in targets_to_retry(entry):
                ledger.move_delivery(entry.id, target, DeliveryState.RECEIVED)
            ledger.move_item(entry.id, ItemState.OPEN)


def forget(ledger: Ledger, entry: Entry) -> None:
    """Stop retrying an item, without telling a site or the feed.

    If the feed delivers it again, the connector answers with its state and does not publish it.
    """
    with ledger.together():
        for delivery in entry.deliveries:
            if delivery.state not in SETTLED:
                parked, reason = DeliveryState.PARKED, "given up by its owner"
                ledger.move_delivery(entry.id, delivery.target, parked, reason=reason)
        if entry.state not in ENDED:
            ledger.move_item(entry.id, ItemState.FORGOTTEN, reason="forgotten by its owner")


def need_unended(entry: Entry) -> None:
    """Raise a LedgerError if the item has ended and no target waits for it."""
    waits = entry.state in {ItemState.CONFIRMED, ItemState.CONFLICT} and any(
        delivery.state not in SETTLED for delivery in entry.deliveries
    )
    if entry.state in ENDED and not waits:
        raise LedgerError(f"{entry.id} has already ended: it is {entry.state}")


def feeds_view(entry: Entry) -> str:
    """Return how the feed will count an item that is retried."""
    if entry.feed_has == "used":
        return "the feed already counts it as used"
    if entry.feed_has == "rejected":
        return "the feed counts it as rejected, even once it is published"
    if entry.state is ItemState.CONFLICT:
        return "the feed had given it up, and may not count it as used"
    if entry.state is ItemState.REJECTING:
        return "the feed may have been told already that it is rejected"
    return "the feed will be told the result"
