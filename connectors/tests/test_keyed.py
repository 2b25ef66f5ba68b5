"""A site that enforces unique ids gets each post in one step."""

from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier, Outcome
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState
from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.errors import Refused, Unavailable
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
from .items import make_item

HTML = '[[target]]\ntype = "html"\npath = "public"\n'


class Notebook(Target):
    """Keeps each id once; ``answers`` replace what ``put`` says, one after the other."""

    keyed = True

    def __init__(self) -> None:
        super().__init__("notebook")
        self.calls: list[str] = []
        self.posts: dict[str, Post] = {}
        self.answers: list[Exception | Copy | None] = []

    def ready(self) -> None:
        pass

    def put(self, post: Post) -> Copy | None:
        self.calls.append("put")
        answer = self.answers.pop(0) if self.answers else self._keep(post)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def find(self, post: Post) -> Copy | None:
        self.calls.append("find")
        return None

    def draft(self, post: Post) -> Copy:
        self.calls.append("draft")
        return Copy("7", CopyState.DRAFT)

    def publish(self, post: Post, remote_id: str) -> Copy:
        self.calls.append("publish")
        return self._keep(post)

    def _keep(self, post: Post) -> Copy:
        self.posts[post.id] = post
        return Copy(post.id, CopyState.PUBLIC, f"https://notes.example/{post.slug}")


@pytest.fixture
def carry(
    write_config: Callable[..., Path], feed: FakeFeed
) -> Callable[[Notebook], tuple[Outcome, Ledger]]:
    """Makes one pass over the feed with a notebook as the one target."""
    loaded = config.load(write_config(HTML))

    def make(notebook: Notebook) -> tuple[Outcome, Ledger]:
        with Ledger.open(loaded.ledger) as ledger:
            outcome = Courier([FeedClient(loaded.feeds[0])], ledger, [notebook]).once()
        return outcome, Ledger.read(loaded.ledger)

    return make


Carry = Callable[[Notebook], tuple[Outcome, Ledger]]


def test_put_takes_the_place_of_find_draft_and_publish(carry: Carry, feed: FakeFeed) -> None:
    """makes the item id a true unique key on the server and lets the post be found by it"""
    feed.add(make_item())
    notebook = Notebook()
    outcome, ledger = carry(notebook)
    assert (outcome.confirmed, notebook.calls) == (1, ["put"])
    (entry,) = ledger.newest(1)
    (delivery,) = entry.deliveries
    assert (delivery.state, delivery.remote_id) == (DeliveryState.PUBLISHED, "itm_1")
    assert delivery.url == "https://notes.example/descale-espresso-machine"


def test_a_put_without_an_answer_is_put_again(carry: Carry, feed: FakeFeed) -> None:
    """publishing is retried from the ledger"""
    feed.add(make_item())
    notebook = Notebook()
    notebook.answers = [Unavailable("no answer")]
    outcome, ledger = carry(notebook)
    assert outcome.unfinished
    assert ledger.newest(1)[0].deliveries[0].state is DeliveryState.DRAFTING
    outcome, _ = carry(notebook)
    assert (outcome.confirmed, notebook.calls) == (1, ["put", "put"])
    assert feed.items[0].sends == 1


def test_a_site_that_cannot_put_today_is_asked_the_long_way(carry: Carry, feed: FakeFeed) -> None:
    """None where it cannot today"""
    feed.add(make_item())
    notebook = Notebook()
    notebook.answers = [None]
    outcome, _ = carry(notebook)
    assert (outcome.confirmed, notebook.calls) == (1, ["put", "find", "draft", "publish"])


def test_a_put_that_is_refused_or_taken_away(carry: Carry, feed: FakeFeed) -> None:
    """permanent refusals (validation, forbidden) reject; trashed is never restored"""
    feed.add(make_item("itm_1"))
    feed.add(make_item("itm_2"))
    feed.add(make_item("itm_3"))
    notebook = Notebook()
    trashed, shown = Copy("8", CopyState.WITHDRAWN), Copy("9", CopyState.PUBLIC)
    notebook.answers = [Refused("too long"), trashed, shown, Refused("too long")]
    outcome, ledger = carry(notebook)
    assert outcome.problems[-1] == "itm_1 was rejected: too long"
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used", "itm_3": "used"}
    _, second, first = ledger.newest(3)
    assert second.deliveries[0].state is DeliveryState.WITHDRAWN
    assert first.deliveries[0].state is DeliveryState.REFUSED


def test_places_for_links_are_filled_before_it_is_put(carry: Carry, feed: FakeFeed) -> None:
    """Placeholders for internal links: resolved at publish time, or taken out cleanly"""
    item = make_item()
    item["rendered"]["html"] += "\n<p>[[internal-link: espresso]]</p>"
    feed.add(item)
    notebook = Notebook()
    carry(notebook)
    assert "internal-link" not in notebook.posts["itm_1"].html
