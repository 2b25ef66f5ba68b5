"""A post that its target never accepts, and what the owner does about it by hand."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from copydesk_connectors import by_hand, config, ledger
from copydesk_connectors.courier import Courier, Outcome
from copydesk_connectors.errors import DraftGone, Misconfigured, Unavailable
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Entry, Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.states import TRIES, Delivery, Item

from .feed_server import FakeFeed
from .items import make_item
from .notebook import Notebook


class Days:
    """Passes over one feed, with the ledger's clock in hand."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loaded = config.load(file)
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        monkeypatch.setattr(ledger, "_now", lambda: self.now.isoformat(timespec="milliseconds"))

    def once(self, *targets: Notebook, hours: float = 0) -> Outcome:
        """One pass, some hours after the one before."""
        self.now += timedelta(hours=hours)
        with Ledger.open(self.loaded.ledger) as opened:
            return Courier(FeedClient(self.loaded.feed), opened, targets).once()

    def entry(self, item_id: str) -> Entry:
        with Ledger.read(self.loaded.ledger) as opened:
            return opened.entry(item_id)

    def retry(self, item_id: str | None = None) -> None:
        with Ledger.open(self.loaded.ledger) as opened:
            by_hand.retry(opened, by_hand.to_retry(opened, item_id))


@pytest.fixture
def days(write_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Days:
    return Days(write_config('[[target]]\ntype = "html"\npath = "public"\n'), monkeypatch)


def never(*ids: str) -> Callable[[Post], Exception | None]:
    """Fails for these posts."""
    return lambda post: Unavailable("it answered 500") if post.id in ids else None


def test_it_is_set_aside_after_days_and_no_longer_holds_up_the_others(
    days: Days, feed: FakeFeed
) -> None:
    """publishing is retried from the ledger for days … no longer blocks others"""
    feed.add(make_item("itm_1"))
    feed.add(make_item("itm_2", slug="second"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    for _ in range(TRIES):
        outcome = days.once(notebook, hours=4.5)
        assert outcome.unfinished
        assert feed.states() == {"itm_1": "reserved", "itm_2": "pending"}
    outcome = days.once(notebook, hours=6)  # 24 hours after the first try
    assert outcome.problems[1:] == [
        "itm_1 on notebook was set aside after 6 tries in 24 hours: it answered 500. "
        "When that is mended: copydesk-connect retry itm_1",
        "itm_1 was rejected: set aside after 6 tries in 24 hours: it answered 500",
    ]
    assert (outcome.confirmed, outcome.unfinished) == (1, True)
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}
    assert [item.sends for item in feed.items] == [1, 1]
    entry = days.entry("itm_1")
    assert (entry.state, entry.deliveries[0].state) == (Item.REJECTED, Delivery.SET_ASIDE)
    # Said once, and not in every pass.
    assert days.once(notebook, hours=1).problems == []


def test_what_is_on_another_target_counts_as_published(days: Days, feed: FakeFeed) -> None:
    """the feed is told in the way that loses nothing"""
    feed.add(make_item("itm_1"))
    bad, good = Notebook("bad"), Notebook("good")
    bad.fault = never("itm_1")
    for _ in range(TRIES):
        outcome = days.once(bad, good, hours=6)
    assert outcome.confirmed == 1
    assert feed.states() == {"itm_1": "used"}
    bad.fault = never()
    days.retry("itm_1")
    outcome = days.once(bad, good)
    assert (outcome.confirmed, outcome.problems) == (1, [])
    assert list(bad.posts) == ["itm_1"]
    assert [step for step, _ in good.calls] == ["find", "draft", "publish"]


def test_a_target_that_is_down_uses_up_no_post(days: Days, feed: FakeFeed) -> None:
    """a WordPress that is down: nothing lost"""
    feed.add(make_item("itm_1"))
    notebook = Notebook()
    days.once(notebook)  # nothing wrong so far; now it breaks in the middle
    feed.add(make_item("itm_2"))
    notebook.fault = never("itm_2")

    def breaks(post: Post) -> Exception:
        notebook.down = Misconfigured("wrong password", "set the right one")
        return Unavailable("it answered 500")

    notebook.fault = breaks
    for _ in range(3 * TRIES):
        notebook.down = None
        assert days.once(notebook, hours=24).unfinished
    assert feed.states()["itm_2"] == "reserved"
    (delivery,) = days.entry("itm_2").deliveries
    assert (delivery.failures, delivery.failing_since) == (0, "")
    assert delivery.reason == "it answered 500"


def test_a_site_that_takes_no_post_at_all_uses_up_few(days: Days, feed: FakeFeed) -> None:
    """nothing lost: each post that is set aside doubles the patience for the next"""
    for number in range(9):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    notebook = Notebook()
    notebook.fault = lambda post: Unavailable("it answered 500")
    for _ in range(7 * 24):
        days.once(notebook, hours=1)
    assert list(feed.states().values()).count("rejected") == 2  # after 1 day, and 2 days more
    notebook.fault = never()
    days.once(notebook)
    assert len(notebook.posts) == 7
    days.retry()
    days.once(notebook)
    assert len(notebook.posts) == 9


def test_a_retried_post_is_published_and_the_feed_keeps_its_answer(
    days: Days, feed: FakeFeed, caplog: pytest.LogCaptureFixture
) -> None:
    """retry brings what is set aside or refused back into the queue"""
    feed.add(make_item("itm_1"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    for _ in range(TRIES):
        days.once(notebook, hours=6)
    assert feed.states() == {"itm_1": "rejected"}
    days.retry()
    entry = days.entry("itm_1")
    assert (entry.state, entry.deliveries[0].failures) == (Item.OPEN, 0)
    notebook.fault = never()
    caplog.set_level("INFO", "copydesk_connectors")
    outcome = days.once(notebook)
    assert (outcome.problems, outcome.unfinished) == ([], False)
    assert list(notebook.posts) == ["itm_1"]
    assert feed.states() == {"itm_1": "rejected"}
    assert "the feed goes on counting it as rejected" in caplog.text


def test_a_fault_of_the_targets_code_fails_one_post_only(days: Days, feed: FakeFeed) -> None:
    """no longer blocks others"""
    feed.add(make_item("itm_1"))
    notebook, other = Notebook(), Notebook("other")
    notebook.fault = lambda post: KeyError("id")
    outcome = days.once(notebook, other)
    assert outcome.problems == [
        "itm_1 is not yet on notebook: internal error (KeyError); please report it"
    ]
    assert list(other.posts) == ["itm_1"]


def test_a_draft_that_always_disappears_ends_the_pass(days: Days, feed: FakeFeed) -> None:
    """publishing is retried from the ledger, and not in a tight loop"""
    feed.add(make_item("itm_1"))
    notebook = Notebook()
    notebook.fault = lambda post: DraftGone("gone")
    outcome = days.once(notebook)
    assert outcome.problems == [
        "itm_1 is not yet on notebook: its draft disappears each time that it is made"
    ]
    assert len(notebook.calls) == 6


def test_what_is_forgotten_is_answered_and_not_published(days: Days, feed: FakeFeed) -> None:
    """forget ends an item in the ledger"""
    item = feed.add(make_item("itm_1"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    days.once(notebook)
    with Ledger.open(days.loaded.ledger) as opened:
        by_hand.forget(opened, opened.entry("itm_1"))
    notebook.fault = never()
    outcome = days.once(notebook, Notebook("added since"))
    assert item.sends == 2  # it was still reserved, and is handed out again
    assert outcome.problems == ["itm_1 was rejected: given up by hand"]
    assert (feed.states(), notebook.posts) == ({"itm_1": "rejected"}, {})
