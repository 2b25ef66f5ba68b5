"""XML-RPC on real WordPress: the connector killed, cut off, and two at once.

The tests are those that every real site passes, on one that is reached by XML-RPC alone.
"""

from collections.abc import Callable

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
from tests.support.sites.live_sites import LiveSite, LiveWordPress, LiveXmlRpc

pytestmark = pytest.mark.sites


@pytest.fixture(scope="module", params=["wordpress-bookworm", "wordpress-trixie"])
def live_server(request: pytest.FixtureRequest, running: Callable[[str], LiveSite]) -> LiveSite:
    site = running(request.param)
    assert isinstance(site, LiveWordPress)
    return LiveXmlRpc(site.site)
