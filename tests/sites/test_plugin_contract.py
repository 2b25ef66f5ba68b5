"""The contract of targets on the WordPress plugin, driven by its feed and its own runs and actions.

The site's address is that of the feed: between it and the plugin, the suite breaks every request.
Without TESTS=all, answers are lost, and the feed answers 403 or 500 until that is fixed:
test_plugin_runs.py has the other faults.
"""

import html
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connectors.tests.feed_server import FakeFeed, FeedServer
from copydesk_connectors.suite import Site, TargetContract
from copydesk_connectors.target import Copy, CopyState, DraftGone, Post, Target, Unavailable
from tests.support.sites.plugin_site import PluginSite, encoded, finished
from tests.support.sites.programs import start_or_skip
from tests.support.sites.wordpress_site import WordPressSite

pytestmark = pytest.mark.sites

# The address of the feed stays the same, wherever its server is: rows know their feed by it.
FEED = "https://feed.example"
REDIRECT = f"""<?php
add_filter( 'pre_http_request', function ( $answer, $asked, $url ) {{
    if ( 0 !== strpos( $url, '{FEED}/' ) ) {{
        return $answer;
    }}
    $asked = array( 'timeout' => 2, 'reject_unsafe_urls' => false ) + $asked;
    $there = getenv( 'COPYDESK_TEST_FEED' ) . substr( $url, {len(FEED)} );
    return wp_remote_request( $there, $asked );
}}, 10, 3 );
"""
BEGIN = """
wp_set_current_user( 1 );
update_option( 'copydesk_settings', json_decode( base64_decode( '%s' ), true ), false );
delete_option( 'copydesk_feed_wait' );
delete_transient( 'copydesk_beside' );
$GLOBALS['wpdb']->query( "UPDATE wp_copydesk_items SET next_try = NULL" );
$problems = array();
"""
RUN = "$problems = Copydesk_Runner::run( 'cli' )['problems'];"
ACT = "Copydesk_Runner::act( '%s', '%s' );"
LOOK = """
$row = Copydesk_Items::find( '%s' );
$post = $row ? get_post( $row['post_id'] ) : null;
return array( 'state' => $row['state'] ?? '', 'told' => $row['told'] ?? '', 'problems' => $problems,
    'id' => $post->ID ?? 0, 'status' => $post->post_status ?? '',
    'url' => $post ? get_permalink( $post ) : '' );
"""
STATES = {
    "publish": CopyState.PUBLIC,
    "draft": CopyState.DRAFT,
    "trash": CopyState.WITHDRAWN,
}
BUSY = "Another run is in progress."
MOST_RUNS = 50


class PluginAsSeen(Site):
    """The site, its owner and its readers."""

    has_trash = True
    has_drafts = True

    def __init__(self, plugin: PluginSite, feed: FakeFeed) -> None:
        self.plugin = plugin
        self.feed = feed
        self.token = feed.url.split("/")[-2]
        self.address = feed.url.split("/v1/")[0]
        self.lock = threading.Lock()

    def target(self) -> "Plugin":
        return Plugin(self)

    def stored(self) -> list[dict[str, Any]]:
        return [vars(post) for post in self.plugin.site.posts() if post.status != "auto-draft"]

    def readers_see(self) -> dict[str, str]:
        return {
            str(post["id"]): html.unescape(post["title"])
            for post in self.stored()
            if post["status"] == "publish"
        }

    def copies(self) -> int:
        return len(self.stored())

    def everything(self) -> object:
        return self.stored()

    def markup(self, name: str) -> str:
        return next(str(post["content"]) for post in self.stored() if str(post["id"]) == name)

    def owner_writes(self, slug: str, title: str) -> None:
        fields = {"status": "publish", "slug": slug, "title": title, "content": "<p>Mine.</p>"}
        self.plugin.site.rest("POST", "posts", json=fields)

    def owner_edits(self, name: str, old: str, new: str) -> None:
        content = self.markup(name)
        assert old in content
        content = content.replace(old, new)
        self.plugin.site.rest("POST", f"posts/{name}", json={"content": content})

    def owner_trashes(self, name: str) -> None:
        self.plugin.site.rest("DELETE", f"posts/{name}")

    def owner_deletes(self, name: str) -> None:
        self.plugin.site.rest("DELETE", f"posts/{name}", params={"force": "true"})

    def goes_down(self) -> None:
        self.token = "tok_9999_unknown"


