"""Refusals: whose fault they are, and what happens to the post until that is known."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from copydesk_connectors.cli import reports
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState
from copydesk_connectors.target.errors import Misconfigured, Refused
from copydesk_connectors.target.post import Post

from .feed_server import FakeFeed
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


def test_a_refusal_is_final_once_the_target_accepted_another_post(
    passes: Passes, feed: FakeFeed
) -> None:
    """A held verdict is released by the first acceptance"""
    add(feed, 1, 2, 3)
    notebook = Notebook()
    notebook.fault = refuses("itm_2")
    outcome = passes.once(notebook)
    assert feed.states() == {"itm_1": "used", "itm_2": "rejected", "itm_3": "used"}
    assert outcome.problems == [
        "notebook refused itm_2, which is held until it accepts another post: too long",
        "notebook refused itm_2: too long",
        "itm_2 was rejected: too long",
    ]


def test_the_last_post_of_a_pass_may_be_the_one_that_is_refused(
    passes: Passes, feed: FakeFeed
) -> None:
    """(b) the target accepts another post: one accepted in the same pass"""
    add(feed, 1, 2)
    notebook = Notebook()
    notebook.fault = refuses("itm_2")
    passes.once(notebook)
    assert feed.states() == {"itm_1": "used", "itm_2": "rejected"}


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


def test_a_site_that_takes_drafts_and_shows_none_rejects_nothing(
    passes: Passes, feed: FakeFeed
) -> None:
    """The target has to accept another post: a draft of the same post does not count."""
    add(feed, 1)
    notebook = Notebook()
    notebook.fault = refuses()
    for _ in range(3):
        passes.once(notebook)
    assert feed.states() == {"itm_1": "reserved"}
