"""Two connectors with two ledgers, each a process of its own, on one feed and the same folders."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import frontmatter
import pytest
from bs4 import BeautifulSoup

from .extent import LONG
from .feed_server import FeedServer
from .items import make_item
from .random_runs import driver

ROUNDS = 12
ITEMS = 3
TARGETS = """
[[target]]
type = "html"
path = "../public"
[[target]]
type = "markdown"
path = "../content"
"""


@LONG
@pytest.mark.parametrize("parallel", [1, 4])
def test_two_instances_put_each_item_into_a_folder_once(
    feeds: FeedServer, tmp_path: Path, parallel: int
) -> None:
    """two instances at once: exactly one published post; two instances with two ledgers still do
    not double a post"""
    feed = feeds.new()
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
        (folder / "copydesk.toml").write_text(
            f'[feed]\nurl_env = "KILL_TEST_FEED"\nparallel = {parallel}\n'
            f'[ledger]\npath = "ledger"\n{TARGETS}'
        )
    expected: list[str] = []
    with ExitStack() as stack:
        processes = [stack.enter_context(driver()) for _ in folders]
        pool = stack.enter_context(ThreadPoolExecutor(len(folders)))
        for number in range(ROUNDS):
            items = [f"itm_{number}_{n}" for n in range(ITEMS)]
            expected += items
            for item in items:
                feed.add(make_item(item, slug=item.replace("_", "-")))
            passes = [
                pool.submit(process.once, folder, feed.url, None)
                for process, folder in zip(processes, folders, strict=True)
            ]
            assert {done.result() for done in passes} <= {0, 1}
            for _ in range(3):
                ended = [
                    process.once(folder, feed.url, None)
                    for process, folder in zip(processes, folders, strict=True)
                ]
                if ended == [0, 0]:
                    break
            assert feed.states() == dict.fromkeys(expected, "used")
    once = dict.fromkeys(expected, 1)
    pages = [path.read_text() for path in (tmp_path / "public").glob("itm-*.html")]
    assert Counter(_id_of_page(page) for page in pages) == once
    files = (tmp_path / "content").glob("*.md")
    assert Counter(str(frontmatter.load(file)["copydesk_id"]) for file in files) == once
    index = BeautifulSoup((tmp_path / "public" / "index.html").read_text(), "html.parser")
    assert len(index.select(".posts a")) == len(expected)


def _id_of_page(page: str) -> str:
    tag = BeautifulSoup(page, "html.parser").find("meta", attrs={"name": "copydesk-id"})
    assert tag is not None
    return str(tag["content"])
