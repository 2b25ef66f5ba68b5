"""SIGKILL at every point of a pass with ``[feed] parallel = 4`` on the static targets.

They take one post at a time, in order, whatever is set: so the points have one order here, too.
"""

import json
import subprocess
import sys
from pathlib import Path

import frontmatter
import pytest

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState

from .extent import LONGEST
from .feed_server import FakeFeed, FeedServer
from .items import make_item

CONFIG = """
[feed]
url_env = "KILL_TEST_FEED"
parallel = 4
[ledger]
path = "ledger"
[[target]]
type = "{kind}"
path = "posts"
"""
ITEMS = [f"itm_{number}" for number in range(3)]
MORE_THAN_ENOUGH = 700


@LONGEST
@pytest.mark.parametrize(("kind", "suffix"), [("html", ".html"), ("markdown", ".md")])
def test_killed_at_every_point_each_post_appears_once(
    feeds: FeedServer, tmp_path: Path, kind: str, suffix: str
) -> None:
    """SIGKILL between any two I/O calls: exactly one published post, the item confirmed"""
    made: list[FakeFeed] = []
    for number in range(1, MORE_THAN_ENOUGH + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "copydesk.toml").write_text(CONFIG.format(kind=kind))
        made.append(feeds.new())
        for item in ITEMS:
            made[-1].add(make_item(item, slug=item.replace("_", "-")))
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("kill_driver.py")), str(tmp_path)],
        input=json.dumps([feed.url for feed in made]),
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run["killed"] for run in runs] == [True] * (len(runs) - 1) + [False]
    assert len(runs) > 100
    for run, feed in zip(runs, made, strict=False):
        folder = tmp_path / str(run["number"])
        where = f"killed before {run['point']}: {(folder / 'log').read_text()}"
        assert run["ended"] == 0, where
        assert feed.states() == dict.fromkeys(ITEMS, "used"), where
        assert max(item.sends for item in feed.items) <= 2, where
        files = sorted(path.name for path in (folder / "posts").glob(f"*{suffix}"))
        expected = [f"{item.replace('_', '-')}{suffix}" for item in ITEMS]
        assert files == ["index.html"] * (kind == "html") + expected, where
        if kind == "markdown":
            ids = [frontmatter.load(folder / "posts" / name)["copydesk_id"] for name in files]
            assert ids == ITEMS, where
        with Ledger.read(folder / "ledger") as ledger:
            entries = ledger.newest(9)
        assert {entry.state for entry in entries} == {ItemState.CONFIRMED}, where
        states = {delivery.state for entry in entries for delivery in entry.deliveries}
        assert states == {DeliveryState.PUBLISHED}, where
