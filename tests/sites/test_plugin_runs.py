"""The runs of the WordPress plugin on real WordPress, on MariaDB and on SQLite.

What is counted is the feed's history and WordPress's own table of posts, not the plugin's table.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
import requests

from connectors.tests.feed_server import FakeFeed, FeedServer
from connectors.tests.items import make_item
from copydesk_connectors.suite.fault_proxy import FOR_GOOD, Cut, Fault, FaultProxy, Replace, Rule
from tests.support.sites.plugin_site import Killed, PluginSite, finished
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import StoredPost

pytestmark = pytest.mark.sites

DAILY = {"days": [1, 2, 3, 4, 5, 6, 7], "times": ["09:00"], "per_day": 1, "jitter": 0}


@dataclass(frozen=True)
class Setting:
    """A site with the plugin, and its feed behind a proxy that can break answers."""

    plugin: PluginSite
    feed: FakeFeed
    wire: FaultProxy
    url: str

    def broken(self, fault: Fault, path: str = "", method: str = "") -> None:
        """Break all requests from now on that have this method and this part in their path."""
        self.wire.add(Rule(fault, method, path, times=FOR_GOOD))

    def add(self, *ids: str) -> None:
        """Queue items in the feed."""
        for item_id in ids:
            self.feed.add(item(item_id))

    def posts(self) -> list[tuple[str, str]]:
        """The status and title of every post that somebody can see, the trash included."""
        return [(post.status, post.title) for post in self.stored()]

    def stored(self) -> list[StoredPost]:
        return [post for post in self.plugin.site.posts() if post.status != "auto-draft"]

    def post_id(self, item_id: str) -> int:
        (post,) = [post for post in self.stored() if post.title == title(item_id)]
        return post.id

    def states(self) -> dict[str, tuple[str, str]]:
        """The state of every row, and what the feed was told."""
        return {row["item_id"]: (row["state"], row["told"]) for row in self.plugin.rows()}

    def set_status(self, status: str, **settings: Any) -> None:
        self.plugin.set_options(feed_url=self.url, status=status, author=1, **settings)

    def wordpress(self, code: str) -> Any:
        """Run code as the site's owner."""
        return self.plugin.php(f"wp_set_current_user( 1 ); {code}")


def title(item_id: str) -> str:
    return f"The post {item_id}"


def item(item_id: str, **changes: Any) -> dict[str, Any]:
    return make_item(item_id, title=title(item_id), slug=f"post-{item_id}", **changes)


@pytest.fixture
def site(plugin_server: PluginSite, feeds: FeedServer) -> Iterator[Setting]:
    """A site without posts that publishes what its own new feed has; PHP complains of nothing."""
    plugin_server.reset()
    with FaultProxy(feeds.address) as wire, plugin_server.without_complaints():
        feed = feeds.new()
        url = feed.url.replace(feeds.address, wire.url)
        setting = Setting(plugin_server, feed, wire, url)
        setting.set_status("publish")
        yield setting
    assert url.split("/")[-2] not in plugin_server.site.log()


def test_each_item_is_published_once_and_confirmed(site: Setting) -> None:
    """its own unique row per item, then the post, then confirm"""
    site.add("a", "b", "c")
    summary = site.plugin.run()
    assert (summary["pulled"], summary["published"], summary["problems"]) == (3, 3, [])
    assert site.posts() == [("publish", title(name)) for name in ("a", "b", "c")]
    assert [post.categories for post in site.stored()] == [("Uncategorized",)] * 3
    assert site.feed.history == [(name, "confirm") for name in ("a", "b", "c")]
    assert list(site.feed.addresses) == ["a", "b", "c"]
    assert requests.get(site.feed.addresses["a"], timeout=10).status_code == 200
    assert site.plugin.run()["pulled"] == 0
    assert len(site.posts()) == 3


def test_ids_have_capitals(site: Setting) -> None:
    """its own unique row per item: SQLite's drop-in cannot tell such ids apart, and says so"""
    site.add("a", "A")
    (*problems,) = site.plugin.run()["problems"]
    if isinstance(site.plugin.site, SqliteWordPressSite):
        assert "did not store a post" in problems[0]
        assert site.posts() == [("publish", title("a"))]
        assert site.feed.states() == {"a": "used", "A": "reserved"}
    else:
        assert problems == []
        assert site.posts() == [("publish", title("a")), ("publish", title("A"))]


