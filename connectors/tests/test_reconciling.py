"""A site that chooses among all copies in ``publish`` is not asked beforehand for what is new."""

import pytest

from copydesk_connectors.target.errors import DraftGone, Unavailable

from .feed_server import FakeFeed
from .items import make_item
from .notebook import Notebook
from .passes import Passes


def site(*, reconciles: bool = True) -> Notebook:
    """A site that chooses, or one that does not."""
    notebook = Notebook()
    notebook.reconciles = reconciles
    return notebook


def steps(notebook: Notebook) -> list[str]:
    return [step for step, _ in notebook.calls]


def test_what_was_handed_out_once_is_not_looked_for(passes: Passes, feed: FakeFeed) -> None:
    """``find`` is left out before the first draft of an item that its feed has handed out once"""
    feed.add(make_item())
    notebook = site()
    assert passes.once(notebook).confirmed == 1
    assert steps(notebook) == ["draft", "publish"]


@pytest.mark.parametrize(("reconciles", "sends"), [(True, 1), (False, 0)])
def test_what_may_be_there_is_looked_for(
    passes: Passes, feed: FakeFeed, reconciles: bool, sends: int
) -> None:
    """who had it before may have put it there; what ``publish`` does not see has to be found
    before"""
    item = feed.add(make_item())
    item.state, item.sends = "reserved" if sends else "pending", sends
    notebook = site(reconciles=reconciles)
    assert passes.once(notebook).confirmed == 1
    assert steps(notebook) == ["find", "draft", "publish"]


@pytest.mark.parametrize(
    ("step", "error", "calls"),
    [
        ("draft", Unavailable("no answer"), ["draft", "find", "draft", "publish"]),
        ("publish", Unavailable("no answer"), ["draft", "publish", "publish"]),
        ("publish", DraftGone("deleted"), ["draft", "publish", "publish"]),
    ],
    ids=["a draft without an answer", "a publish without an answer", "a draft not shown yet"],
)
def test_what_was_sent_is_looked_for_before_it_is_sent_again(
    passes: Passes, feed: FakeFeed, step: str, error: Exception, calls: list[str]
) -> None:
    """left out before the first draft, and before no other"""
    feed.add(make_item())
    notebook = site()
    notebook.faults = {step: [error]}
    while passes.once(notebook).unfinished:
        pass
    assert steps(notebook) == calls
    assert feed.states() == {"itm_1": "used"}
