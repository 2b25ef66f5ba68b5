"""The SDK's consumer and the running service."""

import pytest

from copydesk import FeedItem, PublishError, Reject
from tests.support.feeds import new_feed
from tests.support.service import CopydeskService


def test_a_consumer_publishes_each_item_once(service: CopydeskService) -> None:
    """The consumer pulls an item, publishes it, then confirms or rejects it."""
    feed = new_feed(service)
    published, rejected, failing, last = feed.add_items(feed.add_rule(), 4)
    site: list[str] = []

    def publish(item: FeedItem) -> None:
        if item.id == rejected:
            raise Reject("not for this site")
        if item.id == failing:
            raise OSError("the site is down")
        site.append(item.id)

    with feed.sdk() as sdk:
        for _ in range(3):
            with pytest.raises(PublishError, match="the site is down"):
                sdk.consume(publish, find=lambda item: item.id in site)
        (done,) = sdk.consume(publish, find=lambda item: item.id in site)
        assert done.status == "published"
    assert site == [published, last]
    assert feed.states() == [("used", 1), ("rejected", 1), ("abandoned", 3), ("used", 1)]
