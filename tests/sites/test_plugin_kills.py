"""The WordPress plugin under kills of PHP at any statement, on MariaDB and on SQLite.

    PLUGIN_KILLS=full pytest -s tests/sites/test_plugin_kills.py     (make test-plugin-kills)

What is counted is the feed's history and WordPress's own table of posts, not the plugin's table.
"""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from connectors.tests.items import make_item
from tests.support.sites.mariadb import MariaDB
from tests.support.sites.plugin_feed import FaultyFeed, faulty_feed
from tests.support.sites.plugin_site import PluginSite
from tests.support.sites.wordpress_site import StoredPost

pytestmark = pytest.mark.sites

FULL = os.environ.get("PLUGIN_KILLS") == "full"
UNFINISHED = "SELECT item_id, state, attempts, told, reason FROM wp_copydesk_items WHERE told = ''"
RUN = "return Copydesk_Runner::run( 'cli' );"
COUNTS = "SELECT DISTINCT count FROM wp_term_taxonomy WHERE taxonomy IN ('category', 'post_tag')"
TAGGED = {"match": "keyword", "value": "*", "tags": ["beans"]}
SEED = 20261123
# The short form looks at every nth statement, from another one each day.
STRIDE = 1 if FULL else 9
ITEMS = 300 if FULL else 30
KILLS = 100 if FULL else 8
STATEMENTS = 450
RESTARTS = 12 if FULL else 1
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Place:
    """A site with the plugin and its feed."""

    plugin: PluginSite
    feed: FaultyFeed

    def add(self, item_id: str) -> None:
        self.feed.add(make_item(item_id, title=f"The post {item_id}", slug=f"post-{item_id}"))

    def run(self, kill_at: int = 0) -> bool:
        """One run; whether it was killed."""
        return killed(self.plugin.start(RUN, kill_at))

    def seen(self) -> list[StoredPost]:
        """The posts that somebody can see; WordPress deletes old auto-drafts."""
        return [post for post in self.plugin.site.posts() if post.status != "auto-draft"]

    def check(self, status: str) -> None:
        """Each item of the feed has one whole post, and the feed knows it."""
        posts = self.seen()
        began = [post for post in self.plugin.site.posts() if post.status == "auto-draft"]
        assert {post.content for post in began} <= {""}
        titles = Counter(post.title for post in posts)
        assert titles == {f"The post {name}": 1 for name in self.feed.states()}
        assert {post.status for post in posts} == {status}
        assert {post.categories for post in posts} == {("Uncategorized",)}
        assert {post.tags for post in posts} == {("beans",)}
        assert all("hard water are a pair" in post.content for post in posts)
        assert {post.excerpt != "" for post in posts} == {True}
        self.check_counts()
        assert set(self.feed.states().values()) == {"used"}
        assert {verb for _, verb in self.feed.history} == {"confirm"}
        assert {name for name, _ in self.feed.history} == set(self.feed.states())

    def check_counts(self) -> None:
        """WordPress counts the posts of its categories and tags, whichever run died."""
        published = len([post for post in self.seen() if post.status == "publish"])
        assert self.plugin.sql(COUNTS) == [f"{published}"]


def killed(process: "subprocess.Popen[str]") -> bool:
    """Wait for a run; whether it was killed."""
    output, errors = process.communicate(timeout=120)
    if process.returncode == -signal.SIGKILL:
        return True
    assert process.returncode == 0, output + errors
    return False


@pytest.fixture
def place(plugin_server: PluginSite) -> Iterator[Place]:
    plugin_server.reset()
    with faulty_feed() as feed:
        yield Place(plugin_server, feed)


@pytest.mark.parametrize("status", ["publish", "schedule"] if FULL else ["publish"])
def test_a_kill_at_any_statement_of_an_item(place: Place, status: str) -> None:
    """each step repeatable after a kill of PHP at any statement"""
    plugin = place.plugin
    plugin.set_options(feed_url=place.feed.url, status=status, author=1, routes=[TAGGED])
    began = time.monotonic()
    number = 1 + int(time.time()) // 86400 % STRIDE
    steps = 0
    while True:
        place.add(f"i{number}")
        was_killed = place.run(number)
        # Nobody sees a part of a post at any moment.
        assert all("hard water" in post.content and post.tags for post in place.seen())
        plugin.let_time_pass()
        place.run()
        place.check_counts()
        steps += 1
        if not was_killed:
            break
        number += STRIDE
    place.check("future" if status == "schedule" else "publish")
    assert number > 60
    print(f"\n{steps} of {number} statements and calls, {time.monotonic() - began:.0f} s")


def test_random_kills_of_runs_of_many_items(place: Place) -> None:
    """random kills over ≥ 100 items; two runs at the same time; with database restarts"""
    plugin = place.plugin
    plugin.set_options(feed_url=place.feed.url, status="publish", author=1, routes=[TAGGED])
    chance = random.Random(SEED)
    for number in range(ITEMS):
        place.add(f"i{number:03}")
    kills = restarts = rounds = 0
    began = time.monotonic()
    while set(place.feed.states().values()) != {"used"} or kills < KILLS:
        rounds += 1
        assert rounds < 20 * KILLS, (kills, place.feed.states(), plugin.sql(UNFINISHED))
        if set(place.feed.states().values()) == {"used"}:
            place.add(f"more{rounds:03}")
        runs = [
            plugin.start(RUN, chance.randint(1, STATEMENTS))
            for _ in range(2 if chance.random() < 0.2 else 1)
        ]
        if restarts < RESTARTS and chance.random() < 2 * RESTARTS / KILLS:
            restarts += restart_database(plugin, runs[0])
            for run in runs:  # It ends with WordPress's page about the database, or by its kill.
                run.communicate(timeout=120)
        else:
            kills += sum([killed(run) for run in runs])
        plugin.let_time_pass()
    plugin.let_time_pass()
    assert not place.run()
    place.check("publish")
    assert kills >= KILLS
    print(
        f"\n{len(place.feed.items)} items, {rounds} rounds, {kills} kills of PHP, {restarts} of "
        f"the database, {time.monotonic() - began:.0f} s; {place.feed.pulls()} pulls"
    )


def restart_database(plugin: PluginSite, run: "subprocess.Popen[str]") -> int:
    """Kill MariaDB in the middle of a run and start it again; how often: SQLite is no server."""
    database = plugin.site._database
    if not isinstance(database, MariaDB):
        return 0
    calls = plugin.sql("SELECT COUNT(*) FROM wp_copydesk_items WHERE state = 'live'")
    deadline = time.monotonic() + DEADLINE_S
    while (
        run.poll() is None
        and plugin.sql("SELECT COUNT(*) FROM wp_copydesk_items WHERE state = 'live'") == calls
    ):
        assert time.monotonic() < deadline
    server = database._server
    server.kill()
    server.wait()
    command = [str(part) for part in server.args]  # type: ignore[union-attr]
    log = plugin.root.parent / "mariadb.log"
    database._server = plugin.site._group.spawn(command, log=log)
    while database._client("SELECT 1", check=False).returncode != 0:
        assert time.monotonic() < deadline + DEADLINE_S
        time.sleep(0.05)
    return 1
