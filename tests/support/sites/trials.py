"""Posts on their way to a real site while everything on that way breaks, and what became of them.

A trial has a feed, whatever publishes its items, and a site. Each round queues items, lets the
owner edit or trash a post, and makes one or more passes under one fault. Afterwards everything is
whole again, passes follow until it is quiet, and ``account`` compares what the feed and the site
hold. All of a trial but the scheduling of its processes follows from its seed.
"""

import random
import signal
import sqlite3
import subprocess
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from connectors.tests.feed_server import FakeFeed
from connectors.tests.items import make_item
from connectors.tests.kill_driver import Driver
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.engine.states import ItemState
from copydesk_connectors.suite.fault_proxy import Cut, FaultProxy, Rule
from tests.support.disk import Disk
from tests.support.sites.live_site import write_config
from tests.support.sites.plugin_site import PluginSite
from tests.support.sites.trial_sites import TAGS, Account, Moment, TrialSite, TrialWordPress, held
from tests.support.startup import wait_until

DOWN_SECONDS = 30.0
RUN_SECONDS = 300.0
PASSES_TO_QUIET = 20
LARGE = "<p>Water that is hard leaves scale.</p>\n" * 5_000  # 200 KB
LEDGER_MEGABYTES = 200
SPARE = (0, 5_000, 100_000, 1_000_000, 10_000_000)
"""Bytes that a full disk has left."""
CUTS = (Cut.BEFORE_RESPONSE, Cut.MID_RESPONSE, Cut.AFTER_REQUEST, Cut.BEFORE_REQUEST)
RUN = "return Copydesk_Runner::run( 'cli' );"
SITE_IS_UP = {
    "connector killed",
    "ledger locked",
    "disk of the ledger full",
    "answer of the feed lost",
    "PHP killed",
    "two runs at once, one killed",
}
"""Faults beside which the owner can work on the site."""
KILLS_OF_PHP = 6
OWNER_TRIES = 3
MOST_NEW = 6
"""Items that are queued in a round."""


