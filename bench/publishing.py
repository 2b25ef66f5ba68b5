"""Posts a second on a real WordPress and a real Ghost: through the connector, and bare.

    PYTHONPATH=. python bench/publishing.py [--rounds 5] [--posts 20]

Bare is one POST of the same post, already published, by one client: what the site takes from
somebody who never makes sure. The connector publishes exactly once, keeps its ledger on the disk,
and pulls and confirms each item at a feed in memory. Ghost works in one process, so the limit there
is what it takes in two requests a post, by as many clients as the connector has. The ways take
turns, so that other work on the machine slows all of them; processor time is that of site and
client together.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import requests
from rich.console import Console
from rich.table import Table

from connectors.tests.feed_server import FeedServer, feed_server
from connectors.tests.items import make_item
from copydesk_connectors.cli import config
from copydesk_connectors.engine.courier import Courier
from copydesk_connectors.engine.feed import FeedClient
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.suite.contract import BODY_HTML
from copydesk_connectors.targets.wordpress.blocks import as_blocks
from tests.support.sites.ghost_site import GhostSite
from tests.support.sites.live_site import LiveSite, write_config
from tests.support.sites.wordpress_site import WordPressSite

# The size of a usual post, 6.8 KB.
BODY = BODY_HTML + "<p>Water that is hard leaves scale wherever it is heated.</p>\n" * 105
CARD = {"type": "html", "version": 1, "html": BODY}
ROOT = {"children": [CARD], "direction": None, "format": "", "indent": 0, "type": "root"}
LEXICAL = json.dumps({"root": {**ROOT, "version": 1}})
# What the connector makes of an item besides its text; on Ghost, it marks each post with a tag.
TAGS = ("Descale Espresso Machine", "citric acid")
EXCERPT = "Descale it in an hour: what to buy & what to avoid."
SECONDS = 60.0
# What the connector finds on the site was made a month ago, as on sites of readers.
GROW_OLD = "UPDATE wp_posts SET post_modified = post_modified - INTERVAL 30 DAY"
Way = Callable[[list[str]], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--posts", type=int, default=20, help="posts a round and way")
    options = parser.parse_args()
    table = Table("site", "way", "posts/s", "of bare", "processor ms a post", "of bare")
    for site in (wordpress, ghost):
        with site() as (name, group, ways):
            rows = measure(ways, group, options.rounds, options.posts)
        bare = rows["bare"]
        for way, (rate, used) in rows.items():
            ratios = f"{rate / bare[0]:.2f}", f"{used / bare[1]:.2f}"
            table.add_row(name, way, f"{rate:.1f}", ratios[0], f"{used * 1000:.0f}", ratios[1])
    Console(width=120).print(table)


@contextmanager
def wordpress() -> Iterator[tuple[str, int, dict[str, Way]]]:
    """A running WordPress by REST, and the ways to publish there."""
    with WordPressSite("trixie") as site, through_connector(site) as connector:
        session = requests.Session()
        session.auth = (site.users["author"].login, site.app_password("author"))
        tags = [site.rest("POST", "tags", json={"name": tag})["id"] for tag in TAGS]
        fields = {"content": as_blocks(BODY), "excerpt": EXCERPT, "tags": tags}

        def bare(ids: list[str]) -> None:
            for name in ids:
                post = {**fields, "title": name, "slug": name, "status": "publish"}
                address = f"{site.url}/wp-json/wp/v2/posts"
                session.post(address, json=post, timeout=SECONDS).raise_for_status()

        def connected(ids: list[str]) -> None:
            site._database.execute(GROW_OLD, "wordpress")
            connector(ids)

        ways: dict[str, Way] = {"bare": bare, "connector": connected}
        yield f"WordPress {site.version}", site._group.id, ways


@contextmanager
def ghost() -> Iterator[tuple[str, int, dict[str, Way]]]:
    """A running Ghost, and the ways to publish there."""
    with GhostSite() as site, through_connector(site) as connector:

        def insert(name: str, status: str) -> dict[str, str]:
            tags = [{"name": tag} for tag in (*TAGS, f"#{name}")]
            fields = {"lexical": LEXICAL, "custom_excerpt": EXCERPT, "tags": tags}
            post = {**fields, "title": name, "slug": name, "status": status}
            made: dict[str, str] = site.admin("POST", "posts/", json={"posts": [post]})["posts"][0]
            return made

        def two_requests(name: str) -> None:
            made = insert(name, "draft")
            shown = {"status": "published", "updated_at": made["updated_at"]}
            site.admin("PUT", f"posts/{made['id']}/", json={"posts": [shown]})

        def in_two(ids: list[str]) -> None:
            with ThreadPoolExecutor(4) as clients:
                list(clients.map(two_requests, ids))

        ways: dict[str, Way] = {
            "bare": lambda ids: [insert(name, "published") for name in ids],
            "bare, two requests, 4 clients": in_two,
            "connector": connector,
        }
        yield f"Ghost {site.version}", site._group.id, ways


@contextmanager
def through_connector(site: LiveSite) -> Iterator[Way]:
    """Publish by one pass over a feed that holds the items, with a ledger of its own."""
    with feed_server() as feeds, tempfile.TemporaryDirectory() as folder:
        yield lambda ids: one_pass(feeds, Path(tempfile.mkdtemp(dir=folder)), site, ids)


def one_pass(feeds: FeedServer, folder: Path, site: LiveSite, ids: list[str]) -> None:
    feed = feeds.new()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = {"html": BODY, "markdown": "A text."}
    for name in ids:
        feed.add(make_item(name, title=name, slug=name, rendered=text, generated_at=now))
    file = write_config(folder / "connector", site, site.url, f'url = "{feed.url}"')
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        pulled = [FeedClient(each) for each in loaded.feeds]
        targets, parallel, routing = loaded.targets, loaded.parallel, loaded.routing
        outcome = Courier(pulled, ledger, targets, lambda: False, parallel, routing).once()
    assert outcome.confirmed == len(ids), outcome.problems


def measure(
    ways: Mapping[str, Way], group: int, rounds: int, posts: int
) -> dict[str, tuple[float, float]]:
    """Return the posts a second and the processor's seconds a post of each way, the medians of the
    rounds after one that warms everything up."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for place, (name, way) in enumerate(ways.items()):
            ids = [f"way-{place}-round-{number}-post-{n}" for n in range(posts)]
            began, before = time.perf_counter(), processor_seconds(group)
            way(ids)
            rate = posts / (time.perf_counter() - began)
            found[name].append((rate, (processor_seconds(group) - before) / posts))
    return {
        name: (statistics.median(r for r, _ in turns), statistics.median(u for _, u in turns))
        for name, (_, *turns) in found.items()
    }


def processor_seconds(group: int) -> float:
    """What this process and those of the site have used so far."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


if __name__ == "__main__":
    main()
