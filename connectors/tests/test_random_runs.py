"""Random runs on folders and on sites with drafts: kills, broken requests, restarts.

RANDOM_RUNS says how many, RANDOM_SEED the first seed.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import frontmatter
import pytest

from copydesk_connectors.suite.fault_proxy import FaultProxy

from .extent import ALL
from .fake_xmlrpc import FakeXmlRpc
from .feed_server import FeedServer
from .kill_driver import driver
from .random_runs import Place, Series

RUNS = int(os.environ.get("RANDOM_RUNS", "200" if ALL else "16"))
FIRST = int(os.environ.get("RANDOM_SEED", "1"))
PARTS = 4


class Markdown:
    """A folder of Markdown files."""

    proxy = None

    def target(self, folder: Path) -> str:
        return 'type = "markdown"\npath = "content"\npreset = "hugo"\n'

    def published(self, folder: Path) -> list[str]:
        files = (folder / "content").glob("*.md")
        return [str(frontmatter.load(file)["slug"]) for file in files]


class Shelf:
    """A site that takes several posts at a time and keeps nothing unique."""

    proxy = None

    def target(self, folder: Path) -> str:
        return 'type = "shelf"\nfile = "shelf"\n'

    def published(self, folder: Path) -> list[str]:
        with closing(sqlite3.connect(folder / "shelf")) as db:
            rows = db.execute("SELECT slug, public FROM posts").fetchall()
        assert all(public for _, public in rows), "no draft is left behind"
        return [str(slug) for slug, _ in rows]


class WordPress:
    """A WordPress in memory behind a proxy, reached by XML-RPC."""

    def __init__(self, site: FakeXmlRpc, proxy: FaultProxy) -> None:
        self.site = site
        self.proxy: FaultProxy | None = proxy
        self.url = proxy.url

    def target(self, folder: Path) -> str:
        password = folder / "password"
        password.write_text(self.site.password)
        password.chmod(0o600)
        return (
            f'type = "wordpress"\nprotocol = "xmlrpc"\nurl = "{self.url}"\nusername = "jo"\n'
            'password_file = "password"\n'
        )

    def published(self, folder: Path) -> list[str]:
        return [str(post["slug"]) for post in self.site.posts.values()]


@pytest.fixture
def series(feeds: FeedServer, fake_xmlrpc: FakeXmlRpc, tmp_path: Path) -> Iterator[Series]:
    with ExitStack() as stack:
        places: list[Place] = [
            Markdown(),
            Shelf(),
            WordPress(fake_xmlrpc, stack.enter_context(FaultProxy(fake_xmlrpc.url))),
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