def test_rules_are_asked_for_where_routes_need_them(site: Setting) -> None:
    """routes (rule or keyword → category, tags, author, status, schedule)"""
    route = {"match": "rule", "value": "Espresso", "categories": [], "tags": ["beans"]}
    site.set_status("publish", routes=[route | {"author": 0, "status": "draft", "schedule": None}])
    site.add("a")
    site.plugin.run()
    assert site.plugin.row("a")["rule"] == "Espresso"


def test_a_slug_that_is_taken_becomes_another(site: Setting) -> None:
    """the owner's post of the same slug is not touched; two posts of one slug are two posts"""
    owners = {"status": "publish", "slug": "post-a", "title": "Mine", "content": "<p>Mine.</p>"}
    site.plugin.site.rest("POST", "posts", json=owners)
    site.add("a")
    site.feed.add(make_item("aa", title=title("aa"), slug="post-a"))
    site.plugin.run()
    assert [(post.title, post.slug) for post in site.stored()] == [
        ("Mine", "post-a"),
        (title("a"), "post-a-2"),
        (title("aa"), "post-a-3"),
    ]


def test_more_items_than_one_answer_holds(site: Setting) -> None:
    site.add(*(f"i{number:03}" for number in range(105)))
    assert site.plugin.run()["published"] == 105
    assert len(set(site.posts())) == 105
    assert set(site.feed.states().values()) == {"used"}


@pytest.mark.parametrize(("status", "state"), [("draft", "draft"), ("pending", "pending")])
def test_posts_are_left_for_a_person(site: Setting, status: str, state: str) -> None:
    """`draft`, `pending` (left for a person)"""
    site.set_status(status)
    site.add("a")
    site.plugin.run()
    assert site.posts() == [(status, title("a"))]
    assert site.states() == {"a": (state, "used")}
    assert site.plugin.act("a", "publish_now") == ""
    assert site.posts() == [("publish", title("a"))]
    assert site.states() == {"a": ("live", "used")}


def test_a_backlog_is_spread_over_the_schedule(site: Setting) -> None:
    """the slot is stored in the row before the draft; … a backlog is spread"""
    site.set_status("schedule", schedule=DAILY)
    site.add("a", "b", "c")
    site.plugin.run()
    dates = [datetime.fromisoformat(post.date_gmt) for post in site.stored()]
    assert [second - first for first, second in pairwise(dates)] == [timedelta(days=1)] * 2
    assert {date.strftime("%H:%M") for date in dates} == {"09:00"}
    assert dates[0] > datetime.now(UTC).replace(tzinfo=None)
    assert [post.status for post in site.stored()] == ["future"] * 3
    assert {row["slot"].split(".")[0] for row in site.plugin.rows()} == {
        post.date_gmt for post in site.stored()
    }
    assert set(site.states().values()) == {("scheduled", "used")}


def test_a_post_whose_timer_was_lost_is_published_at_its_time(site: Setting) -> None:
    """`scheduled` (WordPress publishes it at its slot)"""
    site.set_status("schedule", schedule=DAILY)
    site.add("a")
    site.plugin.run()
    site.wordpress(f"wp_clear_scheduled_hook('publish_future_post', [{site.post_id('a')}]);")
    past = "2026-01-05 09:00:00"
    site.plugin.sql(f"UPDATE wp_posts SET post_date = '{past}', post_date_gmt = '{past}'")
    site.plugin.sql(f"UPDATE wp_copydesk_items SET slot = '{past}'")
    site.plugin.run()
    assert site.posts() == [("publish", title("a"))]
    assert site.states() == {"a": ("live", "used")}


def test_publish_now_brings_a_scheduled_post_forward(site: Setting) -> None:
    """publish_now"""
    site.set_status("schedule", schedule=DAILY)
    site.add("a")
    site.plugin.run()
    assert site.plugin.act("a", "publish_now") == ""
    (post,) = site.stored()
    assert post.status == "publish"
    assert post.date_gmt <= datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    assert site.states() == {"a": ("live", "used")}


