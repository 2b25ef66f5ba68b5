"""SIGKILL at every point between two I/O calls, all of them, on the static targets."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import frontmatter
from bs4 import BeautifulSoup

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .feed_server import FakeFeed, FeedServer
from .items import make_item

CONFIG = """
[feed]
url_env = "KILL_TEST_FEED"
parallel = 1
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
    runs = _series(tmp_path, made)
    points = [run["point"] for run in runs[:-1]]
    assert len(points) > 80
    essential = {
        "link",
        "replace",
        "unlink",
        "fsync",
        "open",
        "_send_request_headers",
        "_receive_response_headers",
        "COMMIT",
    }
    assert essential <= set(points)
    for run, feed in zip(runs, made, strict=False):
        folder = tmp_path / str(run["number"])
        where = f"killed before {run['point']}: {(folder / 'log').read_text()}"
        assert run["ended"] == 0, where
        _exactly_once(folder, feed, where)


def test_killed_at_every_point_while_a_late_target_catches_up(
    feeds: FeedServer, tmp_path: Path, one_pass: Callable[[Path], Outcome]
) -> None:
    """an item confirmed while another target still owes; kill at each step"""
    first, feed = tmp_path / "1", feeds.new()
    feed.add(make_item())
    first.mkdir()
    (first / "copydesk.toml").write_text(
        CONFIG.replace('url_env = "KILL_TEST_FEED"', f'url = "{feed.url}"')
    )
    (first / "content").write_text("in the way")
    assert one_pass(first / "copydesk.toml").confirmed == 1
    (first / "content").unlink()
    (first / "copydesk.toml").write_text(CONFIG)
    for number in range(2, MORE_THAN_ENOUGH + 1):
        shutil.copytree(first, tmp_path / str(number))
    feed.calls.clear()
    runs = _series(tmp_path, [feed] * MORE_THAN_ENOUGH)
    assert len(runs) > 40
    for run in runs:
        folder = tmp_path / str(run["number"])
        _exactly_once(folder, feed, f"killed before {run['point']}: {(folder / 'log').read_text()}")
    # The feed is not told twice, and no send of it is used up.
    assert {method for method, _ in feed.calls} == {"HEAD", "GET"}
    assert feed.items[0].sends == 1


def _series(folder: Path, feeds: Sequence[FakeFeed]) -> list[dict[str, Any]]:
    """What the kill driver says of each run; the last one was not killed."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_driver.py")), str(folder)],
        input=json.dumps([feed.url for feed in feeds]),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["killed"] for run in runs] == [True] * (len(runs) - 1) + [False]
    return runs


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
