"""Custody: the feed is told early, and each target gets its posts at its own speed."""

import threading

import pytest

from copydesk_connectors.engine import courier, item_actions
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.target.errors import LedgerError, Unavailable
from copydesk_connectors.target.post import Post

from .extent import ALL
from .feed_server import FakeFeed
from .items import make_item
from .notebook import BusyNotebook, Notebook
from .passes import Passes

DOWN = Unavailable("no route to the host")
_LONGEST_S = 20.0


def add(feed: FakeFeed, count: int, first: int = 0) -> list[str]:
    """Queue items in the order of their times."""
    ids = [f"itm_{number:04}" for number in range(first, first + count)]
    for number, item_id in enumerate(ids, first):
        when = f"2026-05-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"
        feed.add(make_item(item_id, slug=f"post-{number}", generated_at=when))
    return ids


def published(notebook: Notebook) -> list[str]:
    """The ids in the order in which a target published them."""
    return [item_id for step, item_id in notebook.calls if step == "publish"]


@pytest.mark.parametrize("parallel", [1, 4])
def test_one_of_three_targets_is_down_for_a_thousand_items_and_catches_up_in_order(
    passes: Passes, feed: FakeFeed, parallel: int
) -> None:
    """one of three targets down for 1,000 items, then it catches up in order, nothing lost or
    doubled, the others undisturbed"""
    count = 1000 if ALL and parallel == 4 else 110
    ids = add(feed, count)
    late, others = Notebook("late"), [BusyNotebook("one"), BusyNotebook("two")]
    late.down = DOWN
    done = 0
    while done < count:
        done += passes.once(late, *others, parallel=parallel).confirmed
    assert set(feed.states().values()) == {"used"}
    assert {item.sends for item in feed.items} == {1}
    assert [sorted(other.posts) for other in others] == [ids, ids]
    assert (late.calls, passes.waiting()) == ([], {"late": count})
    before = [list(other.calls) for other in others]
    late.down = None
    outcome = passes.once(late, *others, parallel=parallel)
    assert (outcome.late, outcome.confirmed, outcome.problems) == (count, 0, [])
    assert published(late) == ids
    assert [list(other.calls) for other in others] == before
    assert passes.waiting() == {}
    assert set(feed.states().values()) == {"used"}


