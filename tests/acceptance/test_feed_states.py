"""The table of a feed item, row by row, over real HTTP; every second test by the SDK's Feed."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from copydesk import ConflictError
from tests.conformance.interface import clause
from tests.support.feeds import RunningFeed
from tests.support.response_schemas import error_of

Pull = Callable[[RunningFeed], list[tuple[str, int]]]


def latest(feed: RunningFeed) -> list[tuple[str, int]]:
    body = feed.latest()
    return [sent(body["item"])] if body["available"] else []


def items(feed: RunningFeed) -> list[tuple[str, int]]:
    return [sent(item) for item in feed.items()["items"]]


def sent(item: dict[str, Any]) -> tuple[str, int]:
    """Which item it is, and how often it was sent."""
    return item["id"], item["deliveryCount"]


@pytest.mark.parametrize("pull", [latest, items])
@clause("| pending | pull (latest or items) | item claimed | reserved | deliveryCount is 1 |")
@clause(
    "| reserved | pull again | fewer than 3 sends so far | reserved |",
    "same item resent;",
    "deliveryCount increments",
)
@clause("Repeated calls resend the same reserved item")
@clause("auto-abandoned after 3 sends.")
@clause(
    "| deliveryCount | integer | Number of times this exact item has been handed out so far,"
    " including the current call; resets to 1 when a new item is claimed; reaches 3 just before"
    " auto-abandon."
)
@clause(
    "| reserved | pull | already sent 3 times without confirm or reject | abandoned |"
    " next pull gives up on it and returns a new item"
)
@clause("an item is auto-abandoned after 3 sends without confirm or reject.")
@clause("Stored status name for an auto-abandoned item: not shown.")
def test_an_item_is_sent_three_times_and_then_given_up(feed: RunningFeed, pull: Pull) -> None:
    rule = feed.add_rule()
    (item,) = feed.add_items(rule)
    assert feed.states() == [("pending", 0)]
    for sends in (1, 2, 3):
        assert pull(feed) == [(item, sends)]
        assert feed.states() == [("reserved", sends)]
    # Sent a third time it can still be confirmed: it is the next pull that gives it up.
    (fresh,) = feed.add_items(rule)
    assert pull(feed) == [(fresh, 1)]
    assert feed.states() == [("abandoned", 3), ("reserved", 1)]


@clause(
    "| reserved | confirm | item is the active reserved one | used | 200, status used; permanent"
)
@clause("| used | confirm | repeated | used | 200 (idempotent) |")
@clause("repeated confirm")
@clause("until confirmed, rejected,")
@clause("200: {ok: true, item: {id, status: used}}. Repeat on an already-confirmed item: 200.")
def test_a_confirmed_item_is_used_for_good(feed: RunningFeed) -> None:
    (item,) = feed.add_items(feed.add_rule())
    with feed.sdk() as sdk:
        assert [pulled.id for pulled in sdk.items()] == [item]
        for _ in range(3):
            done = sdk.confirm(item)
            assert (done.id, done.status) == (item, "used")
        assert sdk.items() == []
        assert sdk.latest(next=True) is None
    assert feed.confirm(item).json() == {"ok": True, "item": {"id": item, "status": "used"}}
    assert feed.states() == [("used", 1)]


@clause("reject in the same target state is 200.")
@clause(
    "| reserved | reject | item is the active reserved one | rejected | 200, status"
    " rejected; no replacement fetched"
)
@clause("| rejected | reject | repeated | rejected | 200 (idempotent) |")
@clause("Does not fetch a replacement; the next pull claims a fresh item.")
@clause("until confirmed, rejected,")
@clause("200: {ok: true, item: {id, status: rejected}}. Repeat on a rejected item: 200.")
def test_a_rejected_item_is_not_replaced_until_the_next_pull(feed: RunningFeed) -> None:
    item, fresh = feed.add_items(feed.add_rule(), 2)
    assert latest(feed) == [(item, 1)]
    for _ in range(2):
        answer = feed.reject(item)
        assert answer.status_code == 200
        assert answer.json() == {"ok": True, "item": {"id": item, "status": "rejected"}}
        assert feed.states() == [("rejected", 1), ("pending", 0)]
    assert latest(feed) == [(fresh, 1)]


@clause(
    "Query: next (boolean; true means reject the currently reserved item and claim the next in one"
    " atomic call"
)
@clause(
    "| reserved | pull with next=true | | rejected (current item) | next item claimed in the same"
    " call |"
)
def test_next_rejects_the_reserved_item_and_claims_the_next(feed: RunningFeed) -> None:
    item, fresh = feed.add_items(feed.add_rule(), 2)
    with feed.sdk() as sdk:
        first = sdk.latest()
        second = sdk.latest(next=True)
        assert feed.latest(next="false")["item"]["id"] == fresh
        error = error_of(feed.call("GET", "latest?next=maybe"), 400, "VALIDATION_ERROR")
        assert error["details"] == {"field": "next"}
        assert first is not None
        assert second is not None
        assert (first.id, first.delivery_count) == (item, 1)
        assert (second.id, second.delivery_count) == (fresh, 1)
        # It is rejected as by a call of its own.
        assert sdk.reject(item).status == "rejected"
        with pytest.raises(ConflictError):
            sdk.confirm(item)
    assert feed.states() == [("rejected", 1), ("reserved", 2)]


@clause("confirm or reject on an item in the wrong state is 409;")
@clause("Item no longer the active reserved one: 409.")
@clause("| any non-active (superseded, abandoned, never reserved) | confirm | | unchanged | 409 |")
def test_only_the_reserved_item_can_be_confirmed(feed: RunningFeed) -> None:
    superseded, abandoned, waiting = feed.add_items(feed.add_rule(), 3)
    latest(feed)
    feed.latest(next="true")
    for _ in range(3):
        latest(feed)
    feed.reject(waiting)
    (never,) = feed.add_items(feed.add_rule("Tea"))
    before = feed.states()
    assert [state for state, _ in before] == ["rejected", "abandoned", "rejected", "pending"]
    for item in (superseded, abandoned, waiting, never):
        answer = feed.confirm(item)
        assert answer.status_code == 409
        assert answer.json()["error"]["code"] == "CONFLICT"
        assert answer.json()["error"]["message"]
    assert feed.states() == before


@clause("| used | reject | | used | 409 |")
@clause("| never reserved | reject | | unchanged | 409 |")
@clause("confirm or reject on an item in the wrong state is 409;")
@clause("Item already confirmed used, or never reserved: 409.")
def test_only_a_reserved_item_can_be_rejected(feed: RunningFeed) -> None:
    used, abandoned, reserved, never = feed.add_items(feed.add_rule(), 4)
    latest(feed)
    feed.confirm(used)
    for _ in range(4):
        latest(feed)
    before = feed.states()
    assert [state for state, _ in before] == ["used", "abandoned", "reserved", "pending"]
    with feed.sdk() as sdk:
        for item in (used, abandoned, never):
            with pytest.raises(ConflictError) as refused:
                sdk.reject(item)
            assert (refused.value.status, refused.value.code) == (409, "CONFLICT")
        assert feed.states() == before
        assert sdk.reject(reserved).status == "rejected"


@clause(
    "Every transition is atomic:",
    "concurrent or retried calls on one token cannot claim different unused items,",
)
def test_pulls_at_once_happen_one_after_the_other(feed: RunningFeed) -> None:
    made = feed.add_items(feed.add_rule(), 4)
    with ThreadPoolExecutor(9) as pool:
        pulled = [call.result() for call in [pool.submit(latest, feed) for _ in range(9)]]
    # Nine calls, one after the other, send three items three times each, and never touch a fourth.
    expected = [(item, sends) for item in made[:3] for sends in (1, 2, 3)]
    assert sorted(item for call in pulled for item in call) == sorted(expected)
    assert feed.states() == [("abandoned", 3), ("abandoned", 3), ("reserved", 3), ("pending", 0)]


@clause("Every transition is atomic:")
@clause("nor double-confirm or double-reject.")
def test_a_confirm_and_a_reject_at_once_cannot_both_succeed(feed: RunningFeed) -> None:
    rule = feed.add_rule()
    for _ in range(6):
        (item,) = feed.add_items(rule)
        assert latest(feed) == [(item, 1)]
        with ThreadPoolExecutor(6) as pool:
            calls = [
                (verb, pool.submit(change, item))
                for verb, change in [("used", feed.confirm), ("rejected", feed.reject)] * 3
            ]
            answers = Counter((verb, call.result().status_code) for verb, call in calls)
        state, _ = feed.states()[-1]
        other = "rejected" if state == "used" else "used"
        assert answers == {(state, 200): 3, (other, 409): 3}


@clause(
    "The items list endpoint applies the same lifecycle per article; both pull modes share state."
)
@clause("the 3-sends auto-drop applies per item.")
def test_both_pulls_count_the_same_sends(feed: RunningFeed) -> None:
    first, second = feed.add_items(feed.add_rule(), 2)
    with feed.sdk() as sdk:
        counts = [(item.id, item.delivery_count) for item in sdk.items()]
        assert counts == [(first, 1), (second, 1)]
        again = sdk.latest()
        assert again is not None
        assert (again.id, again.delivery_count) == (first, 2)
        counts = [(item.id, item.delivery_count) for item in sdk.items()]
        assert counts == [(first, 3), (second, 2)]
        # The first has been sent three times, the second has not.
        counts = [(item.id, item.delivery_count) for item in sdk.items()]
        assert counts == [(second, 3)]
        with pytest.raises(ConflictError):
            sdk.confirm(first)
        assert sdk.confirm(second).status == "used"
    assert feed.states() == [("abandoned", 3), ("used", 3)]
