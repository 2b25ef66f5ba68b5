"""Posts a second on a real Ghost: through the connector, and bare.

    python bench/ghost.py [--rounds N] [--posts N]

The bare rate is one POST a post, already published, over one connection: all that Ghost takes from
one client that never makes sure. The connector looks, drafts, looks again and publishes, keeps its
ledger on the disk, and pulls and confirms each item at a feed in memory. The row in between is the
connector's four requests by one client without the connector: what lies between it and the bare
rate is the price of publishing exactly once, which the connector makes up for by several posts at a
time. All send the same posts by turns, so that a busy machine slows all of them.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from connectors.tests.feed_server import FeedServer, feed_server
from connectors.tests.items import BODY_HTML, make_item
from copydesk_connectors import config
from copydesk_connectors.courier import Courier
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.secret import Secret
from copydesk_connectors.targets.ghost import content, copies
from copydesk_connectors.targets.ghost.api import AdminApi
from copydesk_connectors.targets.ghost.key import AdminKey
from copydesk_connectors.targets.ghost.settings import Settings
from copydesk_connectors.toml_table import Table
from tests.sites.ghost_site import GhostSite

# The size of a usual post, 6.8 KB.
BODY = BODY_HTML + "<p>Water that is hard leaves scale wherever it is heated.</p>\n" * 105


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--posts", type=int, default=20, help="posts a round and way")
    options = parser.parse_args()
    with GhostSite() as site, feed_server() as feeds, tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[list[str]], None]] = {
            "bare": Bare(site, Path(folder)).insert,
            "bare, in four requests": Bare(site, Path(folder)).four_requests,
            "connector": lambda ids: through_connector(site, feeds, Path(folder), ids),
        }
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(-1, options.rounds):
            for name, way in ways.items():
                ids = [f"itm_{name[-4:]}_{number}_{n}" for n in range(options.posts)]
                began = time.perf_counter()
                way(ids)
                if number >= 0:  # the round before warms everything up
                    rates[name].append(options.posts / (time.perf_counter() - began))
        published = len(site.posts("published"))
        assert published == len(site.posts()) == len(ways) * options.posts * (options.rounds + 1)
    bare = statistics.median(rates["bare"])
    print(f"Ghost {site.version} on SQLite, {len(BODY) / 1000:.1f} KB a post, one client\n")
    print("| way | posts a second (median) | lowest | highest | of bare |")
    print("|---|---|---|---|---|")
    for name, measured in rates.items():
        middle = statistics.median(measured)
        print(
            f"| {name} | {middle:.1f} | {min(measured):.1f} | {max(measured):.1f}"
            f" | {middle / bare:.2f} |"
        )


def item(item_id: str) -> dict[str, object]:
    """An item as the feed sends it, with a body of the usual size."""
    rendered = {"html": BODY, "markdown": "A text."}
    slug = item_id.replace("_", "-").replace(" ", "-")
    return make_item(item_id, slug=slug, rendered=rendered)


class Bare:
    """The same requests without a connector around them."""

    def __init__(self, site: GhostSite, folder: Path) -> None:
        file = folder / "bare-key"
        file.write_text(site.admin_key)
        file.chmod(0o600)
        table = {"url": site.url, "admin_key_file": str(file)}
        self._settings = Settings.from_table(Table(table, "", file))
        self._api = AdminApi(site.url, AdminKey.parse(Secret(site.admin_key)))

    def insert(self, ids: list[str]) -> None:
        """One POST a post."""
        for item_id in ids:
            self._post(Post.from_item(item(item_id)), "published")

    def four_requests(self, ids: list[str]) -> None:
        """Look, draft, look, publish."""
        for item_id in ids:
            post = Post.from_item(item(item_id))
            look = {"filter": copies.marked(post), "fields": copies.FIELDS, "limit": 100}
            self._api.get("posts/", **look)
            made = self._post(post, "draft")
            self._api.get("posts/", **look)
            shown = {"status": "published", "updated_at": made["updated_at"]}
            self._api.put(f"posts/{made['id']}/", {"posts": [shown]})

    def _post(self, post: Post, status: str) -> dict[str, str]:
        fields = content.draft_fields(post, self._settings, picture_url="", site={})
        made: dict[str, str] = self._api.post("posts/", {"posts": [fields | {"status": status}]})[
            "posts"
        ][0]
        return made


def through_connector(site: GhostSite, feeds: FeedServer, folder: Path, ids: list[str]) -> None:
    """One pass over a feed that holds the items."""
    feed = feeds.new()
    for item_id in ids:
        feed.add(item(item_id))
    place = Path(tempfile.mkdtemp(dir=folder))
    (place / "key").write_text(site.admin_key)
    (place / "key").chmod(0o600)
    file = place / "copydesk.toml"
    file.write_text(
        f"[feed]\nurl = {json.dumps(feed.url)}\n"
        f'[[target]]\ntype = "ghost"\nurl = "{site.url}"\nadmin_key_file = "key"\n'
    )
    file.chmod(0o600)
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        feed_client, parallel = FeedClient(loaded.feed), loaded.feed.parallel
        outcome = Courier(feed_client, ledger, loaded.targets, parallel=parallel).once()
    assert outcome.confirmed == len(ids), outcome.problems


if __name__ == "__main__":
    main()
