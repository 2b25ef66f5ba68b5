"""The state machine, searched completely."""

from datetime import timedelta
from itertools import combinations_with_replacement

import pytest

from copydesk_connectors.engine.states import (
    ENDED,
    NOT_PUT,
    SETTLED,
    DeliveryEvent,
    DeliveryState,
    Held,
    IllegalTransition,
    ItemEvent,
    ItemState,
    Ruling,
    Verdict,
    is_hopeless,
    move_delivery,
    move_item,
    ruling,
    verdict,
)

# The whole machine, written down a second time. Whatever is not here must be refused.
DELIVERY_TABLE = {
    (DeliveryState.RECEIVED, DeliveryEvent.DRAFT_BEGUN): DeliveryState.DRAFTING,
    (DeliveryState.RECEIVED, DeliveryEvent.DRAFT_MADE): DeliveryState.DRAFTED,
    (DeliveryState.RECEIVED, DeliveryEvent.FOUND_IN_TRASH): DeliveryState.WITHDRAWN,
    (DeliveryState.RECEIVED, DeliveryEvent.TURNED_DOWN): DeliveryState.REFUSED,
    (DeliveryState.RECEIVED, DeliveryEvent.GIVEN_UP): DeliveryState.PARKED,
    (DeliveryState.DRAFTING, DeliveryEvent.DRAFT_BEGUN): DeliveryState.DRAFTING,
    (DeliveryState.DRAFTING, DeliveryEvent.DRAFT_MADE): DeliveryState.DRAFTED,
    (DeliveryState.DRAFTING, DeliveryEvent.FOUND_IN_TRASH): DeliveryState.WITHDRAWN,
    (DeliveryState.DRAFTING, DeliveryEvent.TURNED_DOWN): DeliveryState.REFUSED,
    (DeliveryState.DRAFTING, DeliveryEvent.GIVEN_UP): DeliveryState.PARKED,
    (DeliveryState.DRAFTED, DeliveryEvent.PUBLISH_BEGUN): DeliveryState.PUBLISHING,
    (DeliveryState.DRAFTED, DeliveryEvent.TURNED_DOWN): DeliveryState.REFUSED,
    (DeliveryState.DRAFTED, DeliveryEvent.GIVEN_UP): DeliveryState.PARKED,
    (DeliveryState.PUBLISHING, DeliveryEvent.PUBLISH_BEGUN): DeliveryState.PUBLISHING,
    (DeliveryState.PUBLISHING, DeliveryEvent.MADE_PUBLIC): DeliveryState.PUBLISHED,
    (DeliveryState.PUBLISHING, DeliveryEvent.FOUND_IN_TRASH): DeliveryState.WITHDRAWN,
    (DeliveryState.PUBLISHING, DeliveryEvent.FOUND_DELETED): DeliveryState.WITHDRAWN,
    (DeliveryState.PUBLISHING, DeliveryEvent.TURNED_DOWN): DeliveryState.REFUSED,
    (DeliveryState.PUBLISHING, DeliveryEvent.GIVEN_UP): DeliveryState.PARKED,
    (DeliveryState.PUBLISHED, DeliveryEvent.UNPUBLISHED): DeliveryState.WITHDRAWN,
    (DeliveryState.REFUSED, DeliveryEvent.RETRIED): DeliveryState.RECEIVED,
    (DeliveryState.PARKED, DeliveryEvent.RETRIED): DeliveryState.RECEIVED,
    (DeliveryState.WITHDRAWN, DeliveryEvent.RETRIED): DeliveryState.RECEIVED,
}
ITEM_TABLE = {
    (ItemState.OPEN, ItemEvent.CONFIRM_BEGUN): ItemState.CONFIRMING,
    (ItemState.OPEN, ItemEvent.REJECT_BEGUN): ItemState.REJECTING,
    (ItemState.CONFIRMING, ItemEvent.CONFIRM_BEGUN): ItemState.CONFIRMING,
    (ItemState.CONFIRMING, ItemEvent.CONFIRM_ACCEPTED): ItemState.CONFIRMED,
    (ItemState.CONFIRMING, ItemEvent.ANSWER_REFUSED): ItemState.CONFLICT,
    (ItemState.REJECTING, ItemEvent.REJECT_BEGUN): ItemState.REJECTING,
    (ItemState.REJECTING, ItemEvent.REJECT_ACCEPTED): ItemState.REJECTED,
    (ItemState.REJECTING, ItemEvent.ANSWER_REFUSED): ItemState.CONFLICT,
    (ItemState.CONFIRMED, ItemEvent.HANDED_OUT_AGAIN): ItemState.OPEN,
    (ItemState.REJECTED, ItemEvent.HANDED_OUT_AGAIN): ItemState.OPEN,
    (ItemState.CONFLICT, ItemEvent.HANDED_OUT_AGAIN): ItemState.OPEN,
    (ItemState.FORGOTTEN, ItemEvent.HANDED_OUT_AGAIN): ItemState.OPEN,
    (ItemState.OPEN, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.CONFIRMING, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.CONFIRMED, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.REJECTING, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.REJECTED, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.CONFLICT, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.FORGOTTEN, ItemEvent.RETRIED): ItemState.OPEN,
    (ItemState.OPEN, ItemEvent.FORGOTTEN): ItemState.FORGOTTEN,
    (ItemState.CONFIRMING, ItemEvent.FORGOTTEN): ItemState.FORGOTTEN,
    (ItemState.REJECTING, ItemEvent.FORGOTTEN): ItemState.FORGOTTEN,
}