class Trial(ABC):
    """One way to one site."""

    def __init__(
        self, feed: FakeFeed, site: TrialSite, stack: ExitStack, chance: random.Random
    ) -> None:
        self.feed, self.site, self.chance = feed, site, chance
        address, _, path = feed.url.partition("/v1/")
        self._to_feed = stack.enter_context(FaultProxy(address))
        self.feed_url = f"{self._to_feed.url}/v1/{path}"
        self.kills = 0
        self.in_vain: list[str] = []
        """Items that were pulled while the ledger had a fault, and not recorded."""
        self._passes = 0
        self._faults: Counter[str] = Counter()
        self._edited: set[str] = set()
        self._trashed: set[str] = set()
        self._deck: list[str] = []

    @property
    @abstractmethod
    def faults(self) -> Mapping[str, Callable[[], None]]:
        """The kinds of faults; each makes passes while something is broken."""

    @abstractmethod
    def one_pass(self, kill: int | None = None) -> None:
        """Publish what waits; with ``kill``, as far as the nth of its own steps."""

    @abstractmethod
    def is_quiet(self) -> bool:
        """Whether nothing is left to do."""

    def work(self, rounds: int) -> None:
        """Queue and publish some items in each round, under one fault."""
        for number in range(rounds):
            for _ in range(self.chance.randint(1, MOST_NEW)):
                self._add(f"i{len(self.feed.items):03}")
            if not self._deck:
                self._deck = list(self.faults)
                self.chance.shuffle(self._deck)
            name = self._deck.pop()
            print(f"  {number}: {name}", flush=True)
            owner = Moment(act=self._owner_acts, nth=self.chance.randint(1, 3 + self._waiting()))
            if self.chance.random() < 0.5:
                self._owner_acts(drafts=self.site.drafts_can_be_trashed)
            elif name in SITE_IS_UP:
                self._to_feed.add(owner)
            self.faults[name]()
            owner.join()
            self._faults[name] += 1
            self._to_feed.mend()
            self._to_feed.settle()
        for _ in range(PASSES_TO_QUIET):
            self.one_pass()
            if self.is_quiet():
                break

    def account(self) -> Account:
        """What became of the items."""
        names = [str(item.content["id"]) for item in self.feed.items]
        seen = self.site.seen()
        copies = Counter(post.name for post in seen)
        states = self.feed.states()
        kept = self._edited | self._trashed
        return Account(
            len(names),
            self._passes,
            self.kills,
            self._faults,
            len(self._edited),
            len(self._trashed),
            max(item.sends for item in self.feed.items),
            {
                "lost": [name for name in names if not copies[name]],
                "doubled": [name for name in copies if copies[name] > 1],
                "pulled in vain": self.in_vain,
                "abandoned": [name for name in names if states[name] == "abandoned"],
                "otherwise not used": [
                    f"{name} {states[name]}"
                    for name in names
                    if states[name] not in {"used", "abandoned"}
                ],
                "hidden": [
                    post.name for post in seen if not post.public and post.name not in self._trashed
                ],
                "not whole": [
                    post.name for post in seen if not post.whole and post.name not in kept
                ],
                "against the owner": [
                    post.name
                    for post in seen
                    if (post.public and post.name in self._trashed)
                    or (post.name in self._edited and not post.edited)
                ],
            },
        )

    def _add(self, name: str) -> None:
        html = make_item()["rendered"]["html"] + (LARGE if self.chance.random() < 0.15 else "")
        self.feed.add(
            make_item(
                name,
                title=f"The post {name}",
                slug=f"post-{name}",
                rendered={"html": html, "markdown": "A text."},
            )
        )

    def _owner_acts(self, *, drafts: bool = False) -> None:
        """Edit or trash a public post; with ``drafts``, maybe one that was left behind."""
        touched = self._edited | self._trashed
        there = [
            post
            for post in self.site.seen()
            if post.name not in touched and (post.public or drafts)
        ]
        if not there:
            return
        post = self.chance.choice(there)
        edits = post.public and self.chance.random() < 0.6
        act, kept = (self.site.edit, self._edited) if edits else (self.site.trash, self._trashed)
        for _ in range(OWNER_TRIES):
            # A site that publishes in the same moment may refuse; its owner tries again.
            with suppress(AssertionError):
                act(post)
                kept.add(post.name)
                return

    @contextmanager
    def _at(self, proxy: FaultProxy, act: Callable[[], object]) -> Iterator[None]:
        """In the block, ``act`` is called at the start or at some request."""
        requests = 1 if proxy is self._to_feed else 4
        moment = Moment(act=act, nth=self.chance.randint(1, 3 + requests * self._waiting()))
        if self.chance.random() < 0.3:
            act()
        else:
            proxy.add(moment)
        try:
            yield
        finally:
            proxy.mend()
            moment.join()

    @contextmanager
    def _within(self, proxy: FaultProxy, fault: AbstractContextManager[object]) -> Iterator[None]:
        """In the block, a fault that begins at the start or at some request."""
        with ExitStack() as stack, self._at(proxy, lambda: stack.enter_context(fault)):
            yield

    def _waiting(self) -> int:
        return sum(state in {"pending", "reserved"} for state in self.feed.states().values())

    def _some_passes(self) -> None:
        for _ in range(self.chance.randint(1, 4)):
            self.one_pass()

    def _passes_while_down(self) -> None:
        """A pass every three seconds, as an impatient scheduler makes them."""
        end = time.monotonic() + DOWN_SECONDS
        while (now := time.monotonic()) < end:
            self.one_pass()
            wait_until(lambda: time.monotonic() > now + 3, what="the next pass is due")

    def _feed_loses_an_answer(self) -> None:
        nth = self.chance.randint(1, 3 + self._waiting())
        self._to_feed.add(Rule(self.chance.choice(CUTS), nth=nth))
        self.one_pass()

    def _database_killed(self, proxy: FaultProxy) -> None:
        database = self.site.database
        assert database is not None
        with self._at(proxy, database.kill):
            self.one_pass()
        database.kill()
        database.start()
        self.site.check()

    def _site_disk_full(self, proxy: FaultProxy) -> None:
        with self._within(proxy, self.site.disk.filled(self.chance.choice(SPARE))):
            self._some_passes()
        self.site.check()


