"""The tests' own feed keeps to the state table, so that what it proves about the loop holds."""

import requests

from .feed_server import FakeFeed
from .items import make_item


def _confirm(feed: FakeFeed, item_id: str, verb: str = "confirm") -> int:
    url = feed.url.replace("/latest", f"/items/{item_id}/{verb}")
    return requests.post(url, timeout=5).status_code


def test_a_reserved_item_is_sent_three_times_and_then_given_up(feed: FakeFeed) -> None:
    """reserved | pull | already sent 3 times without confirm or reject | abandoned"""
    feed.add(make_item("itm_1"))
    feed.add(make_item("itm_2"))
    pulls = [requests.get(feed.url, timeout=5).json()["item"] for _ in range(4)]
    assert [(item["id"], item["deliveryCount"]) for item in pulls] == [
        ("itm_1", 1),
        ("itm_1", 2),
        ("itm_1", 3),
        ("itm_2", 1),
    ]
    assert feed.states() == {"itm_1": "abandoned", "itm_2": "reserved"}
    assert _confirm(feed, "itm_1") == 409
    assert _confirm(feed, "itm_2") == _confirm(feed, "itm_2") == 200
    assert _confirm(feed, "itm_2", "reject") == 409
    assert requests.get(feed.url, timeout=5).json() == {"available": False}


def test_a_head_request_claims_nothing(feed: FakeFeed) -> None:
    """HEAD, OPTIONS on a pull | never claims"""
    feed.add(make_item())
    assert requests.head(feed.url, timeout=5).status_code == 200
    assert feed.states() == {"itm_1": "pending"}
