"""SIGKILL at every point between two I/O calls, all of them, on the static targets."""

import json
import subprocess
import sys
from pathlib import Path

import frontmatter
from bs4 import BeautifulSoup

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .feed_server import FakeFeed, FeedServer
from .items import make_item

CONFIG = """
[feed]
url_env = "KILL_TEST_FEED"
[ledger]
path = "ledger"
[[target]]
type = "html"
path = "public"
[[target]]
type = "markdown"
path = "content"
"""
MORE_THAN_ENOUGH = 250


def test_killed_at_every_point_each_post_appears_once(feeds: FeedServer, tmp_path: Path) -> None:
    """SIGKILL between any two I/O calls: exactly one published post, the item confirmed"""
    made: list[FakeFeed] = []
    for number in range(1, MORE_THAN_ENOUGH + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "copydesk.toml").write_text(CONFIG)
        made.append(feeds.new())
        made[-1].add(make_item())
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_driver.py")), str(tmp_path)],
        input=json.dumps([feed.url for feed in made]),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["killed"] for run in runs] == [True] * (len(runs) - 1) + [False]
    points = [run["point"] for run in runs[:-1]]
    assert len(points) > 80
    essential = {
        "link",
        "replace",
        "unlink",
        "fsync",
        "open",
        "endheaders",
        "getresponse",
        "COMMIT",
    }
    assert essential <= set(points)
    for run, feed in zip(runs, made, strict=False):
        folder = tmp_path / str(run["number"])
        where = f"killed before {run['point']}: {(folder / 'log').read_text()}"
        assert run["ended"] == 0, where
        _exactly_once(folder, feed, where)


def _exactly_once(folder: Path, feed: FakeFeed, where: str) -> None:
    assert feed.states() == {"itm_1": "used"}, where
    assert feed.items[0].sends <= 2, where
    (markdown,) = folder.joinpath("content").glob("*.md")
    assert frontmatter.load(markdown)["copydesk_id"] == "itm_1", where
    assert markdown.name == "descale-espresso-machine.md", where
    pages = sorted(path.name for path in folder.joinpath("public").glob("*.html"))
    assert pages == ["descale-espresso-machine.html", "index.html"], where
    index = BeautifulSoup((folder / "public" / "index.html").read_text(), "html.parser")
    assert [a["href"] for a in index.select(".posts a")] == [pages[0]], where
    with Ledger.read(folder / "ledger") as ledger:
        (entry,) = ledger.newest(9)
    assert entry.state is ItemState.CONFIRMED, where
    assert {d.state for d in entry.deliveries} == {DeliveryState.PUBLISHED}, where
