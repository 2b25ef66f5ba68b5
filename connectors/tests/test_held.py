"""Posts that a target does not accept: whose fault that is, and when they are given up."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from copydesk_connectors.cli import reports
from copydesk_connectors.engine import item_actions
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import TRIES, DeliveryState, ItemState
from copydesk_connectors.target.errors import DraftGone, Misconfigured, Refused, Unavailable
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import make_item
from .notebook import BusyNotebook, Notebook
from .passes import Passes, add


def refuses(*ids: str) -> Callable[[Post], Exception | None]:
    """Refuses these posts, and all where none is named."""
    return lambda post: Refused("too long") if post.id in ids or not ids else None


def blocks(*ids: str) -> Callable[[Post], Exception | None]:
    """A firewall in front of the site does not let these posts through, or none."""
    return lambda post: (
        Misconfigured("a web page answered 403", "let it through")
        if post.id in ids or not ids
        else None
    )


@pytest.mark.parametrize("accepted", [(1, 3), (1,)], ids=["also after it", "only before it"])
def test_a_refusal_is_final_once_the_target_accepted_another_post(
    passes: Passes, feed: FakeFeed, accepted: tuple[int, ...]
) -> None:
    """A held verdict is released by the first acceptance, also one in the same pass"""
    add(feed, *sorted([2, *accepted]))
    notebook = Notebook()
    notebook.fault = refuses("itm_2")
    outcome = passes.once(notebook)
    used = {f"itm_{number}": "used" for number in accepted}
    assert feed.states() == {"itm_2": "rejected", **used}
    assert outcome.problems == [
        "notebook refused itm_2, which is held until it accepts another post: too long",
        "notebook refused itm_2: too long",
        "itm_2 was rejected: too long",
    ]


@pytest.mark.parametrize("fault", [refuses, blocks])
@pytest.mark.parametrize("parallel", [1, 4])
def test_two_refusals_in_a_row_are_the_sites_fault_and_reject_nothing(
    passes: Passes,
    feed: FakeFeed,
    parallel: int,
    fault: Callable[..., Callable[[Post], Exception | None]],
) -> None:
    """two refusals with no acceptance between them are the site's fault: stop, reject nothing"""
    add(feed, *range(9))
    notebook = BusyNotebook() if parallel > 1 else Notebook()
    notebook.fault = fault()
    passes.once(notebook, parallel=parallel)
    for _ in range(3 * 24):
        before = len(notebook.calls)
        outcome = passes.once(notebook, hours=1, parallel=parallel)
        assert any("the site is at fault" in problem for problem in outcome.problems)
        tried = {item for step, item in notebook.calls[before:] if step == "publish"}
        assert len(tried) <= 2 * parallel
    assert set(feed.states().values()) == {"reserved"}
    notebook.fault = lambda post: None
    outcome = passes.once(notebook)
    assert (outcome.confirmed, outcome.problems) == (9, [])
    assert max(item.sends for item in feed.items) == 2


def test_a_post_that_is_accepted_later_was_never_refused(passes: Passes, feed: FakeFeed) -> None:
    """nothing rejected at the feed that the site did not refuse itself"""
    add(feed, 1, 2, 3)
    notebook = Notebook()
    notebook.fault = refuses()
    passes.once(notebook)
    notebook.fault = refuses("itm_2")  # fixed, except for one post that the site does refuse
    passes.once(notebook)
    assert feed.states() == {"itm_1": "used", "itm_2": "rejected", "itm_3": "used"}


def test_what_is_held_is_seen_and_survives_a_restart(passes: Passes, feed: FakeFeed) -> None:
    """it is held (retried on later passes, its state and reason visible in status)"""
    add(feed, 1)
    notebook = Notebook()
    notebook.fault = refuses("itm_1")
    for _ in range(3):
        assert passes.once(notebook, hours=0.25).unfinished
        (delivery,) = passes.entry("itm_1").deliveries
        assert (delivery.held, delivery.reason) == ("refused", "too long")
    with Ledger.read(passes.loaded.ledger) as opened:
        assert "held too long" in " ".join(reports.ledger_table(opened.newest(1)).split())
    assert feed.states() == {"itm_1": "reserved"}
    assert feed.items[0].sends == 2
    add(feed, 2)
    outcome = passes.once(notebook, hours=1)
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}
    assert outcome.confirmed == 1
    assert passes.entry("itm_1").deliveries[0].held == ""