class ConnectorTrial(Trial):
    """By ``copydesk-connect once``, whose ledger is on a small disk of its own."""

    def __init__(
        self,
        feed: FakeFeed,
        site: TrialSite,
        stack: ExitStack,
        chance: random.Random,
        *,
        driver: Driver,
        folder: Path,
    ) -> None:
        super().__init__(feed, site, stack, chance)
        self._driver, self._folder = driver, folder / "connector"
        self._disk = Disk(site.folder / "ledgers", LEDGER_MEGABYTES)
        self._ledger = self._disk.folder / "ledger"
        self._to_site = stack.enter_context(FaultProxy(site.site.url))
        lines = 'url_env = "KILL_TEST_FEED"'
        file = write_config(self._folder, site.site, self._to_site.url, lines)
        file.write_text(file.read_text().replace('"ledger"', f'"{self._ledger}"'))

    @property
    def faults(self) -> Mapping[str, Callable[[], None]]:
        """The kinds of faults."""
        kinds = {
            "connector killed": self._connector_killed,
            "connector killed again": self._connector_killed,
            "ledger locked": self._ledger_locked,
            "answer of the feed lost": self._feed_loses_an_answer,
            "answer of the site lost": self._site_loses_an_answer,
            "site killed": self._site_killed,
            "site killed at a statement": self._site_killed_at_a_statement,
            "site down for 30 s": self._site_down,
            "database killed": lambda: self._database_killed(self._to_site),
        }
        if self._disk.can_fill:
            kinds["disk of the ledger full"] = self._ledger_disk_full
            kinds["ledger read-only"] = self._ledger_read_only
            kinds["disk of the site full"] = lambda: self._site_disk_full(self._to_site)
        return kinds

    def one_pass(self, kill: int | None = None) -> None:
        """One pass of a new process."""
        self._passes += 1
        ended = self._driver.once(self._folder, self.feed_url, kill)
        assert ended in {0, 1, -signal.SIGKILL}, self.log()
        self.kills += ended == -signal.SIGKILL
        self._to_site.settle()

    def is_quiet(self) -> bool:
        """Whether the feed knows what became of all items."""
        with Ledger.read(self._ledger) as ledger:
            ended = {entry.state for entry in ledger.newest(999)} == {ItemState.CONFIRMED}
        return ended and set(self.feed.states().values()) == {"used"}

    def log(self) -> str:
        """What the connector said."""
        return (self._folder / "log").read_text()[-20_000:]

    def _connector_killed(self) -> None:
        self.one_pass(self.chance.randint(1, 60 * self._waiting() + 40))

    @contextmanager
    def _all_recorded(self) -> Iterator[None]:
        """Note what is pulled in the block and is not in the ledger after it."""
        if not self._ledger.exists():
            self.one_pass()
        before = [item.sends for item in self.feed.items]
        yield
        with Ledger.read(self._ledger) as ledger:
            known = {entry.id for entry in ledger.newest(999)}
        names = [str(item.content["id"]) for item in self.feed.items]
        sends = zip(names, before, self.feed.items, strict=True)
        self.in_vain += [name for name, old, now in sends if now.sends > old and name not in known]

    def _ledger_locked(self) -> None:
        proxy = self.chance.choice((self._to_feed, self._to_site))
        with self._all_recorded(), self._within(proxy, held(self._ledger)):
            self._some_passes()

    def _ledger_disk_full(self) -> None:
        proxy = self.chance.choice((self._to_feed, self._to_site))
        spare = self.chance.choice(SPARE)
        with self._all_recorded(), self._within(proxy, self._disk.filled(spare)):
            self._some_passes()

    def _ledger_read_only(self) -> None:
        with self._all_recorded(), self._disk.read_only():
            self._some_passes()

    def _site_loses_an_answer(self) -> None:
        nth = self.chance.randint(1, 20)
        self._to_site.add(Rule(self.chance.choice(CUTS), nth=nth, times=self.chance.randint(1, 3)))
        self.one_pass()
        self._to_site.mend()

    def _site_killed(self) -> None:
        with self._at(self._to_site, self.site.kill):
            self.one_pass()
        self.site.restart()

    def _site_killed_at_a_statement(self) -> None:
        statement = self.chance.randint(1, 80)
        with self._at(self._to_site, lambda: self.site.kill_at(statement)):
            self.one_pass()
        self.site.restart()

    def _site_down(self) -> None:
        self.site.kill()
        self._passes_while_down()
        self.site.restart()


