"""SIGKILL at random points of passes that make several posts at a time."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .extent import ALL, LONG
from .feed_server import FakeFeed, FeedServer
from .items import make_item

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


@LONG
def test_killed_while_several_posts_are_made(feeds: FeedServer, tmp_path: Path) -> None:
    """a kill at any point is still safe: exactly one published post, item `used`, nothing lost"""
    seeded = random.Random(5)
    passes, made = [], []
    for number in range(RUNS):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "copydesk.toml").write_text(CONFIG)
        feed = feeds.new()
        made.append((folder, feed))
        for item in range(ITEMS):
            feed.add(make_item(f"itm_{item}", slug=f"post-{item}"))
        kills = [seeded.randint(1, LAST_POINT), seeded.randint(1, LAST_POINT // 2), None]
        passes += [{"folder": str(folder), "feed": feed.url, "kill": kill} for kill in kills]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("shelf_kill_driver.py"))],
        input="\n".join(map(json.dumps, passes)),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    ended = [json.loads(line)["ended"] for line in done.stdout.splitlines()]
    assert ended[2::3] == [0] * RUNS, "the last pass of each ends well"
    assert ended.count(-signal.SIGKILL) > RUNS
    for folder, feed in made:
        _exactly_once(folder, feed)


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