@pytest.mark.parametrize("ahead", [timedelta(), timedelta(days=3650)])
def test_one_that_stays_the_only_one_is_parked_with_its_text(
    passes: Passes, feed: FakeFeed, ahead: timedelta
) -> None:
    """an item that stays the only one must not be lost nor block, also if the clock was wrong"""
    add(feed, 1)
    notebook = Notebook()
    notebook.fault = refuses("itm_1")
    passes.now += ahead
    passes.once(notebook)
    passes.now -= ahead
    for _ in range(25):
        passes.once(notebook, hours=1)
    assert feed.states() == {"itm_1": "rejected"}
    assert feed.items[0].sends == 3
    entry = passes.entry("itm_1")
    assert (entry.state, entry.deliveries[0].state) == (ItemState.REJECTED, DeliveryState.PARKED)
    add(feed, 2)
    assert passes.once(notebook).confirmed == 1


def test_a_firewall_that_blocks_one_post_is_no_verdict_on_it(
    passes: Passes, feed: FakeFeed
) -> None:
    """a refusal counts as the post's own fault only if the site's own software said it"""
    add(feed, 1, 2)
    notebook = Notebook()
    notebook.fault = blocks("itm_1")
    passes.once(notebook)
    assert [item.sends for item in feed.items] == [1, 0]
    passes.once(notebook, hours=1)
    assert feed.states() == {"itm_1": "reserved", "itm_2": "used"}
    (delivery,) = passes.entry("itm_1").deliveries
    assert (delivery.state, delivery.held) == (DeliveryState.PUBLISHING, "blocked")


def never(*ids: str) -> Callable[[Post], Exception | None]:
    """Fails for these posts."""
    return lambda post: Unavailable("it answered 500") if post.id in ids else None