class Plugin(Target):
    """The plugin, which keeps ids unique, in the words of a target."""

    def __init__(self, site: PluginAsSeen) -> None:
        super().__init__("plugin")
        self.site = site

    def ready(self) -> None:
        said = self._php(
            "$said = Copydesk_Feed::check(); "
            "return is_wp_error( $said ) ? $said->get_error_message() : '';"
        )
        if said:
            raise Unavailable(said)

    def find(self, post: Post) -> Copy | None:
        return self._copy(self._php(LOOK % post.id))

    def draft(self, post: Post) -> Copy:
        seen = self._run(post, "draft")
        if (copy := self._copy(seen)) is None:
            raise Unavailable(f"{seen['problems']}")
        return copy

    def publish(self, post: Post, remote_id: str) -> Copy:
        if not self._php(LOOK % post.id)["id"]:
            raise DraftGone(f"post {remote_id} was deleted")
        seen = self._run(post, "draft")  # the last run may have ended before it told the feed
        if seen["state"] == "draft":
            seen = self._php(ACT % (post.id, "publish_now") + LOOK % post.id)
        copy = self._copy(seen)
        if copy is None or not seen["told"]:
            raise Unavailable(f"{seen['problems']}")
        if seen["told"] == "used":
            assert self.site.feed.states()[post.id] == "used", "the feed does not know of the post"
        return copy

    def _run(self, post: Post, status: str) -> dict[str, Any]:
        """Offer the post in the feed and let the plugin run; what became of it."""
        with self.site.lock:
            if post.id not in self.site.feed.states():
                self.site.feed.add(_item(post))
        again = ACT % (post.id, "retry")
        for _ in range(MOST_RUNS):
            seen: dict[str, Any] = self._php(RUN + LOOK % post.id, status)
            if seen["state"] == "withdrawn" and not seen["id"]:
                seen = self._php(again + LOOK % post.id, status)
            if BUSY not in seen["problems"]:
                return seen
        raise AssertionError("the other run does not end")

    def _copy(self, seen: dict[str, Any]) -> Copy | None:
        if seen["status"] in {"", "auto-draft"}:
            return None
        state = STATES[seen["status"]]
        url = seen["url"] if state is CopyState.PUBLIC else ""
        return Copy(str(seen["id"]), state, url)

    def _php(self, code: str, status: str = "publish") -> Any:
        address = f"{FEED}/v1/content-tokens/{self.site.token}/latest"
        settings = encoded({"feed_url": address, "status": status, "author": 1})
        env = {"COPYDESK_TEST_FEED": self.site.address}
        return finished(self.site.plugin.start(BEGIN % settings + code, env=env))


def _item(post: Post) -> dict[str, Any]:
    return {
        "id": post.id,
        "post": {
            "title": post.title,
            "slugSuggestion": post.slug,
            "meta": {"description": post.description, "primaryKeyword": "espresso"},
        },
        "rendered": {"html": post.html, "markdown": post.markdown},
        "generatedAt": post.generated_at.isoformat(),
        "deliveryCount": 1,
    }


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PluginSite]:
    """The plugin on a running site."""
    file: Path = tmp_path_factory.mktemp("redirect") / "redirect.php"
    file.write_text(REDIRECT)
    with start_or_skip(lambda: WordPressSite("bookworm")) as site:
        there = PluginSite(site)
        there.install()
        site.add_plugin(file)
        yield there


@pytest.fixture
def site(plugin: PluginSite, feeds: FeedServer) -> PluginAsSeen:
    """The site without posts, with a feed of its own."""
    plugin.reset()
    return PluginAsSeen(plugin, feeds.new())


class TestContract(TargetContract):
    """The plugin passes it as well, driven over its own interface."""
