"""The state machine, searched completely."""

from datetime import timedelta
from itertools import combinations_with_replacement

import pytest

from copydesk_connectors.states import (
    ENDED,
    NOT_PUT,
    SETTLED,
    Delivery,
    DeliveryEvent,
    IllegalTransition,
    Item,
    ItemEvent,
    Verdict,
    is_hopeless,
    move_delivery,
    move_item,
    verdict,
)

# The whole machine, written down a second time. Whatever is not here must be refused.
DELIVERY_TABLE = {
    (Delivery.RECEIVED, DeliveryEvent.DRAFT_BEGUN): Delivery.DRAFTING,
    (Delivery.RECEIVED, DeliveryEvent.DRAFT_MADE): Delivery.DRAFTED,
    (Delivery.RECEIVED, DeliveryEvent.PUT_UP): Delivery.PUBLISHED,
    (Delivery.RECEIVED, DeliveryEvent.FOUND_IN_TRASH): Delivery.WITHDRAWN,
    (Delivery.RECEIVED, DeliveryEvent.TURNED_DOWN): Delivery.REFUSED,
    (Delivery.RECEIVED, DeliveryEvent.GIVEN_UP): Delivery.SET_ASIDE,
    (Delivery.DRAFTING, DeliveryEvent.DRAFT_BEGUN): Delivery.DRAFTING,
    (Delivery.DRAFTING, DeliveryEvent.DRAFT_MADE): Delivery.DRAFTED,
    (Delivery.DRAFTING, DeliveryEvent.PUT_UP): Delivery.PUBLISHED,
    (Delivery.DRAFTING, DeliveryEvent.FOUND_IN_TRASH): Delivery.WITHDRAWN,
    (Delivery.DRAFTING, DeliveryEvent.TURNED_DOWN): Delivery.REFUSED,
    (Delivery.DRAFTING, DeliveryEvent.GIVEN_UP): Delivery.SET_ASIDE,
    (Delivery.DRAFTED, DeliveryEvent.PUBLISH_BEGUN): Delivery.PUBLISHING,
    (Delivery.DRAFTED, DeliveryEvent.TURNED_DOWN): Delivery.REFUSED,
    (Delivery.DRAFTED, DeliveryEvent.GIVEN_UP): Delivery.SET_ASIDE,
    (Delivery.PUBLISHING, DeliveryEvent.PUBLISH_BEGUN): Delivery.PUBLISHING,
    (Delivery.PUBLISHING, DeliveryEvent.MADE_PUBLIC): Delivery.PUBLISHED,
    (Delivery.PUBLISHING, DeliveryEvent.FOUND_IN_TRASH): Delivery.WITHDRAWN,
    (Delivery.PUBLISHING, DeliveryEvent.DRAFT_LOST): Delivery.RECEIVED,
    (Delivery.PUBLISHING, DeliveryEvent.TURNED_DOWN): Delivery.REFUSED,
    (Delivery.PUBLISHING, DeliveryEvent.GIVEN_UP): Delivery.SET_ASIDE,
    (Delivery.REFUSED, DeliveryEvent.RETRIED): Delivery.RECEIVED,
    (Delivery.SET_ASIDE, DeliveryEvent.RETRIED): Delivery.RECEIVED,
}
ITEM_TABLE = {
    (Item.OPEN, ItemEvent.CONFIRM_BEGUN): Item.CONFIRMING,
    (Item.OPEN, ItemEvent.REJECT_BEGUN): Item.REJECTING,
    (Item.CONFIRMING, ItemEvent.CONFIRM_BEGUN): Item.CONFIRMING,
    (Item.CONFIRMING, ItemEvent.CONFIRM_ACCEPTED): Item.CONFIRMED,
    (Item.CONFIRMING, ItemEvent.ANSWER_REFUSED): Item.CONFLICT,
    (Item.REJECTING, ItemEvent.REJECT_BEGUN): Item.REJECTING,
    (Item.REJECTING, ItemEvent.REJECT_ACCEPTED): Item.REJECTED,
    (Item.REJECTING, ItemEvent.ANSWER_REFUSED): Item.CONFLICT,
    (Item.CONFIRMED, ItemEvent.HANDED_OUT_AGAIN): Item.OPEN,
    (Item.REJECTED, ItemEvent.HANDED_OUT_AGAIN): Item.OPEN,
    (Item.CONFLICT, ItemEvent.HANDED_OUT_AGAIN): Item.OPEN,
    (Item.FORGOTTEN, ItemEvent.HANDED_OUT_AGAIN): Item.OPEN,
    (Item.OPEN, ItemEvent.RETRIED): Item.OPEN,
    (Item.CONFIRMING, ItemEvent.RETRIED): Item.OPEN,
    (Item.CONFIRMED, ItemEvent.RETRIED): Item.OPEN,
    (Item.REJECTING, ItemEvent.RETRIED): Item.OPEN,
    (Item.REJECTED, ItemEvent.RETRIED): Item.OPEN,
    (Item.CONFLICT, ItemEvent.RETRIED): Item.OPEN,
    (Item.FORGOTTEN, ItemEvent.RETRIED): Item.OPEN,
    (Item.OPEN, ItemEvent.FORGOTTEN): Item.FORGOTTEN,
    (Item.CONFIRMING, ItemEvent.FORGOTTEN): Item.FORGOTTEN,
    (Item.REJECTING, ItemEvent.FORGOTTEN): Item.FORGOTTEN,
}


