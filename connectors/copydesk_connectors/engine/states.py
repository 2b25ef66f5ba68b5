"""The connector's whole state machine, without I/O.

An item has one delivery for each target. Once one required target has the post, the item is
confirmed at the feed; the other deliveries continue from the ledger. If no target takes the post,
the item is rejected. The states that end in -ing are stored before a step, the others after it: if
the process dies in between, the next one knows what may have happened.

    delivery: received → drafting → publishing → published | withdrawn
              any of the first three → refused | parked
              publishing → withdrawn, if the site no longer has the draft
              refused | parked | withdrawn → received, only by the owner
    item:     open → confirming → confirmed | conflict
              open → rejecting  → rejected  | conflict
              any of the first three → forgotten, only by the owner

A post that a target refuses keeps its state and is held until ``ruling`` finds that the post is at
fault: then it is refused.
"""

from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum


class DeliveryState(StrEnum):
    """The state of one item on one target."""

    RECEIVED = "received"
    DRAFTING = "drafting"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"  # its owner trashed or deleted it: it stays away
    REFUSED = "refused"
    # It failed for days although its target was ready, or was given up. Ledgers store the old word.
    PARKED = "set aside"

    @property
    def label(self) -> str:
        """The state as people read it."""
        return "parked" if self is DeliveryState.PARKED else self.value


class ItemState(StrEnum):
    """The state of one item between the feed and its targets."""

    OPEN = "open"
    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"
    REJECTING = "rejecting"
    REJECTED = "rejected"
    CONFLICT = "conflict"  # the feed gave the item up before our confirm or reject arrived
    FORGOTTEN = "forgotten"  # ended by the owner; the feed was told nothing


class Verdict(StrEnum):
    """What to do with an item, given its deliveries."""

    WAIT = "wait"
    CONFIRM = "confirm"
    REJECT = "reject"


class Held(StrEnum):
    """Why a target that is ready did not accept a post."""

    REFUSED = "refused"  # the site's own software refused it
    BLOCKED = "blocked"  # something else did, or the owner has to change something


class Ruling(StrEnum):
    """Whose fault it is that a target did not accept a post."""

    HOLD = "hold"  # not known yet: the post is tried again
    FINAL = "final"  # the post's own: it counts as refused
    STOP = "stop"  # the site's: it gets no more posts in this pass


NOT_DRAFTED = frozenset({DeliveryState.RECEIVED, DeliveryState.DRAFTING})
NOT_PUT = frozenset({DeliveryState.REFUSED, DeliveryState.PARKED})
ON_A_SITE = frozenset({DeliveryState.PUBLISHED, DeliveryState.WITHDRAWN})
SETTLED = ON_A_SITE | NOT_PUT
# Posts that need their slot in the calendar, or appeared in it.
SLOT_HOLDERS = frozenset(DeliveryState) - NOT_PUT - {DeliveryState.WITHDRAWN}
ENDED = frozenset(
    {ItemState.CONFIRMED, ItemState.REJECTED, ItemState.CONFLICT, ItemState.FORGOTTEN}
)

# A post is parked after this many tries on a target that was ready, over this time.
TRIES = 5
PATIENCE = timedelta(days=1)
# An item that causes internal errors is parked after this many passes.
FAULTS = 3

_UNSETTLED = frozenset(DeliveryState) - SETTLED
# The states from which each state can be reached.
_BEFORE: dict[DeliveryState | ItemState, Collection[DeliveryState | ItemState]] = {
    DeliveryState.RECEIVED: NOT_PUT | {DeliveryState.WITHDRAWN},
    DeliveryState.DRAFTING: NOT_DRAFTED,
    DeliveryState.PUBLISHING: NOT_DRAFTED,
    DeliveryState.PUBLISHED: {DeliveryState.PUBLISHING},
    DeliveryState.WITHDRAWN: NOT_DRAFTED | {DeliveryState.PUBLISHING},
    DeliveryState.REFUSED: _UNSETTLED,
    DeliveryState.PARKED: _UNSETTLED,
    ItemState.OPEN: frozenset(ItemState),
    ItemState.CONFIRMING: {ItemState.OPEN, ItemState.CONFIRMING},
    ItemState.CONFIRMED: {ItemState.CONFIRMING},
    ItemState.REJECTING: {ItemState.OPEN, ItemState.REJECTING},
    ItemState.REJECTED: {ItemState.REJECTING},
    ItemState.CONFLICT: {ItemState.CONFIRMING, ItemState.REJECTING},
    ItemState.FORGOTTEN: frozenset(ItemState) - ENDED,
}


class IllegalTransition(Exception):
    """One state cannot follow the other: a bug of this program."""


def check_move(before: DeliveryState | ItemState, after: DeliveryState | ItemState) -> None:
    """Return if a delivery or an item can go from one state to another."""
    if before not in _BEFORE[after]:
        raise IllegalTransition(f"what is {before} cannot become {after}")


def verdict(
    required: Collection[DeliveryState], optional: Collection[DeliveryState] = ()
) -> Verdict:
    """Return whether to confirm the item, reject it, or wait.

    It is confirmed as soon as one required target has the post. Optional targets count only if
    every required one refused or parked it.
    """
    if any(state in ON_A_SITE for state in required):
        return Verdict.CONFIRM
    if not required or any(state not in SETTLED for state in required):
        return Verdict.WAIT
    if any(state in ON_A_SITE for state in optional):
        return Verdict.CONFIRM
    if any(state not in SETTLED for state in optional):
        return Verdict.WAIT
    return Verdict.REJECT


def ruling(held: Held, *, refused_before: bool, accepted: bool, in_a_row: int) -> Ruling:
    """Return whose fault a refusal is.

    A firewall, a security plugin or a host may refuse every post in the site's name. So a refusal
    is final only if the site's own software refused the post, and refused it again after the
    target accepted another one. If it accepts none of two posts, the site is at fault.

    Args:
        held: why the post was not accepted.
        refused_before: the site's own software has refused this post before.
        accepted: the target has accepted another post in this pass.
        in_a_row: the number of posts, including this one, not accepted since the last accepted one.
    """
    if held is Held.REFUSED and refused_before and accepted:
        return Ruling.FINAL
    return Ruling.STOP if in_a_row > 1 else Ruling.HOLD


def is_hopeless(tries: int, failing_for: timedelta, in_a_row: int) -> bool:
    """Return whether to park a post on a target.

    ``tries`` counts the failures while the target was ready. ``in_a_row`` is the number of other
    posts parked or held there since the last accepted one. Each doubles the patience, so that a
    site that accepts nothing does not use up one post a day.
    """
    return tries >= TRIES and failing_for >= PATIENCE * 2 ** min(in_a_row, 10)