def test_a_lost_pull_is_delivered_again_and_the_run_stays_at_one_at_a_time(site: Setting) -> None:
    """pulls (first item alone …): each lost answer costs every item in it a delivery"""
    site.add("a", "b")
    site.broken(Cut.BEFORE_RESPONSE, method="GET")
    site.plugin.run()
    site.wire.mend()
    site.plugin.run()
    assert [path for method, path in site.feed.calls if method == "GET"] == [
        "/latest",
        "/latest",
        "/latest",
        "/items",
    ]
    assert sorted(site.posts()) == [("publish", title("a")), ("publish", title("b"))]
    assert "another site" in site.plugin.row("a")["reason"]
    assert site.plugin.row("b")["reason"] == ""


def test_an_item_that_the_feed_gave_up_stays_published(site: Setting) -> None:
    """409 of confirm → told=conflict and a reason"""
    site.add("a")
    site.broken(Replace(409, b'{"error": {"code": "CONFLICT"}}'), "confirm")
    site.plugin.run()
    row = site.plugin.row("a")
    assert (row["state"], row["told"]) == ("live", "conflict")
    assert "409" in row["reason"]
    site.plugin.run()
    assert sum("/items/a/confirm" in request.path for request in site.wire.requests) == 1


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Cut.BEFORE_REQUEST, "did not respond"),
        (Cut.BEFORE_RESPONSE, "did not respond"),
        (Cut.MID_RESPONSE, "did not respond"),
        (Replace(403, b"<!DOCTYPE html><title>Firewall</title>"), "403"),
        (Replace(500), "500"),
        (Replace(200, b"<!DOCTYPE html><title>Maintenance</title>"), "web page"),
        (Replace(200, b'{"available": true}'), "web page"),
        (Replace(429, b"{}"), "429"),
        (Replace(410, b"{}"), "address"),
        (Replace(404, b"{}"), "address"),
        (Replace(302, b"", {"Location": "http://127.0.0.1:9/"}), "302"),
    ],
)
def test_a_feed_that_fails_parks_nothing(site: Setting, answer: Fault, says: str) -> None:
    """a feed that is down or answers HTML/500/429/410; a feed problem … parks nothing"""
    site.add("a", "b")
    site.broken(answer, "items/a/confirm")
    site.broken(answer, method="HEAD")
    (problem,) = site.plugin.run()["problems"]
    assert says in problem
    site.broken(answer)
    (problem,) = site.plugin.run()["problems"]
    assert says in problem
    assert "content-tokens" not in problem
    assert site.states() == {"a": ("live", "")}
    site.wire.mend()
    assert site.plugin.run()["problems"] == []
    assert site.states() == {"a": ("live", "used"), "b": ("live", "used")}
    assert len(site.posts()) == 2


def test_a_feed_that_asks_to_wait_is_left_alone(site: Setting) -> None:
    """429"""
    site.add("a")
    site.broken(Replace(429, b"{}", {"Retry-After": "600"}))
    site.plugin.run()
    calls = len(site.wire.requests)
    site.wire.mend()
    assert "asked Copydesk to wait until" in site.plugin.run()["problems"][0]
    assert len(site.wire.requests) == calls
    site.plugin.let_time_pass()
    site.plugin.run()
    assert site.states() == {"a": ("live", "used")}


def test_items_of_every_shape_stop_nothing(site: Setting) -> None:
    """No single item may stop the rest"""
    odd_items: list[dict[str, Any]] = [
        {"id": "x y"},
        {"id": 5},
        {"post": None},
        {"post": {"title": ["x"]}},
        {"rendered": {"html": "", "markdown": " "}},
        {"rendered": "text"},
        {"generatedAt": 5, "deliveryCount": "many", "ruleName": ["x"]},
    ]
    for number, odd in enumerate(odd_items):
        site.feed.add(item(f"o{number}", **odd))
    site.add("z")
    site.set_status("publish", routes=[{"match": "rule", "value": "none"}])
    site.plugin.run()
    assert ("publish", title("z")) in site.posts()
    assert [name for name, (state, _) in site.states().items() if state == "rejected"] == [
        "o2",
        "o3",
        "o4",
        "o5",
    ]
    assert site.feed.states()["o2"] == "rejected"


