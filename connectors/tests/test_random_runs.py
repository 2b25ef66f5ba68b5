"""Random runs on folders and on sites with drafts: kills, broken requests, restarts.

RANDOM_RUNS says how many, RANDOM_SEED the first seed. All of a run follows from its seed: what is
queued, where it goes, at which of its own I/O calls the process is killed, and what happens to
which request. A process is killed, or an answer of the feed lost, at most twice, since the feed
gives up what it sent three times; sites break as they like.
"""

import os
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import frontmatter
import pytest

from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import DeliveryState, ItemState
from copydesk_connectors.suite.fault_proxy import Cut, Fault, FaultProxy, Replace, Rule

from .extent import ALL
from .fake_xmlrpc import FakeXmlRpc
from .feed_server import FeedServer
from .items import make_item
from .kill_driver import Driver, driver

BURNING = 2
LAST_POINT = 220
PASSES_TO_QUIET = 6
HTML = {"Content-Type": "text/html"}
FAULTS: Sequence[Fault] = (
    *Cut,
    Cut.SHORT_RESPONSE,
    Replace(500),
    Replace(500, forward=True),
    Replace(429, b"", {"Retry-After": "3600"}),
    Replace(200, b"<title>Log in</title>", HTML),
    Replace(200, b"<title>Log in</title>", HTML, forward=True),
    Replace(302, b"", {"Location": "/login"}),
)


class Place(Protocol):
    """A site that posts end up on. ``proxy`` stands in front of it, None for a folder."""

    proxy: FaultProxy | None

    def target(self, folder: Path) -> str:
        """The lines of a ``[[target]]`` in a configuration in that folder."""

    def published(self, folder: Path) -> list[str]:
        """The slug of every post there, of this and other runs, once for each copy."""


@dataclass
class Tally:
    """What the runs of a series met."""

    runs: int = 0
    passes: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        struck = sum(self.faults.values())
        return (
            f"{self.runs} runs: {self.passes} passes, {self.kills} killed, {struck} requests broken"
        )


@dataclass
class Series:
    """What the runs of one test share. ``always`` is a place that every run has among its own."""

    driver: Driver
    feeds: FeedServer
    feed_proxy: FaultProxy
    places: Sequence[Place]
    folder: Path
    always: Sequence[Place] = ()
    tally: Tally = field(default_factory=Tally)

    def run(self, seed: int) -> None:
        """One run, from its first pass until it is quiet; then the proof."""
        chance = random.Random(seed)
        folder = self.folder / str(seed)
        folder.mkdir()
        feed = self.feeds.new()
        url = feed.url.replace(self.feeds.address, self.feed_proxy.url)
        items = {f"itm_{seed}_{n}": f"run-{seed}-post-{n}" for n in range(chance.randint(1, 4))}
        for item_id, slug in items.items():
            feed.add(make_item(item_id, slug=slug))
        more = chance.randint(1, 2) - len(self.always)
        places = [*self.always, *chance.sample(self.places, min(len(self.places), more))]
        self._write(folder, places, chance.choice((1, 4)))
        burning = BURNING
        for _ in range(chance.randint(1, 4)):
            kill = chance.randint(1, LAST_POINT) if burning and chance.random() < 0.7 else None
            burning -= kill is not None
            for place in places:
                if place.proxy and chance.random() < 0.6:
                    self._break(place.proxy, chance)
            if burning and chance.random() < 0.3:
                burning -= 1
                self._break(self.feed_proxy, chance)
            self._pass(folder, url, places, kill)
        for _ in range(PASSES_TO_QUIET):
            if self._pass(folder, url, places, None) == 0:
                break
        where = f"seed {seed}: {(folder / 'log').read_text()}"
        assert feed.states() == dict.fromkeys(items, "used"), where
        for place in places:
            ours = [s for s in place.published(folder) if s.startswith(f"run-{seed}-post-")]
            assert sorted(ours) == sorted(items.values()), where
        with Ledger.read(folder / "ledger") as ledger:
            entries = ledger.newest(99)
        assert {entry.id for entry in entries} == set(items), where
        assert {entry.state for entry in entries} == {ItemState.CONFIRMED}, where
        states = {delivery.state for entry in entries for delivery in entry.deliveries}
        assert states == {DeliveryState.PUBLISHED}, where
        self.tally.runs += 1

    def _write(self, folder: Path, places: Sequence[Place], parallel: int) -> None:
        targets = "".join(
            f'[[target]]\nname = "site-{number}"\n{place.target(folder)}'
            for number, place in enumerate(places)
        )
        file = folder / "copydesk.toml"
        file.write_text(
            f'[feed]\nurl_env = "KILL_TEST_FEED"\nparallel = {parallel}\n'
            f'[ledger]\npath = "ledger"\n{targets}'
        )
        file.chmod(0o600)

    def _break(self, proxy: FaultProxy, chance: random.Random) -> None:
        nth, times = chance.randint(1, 12), chance.choice((1, 1, 2, 9))
        proxy.add(Rule(chance.choice(FAULTS), nth=nth, times=times))

    def _pass(self, folder: Path, url: str, places: Sequence[Place], kill: int | None) -> int:
        proxies = [self.feed_proxy, *(place.proxy for place in places if place.proxy)]
        before = [len(proxy.requests) for proxy in proxies]
        ended = self.driver.once(folder, url, kill)
        self.tally.passes += 1
        self.tally.kills += ended == -signal.SIGKILL
        assert ended in {0, 1, -signal.SIGKILL}, (folder / "log").read_text()
        for proxy, seen in zip(proxies, before, strict=True):
            proxy.settle()
            proxy.mend()
            struck = [str(request.fault) for request in proxy.requests[seen:] if request.fault]
            self.tally.faults.update(struck)
        return ended


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
