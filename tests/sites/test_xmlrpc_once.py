"""XML-RPC on real WordPress: the connector killed, cut off, and two at once.

The tests are those that every real site passes, on one that is reached by XML-RPC alone.
"""

from collections.abc import Iterator

import pytest

from tests.sites.test_site_kills import (  # noqa: F401
    test_killed_at_every_point_each_post_appears_once,
)
from tests.sites.test_two_instances import (  # noqa: F401
    test_two_instances_publish_each_item_once,
)
from tests.support.sites.broken_connections import (  # noqa: F401
    test_broken_at_every_request_each_post_appears_once,
)
from tests.support.sites.live_sites import LiveSite, LiveWordPress
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites


class LiveXmlRpc(LiveWordPress):
    """A WordPress by XML-RPC, as an author."""

    api = "/xmlrpc.php"

    def settings(self, url: str) -> str:
        return f'{super().settings(url)}protocol = "xmlrpc"\n'


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def live_server(request: pytest.FixtureRequest) -> Iterator[LiveSite]:
    with start_or_skip(lambda: WordPressSite(request.param)) as server:
        yield LiveXmlRpc(server)