FAILS = """add_filter( 'wp_insert_post_empty_content', function ( $empty, $post ) {
    if ( 'The post bad' === $post['post_title'] ) { %s }
    return $empty;
}, 10, 2 );"""


@pytest.mark.parametrize(
    "how", ["throw new RuntimeException( 'broken' );", "return true;", "posix_kill(getmypid(), 9);"]
)
def test_an_item_that_always_fails_stops_no_other_and_is_parked(site: Setting, how: str) -> None:
    """A failure backs off 5 min, doubling to 6 h; parked after 3 days"""
    plugin = site.plugin
    run = "return Copydesk_Runner::run( 'cli' );"
    with plugin.site.with_plugin(FAILS % how):
        site.add("bad")
        finished_anyhow(plugin.start(run))
        site.add("good", "better")
        for _ in range(3):
            # Where the database does not lock, the lock of a run that was killed lapses.
            plugin.sql("DELETE FROM wp_options WHERE option_name = 'copydesk_lock'")
            finished_anyhow(plugin.start(run))
        assert site.posts().count(("publish", title("good"))) == 1
        assert site.posts().count(("publish", title("better"))) == 1
        assert plugin.row("bad")["attempts"] == 1, "the others waited for no try of it"
        if "throw" not in how:  # The waits are the same, and waiting is slow.
            plugin.sql("UPDATE wp_copydesk_items SET attempts = 17 WHERE item_id = 'bad'")
        waits = []
        while site.states()["bad"][0] != "parked":
            row = plugin.row("bad")
            waits.append(seconds(row["next_try"]) - seconds(row["updated_at"]))
            plugin.let_time_pass()
            finished_anyhow(plugin.start(run))
        if "throw" in how:
            # From the end of a try, which takes a second or two itself.
            assert [round(wait / 60) for wait in waits[:8]] == [5, 10, 20, 40, 80, 160, 320, 360]
            assert 3 * 86400 < sum(waits) < 4 * 86400
        assert plugin.row("bad")["reason"] != ""
    # Nothing that was accepted is lost.
    assert plugin.act("bad", "retry") == ""
    assert site.posts().count(("publish", title("bad"))) == 1


def test_an_item_that_waits_for_days_is_not_given_up_by_the_feed(site: Setting) -> None:
    """A feed abandons an item after three deliveries"""
    plugin = site.plugin
    site.add("bad")
    with plugin.site.with_plugin(FAILS % "throw new Exception( 'no' );"):
        for number in range(5):
            site.add(f"good-{number}")
            said = plugin.run()["problems"]
            plugin.let_time_pass()
    assert f"No new posts are fetched until “{title('bad')}”" in said[-1]
    assert next(item.sends for item in site.feed.items if item.content["id"] == "bad") == 3
    plugin.run()
    assert {state for _, state in site.states().values()} == {"used"}


def seconds(stored: str) -> float:
    return datetime.fromisoformat(stored.split(".")[0]).timestamp()


def finished_anyhow(process: "subprocess.Popen[str]") -> None:
    """Wait for a run that may end by a kill."""
    process.communicate(timeout=60)


@pytest.mark.parametrize("table", ["", ".*copydesk_items"], ids=["any table", "its own table"])
def test_a_database_that_takes_no_changes_pulls_nothing(site: Setting, table: str) -> None:
    """the site's own problem (no disk, no right) parks nothing"""
    code = (
        f"add_filter('query', fn($q) => preg_match('/^\\s*(INSERT|UPDATE){table}/i', $q) "
        "? 'SELECT 1 FROM DUAL WHERE 1 = 0' : $q);"
    )
    plugin = site.plugin
    site.add("a")
    with plugin.site.with_plugin(code):
        assert "accepts no changes" in plugin.run()["problems"][0]
    assert site.feed.calls == []
    plugin.run()
    assert site.posts() == [("publish", title("a"))]


