"""The feed's planning functions against the specification, in every state that a feed can reach.

The search starts with an empty feed and tries every operation in every state that it meets, until
it meets no new one. Nothing is drawn at random: what it does not find is not there.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from app.core.errors import Conflict
from app.core.feed import item as feed_item
from app.core.feed.item import Reserved, Status
from tests.support.feed_oracle import (
    CONFLICT,
    MAX_ITEMS_OF_A_CALL,
    NEW,
    OK,
    REVIEW_ROWS,
    ROW_OF,
    ROWS,
    Feed,
    Item,
    Operation,
    Outcome,
    step,
)

RULES = ("A", "B")
AFTER = {
    "confirm": feed_item.CONFIRM.after,
    "reject": feed_item.REJECT.after,
    "approve": feed_item.APPROVE.after,
    "refuse": feed_item.REJECT_HELD.after,
}


@dataclass
class Search:
    """How much a search went through."""

    states: int = 0
    edges: int = 0
    fired: Counter[str] = field(default_factory=Counter)


class Difference(AssertionError):
    """The plans and the table disagree."""


def carry_out(feed: Feed, operation: Operation) -> tuple[Feed, Outcome]:
    """Do to a feed in memory what the plans say, as the store does it to its rows."""
    verb, argument = operation
    items = list(feed)
    if verb in NEW:
        return (*feed, Item(str(argument), NEW[verb], 0)), ()
    if isinstance(argument, int):
        rule, state, sends = items[argument]
        try:
            state = AFTER[verb](Status(state)).value
        except Conflict:
            return feed, CONFLICT
        items[argument] = Item(rule, state, sends if state == "reserved" else 0)
        return tuple(items), OK
    in_scope = [i for i, item in enumerate(feed) if argument in {None, item.rule}]
    reserved = [Reserved(str(i), feed[i].sends) for i in in_scope if feed[i].state == "reserved"]
    pending = [str(i) for i in in_scope if feed[i].state == "pending"]
    if verb == "items":
        pull = feed_item.plan_items(reserved, pending)
    else:
        pull = feed_item.plan_latest(reserved, next(iter(pending), None), next_item=verb == "next")
    for ids, status in ((pull.reject, Status.REJECTED), (pull.abandon, Status.ABANDONED)):
        for index in map(int, ids):
            items[index] = Item(items[index].rule, status.value, 0)
    for index in map(int, pull.deliver):
        items[index] = Item(items[index].rule, "reserved", items[index].sends + 1)
    return tuple(items), tuple((int(i), items[int(i)].sends) for i in pull.deliver)


def operations(feed: Feed, max_items: int, review: bool) -> Iterator[Operation]:
    yield Operation("latest")
    yield Operation("next")
    yield Operation("items")
    for rule in RULES:
        yield Operation("items", rule)
    for index in range(len(feed)):
        yield Operation("confirm", index)
        yield Operation("reject", index)
        if review:
            yield Operation("approve", index)
            yield Operation("refuse", index)
    if len(feed) < max_items:
        for rule in RULES:
            yield Operation("generate", rule)
            if review:
                yield Operation("hold", rule)


def search(max_items: int, limit: int = MAX_ITEMS_OF_A_CALL, *, review: bool = False) -> Search:
    """Compare plans and table on every edge of every reachable state.

    Raises:
        Difference: with the shortest way to it.
    """
    found = Search()
    came_from: dict[Feed, tuple[Feed, Operation] | None] = {(): None}
    to_visit: deque[Feed] = deque([()])
    while to_visit:
        feed = to_visit.popleft()
        found.states += 1
        for operation in operations(feed, max_items, review):
            found.edges += 1
            expected = step(feed, operation, found.fired, limit)
            if carry_out(feed, operation) != expected:
                raise Difference(f"{way_to(feed, came_from)} then {operation}: not {expected}")
            after = expected[0]
            if after not in came_from:
                came_from[after] = (feed, operation)
                to_visit.append(after)
    return found


def way_to(feed: Feed, came_from: dict[Feed, tuple[Feed, Operation] | None]) -> list[Operation]:
    way: list[Operation] = []
    while (origin := came_from[feed]) is not None:
        feed, operation = origin
        way.insert(0, operation)
    return way


def test_every_state_that_a_feed_can_reach_behaves_as_the_table_says() -> None:
    """The states and transitions of a feed item, for up to 4 items of 2 rules, both pull modes."""
    found = search(max_items=4)
    # A search that shrinks unnoticed proves nothing.
    assert (found.states, found.edges) == (21_493, 279_003)
    never = [row.quote for row in ROWS if not found.fired[row.quote]]
    assert never == []


def test_sites_see_nothing_of_a_review_in_any_state() -> None:
    """“Sites neither see nor count them”: for up to 3 items, some of them held at first."""
    found = search(max_items=3, review=True)
    assert (found.states, found.edges) == (4_369, 74_201)
    never = [row.quote for row in (*ROWS, *REVIEW_ROWS) if not found.fired[row.quote]]
    assert never == []


def test_the_limit_of_items_holds_in_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """“items endpoint returns at most 100 items per call”: with 2 for 100, so that it is met."""
    with pytest.raises(Difference):
        search(max_items=3, limit=2)
    monkeypatch.setattr(feed_item, "ITEMS_LIMIT", 2)
    found = search(max_items=3, limit=2)
    assert (found.states, found.edges) == (2_023, 22_221)


def test_the_table_has_one_row_for_each_state_and_call() -> None:
    """Neither two rows that contradict each other, nor a call that no row answers."""
    rows = (*ROWS, *REVIEW_ROWS)
    assert len(ROW_OF) == sum(len(row.states) * len(row.sends) for row in rows)
    reachable = [("pending", 0), *(("reserved", sends) for sends in (1, 2, 3))]
    reachable += [(state, 0) for state in ("used", "rejected", "abandoned", "held")]
    for event in AFTER:
        assert [key for key in reachable if (*key, event) not in ROW_OF] == []
    assert [key for key in reachable if (*key, "pull") in ROW_OF] == reachable[:4]
