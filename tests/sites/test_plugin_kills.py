"""The WordPress plugin under kills of PHP at any statement, on MariaDB and on SQLite.

    KILLS=full pytest -s tests/sites/test_plugin_kills.py     (make test-kills)

What is counted is the feed's history and WordPress's own table of posts, not the plugin's table.
"""

import os
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from connectors.tests.feed_server import FakeFeed, FeedServer
from connectors.tests.items import make_item
from tests.support.sites.plugin_site import PluginSite
from tests.support.sites.wordpress_site import StoredPost

pytestmark = pytest.mark.sites

FULL = os.environ.get("KILLS") == "full"
RUN = "return Copydesk_Runner::run( 'cli' );"
COUNTS = "SELECT DISTINCT count FROM wp_term_taxonomy WHERE taxonomy IN ('category', 'post_tag')"
TAGGED = {"match": "keyword", "value": "*", "tags": ["beans"]}
# The short form looks at every nth statement, from another one each day.
STRIDE = 1 if FULL else 9


@dataclass(frozen=True)
class Place:
    """A site with the plugin and its feed."""

    plugin: PluginSite
    feed: FakeFeed

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
def place(plugin_server: PluginSite, feeds: FeedServer) -> Place:
    plugin_server.reset()
    return Place(plugin_server, feeds.new())


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
