"""Two connectors with two ledgers, on one feed and one site, at once."""

from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.suite.contract import at_once
from copydesk_connectors.target.base import Copy, Target
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.post import Post
from tests.support.long_tests import ALL
from tests.support.sites.live_sites import LiveSite, write_config

pytestmark = pytest.mark.sites

ROUNDS = 12 if ALL else 4


def one_pass(file: Path) -> None:
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        Courier([FeedClient(loaded.feeds[0])], ledger, loaded.targets, parallel=4).once()


def test_two_instances_publish_each_item_once(
    feeds: FeedServer, site: LiveSite, tmp_path: Path
) -> None:
    """two instances at once: exactly one published post; two instances with two ledgers still do
    not double a post, because the target is asked first"""
    feed = feeds.new()
    line = f'url = "{feed.url}"'
    files = [write_config(tmp_path / name, site, site.url, line) for name in ("one", "other")]
    expected: list[str] = []
    for number in range(ROUNDS):
        slugs = [f"post-{number}-{n}" for n in range(3)]
        expected += slugs
        for slug in slugs:
            feed.add(make_item(slug, slug=slug))
        at_once([lambda file=file: one_pass(file) for file in files])  # type: ignore[misc]
        for _ in range(4):
            for file in files:
                one_pass(file)
            if set(feed.states().values()) == {"used"}:
                break
        assert set(feed.states().values()) == {"used"}
        assert site.public_items() == sorted(expected)
    assert len(site.stored()) == len(expected), "no draft is left behind"


@pytest.mark.parametrize("instances", [2, 4])
def test_many_instances_at_the_same_step_make_one_post(
    site: LiveSite, tmp_path: Path, instances: int
) -> None:
    """The harder case, for which a feed gives no occasion: all look at the same moment, but for one
    that leaves that out, as it may with what is new."""
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    file = write_config(tmp_path / "site", site, site.url, line)
    expected = []
    for number in range(ROUNDS):
        post = Post.from_item(make_item(f"itm_{number}", slug=f"post-{number}"))
        publishers = [config.load(file).targets[0] for _ in range(instances)]
        expected.append(post.id)
        at_once(
            [
                lambda one=one, post=post, new=new: put_until_done(one, post, new=new)  # type: ignore[misc]
                for new, one in zip([True] + [False] * instances, publishers, strict=False)
            ]
        )
        assert site.public_items() == sorted(expected)


def put_until_done(publisher: Target, post: Post, *, new: bool) -> Copy:
    new = new and publisher.reconciles
    for _ in range(5):
        try:
            known = None if new else publisher.find(post)
            new = False
            copy = known or publisher.draft(post)
            return publisher.publish(post, copy.remote_id)
        except ConnectorError:
            continue
    raise AssertionError("five tries did not end well")
