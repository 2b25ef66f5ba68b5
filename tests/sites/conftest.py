"""Real sites for the tests of this folder: a WordPress of each version and a Ghost a test run."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from connectors.tests.feed_server import FeedServer, feed_server
from tests.extent import ALL
from tests.sites.ghost_site import GhostSite
from tests.sites.live_sites import NAMES, LiveSite, live_site
from tests.sites.programs import NotInstalled
from tests.sites.wordpress_files import THEMES
from tests.sites.wordpress_site import WordPressSite

S = TypeVar("S")


@contextmanager
def started(start: Callable[[], AbstractContextManager[S]]) -> Iterator[S]:
    """What was started. A developer's machine may lack PHP or npm; if CI's did, a skip would hide
    that nothing ran."""
    with ExitStack() as stack:
        try:
            site = stack.enter_context(start())
        except NotInstalled as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(str(error))
        yield site


@pytest.fixture(scope="session", params=sorted(THEMES))
def wordpress_server(request: pytest.FixtureRequest) -> Iterator[WordPressSite]:
    """A running WordPress, started once a version. Tests that write ask for ``wordpress``."""
    with started(lambda: WordPressSite(request.param)) as site:
        yield site


@pytest.fixture
def wordpress(wordpress_server: WordPressSite) -> WordPressSite:
    """The running WordPress, with no posts and no tags."""
    wordpress_server.clear()
    return wordpress_server


@pytest.fixture(scope="session")
def ghost_server() -> Iterator[GhostSite]:
    """A running Ghost, started once. Tests that write ask for ``ghost``."""
    with started(GhostSite) as site:
        yield site


@pytest.fixture
def ghost(ghost_server: GhostSite) -> GhostSite:
    """The running Ghost, with no posts and no tags."""
    ghost_server.clear()
    return ghost_server


@pytest.fixture(scope="session", params=NAMES)
def live_server(request: pytest.FixtureRequest) -> Iterator[LiveSite]:
    """Each real site in turn, started once. Tests that write ask for ``site``."""
    with started(lambda: live_site(request.param)) as site:
        yield site


@pytest.fixture
def site(live_server: LiveSite) -> LiveSite:
    """A real site with no posts."""
    live_server.clear()
    return live_server


@pytest.fixture(scope="module")
def feeds() -> Iterator[FeedServer]:
    """Feeds on loopback that keep to the published state table."""
    with feed_server() as server:
        yield server


# Series of faults and kills, an hour of them on two processors: without TESTS=all each runs on one
# site of its kind, and of the faults those that come once.
_SERIES = {
    "test_companion.py": ("bookworm", "sqlite"),
    "test_companion_lookups.py": ("bookworm",),
    "test_companion_once.py": ("bookworm",),
    "test_random_runs.py": ("ghost-mariadb", "wordpress-bookworm", "wordpress-sqlite"),
    "test_site_faults.py": ("until mended", "wordpress-bookworm", "wordpress-sqlite"),
    "test_site_kills.py": ("ghost-mariadb", "wordpress-bookworm", "wordpress-sqlite"),
    "test_site_kills_parallel.py": ("wordpress-bookworm", "wordpress-sqlite"),
    "test_two_instances.py": ("ghost-mariadb", "wordpress-bookworm"),
    "test_wordpress_contract.py": ("sqlite",),
    "test_xmlrpc_once.py": ("bookworm",),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the rest of the series to TESTS=all."""
    for item in items:
        ours = item.path.parent == Path(__file__).parent
        left_out = _SERIES.get(item.path.name, ()) if ours else ()
        if not ALL and any(name in item.name.partition("[")[2] for name in left_out):
            item.add_marker(pytest.mark.skip(reason="takes long; TESTS=all runs it"))
