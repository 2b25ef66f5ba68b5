"""XML-RPC on real WordPress; test_site_kills.py kills the connector there as well."""

from pathlib import Path

import pytest

from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.target.post import Post
from tests.support.sites.live_site import LiveSite, write_config

pytestmark = pytest.mark.sites


@pytest.mark.parametrize(
    "live_server", ["wordpress-bookworm-xmlrpc", "wordpress-trixie-xmlrpc"], indirect=True
)
def test_a_second_draft_costs_the_post_no_address(site: LiveSite, tmp_path: Path) -> None:
    """A site that is slower than the connector's patience may get the same draft twice."""
    line = 'url = "http://127.0.0.1:9/v1/content-tokens/none/latest"'
    [target] = config.load(write_config(tmp_path / "site", site, site.url, line)).targets
    post = Post.from_item(make_item("itm_1", slug="post-1"))
    target.draft(post)
    second = target.draft(post)
    target.publish(post, second.remote_id)
    assert site.stored() == [("publish", "post-1")]
