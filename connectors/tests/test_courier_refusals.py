"""The loop where a target, the feed or the item says no."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.records import Entry
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import make_item

Write = Callable[..., Path]
OnePass = Callable[[Path], Outcome]
HTML = '[[target]]\ntype = "html"\npath = "public"\n'
EMPTY = '{"code": "empty_content", "message": "Content is empty.", "data": {"status": 400}}'
MARKDOWN = '[[target]]\ntype = "markdown"\npath = "content"\n'


def entries(file: Path) -> list[Entry]:
    """What the ledger of a configuration holds, newest first."""
    with Ledger.read(config.ledger_path(file)) as ledger:
        return ledger.newest(100)


def test_a_permanent_refusal_rejects_with_a_reason(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
) -> None:
    """permanent refusals by the target (validation, forbidden) reject the item with a reason"""
    feed.add(make_item())
    feed.add(make_item("itm_2", slug="second"))
    tries = count()

    def refuse(method: str, path: str) -> Broken | None:
        refused = (method, path) == ("POST", "posts") and next(tries) in {0, 2}
        return Broken(False, 400, EMPTY) if refused else None

    fake_wordpress.fault = refuse
    file = write_config(wordpress_target())
    outcome = one_pass(file)
    assert outcome.problems[-1] == (
        "itm_1 was rejected: WordPress refused the post: Content is empty. (empty_content, 400)"
    )
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}
    _, entry = entries(file)
    assert (entry.state, entry.deliveries[0].state) == (ItemState.REJECTED, DeliveryState.REFUSED)
    assert "Content is empty." in entry.reason
    assert one_pass(file).problems == []


def test_a_post_that_one_target_refused_stays_on_the_other_and_is_confirmed(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    tmp_path: Path,
) -> None:
    """What readers can see is used; a rejected item would be counted as not published."""
    feed.add(make_item())
    feed.add(make_item("itm_2", slug="second"))
    tries = count()

    def refuse(method: str, path: str) -> Broken | None:
        refused = (method, path) == ("POST", "posts") and next(tries) in {0, 2}
        return Broken(False, 400, EMPTY) if refused else None

    fake_wordpress.fault = refuse
    outcome = one_pass(write_config(wordpress_target() + MARKDOWN))
    assert outcome.confirmed == 2
    assert "blog refused itm_1: WordPress refused the post: " in outcome.problems[1]
    assert feed.states() == {"itm_1": "used", "itm_2": "used"}
    assert len(list((tmp_path / "content").glob("*.md"))) == 2


def test_a_post_in_the_trash_counts_as_published(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
) -> None:
    """an owner who trashed the post does not get it back: it counts as published, is confirmed"""
    feed.add(make_item())
    file = write_config(wordpress_target())
    feed.failing.add("confirm")
    one_pass(file)
    (post,) = fake_wordpress.public()
    fake_wordpress.trash(post["id"])
    config.ledger_path(file).unlink()
    feed.failing.clear()
    assert one_pass(file).confirmed == 1
    assert fake_wordpress.public() == []
    assert entries(file)[0].deliveries[0].state is DeliveryState.WITHDRAWN


def test_an_item_without_a_text_is_rejected(
    write_config: Write, one_pass: OnePass, feed: FakeFeed
) -> None:
    """Bad input gets one clear error, and the feed goes on."""
    feed.add(make_item("itm_1", rendered={}))
    feed.add(make_item("itm_2"))
    outcome = one_pass(write_config(MARKDOWN))
    assert outcome.problems == [
        "itm_1 was rejected: the feed's item has no text under html",
    ]
    assert feed.states() == {"itm_1": "rejected", "itm_2": "used"}


def test_a_wrong_password_rejects_nothing(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
    waits: list[float],
) -> None:
    """An item waits for a fault that the owner can fix, even if it occurs halfway."""
    feed.add(make_item())
    file = write_config(wordpress_target())

    def revoke(method: str, path: str) -> Broken | None:
        if (method, path) == ("POST", "posts"):
            fake_wordpress.password = "another"
        return None

    fake_wordpress.fault = revoke
    right = fake_wordpress.password
    outcome = one_pass(file)
    assert "the site does not accept the user" in outcome.problems[0]
    assert feed.states() == {"itm_1": "reserved"}
    fake_wordpress.fault = lambda *_: None
    fake_wordpress.password = right
    assert one_pass(file).confirmed == 1
    assert feed.items[0].sends == 1


def test_a_role_that_is_lost_in_the_middle_rejects_nothing(
    write_config: Write,
    one_pass: OnePass,
    feed: FakeFeed,
    fake_wordpress: FakeWordPress,
    wordpress_target: Callable[..., str],
) -> None:
    """forbidden is the post's fault only where the user may write posts at all"""
    feed.add(make_item())

    def demote(method: str, path: str) -> Broken | None:
        if (method, path) == ("POST", "posts"):
            fake_wordpress.role = "subscriber"
        return None

    fake_wordpress.fault = demote
    outcome = one_pass(write_config(wordpress_target()))
    assert "give the user the role Author or Editor" in outcome.problems[0]
    assert feed.states() == {"itm_1": "reserved"}
