"""Real sites for the tests of this folder, each started once in a process of tests."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from connectors.tests.extent import ALL
from connectors.tests.feed_server import FeedServer, feed_server
from tests.support.chromium import Browser
from tests.support.sites.ghost_site import GhostSite
from tests.support.sites.live_site import LiveSite
from tests.support.sites.live_sites import live_site
from tests.support.sites.plugin_admin import PluginAdmin
from tests.support.sites.plugin_site import PluginSite
from tests.support.sites.programs import start_or_skip
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running Chromium; without one the tests are skipped, but never in CI."""
    with start_or_skip(Browser) as browser:
        yield browser


@pytest.fixture(scope="session")
def running() -> Iterator[Callable[[str], LiveSite]]:
    """Return the real site of a name, started when it is first asked for."""
    sites: dict[str, LiveSite] = {}
    with ExitStack() as stack:

        def start(name: str) -> LiveSite:
            if name not in sites:
                sites[name] = stack.enter_context(start_or_skip(lambda: live_site(name)))
            return sites[name]

        yield start


@pytest.fixture(params=["bookworm", "trixie"])
def wordpress(request: pytest.FixtureRequest, running: Callable[[str], LiveSite]) -> WordPressSite:
    """A running WordPress of each version, with no posts and no tags."""
    site = running(f"wordpress-{request.param}")
    assert isinstance(site, WordPressSite)
    site.clear()
    return site


@pytest.fixture
def ghost(running: Callable[[str], LiveSite]) -> GhostSite:
    """A running Ghost with no posts and no tags."""
    site = running("ghost")
    assert isinstance(site, GhostSite)
    site.clear()
    return site


@pytest.fixture(scope="module")
def feeds() -> Iterator[FeedServer]:
    """Feeds on loopback that keep to the published state table."""
    with feed_server() as server:
        yield server


@pytest.fixture(scope="module", params=["bookworm", "sqlite"])
def plugin_server(request: pytest.FixtureRequest) -> Iterator[PluginSite]:
    """The plugin on a WordPress with MariaDB, and on one with SQLite."""
    sqlite = request.param == "sqlite"
    made = SqliteWordPressSite() if sqlite else WordPressSite(request.param)
    with start_or_skip(lambda: made) as site:
        plugin = PluginSite(site)
        plugin.install()
        yield plugin


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def plugin_admin(request: pytest.FixtureRequest) -> Iterator[PluginAdmin]:
    """The plugin's pages on a WordPress of each version."""
    with start_or_skip(lambda: WordPressSite(request.param)) as site:
        there = PluginAdmin(site)
        there.install()
        yield there


# Series of faults and kills, an hour of them on two processors: without TESTS=all each runs on one
# site of its kind. tests/README.md has the whole table.
_SERIES: dict[str, tuple[str, ...]] = {
    "test_plugin_pages.py": ("bookworm",),
    "test_plugin_posts.py": ("bookworm",),
    "test_plugin_rights.py": ("bookworm",),
    "test_plugin_runs.py": ("sqlite",),
    "test_site_kills.py": (
        "ghost-mariadb",
        "wordpress-bookworm]",
        "wordpress-sqlite",
        "wordpress-trixie-xmlrpc",
    ),
    "test_wordpress_contract.py": ("sqlite",),
}
# What another database may answer differently: comparisons, locks, a full disk, the plugin's SQL.
_ANY_DATABASE = {
    "test_each_item_is_published_once_and_confirmed",
    "test_ids_have_capitals",
    "test_a_backlog_is_spread_over_the_schedule",
    "test_a_database_that_takes_no_changes_pulls_nothing",
    "test_a_kill_while_an_item_is_given_up_publishes_nothing",
    "test_a_timer_and_a_command_at_the_same_time",
    "test_rows_alone_keep_posts_unique_where_nothing_locks",
    "test_texts_are_forgotten_a_month_after_the_end",
    "test_the_list_is_searched_counted_and_paged",
    "test_the_next_run_says_what_readers_see",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the rest of the series to TESTS=all."""
    for item in items:
        ours = item.path.parent == Path(__file__).parent
        left_out = _SERIES.get(item.path.name, ()) if ours else ()
        name, _, parameters = item.name.partition("[")
        if name in _ANY_DATABASE:
            continue
        if not ALL and any(one in parameters for one in left_out):
            item.add_marker(pytest.mark.skip(reason="takes long; TESTS=all runs it"))