def test_it_is_parked_after_days_and_holds_up_the_others_only_at_first(
    passes: Passes, feed: FakeFeed
) -> None:
    """publishing is retried from the ledger for days … no longer blocks others"""
    feed.add(make_item("itm_1"))
    feed.add(make_item("itm_2", slug="second"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    for number in range(TRIES):
        outcome = passes.once(notebook, hours=4.5)
        assert outcome.unfinished
        other = "used" if number else "pending"  # it failed again: the others need not wait
        assert feed.states() == {"itm_1": "reserved", "itm_2": other}
    outcome = passes.once(notebook, hours=6)  # 24 hours after the first try
    assert outcome.problems[1:] == [
        "itm_1 on notebook was parked after 6 tries in 24 hours: it answered 500. "
        "When that is fixed: copydesk-connect retry itm_1",
        "itm_1 was rejected: parked after 6 tries in 24 hours: it answered 500",
    ]
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}
    entry = passes.entry("itm_1")
    assert (entry.state, entry.deliveries[0].state) == (ItemState.REJECTED, DeliveryState.PARKED)
    # Said once, and not in every pass.
    assert passes.once(notebook, hours=1).problems == []


def test_what_is_on_another_target_counts_as_published(passes: Passes, feed: FakeFeed) -> None:
    """the feed is told in the way that loses nothing"""
    feed.add(make_item("itm_1"))
    bad, good = Notebook("bad"), Notebook("good")
    bad.fault = never("itm_1")
    assert [passes.once(bad, good, hours=6).confirmed for _ in range(TRIES)] == [1, 0, 0, 0, 0]
    assert feed.states() == {"itm_1": "used"}
    assert passes.entry("itm_1").deliveries[0].state is DeliveryState.PARKED
    bad.fault = never()
    passes.retry("itm_1")
    outcome = passes.once(bad, good)
    assert (outcome.confirmed, outcome.problems) == (1, [])
    assert list(bad.posts) == ["itm_1"]
    assert [step for step, _ in good.calls] == ["find", "draft", "publish"]


def test_a_target_that_is_down_uses_up_no_post(passes: Passes, feed: FakeFeed) -> None:
    """a WordPress that is down: nothing lost"""
    feed.add(make_item("itm_1"))
    notebook = Notebook()
    passes.once(notebook)  # nothing wrong so far; now it breaks in the middle
    feed.add(make_item("itm_2"))
    notebook.fault = never("itm_2")

    def breaks(post: Post) -> Exception:
        notebook.down = Misconfigured("wrong password", "set the right one")
        return Unavailable("it answered 500")

    notebook.fault = breaks
    for _ in range(3 * TRIES):
        notebook.down = None
        assert passes.once(notebook, hours=24).unfinished
    assert feed.states()["itm_2"] == "reserved"
    (delivery,) = passes.entry("itm_2").deliveries
    assert (delivery.failures, delivery.failing_since) == (0, "")
    assert delivery.reason == "it answered 500"


def test_a_site_that_takes_no_post_at_all_uses_up_few(passes: Passes, feed: FakeFeed) -> None:
    """nothing lost: each post that is parked doubles the patience for the next"""
    for number in range(9):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    notebook = Notebook()
    notebook.fault = lambda post: Unavailable("it answered 500")
    for _ in range(7 * 24):
        passes.once(notebook, hours=1)
    assert list(feed.states().values()).count("rejected") == 3  # after 1, 2 and 4 days
    notebook.fault = never()
    passes.once(notebook)
    assert len(notebook.posts) == 6
    passes.retry()
    passes.once(notebook)
    assert len(notebook.posts) == 9


def test_a_retried_post_is_published_and_the_feed_keeps_its_answer(
    passes: Passes, feed: FakeFeed, caplog: pytest.LogCaptureFixture
) -> None:
    """retry brings what is parked or refused back into the queue"""
    feed.add(make_item("itm_1"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    for _ in range(TRIES):
        passes.once(notebook, hours=6)
    assert feed.states() == {"itm_1": "rejected"}
    passes.retry()
    entry = passes.entry("itm_1")
    assert (entry.state, entry.deliveries[0].failures) == (ItemState.OPEN, 0)
    notebook.fault = never()
    caplog.set_level("INFO", "copydesk_connectors")
    outcome = passes.once(notebook)
    assert (outcome.problems, outcome.unfinished) == ([], False)
    assert list(notebook.posts) == ["itm_1"]
    assert feed.states() == {"itm_1": "rejected"}
    assert "the feed still counts it as rejected" in caplog.text


def test_a_draft_that_was_deleted_is_not_made_again(
    passes: Passes, feed: FakeFeed, caplog: pytest.LogCaptureFixture
) -> None:
    """A draft that its owner deleted stays deleted; the log says so once, the item is confirmed"""
    feed.add(make_item("itm_1"))
    notebook, other = Notebook(), Notebook("other")
    notebook.fault = other.fault = lambda post: Unavailable("no answer")
    passes.once(notebook, other)
    notebook.fault, other.fault = lambda post: DraftGone("the draft 7 was deleted"), never()
    caplog.clear()
    assert passes.once(notebook, other).problems == []
    assert passes.once(notebook, other).problems == []
    assert feed.states() == {"itm_1": "used"}
    assert [step for step, _ in notebook.calls] == ["find", "draft", "publish", "publish"]
    (said,) = (line for line in caplog.messages if "was deleted" in line)
    assert said == (
        "the draft 7 was deleted; it stays deleted. To publish it: copydesk-connect retry itm_1"
    )
    with Ledger.open(passes.loaded.ledger) as opened:
        states = {d.target: (d.state, d.reason) for d in opened.entry("itm_1").deliveries}
        assert states["notebook"] == (DeliveryState.WITHDRAWN, said)
        assert states["other"][0] is DeliveryState.PUBLISHED
        item_actions.retry(opened, [opened.entry("itm_1")])
    notebook.fault = never()
    assert passes.once(notebook, other).problems == []
    assert (list(notebook.posts), list(other.posts)) == (["itm_1"], ["itm_1"])
    assert feed.states() == {"itm_1": "used"}


def test_what_is_forgotten_is_answered_and_not_published(passes: Passes, feed: FakeFeed) -> None:
    """forget ends an item in the ledger"""
    item = feed.add(make_item("itm_1"))
    notebook = Notebook()
    notebook.fault = never("itm_1")
    passes.once(notebook)
    with Ledger.open(passes.loaded.ledger) as opened:
        item_actions.forget(opened, opened.entry("itm_1"))
    notebook.fault = never()
    outcome = passes.once(notebook, Notebook("added since"))
    assert item.sends == 2  # it was still reserved, and is handed out again
    assert outcome.problems == ["itm_1 was rejected: given up by its owner"]
    assert (feed.states(), notebook.posts) == ({"itm_1": "rejected"}, {})