@pytest.mark.parametrize("state", DeliveryState)
@pytest.mark.parametrize("event", DeliveryEvent)
def test_every_event_in_every_delivery_state(state: DeliveryState, event: DeliveryEvent) -> None:
    """its states per target (received, drafted, published, confirmed, refused, …)"""
    if (state, event) in DELIVERY_TABLE:
        assert move_delivery(state, event) is DELIVERY_TABLE[state, event]
    else:
        with pytest.raises(IllegalTransition):
            move_delivery(state, event)


@pytest.mark.parametrize("state", ItemState)
@pytest.mark.parametrize("event", ItemEvent)
def test_every_event_in_every_item_state(state: ItemState, event: ItemEvent) -> None:
    """confirm follows publish on all targets"""
    if (state, event) in ITEM_TABLE:
        assert move_item(state, event) is ITEM_TABLE[state, event]
    else:
        with pytest.raises(IllegalTransition):
            move_item(state, event)


def test_what_is_on_a_site_never_moves_and_everything_else_can_settle() -> None:
    """exactly one published post: no event but its owner's leads away from published, and what its
    owner took away comes back by the owner's hand alone"""
    away = [key for key in DELIVERY_TABLE if key[0] is DeliveryState.PUBLISHED]
    assert away == [(DeliveryState.PUBLISHED, DeliveryEvent.UNPUBLISHED)]
    by_hand = {
        event for state, event in DELIVERY_TABLE if state in SETTLED - {DeliveryState.PUBLISHED}
    }
    assert by_hand == {DeliveryEvent.RETRIED}
    reachable = set(SETTLED)
    for _ in DeliveryState:
        reachable |= {start for (start, _), end in DELIVERY_TABLE.items() if end in reachable}
    assert reachable == set(DeliveryState)
    assert {end for (start, _), end in ITEM_TABLE.items() if start in ENDED} == {ItemState.OPEN}


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


@pytest.mark.parametrize("in_a_row", [1, 2, 9])
@pytest.mark.parametrize("accepted", [True, False])
@pytest.mark.parametrize("refused_before", [True, False])
@pytest.mark.parametrize("held", Held)
def test_whose_fault_a_refusal_is(
    held: Held, refused_before: bool, accepted: bool, in_a_row: int
) -> None:
    """the post's own fault only if (a) the site's own software said it and (b) the target accepts
    another post; two refusals with no acceptance between them are the site's fault"""
    ruled = ruling(held, refused_before=refused_before, accepted=accepted, in_a_row=in_a_row)
    if held is Held.REFUSED and refused_before and accepted:
        assert ruled is Ruling.FINAL
    else:
        assert ruled is (Ruling.STOP if in_a_row >= 2 else Ruling.HOLD)


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