def test_new_posts_are_not_delayed_by_a_long_backlog_and_come_after_it(
    passes: Passes, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """the rest follow from the ledger at their own speed, in order"""
    monkeypatch.setattr(courier, "_TURN_POSTS", 3)
    ids = add(feed, 9)
    late, other = Notebook("late"), Notebook("other")
    late.down = DOWN
    passes.once(late, other)
    late.down = None
    ids += add(feed, 4, first=9)
    seen: list[int] = []
    other.fault = lambda post: seen.append(len(late.posts))
    passes.once(late, other)
    assert published(late) == ids
    assert seen[0] < 9, "the first new post waited for the whole backlog"


def test_a_slow_target_does_not_hold_up_the_others(passes: Passes, feed: FakeFeed) -> None:
    """one broken target delays no other"""
    add(feed, 5)
    slow, quick = Notebook("slow"), Notebook("quick")
    finished = threading.Event()

    def wait(post: Post) -> None:
        assert finished.wait(_LONGEST_S), "the quick target waited for the slow one"

    slow.fault, quick.fault = wait, lambda post: finished.set()
    outcome = passes.once(slow, quick, parallel=2)
    assert (outcome.confirmed, outcome.problems) == (5, [])


def test_an_optional_target_alone_confirms_nothing(passes: Passes, feed: FakeFeed) -> None:
    """`required = false`: confirm when the ledger has the text and one required target has it"""
    add(feed, 2)
    main, extra = Notebook("main"), Notebook("extra")
    optional = frozenset({"extra"})
    main.fault = lambda post: Unavailable("it answered 500")
    outcome = passes.once(main, extra, optional=optional)
    assert (outcome.confirmed, list(extra.posts)) == (0, ["itm_0000"])
    assert feed.states() == {"itm_0000": "reserved", "itm_0001": "pending"}
    main.fault, extra.down = lambda post: None, DOWN
    assert passes.once(main, extra, optional=optional).confirmed == 2
    assert passes.waiting() == {"extra": 1}
    extra.down = None
    assert passes.once(main, extra, optional=optional).late == 1
    assert (len(extra.posts), passes.waiting()) == (2, {})


def test_nothing_is_pulled_while_every_required_target_is_down(
    passes: Passes, feed: FakeFeed, caplog: pytest.LogCaptureFixture
) -> None:
    """Items are pulled as long as one required target is usable"""
    add(feed, 1)
    one, two, extra = Notebook("one"), Notebook("two"), Notebook("extra")
    one.down = two.down = DOWN
    passes.once(one, two, extra, optional=frozenset({"extra"}))
    assert feed.pulls() == 0
    assert "no new posts are taken from the feed until one or two can be used" in caplog.text
    two.down = None
    assert passes.once(one, two, extra, optional=frozenset({"extra"})).confirmed == 1


def test_the_backlog_of_a_broken_target_is_bounded(
    passes: Passes, feed: FakeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """the ledger's backlog for a broken target is bounded; beyond it one clear sentence, no loss"""
    monkeypatch.setattr(courier, "LONGEST_BACKLOG", 3)
    add(feed, 5)
    late, other = Notebook("late"), Notebook("other")
    late.down = DOWN
    outcome = passes.once(late, other)
    assert (outcome.confirmed, outcome.unfinished) == (3, True)
    assert outcome.problems[1:] == [
        "3 posts wait for late, so no new posts are taken from the feed; they stay there. "
        "Repair late, or remove it from the configuration"
    ]
    assert list(feed.states().values()).count("pending") == 2
    late.down = None
    outcome = passes.once(late, other)
    assert (outcome.confirmed, outcome.late, outcome.problems) == (2, 3, [])
    assert list(late.posts) == list(other.posts) == sorted(feed.states())


def test_an_item_that_comes_again_owes_no_target_more_than_before(
    passes: Passes, feed: FakeFeed
) -> None:
    """A feed restored from a backup hands out what it had handed out before."""
    add(feed, 1)
    late, other, new = Notebook("late"), Notebook("other"), Notebook("new")
    late.down = DOWN
    passes.once(late, other)
    feed.items[0].state, feed.items[0].sends = "pending", 0
    late.down = None
    outcome = passes.once(late, other, new)
    assert (published(late), published(other), published(new)) == (["itm_0000"], ["itm_0000"], [])
    assert (outcome.confirmed, feed.states()) == (1, {"itm_0000": "used"})


def test_a_lost_ledger_loses_what_waits_for_a_late_target_and_nothing_else(
    passes: Passes, feed: FakeFeed
) -> None:
    """README: if the ledger is lost, the posts that wait in it for a target are lost for it"""
    add(feed, 2)
    late, other = Notebook("late"), Notebook("other")
    late.down = DOWN
    feed.failing.add("itm_0001/confirm")
    passes.once(late, other)
    passes.loaded.ledger.unlink()
    feed.failing.clear()
    late.down = None
    outcome = passes.once(late, other)
    assert (outcome.confirmed, outcome.problems) == (1, [])
    assert list(late.posts) == ["itm_0001"]  # the feed had not been told of this one
    assert list(other.posts) == ["itm_0000", "itm_0001"]
    assert set(feed.states().values()) == {"used"}


def test_a_feed_that_does_not_answer_a_confirm_is_asked_once_a_pass(
    passes: Passes, feed: FakeFeed
) -> None:
    """its confirmation is sent later; nothing lost"""
    add(feed, 9)
    feed.failing.add("/confirm")
    notebook = BusyNotebook()
    outcome = passes.once(notebook, parallel=4)
    assert outcome.unfinished
    feed.failing.clear()
    passes.once(notebook, parallel=4)
    assert set(feed.states().values()) == {"used"}
    assert len(notebook.posts) == 9


def test_an_owner_can_give_up_what_a_late_target_still_lacks(
    passes: Passes, feed: FakeFeed
) -> None:
    """forget: stop retrying; the feed's answer stays"""
    add(feed, 1)
    late, other = Notebook("late"), Notebook("other")
    late.down = DOWN
    passes.once(late, other)
    with Ledger.open(passes.loaded.ledger) as ledger:
        entry = ledger.entry("itm_0000")
        item_actions.need_unended(entry)
        item_actions.forget(ledger, entry)
        with pytest.raises(LedgerError, match="has already ended: it is confirmed"):
            item_actions.need_unended(ledger.entry("itm_0000"))
    late.down = None
    assert (passes.once(late, other).problems, late.posts) == ([], {})
