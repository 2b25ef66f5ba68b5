"""Posts a second on a real Ghost: through the connector, and bare.

    python bench/ghost.py [--rounds N] [--posts N]

The bare rate is one POST a post, already published, over one connection: all that Ghost takes from
one client that never makes sure. The connector drafts and publishes, keeps its ledger on the disk,
and pulls and confirms each item at a feed in memory. The rows in between are the connector's two
requests without the connector, by one client and by several at a time. Ghost works in one process,
so the latter row is the limit of every client that publishes exactly once.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.publishing import BARE, BODY, Turns, Way, parser, posts_of, through_connector
from connectors.tests.feed_server import feed_server
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import Table, read
from copydesk_connectors.targets.ghost import posts
from copydesk_connectors.targets.ghost.api import AdminApi
from copydesk_connectors.targets.ghost.settings import Settings
from tests.support.sites.ghost_site import GhostSite


def main() -> None:
    chosen = parser(__doc__).parse_args()
    with GhostSite() as site, feed_server() as feeds, tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        key.write_text(site.admin_key)
        key.chmod(0o600)
        table = {"url": site.url, "admin_key_file": str(key)}
        bare, target = Bare(site, table), {"type": "ghost", **table}
        ways: dict[str, Way] = {
            BARE: bare.insert,
            "bare, in two requests": bare.two_requests,
            "bare, in two requests, 4 clients": bare.two_requests_at_a_time,
            "connector": lambda ids: through_connector(feeds, Path(folder), target, ids),
        }
        turns = Turns(chosen.rounds, chosen.posts, site._group.id)
        measured = turns.measure(ways)
        published = len(site.posts("published"))
        assert published == len(site.posts()) == turns.made(ways)
    print(f"Ghost {site.version} on SQLite, {len(BODY) / 1000:.1f} KB a post, one client\n")
    print(measured)


class Bare:
    """The same requests without a connector around them."""

    def __init__(self, site: GhostSite, table: dict[str, str]) -> None:
        self._settings = read(Settings, Table(table, "", Path("copydesk.toml")))
        self._api = AdminApi(site.url, Secret(site.admin_key))

    def insert(self, ids: list[str]) -> None:
        """One POST a post."""
        for post in posts_of(ids):
            self._post(post, "published")

    def two_requests(self, ids: list[str]) -> None:
        """Draft, publish."""
        for post in posts_of(ids):
            made = self._post(post, "draft", include="tags")
            shown = {"status": "published", "updated_at": made["updated_at"]}
            self._api.put(f"posts/{made['id']}/", {"posts": [shown]}, include="tags")

    def two_requests_at_a_time(self, ids: list[str]) -> None:
        """The same by as many clients as the connector has by default."""
        with ThreadPoolExecutor(4) as clients:
            list(clients.map(lambda item_id: self.two_requests([item_id]), ids))

    def _post(self, post: Post, status: str, **query: str) -> dict[str, str]:
        fields = posts.draft_fields(post, self._settings, picture_url="", site={})
        answer = self._api.post("posts/", {"posts": [fields | {"status": status}]}, **query)
        made: dict[str, str] = answer["posts"][0]
        return made


if __name__ == "__main__":
    main()
