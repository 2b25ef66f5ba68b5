"""SIGKILL at random points of passes that make several posts at a time."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .extent import ALL
from .feed_server import FakeFeed, FeedServer
from .items import make_item
from .kill_driver import KILLED, driver

CONFIG = """
[feed]
url_env = "KILL_TEST_FEED"
parallel = 4
[ledger]
path = "ledger"
[[target]]
type = "shelf"
file = "shelf"
[[target]]
type = "html"
path = "public"
"""
RUNS = 25 if ALL else 6
ITEMS = 7
LAST_POINT = 560


@pytest.mark.long
def test_killed_while_several_posts_are_made(feeds: FeedServer, tmp_path: Path) -> None:
    """a kill at any point is still safe: exactly one published post, item `used`, nothing lost"""
    seeded, killed = random.Random(5), 0
    with driver() as process:
        for number in range(RUNS):
            folder, feed = tmp_path / str(number), feeds.new()
            folder.mkdir()
            (folder / "copydesk.toml").write_text(CONFIG)
            for item in range(ITEMS):
                feed.add(make_item(f"itm_{item}", slug=f"post-{item}"))
            for last in (LAST_POINT, LAST_POINT // 2):
                killed += process.once(folder, feed.url, seeded.randint(1, last)) == KILLED
            assert process.once(folder, feed.url) == 0, (folder / "log").read_text()
            _exactly_once(folder, feed)
    assert killed > RUNS


def _exactly_once(folder: Path, feed: FakeFeed) -> None:
    where = (folder / "log").read_text()
    expected = [f"itm_{number}" for number in range(ITEMS)]
    assert feed.states() == dict.fromkeys(expected, "used"), where
    assert max(item.sends for item in feed.items) <= 3, where
    with closing(sqlite3.connect(folder / "shelf")) as db:
        rows = db.execute("SELECT item, public FROM posts ORDER BY item").fetchall()
    assert rows == [(item, 1) for item in expected], where
    pages = sorted(path.name for path in folder.joinpath("public").glob("post-*.html"))
    assert pages == [f"post-{number}.html" for number in range(ITEMS)], where
    with Ledger.read(folder / "ledger") as ledger:
        entries = ledger.newest(99)
    assert {entry.state for entry in entries} == {ItemState.CONFIRMED}, where
    states = {delivery.state for entry in entries for delivery in entry.deliveries}
    assert states == {DeliveryState.PUBLISHED}, where
