"""Posts that a person reviews before a site gets them, with the commands and a running service."""

import pytest

from tests.support.feeds import RunningFeed
from tests.support.service import CopydeskService

OFFER = "https://shop.example/kettle"
ADDRESS = "https://blog.example/kettles"


@pytest.fixture
def feed(service: CopydeskService) -> RunningFeed:
    """A feed whose rule has written one post, which is held."""
    account = service.cli("account", "create", "A customer")["accountId"]
    made = service.cli("feed", "create", account, "A blog", "--review", "hold")
    feed = RunningFeed(service, account, made["feedId"], made["pullUrl"].split("/")[-2])
    words = ("--keyword", "coffee notes", "--every", "30d", "--offer", f"Kettle={OFFER}")
    service.cli("rule", "create", feed.token_id, "A rule", *words)
    feed.wait_for_item()
    return feed


def held(feed: RunningFeed) -> list[str]:
    listed = feed.service.cli("item", "list", feed.token_id, "--status", "held")
    return [row["itemId"] for row in listed]


def test_a_held_item_is_not_pulled_until_it_is_approved(feed: RunningFeed) -> None:
    """“A held item is not pulled”, “reaches the site exactly once with its offers”"""
    (item,) = held(feed)
    assert feed.latest() == feed.latest(next="true") == {"available": False}
    assert feed.items()["count"] == 0
    assert feed.confirm(item).status_code == feed.reject(item).status_code == 409
    assert feed.states() == [("held", 0)]
    feed.service.cli("item", "approve", item)
    pulled = feed.latest()["item"]
    assert (pulled["id"], pulled["deliveryCount"]) == (item, 1)
    assert pulled["rendered"]["html"].count(f'href="{OFFER}"') == 1
    confirmed = feed.call("POST", f"items/{item}/confirm", json={"url": ADDRESS})
    assert confirmed.json() == {"ok": True, "item": {"id": item, "status": "used"}}
    assert feed.latest() == {"available": False}
    assert feed.states() == [("used", 1)]
