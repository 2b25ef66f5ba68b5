"""A feed URL that is replaced can work for some time as well: sites change without downtime."""

from datetime import timedelta

from app.services import accounts, removal, retention
from app.services import feed as service
from app.store import database, models
from tests.support.integration import Feed

DAY = timedelta(days=1)


def works(feed: Feed, token: str) -> bool:
    try:
        service.require_feed(feed.context, token)
    except service.UnknownToken:
        return False
    return True


def test_an_old_feed_url_works_as_long_as_it_is_kept(feed: Feed) -> None:
    """feed secrets rotated without downtime"""
    (item,) = feed.add_items("Coffee")
    first = feed.token
    second = accounts.rotate_token(feed.context, feed.token_id, keep=DAY).secret
    assert (works(feed, first), works(feed, second)) == (True, True)
    pulled = service.pull_latest(feed.context, first, next_item=False)
    assert pulled
    assert pulled.id == item
    feed.clock.move(DAY - timedelta(seconds=1))
    assert works(feed, first)
    feed.clock.move(timedelta(seconds=1))
    assert (works(feed, first), works(feed, second)) == (False, True)
    assert service.confirm(feed.context, second, item) == "used"


def test_one_that_leaked_ends_those_before_it_too(feed: Feed) -> None:
    first = feed.token
    second = accounts.rotate_token(feed.context, feed.token_id, keep=DAY).secret
    third = accounts.rotate_token(feed.context, feed.token_id).secret
    assert [works(feed, token) for token in (first, second, third)] == [False, False, True]


def test_old_feed_urls_are_deleted_with_their_feed_and_when_they_end(feed: Feed) -> None:
    accounts.rotate_token(feed.context, feed.token_id, keep=DAY)
    assert "feed URLs" not in retention.delete_old(feed.context, pause=lambda _: False)
    feed.clock.move(2 * DAY)
    assert retention.delete_old(feed.context, pause=lambda _: False)["feed URLs"] == 1
    accounts.rotate_token(feed.context, feed.token_id, keep=DAY)
    for rule_id in feed.rules.values():
        removal.delete_rule(rule_id, discard=True)
    removal.delete_feed(feed.token_id)
    with database.reading() as session:
        assert session.query(models.OldFeedUrl).count() == 0
