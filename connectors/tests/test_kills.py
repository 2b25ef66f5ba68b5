"""SIGKILL at every point between two I/O calls, all of them, on the static targets."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import frontmatter

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .extent import POINTS
from .feed_server import FakeFeed, FeedServer
from .items import make_item
from .kill_driver import driver

CONFIG = """
[feed]
url_env = "KILL_TEST_FEED"
parallel = 1
[ledger]
path = "ledger"
[[target]]
type = "markdown"
name = "pages"
path = "public"
[[target]]
type = "markdown"
path = "content"
"""


@POINTS
def test_killed_at_every_point_each_post_appears_once(
    feeds: FeedServer, tmp_path: Path, points: tuple[int, int]
) -> None:
    """SIGKILL between any two I/O calls: exactly one published post, the item confirmed"""
    with driver() as process:
        for number in count(*points):
            folder, feed = tmp_path / str(number), feeds.new()
            folder.mkdir()
            (folder / "copydesk.toml").write_text(CONFIG)
            feed.add(make_item())
            point = process.killed_once(folder, feed.url, number)
            _exactly_once(folder, feed, point)
            if not point:
                break
    assert number > 80
    essential = {
        "link",
        "unlink",
        "fsync",
        "open",
        "_send_request_headers",
        "_receive_response_headers",
        "COMMIT",
    }
    assert essential <= set((folder / "passed").read_text().split("\n"))


@POINTS
def test_killed_at_every_point_while_a_late_target_catches_up(
    feeds: FeedServer, tmp_path: Path, one_pass: Callable[[Path], Outcome], points: tuple[int, int]
) -> None:
    """an item confirmed while another target still owes; kill at each step"""
    first, feed = tmp_path / "first", feeds.new()
    feed.add(make_item())
    first.mkdir()
    (first / "copydesk.toml").write_text(
        CONFIG.replace('url_env = "KILL_TEST_FEED"', f'url = "{feed.url}"')
    )
    (first / "content").write_text("in the way")
    assert one_pass(first / "copydesk.toml").confirmed == 1
    (first / "content").unlink()
    (first / "copydesk.toml").write_text(CONFIG)
    feed.calls.clear()
    with driver() as process:
        for number in count(*points):
            folder = tmp_path / str(number)
            shutil.copytree(first, folder)
            point = process.killed_once(folder, feed.url, number)
            _exactly_once(folder, feed, point)
            if not point:
                break
    assert number > 40
    # The feed is not told twice, and no send of it is used up.
    assert {method for method, _ in feed.calls} == {"HEAD", "GET"}
    assert feed.items[0].sends == 1


def _exactly_once(folder: Path, feed: FakeFeed, point: str) -> None:
    where = f"killed before {point}: {(folder / 'log').read_text()}"
    assert feed.states() == {"itm_1": "used"}, where
    assert feed.items[0].sends <= 2, where
    for target in ("content", "public"):
        (file,) = folder.joinpath(target).glob("*.md")
        assert frontmatter.load(file)["copydesk_id"] == "itm_1", where
        assert file.name == "descale-espresso-machine.md", where
    with Ledger.read(folder / "ledger") as ledger:
        (entry,) = ledger.newest(9)
    assert entry.state is ItemState.CONFIRMED, where
    assert {d.state for d in entry.deliveries} == {DeliveryState.PUBLISHED}, where
