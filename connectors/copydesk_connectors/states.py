"""The connector's state machine: pure, and all of it.

An item is owed to one or more targets. Each of these deliveries moves by itself; once all are
settled the item is confirmed or rejected at the feed. The states that end in -ing are written
before a step is tried, the others after it succeeded, so that a process which died in between
can tell what may already have happened.

    delivery: received → drafting → drafted → publishing → published | withdrawn
              received → drafting → published | withdrawn, where one step does all
              any of the first four → refused | set aside
              refused | set aside → received, by the owner's hand alone
    item:     open → confirming → confirmed | conflict
              open → rejecting  → rejected  | conflict
              any of the first three → forgotten, by the owner's hand alone
"""

from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum


class Delivery(StrEnum):
    """Where one item stands on one target."""

    RECEIVED = "received"
    DRAFTING = "drafting"
    DRAFTED = "drafted"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"  # its owner put it in the trash: it does not come back
    REFUSED = "refused"
    SET_ASIDE = "set aside"  # it failed for days although its target was ready, or was given up


class DeliveryEvent(StrEnum):
    """What can happen to a delivery."""

    DRAFT_BEGUN = "draft_begun"
    DRAFT_MADE = "draft_made"
    PUBLISH_BEGUN = "publish_begun"
    MADE_PUBLIC = "made_public"
    PUT_UP = "put_up"  # found or made, and shown, in one step
    FOUND_IN_TRASH = "found_in_trash"
    DRAFT_LOST = "draft_lost"
    TURNED_DOWN = "turned_down"
    GIVEN_UP = "given_up"
    RETRIED = "retried"


class Item(StrEnum):
    """Where one item stands between the feed and all of its targets."""

    OPEN = "open"
    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"
    REJECTING = "rejecting"
    REJECTED = "rejected"
    CONFLICT = "conflict"  # the feed gave the item up before our confirm or reject arrived
    FORGOTTEN = "forgotten"  # ended by the owner; the feed was told nothing


class ItemEvent(StrEnum):
    """What can happen to an item."""

    CONFIRM_BEGUN = "confirm_begun"
    CONFIRM_ACCEPTED = "confirm_accepted"
    REJECT_BEGUN = "reject_begun"
    REJECT_ACCEPTED = "reject_accepted"
    ANSWER_REFUSED = "answer_refused"
    HANDED_OUT_AGAIN = "handed_out_again"
    RETRIED = "retried"
    FORGOTTEN = "forgotten"


class Verdict(StrEnum):
    """What is to be done with an item, given its deliveries."""

    WAIT = "wait"
    CONFIRM = "confirm"
    REJECT = "reject"


NOT_PUT = frozenset({Delivery.REFUSED, Delivery.SET_ASIDE})
SETTLED = frozenset({Delivery.PUBLISHED, Delivery.WITHDRAWN}) | NOT_PUT
ENDED = frozenset({Item.CONFIRMED, Item.REJECTED, Item.CONFLICT, Item.FORGOTTEN})

# A post is set aside after this many tries on a target that was ready, over this long a time.
TRIES = 5
PATIENCE = timedelta(days=1)

_DELIVERY: dict[DeliveryEvent, tuple[frozenset[Delivery], Delivery]] = {
    DeliveryEvent.DRAFT_BEGUN: (
        frozenset({Delivery.RECEIVED, Delivery.DRAFTING}),
        Delivery.DRAFTING,
    ),
    DeliveryEvent.DRAFT_MADE: (
        frozenset({Delivery.RECEIVED, Delivery.DRAFTING}),
        Delivery.DRAFTED,
    ),
    DeliveryEvent.PUBLISH_BEGUN: (
        frozenset({Delivery.DRAFTED, Delivery.PUBLISHING}),
        Delivery.PUBLISHING,
    ),
    DeliveryEvent.MADE_PUBLIC: (frozenset({Delivery.PUBLISHING}), Delivery.PUBLISHED),
    DeliveryEvent.PUT_UP: (
        frozenset({Delivery.RECEIVED, Delivery.DRAFTING}),
        Delivery.PUBLISHED,
    ),
    DeliveryEvent.FOUND_IN_TRASH: (
        frozenset({Delivery.RECEIVED, Delivery.DRAFTING, Delivery.PUBLISHING}),
        Delivery.WITHDRAWN,
    ),
    DeliveryEvent.DRAFT_LOST: (frozenset({Delivery.PUBLISHING}), Delivery.RECEIVED),
    DeliveryEvent.TURNED_DOWN: (frozenset(Delivery) - SETTLED, Delivery.REFUSED),
    DeliveryEvent.GIVEN_UP: (frozenset(Delivery) - SETTLED, Delivery.SET_ASIDE),
    DeliveryEvent.RETRIED: (NOT_PUT, Delivery.RECEIVED),
}

_ITEM: dict[ItemEvent, tuple[frozenset[Item], Item]] = {
    ItemEvent.CONFIRM_BEGUN: (frozenset({Item.OPEN, Item.CONFIRMING}), Item.CONFIRMING),
    ItemEvent.CONFIRM_ACCEPTED: (frozenset({Item.CONFIRMING}), Item.CONFIRMED),
    ItemEvent.REJECT_BEGUN: (frozenset({Item.OPEN, Item.REJECTING}), Item.REJECTING),
    ItemEvent.REJECT_ACCEPTED: (frozenset({Item.REJECTING}), Item.REJECTED),
    ItemEvent.ANSWER_REFUSED: (frozenset({Item.CONFIRMING, Item.REJECTING}), Item.CONFLICT),
    ItemEvent.HANDED_OUT_AGAIN: (ENDED, Item.OPEN),
    ItemEvent.RETRIED: (frozenset(Item), Item.OPEN),
    ItemEvent.FORGOTTEN: (frozenset(Item) - ENDED, Item.FORGOTTEN),
}


class IllegalTransition(Exception):
    """The event cannot happen in that state: a fault of the program, never of its input."""


def move_delivery(state: Delivery, event: DeliveryEvent) -> Delivery:
    """The state after ``event``."""
    allowed, result = _DELIVERY[event]
    if state not in allowed:
        raise IllegalTransition(f"{event} cannot happen to a delivery that is {state}")
    return result


def move_item(state: Item, event: ItemEvent) -> Item:
    """The state after ``event``."""
    allowed, result = _ITEM[event]
    if state not in allowed:
        raise IllegalTransition(f"{event} cannot happen to an item that is {state}")
    return result


def verdict(deliveries: Collection[Delivery]) -> Verdict:
    """Confirm what is on at least one site, reject what is on none for good, else wait."""
    if not deliveries or any(state not in SETTLED for state in deliveries):
        return Verdict.WAIT
    if all(state in NOT_PUT for state in deliveries):
        return Verdict.REJECT
    return Verdict.CONFIRM


def is_hopeless(tries: int, failing_for: timedelta, in_a_row: int) -> bool:
    """Whether a post is to be set aside on a target.

    ``tries`` counts those that failed while the target was ready. ``in_a_row`` is how many posts
    were set aside there since it last took one: each of them doubles the patience, for a site that
    takes no post at all must not use up one post a day.
    """
    return tries >= TRIES and failing_for >= PATIENCE * 2 ** min(in_a_row, 10)