@pytest.mark.parametrize("state", Delivery)
@pytest.mark.parametrize("event", DeliveryEvent)
def test_every_event_in_every_delivery_state(state: Delivery, event: DeliveryEvent) -> None:
    """its states per target (received, drafted, published, confirmed, refused, …)"""
    if (state, event) in DELIVERY_TABLE:
        assert move_delivery(state, event) is DELIVERY_TABLE[state, event]
    else:
        with pytest.raises(IllegalTransition):
            move_delivery(state, event)


@pytest.mark.parametrize("state", Item)
@pytest.mark.parametrize("event", ItemEvent)
def test_every_event_in_every_item_state(state: Item, event: ItemEvent) -> None:
    """confirm follows publish on all targets"""
    if (state, event) in ITEM_TABLE:
        assert move_item(state, event) is ITEM_TABLE[state, event]
    else:
        with pytest.raises(IllegalTransition):
            move_item(state, event)


def test_what_is_on_a_site_never_moves_and_everything_else_can_settle() -> None:
    """exactly one published post: no event leads back from published"""
    for settled in SETTLED - NOT_PUT:
        assert not [key for key in DELIVERY_TABLE if key[0] is settled]
    by_hand = {event for state, event in DELIVERY_TABLE if state in NOT_PUT}
    assert by_hand == {DeliveryEvent.RETRIED}
    reachable = set(SETTLED)
    for _ in Delivery:
        reachable |= {start for (start, _), end in DELIVERY_TABLE.items() if end in reachable}
    assert reachable == set(Delivery)
    assert {end for (start, _), end in ITEM_TABLE.items() if start in ENDED} == {Item.OPEN}


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
def test_when_a_post_is_set_aside(tries: int, hours: float, in_a_row: int, hopeless: bool) -> None:
    """retried from the ledger for days; a site that takes no post at all uses up few of them"""
    assert is_hopeless(tries, timedelta(hours=hours), in_a_row) is hopeless


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_verdict_on_every_combination_of_targets(count: int) -> None:
    """confirm follows publish on all targets … permanent refusals reject the item"""
    for states in combinations_with_replacement(Delivery, count):
        on_a_site = {Delivery.PUBLISHED, Delivery.WITHDRAWN} & set(states)
        if set(states) - SETTLED:
            expected = Verdict.WAIT
        elif on_a_site:
            expected = Verdict.CONFIRM
        else:
            expected = Verdict.REJECT
        assert verdict(states) is expected, states


def test_an_item_without_targets_is_neither_confirmed_nor_rejected() -> None:
    """Nothing was published and nothing refused."""
    assert verdict([]) is Verdict.WAIT
