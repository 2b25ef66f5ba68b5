"""What one more post costs on a plain HTML or Markdown site that already has many.

    python bench/static.py [POSTS ...]

Each post is published by a process-fresh target, as cron does it, and again by one that stays, as
`run` does; the time of the disk's own syncs is shown beside it.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from copydesk_connectors.target.base import Target
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.folder import create_whole, sync_folder

BODY = "<p>" + "Salt and lime are a pair of old friends in every kitchen. " * 80 + "</p>"
SAMPLES = 15


def post(number: int) -> Post:
    """A post of about 5 kB."""
    return Post(
        id=f"itm_{number}",
        title=f"Post {number}",
        slug=f"post-{number}",
        description="What to buy and what to avoid.",
        keywords=("salt", "lime"),
        html=BODY,
        markdown=BODY.removeprefix("<p>").removesuffix("</p>"),
        generated_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("posts", nargs="*", type=int, default=[100, 1_000, 10_000])
    options = parser.parse_args()
    print(
        "| target | posts there | first look, no cache | one more, cron | one more, run | syncs |"
    )
    print("|---|---|---|---|---|---|")
    for kind in ("html", "markdown"):
        for there in options.posts:
            with tempfile.TemporaryDirectory() as folder:
                print(f"| {kind} | {there} | {measured(kind, there, Path(folder))} |", flush=True)


def measured(kind: str, there: int, folder: Path) -> str:
    def target() -> Target:
        table = Table({"path": "site"}, "[[target]] 1", folder / "copydesk.toml")
        return TARGETS[kind](kind, table)

    fill(kind, there, folder)
    begin = time.perf_counter()
    put(target(), post(there))
    first = time.perf_counter() - begin
    numbers = iter(range(there + 1, there + 1 + 2 * SAMPLES))
    cron = median(lambda: put(target(), post(next(numbers))))
    stays = target()
    put(stays, post(there))
    run = median(lambda: put(stays, post(next(numbers))))
    names = iter(range(SAMPLES))
    other = folder / "other"
    other.mkdir()

    def syncs() -> None:
        create_whole(other / str(next(names)), BODY)
        sync_folder(other)

    files = 3 if kind == "html" else 1
    return f"{first * 1000:.0f} ms | {cron:.1f} ms | {run:.1f} ms | {files * median(syncs):.1f} ms"


def fill(kind: str, posts: int, folder: Path) -> None:
    """Write the files of ``posts`` posts, without waiting for the disk."""
    site = folder / "site"
    site.mkdir()
    publisher = TARGETS[kind](
        kind, Table({"path": "site"}, "[[target]] 1", folder / "copydesk.toml")
    )
    suffix = {"html": ".html", "markdown": ".md"}[kind]
    if posts:
        put(publisher, post(0))
        form = (site / f"post-0{suffix}").read_text()
        for number in range(1, posts):
            when = post(number).generated_at
            text = form.replace("itm_0", f"itm_{number}").replace("Post 0", f"Post {number}")
            text = text.replace("2026-01-01T00:00:00+00:00", when.isoformat())
            (site / f"post-{number}{suffix}").write_text(text)
    for cache in folder.glob(".copydesk-*"):
        cache.unlink()


def put(publisher: Target, one: Post) -> None:
    """What the courier does."""
    if publisher.find(one) is None:
        publisher.publish(one, publisher.draft(one).remote_id)


def median(call: Callable[[], None]) -> float:
    """The median time of a call in milliseconds."""
    times = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    sys.exit(main())
