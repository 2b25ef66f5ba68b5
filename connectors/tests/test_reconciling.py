"""A site that chooses among all copies in ``publish`` is not asked beforehand for what is new."""

from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.errors import DraftGone, Unavailable
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import make_item

HTML = '[[target]]\ntype = "html"\npath = "public"\n'


class Board(Target):
    """Notes its calls; ``faults`` are raised by the steps of their names, one a call."""

    def __init__(self, *, reconciles: bool = True) -> None:
        super().__init__("board")
        self.reconciles = reconciles
        self.calls: list[str] = []
        self.faults: dict[str, list[Exception]] = {}

    def ready(self) -> None:
        pass

    def find(self, post: Post) -> Copy | None:
        self._step("find")
        return None

    def draft(self, post: Post) -> Copy:
        self._step("draft")
        return Copy("7", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        self._step("publish")
        return Copy(remote_id, CopyState.PUBLIC, "https://board.example/7")

    def _step(self, name: str) -> None:
        self.calls.append(name)
        if waiting := self.faults.get(name):
            raise waiting.pop(0)


Carry = Callable[[Board], Outcome]


@pytest.fixture
def carry(write_config: Callable[..., Path], feed: FakeFeed) -> Carry:
    """Makes one pass over the feed with a board as the one target."""
    loaded = config.load(write_config(HTML))

    def make(board: Board) -> Outcome:
        with Ledger.open(loaded.ledger) as ledger:
            return Courier([FeedClient(loaded.feeds[0])], ledger, [board]).once()

    return make


def test_what_was_handed_out_once_is_not_looked_for(carry: Carry, feed: FakeFeed) -> None:
    """``find`` is left out before the first draft of an item that its feed has handed out once"""
    feed.add(make_item())
    board = Board()
    assert carry(board).confirmed == 1
    assert board.calls == ["draft", "publish"]


def test_what_was_handed_out_before_is_looked_for(carry: Carry, feed: FakeFeed) -> None:
    """who had it before may have put it there"""
    feed.add(make_item()).state = "reserved"
    feed.items[0].sends = 1
    board = Board()
    assert carry(board).confirmed == 1
    assert board.calls == ["find", "draft", "publish"]


def test_a_site_that_does_not_choose_is_looked_at_first(carry: Carry, feed: FakeFeed) -> None:
    """what ``publish`` does not see has to be found before"""
    feed.add(make_item())
    board = Board(reconciles=False)
    assert carry(board).confirmed == 1
    assert board.calls == ["find", "draft", "publish"]


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
    carry: Carry, feed: FakeFeed, step: str, error: Exception, calls: list[str]
) -> None:
    """left out before the first draft, and before no other"""
    feed.add(make_item())
    board = Board()
    board.faults = {step: [error]}
    while carry(board).unfinished:
        pass
    assert board.calls == calls
    assert feed.states() == {"itm_1": "used"}