def stopped_before_publishing(site: Setting, item_id: str) -> int:
    """An open item whose post is a draft with its text, as a kill during "Retry" of a post in the
    trash leaves it; gives the number of the post."""
    site.add(item_id)
    code = (
        "add_filter( 'query', function ( $sql ) { if ( strpos( $sql, \"state = 'live'\" ) ) "
        "{ posix_kill( getmypid(), SIGKILL ); } return $sql; } ); "
        "return Copydesk_Runner::run( 'cli' );"
    )
    finished_anyhow(site.plugin.start(code))
    row = site.plugin.row(item_id)
    assert row["state"] == "received"
    site.plugin.sql(f"UPDATE wp_posts SET post_status = 'draft' WHERE ID = {row['post_id']}")
    site.plugin.let_time_pass()
    return int(row["post_id"])


def test_an_edit_between_draft_and_publishing_is_respected(site: Setting) -> None:
    """An owner's edits … are respected"""
    post = stopped_before_publishing(site, "a")
    site.wordpress(f"wp_update_post( [ 'ID' => {post}, 'post_content' => 'Mine.' ] );")
    site.plugin.run()
    (stored,) = site.stored()
    assert (stored.status, stored.content) == ("draft", "Mine.")
    assert site.states() == {"a": ("draft", "used")}
    assert "edited this draft" in site.plugin.row("a")["reason"]
    assert site.plugin.act("a", "publish_now") == ""
    (stored,) = site.stored()
    assert (stored.status, stored.content) == ("publish", "Mine.")


