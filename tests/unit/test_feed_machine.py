"""The feed's planning functions against the specification, in every state that a feed can reach.

The search starts with an empty feed and tries every operation in every state that it meets, until
it meets no new one. Nothing is drawn at random: what it does not find is not there.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from app.core.errors import Conflict
from app.core.feed import item as feed_item
from app.core.feed.item import Pull, Reserved, Status
from tests.support.feed_oracle import (
    CONFLICT,
    MAX_ITEMS_OF_A_CALL,
    OK,
    ROW_OF,
    ROWS,
    Feed,
    Item,
    Operation,
    Outcome,
    step,
)

RULES = ("A", "B")


@dataclass(frozen=True)
class Plans:
    """The functions under test; a planted bug takes the place of one of them."""

    latest: Callable[..., Pull] = feed_item.plan_latest
    items: Callable[[Sequence[Reserved], Sequence[str]], Pull] = feed_item.plan_items
    confirm: Callable[[Status], Status] = feed_item.after_confirm
    reject: Callable[[Status], Status] = feed_item.after_reject


@dataclass
class Search:
    """How much a search went through."""

    states: int = 0
    edges: int = 0
    fired: Counter[str] = field(default_factory=Counter)


class Difference(AssertionError):
    """The plans and the table disagree."""


def carry_out(feed: Feed, operation: Operation, plans: Plans) -> tuple[Feed, Outcome]:
    """Do to a feed in memory what the plans say, as the store does it to its rows."""
    verb, argument = operation
    items = list(feed)
    if verb == "generate":
        return (*feed, Item(str(argument), "pending", 0)), ()
    if isinstance(argument, int):
        rule, state, sends = items[argument]
        after = plans.confirm if verb == "confirm" else plans.reject
        try:
            state = after(Status(state)).value
        except Conflict:
            return feed, CONFLICT
        items[argument] = Item(rule, state, sends if state == "reserved" else 0)
        return tuple(items), OK
    in_scope = [i for i, item in enumerate(feed) if argument in {None, item.rule}]
    reserved = [Reserved(str(i), feed[i].sends) for i in in_scope if feed[i].state == "reserved"]
    pending = [str(i) for i in in_scope if feed[i].state == "pending"]
    if verb == "items":
        pull = plans.items(reserved, pending)
    else:
        pull = plans.latest(reserved, next(iter(pending), None), next_item=verb == "next")
    for ids, status in ((pull.reject, Status.REJECTED), (pull.abandon, Status.ABANDONED)):
        for index in map(int, ids):
            items[index] = Item(items[index].rule, status.value, 0)
    for index in map(int, pull.deliver):
        items[index] = Item(items[index].rule, "reserved", items[index].sends + 1)
    return tuple(items), tuple((int(i), items[int(i)].sends) for i in pull.deliver)


def operations(feed: Feed, max_items: int) -> Iterator[Operation]:
    yield Operation("latest")
    yield Operation("next")
    yield Operation("items")
    for rule in RULES:
        yield Operation("items", rule)
    for index in range(len(feed)):
        yield Operation("confirm", index)
        yield Operation("reject", index)
    if len(feed) < max_items:
        for rule in RULES:
            yield Operation("generate", rule)


def search(plans: Plans, max_items: int, limit: int = MAX_ITEMS_OF_A_CALL) -> Search:
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
        for operation in operations(feed, max_items):
            found.edges += 1
            expected = step(feed, operation, found.fired, limit)
            if carry_out(feed, operation, plans) != expected:
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
    found = search(Plans(), max_items=4)
    # A search that shrinks unnoticed proves nothing.
    assert (found.states, found.edges) == (21_493, 279_003)
    never = [row.quote for row in ROWS if not found.fired[row.quote]]
    assert never == []


def test_the_limit_of_items_holds_in_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """“items endpoint returns at most 100 items per call”: with 2 for 100, so that it is met."""
    with pytest.raises(Difference):
        search(Plans(), max_items=3, limit=2)
    monkeypatch.setattr(feed_item, "ITEMS_LIMIT", 2)
    found = search(Plans(), max_items=3, limit=2)
    assert (found.states, found.edges) == (2_023, 22_221)


def test_the_table_has_one_row_for_each_state_and_call() -> None:
    """Neither two rows that contradict each other, nor a call that no row answers."""
    assert len(ROW_OF) == sum(len(row.states) * len(row.sends) for row in ROWS)
    reachable = [("pending", 0), *(("reserved", sends) for sends in (1, 2, 3))]
    reachable += [(state, 0) for state in ("used", "rejected", "abandoned")]
    for event in ("confirm", "reject"):
        assert [key for key in reachable if (*key, event) not in ROW_OF] == []
    assert [key for key in reachable if (*key, "pull") in ROW_OF] == reachable[:4]


def one_send_uncounted(reserved: Sequence[Reserved]) -> list[Reserved]:
    return [replace(item, delivery_count=item.delivery_count - 1) for item in reserved]


def one_send_too_many(reserved: Sequence[Reserved]) -> list[Reserved]:
    return [replace(item, delivery_count=item.delivery_count + 1) for item in reserved]


def latest_sends_four_times(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    return feed_item.plan_latest(one_send_uncounted(reserved), pending, next_item=next_item)


def next_rejects_the_newest(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    if not next_item:
        return feed_item.plan_latest(reserved, pending, next_item=False)
    kept = feed_item.plan_latest(reserved[:-1], pending, next_item=False)
    return replace(kept, reject=[item.id for item in reserved[-1:]])


def next_only_rejects(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    pull = feed_item.plan_latest(reserved, pending, next_item=next_item)
    return replace(pull, deliver=[]) if pull.reject else pull


def next_gives_up_instead_of_rejecting(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    pull = feed_item.plan_latest(reserved, pending, next_item=next_item)
    return replace(pull, reject=[], abandon=[*pull.reject, *pull.abandon])


def next_is_ignored(reserved: Sequence[Reserved], pending: str | None, *, next_item: bool) -> Pull:
    return feed_item.plan_latest(reserved, pending, next_item=False)


def latest_claims_beside_a_reserved_item(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    pull = feed_item.plan_latest(reserved, pending, next_item=next_item)
    return pull if pending is None else replace(pull, deliver=[pending])


def latest_gives_up_without_a_new_item(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    pull = feed_item.plan_latest(reserved, pending, next_item=next_item)
    return replace(pull, deliver=[]) if pull.abandon else pull


def latest_gives_up_on_one_item_at_most(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    pull = feed_item.plan_latest(reserved, pending, next_item=next_item)
    return replace(pull, abandon=pull.abandon[:1])


def latest_sends_the_newest_reserved(
    reserved: Sequence[Reserved], pending: str | None, *, next_item: bool
) -> Pull:
    return feed_item.plan_latest(reserved[::-1], pending, next_item=next_item)


def items_never_gives_up(reserved: Sequence[Reserved], pending: Sequence[str]) -> Pull:
    return Pull(deliver=[*(item.id for item in reserved), *pending])


def items_gives_up_too_soon(reserved: Sequence[Reserved], pending: Sequence[str]) -> Pull:
    return feed_item.plan_items(one_send_too_many(reserved), pending)


def items_leaves_out_the_reserved(reserved: Sequence[Reserved], pending: Sequence[str]) -> Pull:
    return replace(feed_item.plan_items(reserved, pending), deliver=list(pending))


def items_sends_the_new_first(reserved: Sequence[Reserved], pending: Sequence[str]) -> Pull:
    pull = feed_item.plan_items(reserved, pending)
    return replace(pull, deliver=sorted(pull.deliver, key=lambda item_id: item_id not in pending))


def accepting(
    after: Callable[[Status], Status], wrong: Status, to: Status
) -> Callable[[Status], Status]:
    return lambda status: to if status is wrong else after(status)


def refusing(after: Callable[[Status], Status], right: Status) -> Callable[[Status], Status]:
    def refuse(status: Status) -> Status:
        if status is right:
            raise Conflict("refused")
        return after(status)

    return refuse


CONFIRM, REJECT = feed_item.after_confirm, feed_item.after_reject
PLANTED = {
    "latest sends four times": Plans(latest=latest_sends_four_times),
    "next rejects the newest": Plans(latest=next_rejects_the_newest),
    "next only rejects": Plans(latest=next_only_rejects),
    "next gives up instead of rejecting": Plans(latest=next_gives_up_instead_of_rejecting),
    "next is ignored": Plans(latest=next_is_ignored),
    "latest claims beside a reserved item": Plans(latest=latest_claims_beside_a_reserved_item),
    "latest gives up without a new item": Plans(latest=latest_gives_up_without_a_new_item),
    "latest gives up on one item at most": Plans(latest=latest_gives_up_on_one_item_at_most),
    "latest sends the newest reserved": Plans(latest=latest_sends_the_newest_reserved),
    "items never gives up": Plans(items=items_never_gives_up),
    "items gives up too soon": Plans(items=items_gives_up_too_soon),
    "items leaves out the reserved": Plans(items=items_leaves_out_the_reserved),
    "items sends the new first": Plans(items=items_sends_the_new_first),
    "a repeated confirm is refused": Plans(confirm=refusing(CONFIRM, Status.USED)),
    "a rejected item is confirmed": Plans(confirm=accepting(CONFIRM, Status.REJECTED, Status.USED)),
    "an abandoned item is confirmed": Plans(
        confirm=accepting(CONFIRM, Status.ABANDONED, Status.USED)
    ),
    "a pending item is confirmed": Plans(confirm=accepting(CONFIRM, Status.PENDING, Status.USED)),
    "a repeated reject is refused": Plans(reject=refusing(REJECT, Status.REJECTED)),
    "a used item is rejected": Plans(reject=accepting(REJECT, Status.USED, Status.REJECTED)),
    "a pending item is rejected": Plans(reject=accepting(REJECT, Status.PENDING, Status.REJECTED)),
    "an abandoned item is rejected": Plans(
        reject=accepting(REJECT, Status.ABANDONED, Status.REJECTED)
    ),
}


@pytest.mark.parametrize("bug", PLANTED.values(), ids=PLANTED.keys())
def test_the_search_finds_a_planted_bug(bug: Plans) -> None:
    with pytest.raises(Difference):
        search(bug, max_items=4)
