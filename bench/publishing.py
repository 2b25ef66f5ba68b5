"""What the measurements of posts a second on real sites have in common.

Ways to put posts on one site take turns, so that a busy machine slows all of them. Processor times,
of the site's processes and the client together, tell more there than rates.
"""

import argparse
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from connectors.tests.feed_server import FeedServer
from connectors.tests.items import BODY_HTML, make_item
from copydesk_connectors.cli import config
from copydesk_connectors.cli.session import courier_of
from copydesk_connectors.engine.ledger import Ledger
from copydesk_connectors.target.post import Post

# The size of a usual post, 6.8 KB.
BODY = BODY_HTML + "<p>Water that is hard leaves scale wherever it is heated.</p>\n" * 105
# The way that the others are compared with.
BARE = "bare"
Way = Callable[[list[str]], None]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """The options of every such measurement."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0] if doc else None)
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--posts", type=int, default=20, help="posts a round and way")
    return made


def item(item_id: str) -> dict[str, Any]:
    """An item as the feed sends it, with a body of the usual size."""
    rendered = {"html": BODY, "markdown": "A text."}
    name = "-".join(re.findall(r"\w+", item_id))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return make_item(f"itm_{name}", slug=name, rendered=rendered, generated_at=now)


def posts_of(ids: Sequence[str]) -> list[Post]:
    """The posts of these items."""
    return [Post.from_item(item(item_id)) for item_id in ids]


def through_connector(
    feeds: FeedServer, folder: Path, target: Mapping[str, str], ids: Sequence[str]
) -> None:
    """One pass of a new process over a feed that holds the items, with a ledger of its own."""
    feed = feeds.new()
    for item_id in ids:
        feed.add(item(item_id))
    file = Path(tempfile.mkdtemp(dir=folder)) / "copydesk.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in target.items()]
    file.write_text("\n".join(["[feed]", f"url = {json.dumps(feed.url)}", "[[target]]", *lines]))
    file.chmod(0o600)
    loaded = config.load(file)
    with Ledger.open(loaded.ledger) as ledger:
        outcome = courier_of(loaded, ledger).once()
    assert outcome.confirmed == len(ids), outcome.problems


@dataclass(frozen=True)
class Turns:
    """How the ways take turns. ``group`` is the process group of the site; ``after`` is called
    after each turn of a way, and is no part of what is measured."""

    rounds: int
    posts: int
    group: int
    after: Callable[[], object] = lambda: None

    def measure(self, ways: Mapping[str, Way]) -> str:
        """The table of the ways, in Markdown, after a round that warms everything up."""
        rates: dict[str, list[float]] = {name: [] for name in ways}
        worked: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(self.rounds + 1):
            for name, way in ways.items():
                rate, seconds = self._turn(way, f"{name} {number}")
                self.after()
                if number > 0:
                    rates[name].append(rate)
                    worked[name].append(seconds * 1000)
        return _table(rates, worked)

    def made(self, ways: Mapping[str, Way]) -> int:
        """How many posts are on the site afterwards."""
        return len(ways) * self.posts * (self.rounds + 1)

    def _turn(self, way: Way, name: str) -> tuple[float, float]:
        """Posts a second, and the processor's seconds a post."""
        ids = [f"{name} {n}" for n in range(self.posts)]
        began, before = time.perf_counter(), self._processor_seconds()
        way(ids)
        seconds = time.perf_counter() - began
        return self.posts / seconds, (self._processor_seconds() - before) / self.posts

    def _processor_seconds(self) -> float:
        """What this process and those of the site have used so far."""
        ticks = 0
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = file.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(fields[2]) == self.group:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


def _table(rates: Mapping[str, Sequence[float]], worked: Mapping[str, Sequence[float]]) -> str:
    bare = statistics.median(rates[BARE])
    lines = [
        "| way | posts a second (median) | lowest | highest | of bare | processor ms a post |",
        "|---|---|---|---|---|---|",
    ]
    for name, measured in rates.items():
        middle = statistics.median(measured)
        lines.append(
            f"| {name} | {middle:.1f} | {min(measured):.1f} | {max(measured):.1f}"
            f" | {middle / bare:.2f} | {statistics.median(worked[name]):.0f} |"
        )
    return "\n".join(lines)
