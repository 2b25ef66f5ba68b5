"""What the owner does to items by hand: take one up again, or end it."""

from collections.abc import Sequence

from copydesk_connectors.errors import LedgerError
from copydesk_connectors.ledger import Delivery as Owed
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.states import (
    ENDED,
    NOT_PUT,
    SETTLED,
    Delivery,
    DeliveryEvent,
    Item,
    ItemEvent,
)


def chosen(ledger: Ledger, item_id: str) -> Entry:
    """The item of that id.

    Raises:
        LedgerError: there is none.
    """
    try:
        return ledger.entry(item_id)
    except KeyError:
        raise LedgerError(
            f"the ledger has no item {item_id}; `copydesk-connect status --last 1000` shows those "
            "that it has"
        ) from None


def to_retry(ledger: Ledger, item_id: str | None) -> list[Entry]:
    """What ``retry`` takes up again: one item, or all that a target does not have.

    Raises:
        LedgerError: nothing of that item was refused or set aside.
    """
    if item_id is None:
        return ledger.not_put()
    entry = chosen(ledger, item_id)
    if not any(delivery.state in NOT_PUT for delivery in entry.deliveries):
        reason = f": {entry.reason}" if entry.reason else ""
        raise LedgerError(
            f"no target refused {item_id} and it was set aside on none; it is {entry.state}{reason}"
        )
    return [entry]


def retry(ledger: Ledger, entries: Sequence[Entry]) -> None:
    """Put items back into the queue, for those targets that do not have them."""
    for entry in entries:
        with ledger.together():
            for delivery in entry.deliveries:
                if delivery.state in NOT_PUT:
                    ledger.move_delivery(entry.id, delivery.target, DeliveryEvent.RETRIED)
            ledger.move_item(entry.id, ItemEvent.RETRIED)


def forget(ledger: Ledger, entry: Entry) -> None:
    """End an item. Neither a site nor the feed is told; if the feed hands it out again, it is
    answered with what is so, and not published."""
    with ledger.together():
        for delivery in entry.deliveries:
            if delivery.state not in SETTLED:
                reason = "given up by hand"
                ledger.move_delivery(
                    entry.id, delivery.target, DeliveryEvent.GIVEN_UP, reason=reason
                )
        ledger.move_item(entry.id, ItemEvent.FORGOTTEN, reason="forgotten by hand")


def need_unended(entry: Entry) -> None:
    """Refuse to forget what is over.

    Raises:
        LedgerError
    """
    if entry.state in ENDED:
        raise LedgerError(f"{entry.id} has ended already, it is {entry.state}: nothing waits")


def places(entry: Entry) -> list[str]:
    """What is known of an item on each target, a sentence each."""
    return [f"{entry.id} {_place(delivery)}" for delivery in entry.deliveries] or [
        f"{entry.id} was put on no target so far"
    ]


def _place(owed: Owed) -> str:
    name, reason = owed.target, f": {owed.reason}" if owed.reason else ""
    match owed.state:
        case Delivery.PUBLISHED:
            return f"is on {name}, {owed.url or owed.remote_id}"
        case Delivery.WITHDRAWN:
            return f"was on {name} and was taken away by its owner"
        case Delivery.RECEIVED:
            return f"is not on {name}{reason}"
        case Delivery.REFUSED | Delivery.SET_ASIDE:
            return f"is not on {name} ({owed.state}){reason}"
        case _:
            known = f", {owed.remote_id}" if owed.remote_id else ""
            return f"may be on {name}, as a draft or in public{known}{reason}"


def feeds_view(entry: Entry) -> str:
    """What the feed will make of an item that is taken up again."""
    if entry.feed_has == "used":
        return "the feed counts it as used already, and goes on doing so"
    if entry.feed_has == "rejected":
        return "the feed counts it as rejected and goes on doing so, also once it is published"
    if entry.state is Item.CONFLICT:
        return "the feed had given it up, and may go on counting it so once it is published"
    if entry.state is Item.REJECTING:
        return "the feed may have been told already that it is rejected"
    return "the feed is told as soon as it is decided"
