"""Posts a second on a real WordPress by REST: through the connector, and bare.

    python bench/wordpress.py [--suite bookworm|trixie] [--rounds N] [--posts N]

The bare rate is one POST a post, already published, over one connection: all that WordPress takes
from one client that never makes sure. The connector drafts, looks and publishes; it keeps its
ledger on the disk, and pulls and confirms each item at a feed in memory. The rows in between are
the connector's requests without the connector: what lies between them and the bare rate is the
price of publishing exactly once, what lies below is the connector's own. What a way finds on the
site was made a month before, as on sites of readers.
"""

import tempfile
from functools import partial
from pathlib import Path

from bench.publishing import BARE, BODY, Turns, Way, parser, posts_of, through_connector
from connectors.tests.feed_server import FeedServer, feed_server
from copydesk_connectors.target.settings import Table, read
from copydesk_connectors.targets.wordpress import posts
from copydesk_connectors.targets.wordpress.rest import Rest
from copydesk_connectors.targets.wordpress.rest_fields import RestFields
from copydesk_connectors.targets.wordpress.settings import Settings
from tests.support.sites.wordpress_site import WordPressSite

SHORT = {"_fields": posts.FIELDS_SHORT}
GROW_OLD = "UPDATE wp_posts SET post_modified = post_modified - INTERVAL 30 DAY"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--suite", default="trixie", help="Debian's, whose WordPress is measured")
    chosen = options.parse_args()
    with (
        WordPressSite(chosen.suite) as site,
        feed_server() as feeds,
        tempfile.TemporaryDirectory() as folder,
    ):
        ways = Ways(site, feeds, Path(folder)).all
        turns = Turns(
            chosen.rounds,
            chosen.posts,
            site._group.id,
            partial(site._database.execute, GROW_OLD, "wordpress"),
        )
        table = turns.measure(ways)
        states = [post.status for post in site.posts()]
        wanted = turns.made(ways)
        assert states == ["publish"] * wanted, f"{len(states)} posts in place of {wanted}"
    print(f"WordPress {site.version} on MariaDB, {len(BODY) / 1000:.1f} KB a post, one client\n")
    print(table)


class Ways:
    """Every way to put posts on one site."""

    def __init__(self, site: WordPressSite, feeds: FeedServer, folder: Path) -> None:
        self._feeds = feeds
        self._folder = folder
        (folder / "password").write_text(site.app_password("author"))
        (folder / "password").chmod(0o600)
        self._table = {
            "url": site.url,
            "username": site.users["author"].login,
            "password_file": str(folder / "password"),
        }
        settings = read(Settings, Table(self._table, "", folder / "copydesk.toml"))
        self._rest = Rest(settings.url, settings.username, settings.password)
        self._fields = RestFields(self._rest, settings)
        self.all: dict[str, Way] = {
            BARE: self.bare,
            "bare, with a short answer": self.bare_and_short,
            "bare, in the connector's requests": self.in_steps,
            "connector": self.through_connector,
        }

    def bare(self, ids: list[str]) -> None:
        """One POST a post."""
        for post in posts_of(ids):
            self._rest.post("posts", {**self._fields.of(post, []), "status": "publish"})

    def bare_and_short(self, ids: list[str]) -> None:
        """The same without the post in the answer, which WordPress renders for it."""
        for post in posts_of(ids):
            self._rest.post("posts", {**self._fields.of(post, []), "status": "publish", **SHORT})

    def in_steps(self, ids: list[str]) -> None:
        """Draft, look, publish."""
        for post in posts_of(ids):
            draft = {**self._fields.of(post, []), "status": "draft", **SHORT}
            made = self._rest.post("posts", draft)
            look = {**posts.search(post), "status": "any,trash", "context": "view", **SHORT}
            self._rest.get("posts", per_page=100, orderby="id", order="asc", **look)
            self._rest.post(f"posts/{made['id']}", {"status": "publish", **SHORT})

    def through_connector(self, ids: list[str]) -> None:
        """One pass over a feed that holds the items."""
        target = {"type": "wordpress", **self._table}
        through_connector(self._feeds, self._folder, target, ids)


if __name__ == "__main__":
    main()
