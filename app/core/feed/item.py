"""The life of a feed item, and what one pull does to a feed.

    held ──approve──▶ pending ──claim──▶ reserved ──confirm──▶ used
      │                  ▲                │  ▲ └────reject───▶ rejected
      └──reject──▶ rejected               └──┘ resend            (a pull with next=true, too)
                         │                └─────abandon──────▶ abandoned, when it was sent 3 times
                         └─────────────────requeue─────────────────┘  only by an operator

Only the items of a feed with a review begin as held. Sites neither see nor count them.

This module says what a decision may change, and plans a pull; ``app.store.feed`` and, for nearly
every call, ``app.store.hot`` carry them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.errors import Conflict
from app.core.schemas.feed import ITEMS_LIMIT

MAX_SENDS = 3


class Status(StrEnum):
    HELD = "held"
    PENDING = "pending"
    RESERVED = "reserved"
    USED = "used"
    REJECTED = "rejected"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Reserved:
    """A reserved item, and how many times it has been sent (1 to 3)."""

    id: str
    delivery_count: int


@dataclass(frozen=True)
class Pull:
    """The effects of a pull: ids of items to reject, to abandon and to deliver, in order."""

    reject: list[str] = field(default_factory=list)
    abandon: list[str] = field(default_factory=list)
    deliver: list[str] = field(default_factory=list)


def plan_latest(reserved: Sequence[Reserved], pending: str | None, *, next_item: bool) -> Pull:
    """Plan GET …/latest.

    Args:
        reserved: the token's reserved items, oldest first.
        pending: the oldest pending item, if there is one.
        next_item: reject the currently reserved item first.
    """
    pull = Pull()
    rest = list(reserved)
    if next_item and rest:
        pull.reject.append(rest.pop(0).id)
    while rest and rest[0].delivery_count >= MAX_SENDS:
        pull.abandon.append(rest.pop(0).id)
    if rest:
        pull.deliver.append(rest[0].id)
    elif pending is not None:
        pull.deliver.append(pending)
    return pull


def plan_items(reserved: Sequence[Reserved], pending: Sequence[str]) -> Pull:
    """Plan GET …/items: reserved items first, then pending ones, at most 100 in all.

    Args:
        reserved: the requested reserved items, oldest first.
        pending: the requested pending items, oldest first.
    """
    pull = Pull()
    for item in reserved:
        if item.delivery_count >= MAX_SENDS:
            pull.abandon.append(item.id)
        else:
            pull.deliver.append(item.id)
    pull.deliver.extend(pending)
    del pull.deliver[ITEMS_LIMIT:]
    return pull


@dataclass(frozen=True)
class Decision:
    """What a site or a person decides about an item in the state ``before``; it may be repeated.
    ``refusal`` is said of an item in any other state."""

    before: Status
    to: Status
    refusal: str

    def after(self, status: Status) -> Status:
        """Return the state of an item after it.

        Raises:
            Conflict: the item is in neither of the two states.
        """
        if status in {self.before, self.to}:
            return self.to
        raise Conflict(self.refusal.format(status), {"status": status.value})


CONFIRM = Decision(
    Status.RESERVED, Status.USED, "This item cannot be confirmed: it is {}, not reserved."
)
REJECT = Decision(
    Status.RESERVED, Status.REJECTED, "This item cannot be rejected: it is {}, not reserved."
)
APPROVE = Decision(Status.HELD, Status.PENDING, "This post cannot be approved: it is {}.")
REJECT_HELD = Decision(
    Status.HELD, Status.REJECTED, "This post cannot be rejected: it is {}, no longer held."
)
