"""Random runs on folders and on a Micropub server: kills, broken requests, restarts.

RANDOM_RUNS says how many, RANDOM_SEED the first seed.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import frontmatter
import pytest
from bs4 import BeautifulSoup

from .contract.micropub_server import MicropubServer, micropub_server
from .extent import EVERYTHING
from .fault_proxy import FaultProxy
from .feed_server import FeedServer
from .random_runs import Place, Series, driver

RUNS = int(os.environ.get("RANDOM_RUNS", "200" if EVERYTHING else "16"))
FIRST = int(os.environ.get("RANDOM_SEED", "1"))
PARTS = 4


class Html:
    """A folder of pages; each must be on the list of them as well."""

    proxy = None

    def target(self, folder: Path) -> str:
        return 'type = "html"\npath = "public"\n'

    def published(self, folder: Path) -> list[str]:
        pages = {page.stem: page.read_text() for page in (folder / "public").glob("*.html")}
        index = BeautifulSoup(pages.pop("index"), "html.parser")
        listed = [str(link["href"]) for link in index.select(".posts a")]
        assert sorted(listed) == sorted(f"{name}.html" for name in pages)
        return list(pages)


class Markdown:
    """A folder of Markdown files."""

    proxy = None

    def target(self, folder: Path) -> str:
        return 'type = "markdown"\npath = "content"\npreset = "hugo"\n'

    def published(self, folder: Path) -> list[str]:
        files = (folder / "content").glob("*.md")
        return [str(frontmatter.load(file)["slug"]) for file in files]


class Micropub:
    """A Micropub server behind a proxy."""

    def __init__(self, server: MicropubServer, proxy: FaultProxy) -> None:
        self.server = server
        self.proxy: FaultProxy | None = proxy
        self.url = proxy.url

    def target(self, folder: Path) -> str:
        token = folder / "token"
        token.write_text(self.server.token)
        token.chmod(0o600)
        return (
            f'type = "micropub"\nurl = "{self.url}/"\ntoken_file = "token"\n'
            f'address = "{self.server.url}/{{slug}}"\n'
        )

    def published(self, folder: Path) -> list[str]:
        return [re.sub(r".*/", "", url) for url in self.server.posts]


@pytest.fixture
def series(feeds: FeedServer, tmp_path: Path) -> Iterator[Series]:
    with ExitStack() as stack:
        server = stack.enter_context(micropub_server())
        places: list[Place] = [
            Html(),
            Markdown(),
            Micropub(server, stack.enter_context(FaultProxy(server.url))),
        ]
        yield Series(
            stack.enter_context(driver()),
            feeds,
            stack.enter_context(FaultProxy(feeds.address)),
            places,
            tmp_path,
        )


@pytest.mark.parametrize("part", range(PARTS))
def test_random_runs(series: Series, part: int) -> None:
    """1,000 random runs on top …: after the restart exactly one published post, item `used`,
    nothing lost"""
    seeds = range(FIRST + part, FIRST + RUNS, PARTS)
    for seed in seeds:
        series.run(seed)
    tally = series.tally
    print(f"seeds {seeds}: {tally}: {dict(tally.faults)}")
    assert tally.runs == len(seeds)
    enough = len(seeds) // 4 - 2  # a few runs may meet none
    assert tally.kills >= enough
    assert sum(tally.faults.values()) >= enough
