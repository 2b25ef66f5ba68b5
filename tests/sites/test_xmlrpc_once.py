"""XML-RPC on real WordPress: the connector killed, cut off, and two at once.

The tests are those that every real site passes, on one that is reached by XML-RPC alone.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.target.post import Post
from tests.sites.test_site_kills import (  # noqa: F401
    test_killed_at_every_point_each_post_appears_once,
)
from tests.sites.test_two_instances import (  # noqa: F401
    test_two_instances_publish_each_item_once,
)
from tests.support.sites.broken_connections import (  # noqa: F401
    test_broken_at_every_request_each_post_appears_once,
)
from tests.support.sites.live_sites import LiveSite, LiveWordPress, LiveXmlRpc, write_config

pytestmark = pytest.mark.sites


@pytest.fixture(scope="module", params=["wordpress-bookworm", "wordpress-trixie"])
def live_server(request: pytest.FixtureRequest, running: Callable[[str], LiveSite]) -> LiveSite:
    site = running(request.param)
    assert isinstance(site, LiveWordPress)
    return LiveXmlRpc(site.site)


def test_a_second_draft_costs_the_post_no_address(site: LiveSite, tmp_path: Path) -> None:
    """A site that is slower than the connector's patience may get the same draft twice."""
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    [target] = config.load(write_config(tmp_path / "site", site, site.url, line)).targets
    post = Post.from_item(make_item("itm_1", slug="post-1"))
    target.draft(post)
    second = target.draft(post)
    target.publish(post, second.remote_id)
    assert site.stored() == [("publish", "post-1")]
