"""Real sites: the connector killed at every point between two of its own I/O calls."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from connectors.tests.extent import ALL
from connectors.tests.feed_server import FeedServer
from connectors.tests.items import make_item
from connectors.tests.kill_driver import KILLED, driver
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import ItemState
from copydesk_connectors.suite.fault_proxy import FaultProxy
from tests.support.sites.live_site import LiveSite, write_config

pytestmark = pytest.mark.sites

MORE_THAN_ENOUGH = 400
NAMES = (
    *("ghost", "ghost-mariadb", "wordpress-bookworm", "wordpress-trixie", "wordpress-sqlite"),
    *("wordpress-bookworm-xmlrpc", "wordpress-trixie-xmlrpc"),
)
# TESTS=all kills at every point, for an hour; otherwise at every nth, from another one each day.
STRIDE = 1 if ALL else 13
FIRST = 1 + int(time.time()) // 86400 % STRIDE


@pytest.mark.parametrize("name", NAMES)
def test_killed_at_every_point_each_post_appears_once(
    feeds: FeedServer, running: Callable[[str], LiveSite], name: str, tmp_path: Path
) -> None:
    """the connector ended by SIGKILL at every point between two of its own I/O calls (all of them,
    enumerated, not a sample) …: after the restart exactly one published post, item `used`, nothing
    lost"""
    site = running(name.removesuffix("-xmlrpc"))
    site.clear()
    points: Counter[str] = Counter()
    with ExitStack() as stack:
        process = stack.enter_context(driver())
        # They break nothing: they tell how many requests there are.
        to_feed = stack.enter_context(FaultProxy(feeds.address))
        to_site = stack.enter_context(FaultProxy(site.url))
        for number in count(FIRST, STRIDE):
            assert number < MORE_THAN_ENOUGH
            feed = feeds.new()
            feed.add(make_item(f"itm_{number}", slug=f"post-{number}"))
            url = feed.url.replace(feeds.address, to_feed.url)
            folder = tmp_path / str(number)
            # One post is made at a time, so that the points have one order.
            config = write_config(
                folder, site, to_site.url, 'url_env = "KILL_TEST_FEED"\nparallel = 1'
            )
            if name.endswith("-xmlrpc"):
                config.write_text(f'{config.read_text()}protocol = "xmlrpc"\n')
            before = len(to_feed.requests) + len(to_site.requests)
            killed = process.once(folder, url, number) == KILLED
            point = (folder / "point").read_text()
            if killed:
                points[point] += 1
                # The next start meets what the site still works on.
                ended = [process.once(folder, url, None) for _ in range(2)]
                where = f"killed before {point}: {(folder / 'log').read_text()}"
                assert ended[-1] == 0, where
            to_site.settle()
            where = f"killed before {point}: {(folder / 'log').read_text()}"
            assert feed.states() == {f"itm_{number}": "used"}, where
            assert feed.items[0].sends <= 2, where
            seen = [slug for status, slug in site.stored() if status.startswith("publish")]
            assert seen.count(f"post-{number}") == 1, where
            with Ledger.read(folder / "ledger") as ledger:
                assert [entry.state for entry in ledger.newest(9)] == [ItemState.CONFIRMED], where
            if not killed:
                break
    # No draft was left behind either.
    assert len(site.stored()) == points.total() + 1
    if STRIDE == 1:
        # Not one request was passed over: before each there was a point, and one before its answer.
        requests = len(to_feed.requests) + len(to_site.requests) - before
        sent = points["endheaders"] + points["_send_request_headers"]
        assert sent == points["getresponse"] + points["_receive_response_headers"] == requests
        assert points["COMMIT"] > 0