class PluginTrial(Trial):
    """By the plugin; its ledger is a table of the site."""

    def __init__(
        self,
        feed: FakeFeed,
        site: TrialWordPress,
        stack: ExitStack,
        chance: random.Random,
    ) -> None:
        super().__init__(feed, site, stack, chance)
        self._held_table = site.held_table
        self.plugin = PluginSite(site.site)
        self.plugin.install()
        tagged = {"match": "keyword", "value": "*", "tags": sorted(TAGS)}
        self.plugin.set_options(feed_url=self.feed_url, status="publish", author=1, routes=[tagged])

    @property
    def faults(self) -> Mapping[str, Callable[[], None]]:
        """The kinds of faults."""
        kinds = {
            "PHP killed": self._php_killed,
            "two runs at once, one killed": self._two_runs,
            "answer of the feed lost": self._feed_loses_an_answer,
            "table locked": self._table_locked,
        }
        if self.site.database is not None:
            kinds["database killed"] = lambda: self._database_killed(self._to_feed)
            kinds["site down for 30 s"] = self._site_down
        if self.site.disk.can_fill:
            kinds["disk of the site full"] = lambda: self._site_disk_full(self._to_feed)
        return kinds

    def one_pass(self, kill: int | None = None) -> None:
        """One run, once everything that waits is due."""
        self._let_time_pass()
        self._run(kill or 0)

    def is_quiet(self) -> bool:
        """Whether the feed knows what became of all items."""
        self._let_time_pass()
        return set(self.feed.states().values()) == {"used"}

    def log(self) -> str:
        """What the plugin remembers of its items."""
        return "\n".join(str(row) for row in self.plugin.rows() if row["told"] == "")

    def _run(self, kill: int = 0) -> None:
        self._passes += 1
        self._end(self.plugin.start(RUN, kill))

    def _end(self, process: "subprocess.Popen[str]") -> None:
        output, errors = process.communicate(timeout=RUN_SECONDS)
        # WordPress ends with a page about its database where that is away.
        assert process.returncode in {0, 255, 1, -signal.SIGKILL}, output + errors
        self.kills += process.returncode == -signal.SIGKILL

    def _let_time_pass(self) -> None:
        with suppress(AssertionError, sqlite3.Error):  # The database is away or full.
            self.plugin.let_time_pass()

    def _php_killed(self) -> None:
        for _ in range(KILLS_OF_PHP):
            self.one_pass(self._statement())

    def _statement(self) -> int:
        """One of the statements and calls of a run, of which an item takes about 75."""
        return self.chance.randint(1, 40 + 75 * self._waiting())

    def _two_runs(self) -> None:
        self._passes += 2
        self._let_time_pass()
        runs = [self.plugin.start(RUN, self._statement()), self.plugin.start(RUN)]
        for run in runs:
            self._end(run)

    def _table_locked(self) -> None:
        self._let_time_pass()
        with self._within(self._to_feed, self._held_table()):
            # WordPress waits half a minute for an SQLite file.
            for _ in range(1 if self.site.database is None else self.chance.randint(1, 4)):
                self._run()

    def _site_down(self) -> None:
        database = self.site.database
        assert database is not None
        database.kill()
        self._passes_while_down()
        database.start()
