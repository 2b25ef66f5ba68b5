"""Real sites: the connector killed while it makes several posts at a time.

Which thread is where at the nth point is another matter in each run, so points are taken at random,
over the whole length of a pass; test_site_kills.py has all of them with one post at a time.
"""

import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from connectors.tests.random_runs import driver
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import ItemState
from copydesk_connectors.suite.fault_proxy import FaultProxy
from tests.support.long_tests import ALL
from tests.support.sites.live_sites import LiveSite, one_pass, write_config

SITES = ("ghost", "wordpress-bookworm", "wordpress-trixie", "wordpress-sqlite")
pytestmark = [pytest.mark.sites, pytest.mark.parametrize("live_server", SITES, indirect=True)]

ITEMS = 6
RUNS = 20 if ALL else 6
# A pass over ITEMS items has some 280 points; fewer are left at the second kill.
LAST_POINT = 280
KILLED = -9
PASSES = 3


def test_one_pass_puts_up_several_at_a_time(
    feeds: FeedServer, site: LiveSite, tmp_path: Path
) -> None:
    """[feed] parallel = 4: each post once, each confirmed after its first sending"""
    feed = feeds.new()
    expected = [f"post-{number:02}" for number in range(12)]
    for slug in expected:
        feed.add(make_item(slug, slug=slug))
    file = write_config(tmp_path / "one", site, site.url, f'url = "{feed.url}"\nparallel = 4')
    outcome = one_pass(file)
    assert (outcome.confirmed, outcome.problems) == (len(expected), [])
    assert [item.sends for item in feed.items] == [1] * len(expected)
    assert site.published() == expected
    assert len(site.stored()) == len(expected)


def test_killed_while_several_posts_are_made(
    feeds: FeedServer, site: LiveSite, tmp_path: Path
) -> None:
    """the connector ended by SIGKILL …: after the restart exactly one published post, item `used`,
    nothing lost"""
    chance = random.Random(7)
    kills = 0
    expected: list[str] = []
    with ExitStack() as stack:
        process = stack.enter_context(driver())
        to_site = stack.enter_context(FaultProxy(site.url))
        for number in range(RUNS):
            feed = feeds.new()
            slugs = [f"post-{number}-{n}" for n in range(ITEMS)]
            expected += slugs
            for slug in slugs:
                feed.add(make_item(f"itm_{slug}", slug=slug))
            folder = tmp_path / str(number)
            write_config(folder, site, to_site.url, 'url_env = "KILL_TEST_FEED"\nparallel = 4')
            for last in (LAST_POINT, LAST_POINT // 2):
                # The next start meets what the site still works on.
                kills += process.once(folder, feed.url, chance.randint(1, last)) == KILLED
            ended = [process.once(folder, feed.url, None) for _ in range(PASSES)]
            to_site.settle()
            where = (folder / "log").read_text()
            assert ended[-1] == 0, where
            assert feed.states() == {f"itm_{slug}": "used" for slug in slugs}, where
            assert max(item.sends for item in feed.items) <= 3, where
            assert site.published() == sorted(expected), where
            with Ledger.read(folder / "ledger") as ledger:
                assert {entry.state for entry in ledger.newest(99)} == {ItemState.CONFIRMED}, where
    assert kills > RUNS
    assert len(site.stored()) == len(expected), "no draft is left behind"
