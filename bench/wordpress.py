"""Posts a second on a real WordPress by REST: through the connector, and bare.

    python bench/wordpress.py [--suite bookworm|trixie] [--rounds N] [--posts N]

The bare rate is one POST a post, already published, over one connection: all that WordPress takes
from one client that never makes sure. The connector looks, drafts, looks again and publishes, or
sends one request where the companion plugin is on the site; it keeps its ledger on the disk, and
pulls and confirms each item at a feed in memory. The rows in between are the connector's requests
without the connector: what lies between them and the bare rate is the price of publishing exactly
once, what lies below is the connector's own. All send the same fields by turns, so that a busy
machine slows all of them; processor times, of PHP, the database and the client together, tell more
there than rates. What a way finds on the site was made a month before, as on sites of readers.
"""

import argparse
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.tests.feed_server import FeedServer, feed_server
from connectors.tests.items import BODY_HTML, make_item
from copydesk_connectors import config
from copydesk_connectors.courier import Courier
from copydesk_connectors.feed import FeedClient
from copydesk_connectors.ledger import Ledger
from copydesk_connectors.post import Post
from copydesk_connectors.targets.wordpress import copies
from copydesk_connectors.targets.wordpress.companion import PLUGIN
from copydesk_connectors.targets.wordpress.fields import Fields
from copydesk_connectors.targets.wordpress.rest import Rest
from copydesk_connectors.targets.wordpress.settings import Settings
from copydesk_connectors.toml_table import Table
from tests.sites.wordpress_site import WordPressSite

# The size of a usual post, 6.8 KB.
BODY = BODY_HTML + "<p>Water that is hard leaves scale wherever it is heated.</p>\n" * 105
BARE = "bare"
SHORT = {"_fields": copies.FIELDS_WRITTEN}
GROW_OLD = "UPDATE wp_posts SET post_modified = post_modified - INTERVAL 30 DAY"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--suite", default="trixie", help="Debian's, whose WordPress is measured")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--posts", type=int, default=20, help="posts a round and way")
    options = parser.parse_args()
    with (
        WordPressSite(options.suite) as site,
        feed_server() as feeds,
        tempfile.TemporaryDirectory() as folder,
    ):
        bench = Bench(site, feeds, Path(folder))
        rates: dict[str, list[float]] = {name: [] for name in bench.ways}
        worked: dict[str, list[float]] = {name: [] for name in bench.ways}
        for number in range(-1, options.rounds):
            for name, way in bench.ways.items():
                ids = [f"itm {name} {number + 1} {n}" for n in range(options.posts)]
                if "companion" in name:
                    site.add_plugin(PLUGIN)
                began, before = time.perf_counter(), processor_seconds(site)
                way(ids)
                seconds = time.perf_counter() - began
                used = processor_seconds(site) - before
                if "companion" in name:
                    site.remove_plugin(PLUGIN.name)
                site._database.execute(GROW_OLD, "wordpress")
                if number >= 0:  # the round before warms everything up
                    rates[name].append(options.posts / seconds)
                    worked[name].append(used / options.posts * 1000)
        states = [post.status for post in site.posts()]
        wanted = len(rates) * options.posts * (options.rounds + 1)
        assert states == ["publish"] * wanted, f"{len(states)} posts in place of {wanted}"
        version = site.version
    bare = statistics.median(rates[BARE])
    print(f"WordPress {version} on MariaDB, {len(BODY) / 1000:.1f} KB a post, one client\n")
    print("| way | posts a second (median) | lowest | highest | of bare | processor ms a post |")
    print("|---|---|---|---|---|---|")
    for name, measured in rates.items():
        middle = statistics.median(measured)
        print(
            f"| {name} | {middle:.1f} | {min(measured):.1f} | {max(measured):.1f}"
            f" | {middle / bare:.2f} | {statistics.median(worked[name]):.0f} |"
        )


def processor_seconds(site: WordPressSite) -> float:
    """What this process and those of the site have used so far."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == site._group.id:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


def item(item_id: str) -> dict[str, Any]:
    """An item as the feed sends it, with a body of the usual size."""
    rendered = {"html": BODY, "markdown": "A text."}
    name = "-".join(re.findall(r"\w+", item_id))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return make_item(f"itm_{name}", slug=name, rendered=rendered, generated_at=now)


class Bench:
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
        settings = Settings.from_table(Table(self._table, "", folder / "copydesk.toml"))
        self._rest = Rest(settings.url, settings.username, settings.password)
        self._fields = Fields(self._rest, settings)
        self.ways: dict[str, Callable[[list[str]], None]] = {
            BARE: self.bare,
            "bare, with a short answer": self.bare_and_short,
            "bare, in the connector's requests": self.in_steps,
            "connector": self.through_connector,
            "bare, with the companion": self.one_request,
            "connector, with the companion": self.through_connector,
        }

    def bare(self, ids: list[str]) -> None:
        """One POST a post."""
        for post in map(Post.from_item, map(item, ids)):
            self._rest.post("posts", {**self._fields.of(post, []), "status": "publish"})

    def bare_and_short(self, ids: list[str]) -> None:
        """The same without the post in the answer, which WordPress renders for it."""
        for post in map(Post.from_item, map(item, ids)):
            self._rest.post("posts", {**self._fields.of(post, []), "status": "publish", **SHORT})

    def in_steps(self, ids: list[str]) -> None:
        """Look, draft, look, publish."""
        for post in map(Post.from_item, map(item, ids)):
            look = {"per_page": "100", "status": "any,trash"}
            by_text = {**copies.search(post), "context": "view", "_fields": copies.FIELDS_VIEWED}
            self._rest.get("posts", **look, **by_text)
            draft = {**self._fields.of(post, []), "status": "draft", **SHORT}
            made = self._rest.post("posts", draft)
            by_slug = {"slug": copies.slugs(post), "context": "edit", "_fields": copies.FIELDS}
            self._rest.get("posts", **look, **by_slug)
            self._rest.post(f"posts/{made['id']}", {"status": "publish", **SHORT})

    def one_request(self, ids: list[str]) -> None:
        """One POST a post to the companion, which makes sure on the server."""
        for post in map(Post.from_item, map(item, ids)):
            fields = {**self._fields.of(post, []), "status": "publish", **SHORT}
            self._rest.post(f"posts/{post.key}", fields, api="copydesk/v1/")

    def through_connector(self, ids: list[str]) -> None:
        """One pass over a feed that holds the items."""
        feed = self._feeds.new()
        for item_id in ids:
            feed.add(item(item_id))
        place = Path(tempfile.mkdtemp(dir=self._folder))
        lines = [f"{key} = {json.dumps(value)}" for key, value in self._table.items()]
        file = place / "copydesk.toml"
        file.write_text(
            f"[feed]\nurl = {json.dumps(feed.url)}\n"
            + "\n".join(['[[target]]\ntype = "wordpress"', *lines])
        )
        file.chmod(0o600)
        loaded = config.load(file)
        with Ledger.open(loaded.ledger) as ledger:
            feed_client, parallel = FeedClient(loaded.feed), loaded.feed.parallel
            outcome = Courier(feed_client, ledger, loaded.targets, parallel=parallel).once()
        assert outcome.confirmed == len(ids), outcome.problems


if __name__ == "__main__":
    main()