@pytest.mark.parametrize("how", ["wp_trash_post( %d );", "wp_delete_post( %d, true );"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_trash_and_deletion_are_respected(site: Setting, how: str, when: str) -> None:
    """An owner's … trash, deletion are respected (withdrawn; never made again but by retry)"""
    if when == "before":
        post = stopped_before_publishing(site, "a")
        said = "rejected"
    else:
        site.add("a")
        site.plugin.run()
        post = site.post_id("a")
        said = "used"
    site.wordpress(how % post)
    left = [("trash", title("a"))] if "trash" in how else []
    for _ in range(2):
        site.plugin.let_time_pass()
        site.plugin.run()
        assert site.posts() == left
    assert site.states() == {"a": ("withdrawn", said)}
    assert site.plugin.act("a", "retry") == ""
    assert site.posts() == [("publish", title("a"))]
    assert site.states()["a"][0] == "live"


@pytest.mark.parametrize("how", ["wp_trash_post( %d );", "wp_delete_post( %d, true );"])
def test_a_post_that_readers_saw_counts_as_used_also_after_its_owner_removed_it(
    site: Setting, how: str
) -> None:
    """a post that readers saw counts as used (the plugin confirms it, also after trash)"""
    site.add("a")
    site.broken(Replace(503), "confirm")
    site.plugin.run()
    assert site.states() == {"a": ("live", "")}
    site.wordpress(how % site.post_id("a"))
    site.wire.mend()
    site.plugin.run()
    assert site.states() == {"a": ("withdrawn", "used")}
    assert site.feed.states() == {"a": "used"}
    assert [path for _, path in site.feed.calls if path.endswith("reject")] == []


# What a plugin does to a post's row.
CHANGES = "add_filter('wp_insert_post_data', function ($post) { %s return $post; });"


@pytest.mark.parametrize(
    ("code", "changed", "state"),
    [
        (
            "add_filter('content_save_pre', fn($text) => str_replace('sponsored', '', $text));",
            'rel="sponsored"',
            "live",
        ),
        (CHANGES % "$post['post_content'] = '<p>Soon.</p>';", "title or text", "live"),
        (CHANGES % "$post['post_excerpt'] = '';", "excerpt", "live"),
        (CHANGES % "$post['post_author'] = 2;", "author", "live"),
        (CHANGES % "$post['post_status'] = 'private';", "status", "draft"),
        (
            "add_filter('add_post_metadata', fn($done, $id, $key) =>"
            " $key === '_copydesk_json_ld' ? false : $done, 10, 3);",
            "_copydesk_json_ld",
            "live",
        ),
    ],
    ids=["rel", "text", "excerpt", "author", "status", "meta"],
)
def test_an_owner_hears_what_the_site_changed(
    site: Setting, code: str, changed: str, state: str
) -> None:
    """rel="sponsored" that the site strips: publication warns; so for each field that it changes"""
    site.add("a")
    with site.plugin.site.with_plugin(code):
        summary = site.plugin.run()
    assert f"changed or removed what Copydesk wrote: {changed}" in summary["problems"][0]
    assert f"changed or removed what Copydesk wrote: {changed}" in site.plugin.row("a")["reason"]
    assert site.states() == {"a": (state, "used")}
    site.add("b")
    assert site.plugin.run()["problems"] == []


def test_a_post_taken_out_of_the_trash_is_listed_as_what_it_is(site: Setting) -> None:
    site.add("a")
    site.plugin.run()
    post = site.post_id("a")
    site.wordpress(f"wp_trash_post( {post} );")
    assert site.states()["a"][0] == "withdrawn"
    site.wordpress(f"wp_untrash_post( {post} );")
    assert site.states()["a"][0] == "draft"


@pytest.mark.parametrize("action", ["reject", "never"])
def test_what_is_dropped_gets_no_post_and_the_feed_is_told(site: Setting, action: str) -> None:
    """reject is sent for `rejected` and `never`"""
    stopped_before_publishing(site, "a")
    assert site.plugin.act("a", action) == ""
    state = "rejected" if action == "reject" else "never"
    assert site.states() == {"a": (state, "rejected")}
    assert site.feed.states() == {"a": "rejected"}
    site.plugin.run()
    assert site.posts() == [("trash", title("a"))]
    refused = site.plugin.act("a", "retry")
    assert (refused == "") == (action == "reject")
    if action == "reject":
        assert site.posts() == [("publish", title("a"))]
        assert site.states() == {"a": ("live", "conflict")}


def test_a_kill_while_an_item_is_given_up_publishes_nothing(site: Setting) -> None:
    """never: keeps the post from ever being published, after a kill of PHP at any statement"""
    plugin = site.plugin
    site.set_status("schedule", schedule=DAILY)
    number = -4
    was_killed = True
    while was_killed:
        number += 5  # Between the two changes there are more statements than that.
        site.add(f"i{number}")
        plugin.run()
        try:
            finished(plugin.start(f"Copydesk_Runner::act( 'i{number}', 'never' );", number))
            was_killed = False
        except Killed:
            pass
        state, status = site.states()[f"i{number}"][0], dict(map(reversed, site.posts()))
        seen = status[title(f"i{number}")]
        # Either nothing happened yet, or the post is gone, whatever the row already says.
        assert seen == "trash" or (seen, state) == ("future", "scheduled"), number
        plugin.let_time_pass()
        plugin.act(f"i{number}", "never")
        assert dict(map(reversed, site.posts()))[title(f"i{number}")] == "trash"
    assert number > 10, number
    assert site.states()[f"i{number}"] == ("never", "used")


@pytest.mark.parametrize(
    ("status", "stored", "state"),
    [
        ("publish", "private", "draft"),
        ("publish", "trash", "withdrawn"),
        ("draft", "publish", "live"),
        ("draft", "future", "scheduled"),
        ("pending", "draft", "draft"),
    ],
)
def test_the_next_run_says_what_readers_see(
    site: Setting, status: str, stored: str, state: str
) -> None:
    """PHP ended after the post was changed and before its row was; the row follows"""
    site.set_status(status)
    site.add("a")
    site.plugin.run()
    later = ", post_date_gmt = '2099-01-01 09:00:00'" if stored == "future" else ""
    site.plugin.sql(
        f"UPDATE wp_posts SET post_status = '{stored}'{later} WHERE ID = {site.post_id('a')}"
    )
    site.plugin.run()
    assert site.states() == {"a": (state, "used")}
    assert [found for found, _ in site.posts()] == [stored]
    updated = site.plugin.row("a")["updated_at"]
    site.plugin.run()
    assert site.plugin.row("a")["updated_at"] == updated, "what is right is left alone"
    site.plugin.sql(f"DELETE FROM wp_posts WHERE ID = {site.post_id('a')}")
    site.plugin.run()
    assert site.states() == {"a": ("withdrawn", "used")}


def test_no_reason_holds_the_feeds_address(site: Setting) -> None:
    """no feed address in any page, log, REST answer or export"""
    code = (
        "add_filter( 'wp_insert_post_empty_content', function () { throw new Exception( "
        "'cannot reach https://proxy.example/x/' . basename( dirname( "
        "Copydesk_Settings::get()['feed_url'] ) ) ); } );"
    )
    site.add("a")
    with site.plugin.site.with_plugin(code):
        summary = site.plugin.run()
    (problem,) = summary["problems"]
    assert "cannot reach https://proxy.example/x/…" in problem
    assert "secretsecret" not in str(site.plugin.rows())


def test_a_live_post_cannot_be_dropped_and_unknown_ones_are_refused(site: Setting) -> None:
    site.add("a")
    site.plugin.run()
    assert "live" in site.plugin.act("a", "reject")
    assert "live" in site.plugin.act("a", "never")
    assert "not in the list" in site.plugin.act("b", "retry")
    assert "unknown" in site.plugin.act("a", "explode")
    assert site.posts() == [("publish", title("a"))]


def test_a_timer_and_a_command_at_the_same_time(site: Setting) -> None:
    """two runs at the same time (WP-Cron and WP-CLI-like CLI process)"""
    names = [f"i{number:02}" for number in range(30)]
    site.add(*names)
    plugin = site.plugin
    for _ in range(3):
        plugin.php(
            "_set_cron_array( array() ); delete_transient( 'doing_cron' );"
            "wp_schedule_event( time() - 5, 'copydesk_quarter_hour', 'copydesk_run' );"
        )
        commands = [plugin.start("return Copydesk_Runner::run( 'cli' );") for _ in range(2)]
        answer = requests.get(f"{plugin.site.url}/wp-cron.php?doing_wp_cron", timeout=60)
        assert answer.status_code == 200
        for command in commands:
            finished(command)
    assert sorted(site.posts()) == [("publish", title(name)) for name in names]
    assert sorted(site.feed.history) == [(name, "confirm") for name in names]


def test_rows_alone_keep_posts_unique_where_nothing_locks(site: Setting) -> None:
    """one UPDATE … WHERE state IN; the loser deletes its own auto-draft"""
    names = [f"i{number:02}" for number in range(20)]
    site.add(*names)
    code = (
        "add_filter( 'query', fn( $sql ) => strpos( $sql, 'GET_LOCK' ) ? 'SELECT 1' : $sql ); "
        "return Copydesk_Runner::run( 'cli' );"
    )
    for process in [site.plugin.start(code) for _ in range(2)]:
        finished(process)
    site.plugin.let_time_pass()
    site.plugin.run()
    assert sorted(site.posts()) == [("publish", title(name)) for name in names]
    assert {name for name, _ in site.feed.history} == set(names)
    assert [post for post in site.plugin.site.posts() if post.status == "auto-draft"] == []


def test_the_run_after_one_that_died_counts_the_posts_of_its_terms(site: Setting) -> None:
    """A run counts the posts of each category once, at its end"""
    counted = "SELECT count FROM wp_term_taxonomy WHERE taxonomy = 'category'"
    site.add("a", "b")
    dies = (
        "add_filter( 'query', function ( $sql ) { if ( strpos( $sql, 'SET `count`' ) ) "
        "{ posix_kill( getmypid(), SIGKILL ); } return $sql; } ); "
        "return Copydesk_Runner::run( 'cli' );"
    )
    finished_anyhow(site.plugin.start(dies))
    assert site.states() == {"a": ("live", "used"), "b": ("live", "used")}
    assert site.plugin.sql(counted) == ["0"]
    finished_anyhow(site.plugin.start(dies))
    site.plugin.sql("DELETE FROM wp_options WHERE option_name = 'copydesk_lock'")
    site.plugin.run()
    assert site.plugin.sql(counted) == ["2"]


def test_a_web_request_ends_in_time_and_the_rest_follows(site: Setting) -> None:
    """bounded by 20 s of work in a web request (none in WP-CLI)"""
    site.add("a", "b", "c")
    code = "return Copydesk_Runner::run( 'web', function () { static $n = 0; return ++$n > 3; } );"
    summary = site.plugin.php(code)
    assert summary["waiting"] + len(site.posts()) == 3
    assert 0 < len(site.posts()) < 3
    assert site.plugin.php("return wp_next_scheduled( 'copydesk_continue' ) > 0;") is True
    site.plugin.run()
    assert site.posts() == [("publish", title(name)) for name in ("a", "b", "c")]


def test_another_feed_is_not_told_of_this_ones_items(site: Setting, feeds: FeedServer) -> None:
    site.add("a")
    site.broken(Cut.BEFORE_RESPONSE, "confirm")
    site.plugin.run()
    other = feeds.new()
    site.plugin.set_options(feed_url=other.url, status="publish")
    other.add(item("b"))
    site.plugin.run()
    assert other.history == [("b", "confirm")]
    assert site.states() == {"a": ("live", ""), "b": ("live", "used")}
    site.wire.mend()
    site.set_status("publish")
    site.plugin.run()
    assert site.states() == {"a": ("live", "used"), "b": ("live", "used")}


def test_texts_are_forgotten_a_month_after_the_end(site: Setting) -> None:
    """the item's JSON as received, emptied 30 days after the end"""
    site.add("a", "b")
    site.plugin.run()
    site.plugin.sql(
        "UPDATE wp_copydesk_items SET updated_at = '2026-01-01 00:00:00' WHERE item_id = 'a'"
    )
    site.plugin.php("do_action( 'copydesk_clean' );")
    lengths = site.plugin.sql("SELECT LENGTH(body) FROM wp_copydesk_items ORDER BY item_id")
    assert int(lengths[0]) == 0 < int(lengths[1])
    assert site.states()["a"] == ("live", "used")
    assert site.plugin.row("a")["updated_at"].startswith("2026-01-01")


def test_the_list_is_searched_counted_and_paged(site: Setting) -> None:
    """page(array $args): … state, search, paged, per_page; returns rows without body, and total"""
    site.add(*(f"i{number}" for number in range(5)))
    site.plugin.run()
    page = site.plugin.php(
        "return Copydesk_Items::page( array( 'state' => 'live', 'search' => 'post i', "
        "'per_page' => 2, 'paged' => 3 ) );"
    )
    assert (page["total"], len(page["rows"])) == (5, 1)
    assert "body" not in page["rows"][0]
    nothing = site.plugin.php("return Copydesk_Items::page( array( 'search' => \"%' OR 1\" ) );")
    assert nothing == {"rows": [], "total": 0}
    assert site.plugin.php("return Copydesk_Items::counts();")["live"] == 5


CLI = """
class WP_CLI {
    static function line( $text ) { echo $text, "\n"; }
    static function success( $text ) { echo 'Success: ', $text, "\n"; }
    static function warning( $text ) { echo 'Warning: ', $text, "\n"; }
    static function halt( $code ) { echo 'Exit: ', $code, "\n"; }
}
ob_start();
%s
return ob_get_clean();
"""


def test_the_command_of_wp_cli(site: Setting) -> None:
    """`wp copydesk run`"""
    site.add("a")
    said = site.plugin.php(CLI % "Copydesk_Cron::command();")
    assert "Success: 1 pulled, 1 done, 0 waiting, 0 failed." in said
    site.broken(Replace(500))
    said = site.plugin.php(CLI % "Copydesk_Cron::command();")
    assert "Warning: The feed responded with 500" in said
    assert "Exit: 1" in said


def test_two_sites_on_one_feed(site: Setting) -> None:
    """two sites on one feed address by mistake (each item on exactly one or, if both got it by
    redelivery, say what happens and make it the documented behaviour)"""
    # The other site pulled a and has not confirmed it; it confirmed b and never saw c.
    site.add("a", "b", "c")
    other = requests.get(site.feed.url, timeout=10).json()["item"]["id"]
    assert other == "a"
    site.feed.items[1].state = "used"
    site.plugin.run()
    assert site.posts() == [("publish", title("a")), ("publish", title("c"))]
    assert "another site" in site.plugin.row("a")["reason"]
    assert site.plugin.row("c")["reason"] == ""
    confirmed = requests.post(site.feed.url.replace("latest", "items/a/confirm"), timeout=10)
    assert confirmed.status_code == 200
