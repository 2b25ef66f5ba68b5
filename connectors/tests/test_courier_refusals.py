"""The loop where a target, the feed or the item says no."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from .fake_site import Broken
from .fake_wordpress import FakeWordPress
from .feed_server import FakeFeed
from .items import MARKDOWN, OnePass, Write, make_item

EMPTY = '{"code": "empty_content", "message": "Content is empty.", "data": {"status": 400}}'


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
