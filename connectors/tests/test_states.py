"""The state machine, searched completely."""

from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from copydesk_connectors.engine.states import (
    ENDED,
    NOT_PUT,
    SETTLED,
    DeliveryState,
    Held,
    IllegalTransition,
    ItemState,
    Ruling,
    Verdict,
    check_move,
    is_hopeless,
    ruling,
    verdict,
)


def moves(states: type[StrEnum]) -> set[tuple[Any, Any]]:
    """Each pair of states of which the second can follow the first."""
    found = set()
    for before, after in product(states, repeat=2):
        with suppress(IllegalTransition):
            check_move(before, after)  # type: ignore[arg-type]
            found.add((before, after))
    return found


def test_what_is_on_a_site_never_moves_and_everything_else_can_settle() -> None:
    """exactly one published post: nothing leads away from published, and what its
    owner took away comes back by the owner's hand alone"""
    found = moves(DeliveryState)
    published = DeliveryState.PUBLISHED
    assert not [after for before, after in found if before is published]
    given_up = SETTLED - {published}
    assert {after for before, after in found if before in given_up} == {DeliveryState.RECEIVED}
    assert {before for before, after in found if after is published} == {DeliveryState.PUBLISHING}
    reachable = set(SETTLED)
    for _ in DeliveryState:
        reachable |= {before for before, after in found if after in reachable}
    assert reachable == set(DeliveryState)


def test_a_feed_is_told_before_an_item_ends_and_an_ended_one_only_opens_again() -> None:
    """open → confirming → confirmed | conflict; open → rejecting → rejected | conflict"""
    found = moves(ItemState)
    assert {after for before, after in found if before in ENDED} == {ItemState.OPEN}
    told = {
        ItemState.CONFIRMED: {ItemState.CONFIRMING},
        ItemState.REJECTED: {ItemState.REJECTING},
        ItemState.CONFLICT: {ItemState.CONFIRMING, ItemState.REJECTING},
    }
    for ended, begun in told.items():
        assert {before for before, after in found if after is ended} == begun


@pytest.mark.parametrize(
    ("tries", "hours", "in_a_row", "hopeless"),
    [
        (5, 24, 0, True),
        (500, 23.9, 0, False),
        (4, 2400, 0, False),
        (5, 24, 1, False),
        (5, 48, 1, True),
        (5, 95.9, 2, False),
        (5, 96, 2, True),
        (5, 1e6, 5000, True),
    ],
)
def test_when_a_post_is_parked(tries: int, hours: float, in_a_row: int, hopeless: bool) -> None:
    """retried from the ledger for days; a site that takes no post at all uses up few of them"""
    assert is_hopeless(tries, timedelta(hours=hours), in_a_row) is hopeless


@pytest.mark.parametrize(
    ("held", "refused_before", "accepted", "in_a_row", "ruled"),
    [
        (Held.REFUSED, True, True, 1, Ruling.FINAL),
        (Held.REFUSED, True, True, 2, Ruling.FINAL),
        (Held.BLOCKED, True, True, 1, Ruling.HOLD),
        (Held.REFUSED, False, True, 1, Ruling.HOLD),
        (Held.REFUSED, True, False, 1, Ruling.HOLD),
        (Held.REFUSED, True, False, 2, Ruling.STOP),
        (Held.BLOCKED, False, False, 9, Ruling.STOP),
    ],
)
def test_whose_fault_a_refusal_is(
    held: Held, refused_before: bool, accepted: bool, in_a_row: int, ruled: Ruling
) -> None:
    """the post's own fault only if (a) the site's own software said it and (b) the target accepts
    another post; two refusals with no acceptance between them are the site's fault"""
    found = ruling(held, refused_before=refused_before, accepted=accepted, in_a_row=in_a_row)
    assert found is ruled


def expected_verdict(required: list[DeliveryState], optional: list[DeliveryState]) -> Verdict:
    """The rule of custody, written down a second time."""
    here = {DeliveryState.PUBLISHED, DeliveryState.WITHDRAWN}
    counts = [state for state in required if state in here]
    if all(state in NOT_PUT for state in required):
        counts += [state for state in optional if state in here]
    if counts:
        return Verdict.CONFIRM
    settled = all(state in SETTLED for state in [*required, *optional])
    return Verdict.REJECT if settled else Verdict.WAIT


@pytest.mark.parametrize("optional", [0, 1, 2])
@pytest.mark.parametrize("required", [1, 2, 3])
def test_the_verdict_on_every_combination_of_targets(required: int, optional: int) -> None:
    """An item is confirmed as soon as the ledger has the text and one required target has the
    post; permanent refusals by all reject it"""
    for states in combinations_with_replacement(DeliveryState, required):
        for more in combinations_with_replacement(DeliveryState, optional):
            expected = expected_verdict(list(states), list(more))
            assert verdict(states, more) is expected, (states, more)


def test_an_item_without_targets_is_neither_confirmed_nor_rejected() -> None:
    """Nothing was published and nothing refused."""
    assert verdict([]) is Verdict.WAIT
