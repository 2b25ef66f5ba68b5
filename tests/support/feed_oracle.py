"""The feed as its specification has it: the table of a feed item, and the two kinds of pull.

Written from the table alone and knowing nothing of ``app``, so that it can be held against it. It
adds which rows a search made use of, and the rows of a review, which comes before the table: to a
site, an item that is held was never reserved.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_ITEMS_OF_A_CALL = 100
ANY = range(4)
SENT = "sent"
GONE = "gone"
NEW = {"generate": "pending", "hold": "held"}
OK = 200
CONFLICT = 409


@dataclass(frozen=True)
class Row:
    """In one of ``states``, sent ``sends`` times, an item answers ``event`` and becomes ``to``."""

    quote: str
    states: tuple[str, ...]
    event: str
    sends: Sequence[int]
    to: str | None
    answer: str | int


ROWS = (
    Row(
        "| pending | pull (latest or items) | item claimed | reserved | deliveryCount is 1 |",
        ("pending",), "pull", (0,), "reserved", SENT,
    ),
    Row(
        "| reserved | pull again | fewer than 3 sends so far | reserved"
        " | same item resent; deliveryCount increments |",
        ("reserved",), "pull", (1, 2), "reserved", SENT,
    ),
    Row(
        "| reserved | confirm | item is the active reserved one | used"
        " | 200, status used; permanent |",
        ("reserved",), "confirm", (1, 2, 3), "used", OK,
    ),
    Row(
        "| used | confirm | repeated | used | 200 (idempotent) |",
        ("used",), "confirm", ANY, None, OK,
    ),
    Row(
        "| reserved | reject | item is the active reserved one | rejected"
        " | 200, status rejected; no replacement fetched |",
        ("reserved",), "reject", (1, 2, 3), "rejected", OK,
    ),
    Row(
        "| rejected | reject | repeated | rejected | 200 (idempotent) |",
        ("rejected",), "reject", ANY, None, OK,
    ),
    Row(
        "| reserved | pull with next=true | | rejected (current item)"
        " | next item claimed in the same call |",
        ("reserved",), "next", (1, 2, 3), "rejected", GONE,
    ),
    Row(
        "| reserved | pull | already sent 3 times without confirm or reject | abandoned"
        " | next pull gives up on it and returns a new item |",
        ("reserved",), "pull", (3,), "abandoned", GONE,
    ),
    Row(
        "| used | reject | | used | 409 |",
        ("used",), "reject", ANY, None, CONFLICT,
    ),
    Row(
        "| any non-active (superseded, abandoned, never reserved) | confirm | | unchanged | 409 |",
        ("rejected", "abandoned", "pending", "held"), "confirm", ANY, None, CONFLICT,
    ),
    Row(
        "| never reserved | reject | | unchanged | 409 |",
        ("pending", "held"), "reject", ANY, None, CONFLICT,
    ),
    # The table leaves out what a reject of an abandoned item does; the section on errors says it.
    Row(
        "confirm or reject on an item in the wrong state is 409",
        ("abandoned",), "reject", ANY, None, CONFLICT,
    ),
)  # fmt: skip
REVIEW_ROWS = (
    Row("held, approved: pending", ("held",), "approve", ANY, "pending", OK),
    Row("pending, approved again", ("pending",), "approve", ANY, None, OK),
    Row(
        "approved too late",
        ("reserved", "used", "rejected", "abandoned"), "approve", ANY, None, CONFLICT,
    ),
    Row("held, refused: rejected", ("held",), "refuse", ANY, "rejected", OK),
    Row("rejected, refused again", ("rejected",), "refuse", ANY, None, OK),
    Row(
        "refused too late",
        ("pending", "reserved", "used", "abandoned"), "refuse", ANY, None, CONFLICT,
    ),
)  # fmt: skip

ROW_OF = {
    (state, sends, row.event): row
    for row in (*ROWS, *REVIEW_ROWS)
    for state in row.states
    for sends in row.sends
}


class Item(NamedTuple):
    """``sends`` counts while the item is reserved; afterwards nobody can see it, so it is 0."""

    rule: str
    state: str
    sends: int


class Operation(NamedTuple):
    """latest, next, items (``argument``: a rule or None), confirm, reject, approve, refuse (an
    item's index), or generate or hold (the rule that has a new item)."""

    verb: str
    argument: str | int | None = None


Feed = tuple[Item, ...]
# A pull hands out (item's index, deliveryCount) in order; confirm and reject answer a status.
Outcome = tuple[tuple[int, int], ...] | int


def step(
    feed: Feed,
    operation: Operation,
    fired: Counter[str],
    limit: int = MAX_ITEMS_OF_A_CALL,
) -> tuple[Feed, Outcome]:
    """The feed after one operation, and what the caller is told; counts the rows that fired."""
    verb, argument = operation
    items = list(feed)
    if verb in NEW:
        return (*feed, Item(str(argument), NEW[verb], 0)), ()
    if isinstance(argument, int):
        row = _apply(items, argument, verb, fired)
        return tuple(items), CONFLICT if row.answer == CONFLICT else OK
    # "`items`: reserved first, then by generatedAt and id; `latest`: the oldest reserved item, else
    # the oldest pending": an item's index is its age.
    open_items = [
        index
        for state in ("reserved", "pending")
        for index, item in enumerate(feed)
        if item.state == state and argument in {None, item.rule}
    ]
    if verb == "next" and open_items and feed[open_items[0]].state == "reserved":
        _apply(items, open_items.pop(0), "next", fired)
    sent: list[tuple[int, int]] = []
    for index in open_items:
        full = len(sent) == (limit if verb == "items" else 1)
        if full and (verb != "items" or _is_sent(items[index])):
            continue
        if _apply(items, index, "pull", fired).answer == SENT:
            sent.append((index, items[index].sends))
    return tuple(items), tuple(sent)


def _is_sent(item: Item) -> bool:
    return ROW_OF[item.state, item.sends, "pull"].answer == SENT


def _apply(items: list[Item], index: int, event: str, fired: Counter[str]) -> Row:
    rule, state, sends = items[index]
    row = ROW_OF[state, sends, event]
    fired[row.quote] += 1
    if row.to is not None:
        items[index] = Item(rule, row.to, sends + 1 if row.to == "reserved" else 0)
    return row
