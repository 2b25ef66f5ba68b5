"""Several posts at a time."""

import threading
from collections.abc import Callable
from functools import partial

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.target.errors import ConfigError, Unavailable
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import PAGES, Write, make_item
from .notebook import BusyNotebook, Notebook
from .passes import Passes

_LONGEST_S = 20.0


@pytest.fixture
def once(passes: Passes) -> Callable[..., Outcome]:
    """Makes one pass with these targets."""
    return partial(passes.once, parallel=4)


def fill(feed: FakeFeed, count: int) -> None:
    """Queue items; the feed has them in another order than that of their times."""
    for number in sorted(range(count), key=lambda number: (number % 3, number)):
        when = f"2026-05-01T10:{number:02}:00Z"
        feed.add(make_item(f"itm_{number:02}", slug=f"post-{number}", generated_at=when))


def together(count: int) -> Callable[[Post], Exception | None]:
    """Comes back only when that many posts are published at the same time."""
    meeting = threading.Barrier(count)
    left = threading.Semaphore(count)

    def wait(post: Post) -> None:
        if post.id != "itm_00" and left.acquire(blocking=False):
            meeting.wait(_LONGEST_S)

    return wait


def test_a_target_that_can_gets_several_at_a_time(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """posts per second against the target's own bare insert rate"""
    fill(feed, 13)
    notebook = BusyNotebook()
    notebook.fault = together(4)
    outcome = once(notebook)
    assert (outcome.confirmed, outcome.problems) == (13, [])
    assert set(feed.states().values()) == {"used"}
    assert [item.sends for item in feed.items] == [1] * 13
    assert notebook.most["publish"] == 4
    assert notebook.most["any step"] == 4
    # The first alone, the rest together, and one last request.
    assert [path for method, path in feed.calls if method == "GET"] == ["/latest", *["/items"] * 2]


@pytest.mark.parametrize("in_turn", [True, False])
def test_drafts_are_made_one_at_a_time_unless_the_target_says_otherwise(
    once: Callable[..., Outcome], feed: FakeFeed, in_turn: bool
) -> None:
    """tags that posts share are made there, and no site keeps those unique"""
    fill(feed, 9)
    notebook = BusyNotebook()
    notebook.drafts_in_turn = in_turn
    notebook.lingers = {"draft", "find"}
    assert once(notebook).confirmed == 9
    assert (notebook.most["draft"] == 1, notebook.most["find"] > 1) == (in_turn, True)


def test_the_owner_may_set_less(once: Callable[..., Outcome], feed: FakeFeed) -> None:
    """[feed] parallel"""
    fill(feed, 6)
    notebook = BusyNotebook()
    notebook.fault = together(2)
    assert once(notebook, parallel=2).confirmed == 6
    assert notebook.most["any step"] == 2


def test_a_target_that_cannot_gets_one_at_a_time_and_in_order(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """a git or folder target stays one at a time"""
    fill(feed, 8)
    notebook = Notebook()
    assert once(notebook).confirmed == 8
    assert notebook.most["any step"] == 1
    assert {path for method, path in feed.calls if method == "GET"} == {"/latest"}
    feed.items.clear()
    fill(feed, 8)
    for item in feed.items:
        item.content["id"] += "b"
    folder, busy = Notebook("folder"), BusyNotebook("busy")
    folder.lingers = {"any step"}
    assert once(folder, busy).confirmed == 8
    assert folder.most["any step"] == 1
    made = [item_id for step, item_id in folder.calls if step == "publish"]
    assert len(made) == len(set(made)) == 8


def test_what_waits_is_taken_up_in_the_order_of_its_making(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """order of publication by generatedAt: no post overtakes by more than there are at a time"""
    fill(feed, 12)
    busy = BusyNotebook()
    once(busy)
    begun = [item_id for step, item_id in busy.calls if step == "find"]
    expected = sorted(feed.states())
    assert begun[0] == feed.items[0].content["id"]
    late = [abs(begun.index(item_id) - expected.index(item_id)) for item_id in expected]
    assert max(late) <= 4


def test_a_lost_answer_is_not_followed_by_another_large_one(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """nothing lost: deliveryCount not burned"""
    fill(feed, 9)
    for item in feed.items[1:]:  # their answer never reached us
        item.state, item.sends = "reserved", 1
    notebook = BusyNotebook()
    assert once(notebook).confirmed == 9
    # What was sent before comes one by one; the last was not, so that more may be asked for.
    pulls = [path for method, path in feed.calls if method == "GET"]
    assert pulls == ["/latest"] * 9 + ["/items"]
    assert [item.sends for item in feed.items] == [1] + [2] * 8


def test_a_target_that_goes_down_in_the_middle_is_said_once(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """a target that is down is noticed; nothing lost, nothing doubled"""
    fill(feed, 9)
    notebook = BusyNotebook()
    meet = together(4)

    def fault(post: Post) -> Exception | None:
        meet(post)
        if post.id != "itm_00":
            notebook.down = Unavailable("down for a while", 60.0)
            return Unavailable("it answered 503")
        return None

    notebook.fault = fault
    outcome = once(notebook)
    assert (outcome.confirmed, outcome.retry_after) == (1, 60.0)
    said = [problem for problem in outcome.problems if problem.startswith("target notebook")]
    assert said == ["target notebook: down for a while"]
    assert len([step for step, _ in notebook.calls if step == "publish"]) == 5
    notebook.fault, notebook.down = lambda post: None, None
    assert once(notebook).confirmed == 8
    assert [item.sends for item in feed.items] == [1] * 9


def test_a_stop_ends_all_of_them_between_two_steps(
    once: Callable[..., Outcome], feed: FakeFeed
) -> None:
    """SIGTERM ends between two steps"""
    fill(feed, 9)
    notebook = BusyNotebook()
    answers = iter([False] * 12)
    outcome = once(notebook, stop=partial(next, answers, True))
    assert outcome.problems == ["stopped as requested; the next start continues"]
    assert outcome.confirmed < 9
    assert once(notebook).confirmed == 9 - outcome.confirmed
    assert len(notebook.posts) == 9
    assert [item.sends for item in feed.items] == [1] * 9


@pytest.mark.parametrize("value", ["0", "17", "2.5", "true", '"4"'])
def test_how_many_at_a_time_is_a_whole_number(write_config: Write, value: str) -> None:
    """[feed] parallel, 1..16"""
    with pytest.raises(ConfigError, match=r"\[feed\] parallel: must be "):
        config.load(write_config(PAGES, top=f"parallel = {value}"))
    assert config.load(write_config(PAGES)).feeds[0].parallel == 4
    assert config.load(write_config(PAGES, top="parallel = 16")).feeds[0].parallel == 16
