"""The companion on real WordPress: the connector killed, cut off, and many at once.

The tests are those that every real site passes, on a site that has the companion.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.suite.fault_proxy import FaultProxy
from copydesk_connectors.target.base import Copy, CopyState
from copydesk_connectors.target.post import Post
from tests.sites.test_site_kills import (  # noqa: F401
    test_killed_at_every_point_each_post_appears_once,
)
from tests.sites.test_two_instances import (  # noqa: F401
    at_once,
    test_two_instances_publish_each_item_once,
)
from tests.support.sites.broken_connections import (  # noqa: F401
    test_broken_at_every_request_each_post_appears_once,
)
from tests.support.sites.companion import Companion
from tests.support.sites.live_sites import LiveSite, LiveWordPress, one_pass, write_config
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

INSTANCES = 8


class LiveCompanion(LiveWordPress):
    """A WordPress with the companion."""

    def __init__(self, site: WordPressSite) -> None:
        super().__init__(site)
        self.companion = Companion(site)
        self.companion.install()


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def live_server(request: pytest.FixtureRequest) -> Iterator[LiveSite]:
    with start_or_skip(lambda: WordPressSite(request.param, workers=INSTANCES)) as server:
        yield LiveCompanion(server)


def test_a_post_takes_one_request(feeds: FeedServer, site: LiveSite, tmp_path: Path) -> None:
    """makes publishing one request"""
    feed = feeds.new()
    for number in range(1, 4):
        feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
    with FaultProxy(site.url) as proxy:
        one_pass(write_config(tmp_path / "one", site, proxy.url, f'url = "{feed.url}"'))
        asked = [request.path.split("?")[0] for request in proxy.requests]
    assert site.published() == ["post-1", "post-2", "post-3"]
    posts = [path for path in asked if path.startswith("/wp-json/copydesk/v1/posts/")]
    assert sorted(posts) == [f"/wp-json/copydesk/v1/posts/itm_{n}" for n in (1, 2, 3)]
    assert [path for path in asked if path.startswith("/wp-json/wp/v2/posts/")] == []
    assert "/wp-json/wp/v2/tags" not in asked


def test_many_puts_at_once_make_one_post(site: LiveSite, tmp_path: Path) -> None:
    """eight concurrent puts … give one post"""
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    file = write_config(tmp_path / "site", site, site.url, line)
    for number in range(1, 11):
        post = Post.from_item(make_item(f"itm_{number}", slug=f"post-{number}"))
        copies: list[Copy | None] = []

        def put(post: Post = post, copies: list[Copy | None] = copies) -> None:
            target = config.load(file).targets[0]
            copies.append(target.put(post))

        at_once([put] * INSTANCES)
        assert len(copies) == INSTANCES
        assert len({copy.remote_id for copy in copies if copy}) == 1
        assert {copy.state for copy in copies if copy} == {CopyState.PUBLIC}
        assert site.stored() == [("publish", f"post-{n}") for n in range(1, number + 1)]


@pytest.mark.parametrize("there_first", [True, False])
@pytest.mark.parametrize("shown", [True, False])
def test_it_comes_and_goes_and_nothing_is_doubled(
    site: LiveSite, tmp_path: Path, there_first: bool, shown: bool
) -> None:
    """When the companion is taken away or added in the middle, nothing is doubled: posts made by
    the one way are found by the other"""
    assert isinstance(site, LiveCompanion)
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    file = write_config(tmp_path / "site", site, site.url, line)
    post = Post.from_item(make_item("itm_1", slug="post-1"))

    def put() -> Copy:
        target = config.load(file).targets[0]
        if (copy := target.put(post)) is not None:
            return copy
        found = target.find(post) or target.draft(post)
        return target.publish(post, found.remote_id) if shown else found

    try:
        if not there_first:
            site.companion.remove()
        first = put() if shown or not there_first else config.load(file).targets[0].draft(post)
        if there_first:
            site.companion.remove()
        else:
            site.companion.install()
        shown = True
        second = put()
    finally:
        site.companion.install()
    assert second.remote_id == first.remote_id
    assert second.state is CopyState.PUBLIC
    assert site.stored() == [("publish", "post-1")]


def test_it_goes_while_a_process_runs(site: LiveSite, tmp_path: Path) -> None:
    """None where the site cannot do so today; then ``find`` and the rest follow."""
    assert isinstance(site, LiveCompanion)
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    file = write_config(tmp_path / "site", site, site.url, line)
    target = config.load(file).targets[0]
    assert target.put(Post.from_item(make_item("itm_1", slug="post-1"))) is not None
    site.companion.remove()
    try:
        assert target.put(Post.from_item(make_item("itm_2", slug="post-2"))) is None
    finally:
        site.companion.install()
    assert site.stored() == [("publish", "post-1")]
