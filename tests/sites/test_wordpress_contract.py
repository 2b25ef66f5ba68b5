"""The contract of targets on WordPress 6.1, on WordPress with SQLite, and in a network of sites.

connectors/tests/contract holds the newest WordPress on MariaDB to it; here are those whose slugs,
comparisons of text, addresses or answers may differ.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from connectors.tests.contract.wordpress_sites import RealWordPress
from copydesk_connectors.suite import Site, TargetContract
from tests.support.sites.live_site import REQUEST_SECONDS
from tests.support.sites.multisite_wordpress import MultisiteWordPress
from tests.support.sites.programs import start_or_skip
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites


SITES: dict[str, Callable[[], WordPressSite]] = {
    "bookworm": WordPressSite,
    "sqlite": SqliteWordPressSite,
    "multisite": MultisiteWordPress,
}


@pytest.fixture(scope="module", params=SITES)
def server(request: pytest.FixtureRequest) -> Iterator[WordPressSite]:
    """The running site, which the ways to it share."""
    with start_or_skip(SITES[request.param]) as site:
        yield site


@pytest.fixture(params=["rest", "xmlrpc"])
def site(request: pytest.FixtureRequest, server: WordPressSite, tmp_path: Path) -> Iterator[Site]:
    """The site without posts, reached in one way."""
    server.clear()
    password = tmp_path / "password"
    password.write_text(server.app_password("author"))
    password.chmod(0o600)
    seen = RealWordPress(server, password)
    if request.param == "xmlrpc":
        seen.settings["protocol"] = "xmlrpc"
    yield seen
    if isinstance(server, MultisiteWordPress):
        others = requests.get(f"{server.main_url}/wp-json/wp/v2/posts", timeout=REQUEST_SECONDS)
        assert others.json() == [], "nothing is put on the network's other sites"


class TestContract(TargetContract):
    """On each of ``SITES``, in each way."""
