"""Consumes feeds, each time killed one step later.

    python consume_driver.py MODE FOLDER ADDRESS

The mode "plain" passes no ``find``, "find" and "async" do. For N = 1, 2, … a child process
consumes the feed with the token kill_N and ends itself by SIGKILL at its Nth point; a second
child then runs to its end. A line of JSON tells of each: the point's name and how the second
child ended. The series ends with the first child that is not killed. A point lies before and
after every call to the feed and within each publication. The site is FOLDER/N/site, a file with a
line for each publication.
"""

import asyncio
import functools
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from copydesk import AsyncFeed, Feed, FeedItem
from copydesk._transport import AsyncTransport, Transport


class Points:
    """Counts the points and ends this process at the chosen one; at 0, at no point."""

    def __init__(self, last: int, note: Path) -> None:
        self.left = last
        self.note = note

    def reach(self, name: str) -> None:
        self.left -= 1
        if self.left == 0:
            self.note.write_text(name)
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, attribute: str) -> None:
        call: Callable[..., Any] = getattr(owner, attribute)

        @functools.wraps(call)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.reach(f"before {attribute}")
            answer = call(*args, **kwargs)
            self.reach(f"after {attribute}")
            return answer

        @functools.wraps(call)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            self.reach(f"before {attribute}")
            answer = await call(*args, **kwargs)
            self.reach(f"after {attribute}")
            return answer

        setattr(owner, attribute, awaited if asyncio.iscoroutinefunction(call) else wrapped)


class Site:
    """A file with a line for each publication."""

    def __init__(self, folder: Path, points: Points) -> None:
        self.file = folder / "site"
        self.points = points

    def publish(self, item: FeedItem) -> None:
        self.points.reach("before publish")
        with self.file.open("a") as lines:
            lines.write(f"{item.id}\n")
        self.points.reach("within publish")

    def find(self, item: FeedItem) -> bool:
        return self.file.exists() and item.id in self.file.read_text().split()


def consume(mode: str, folder: Path, url: str, points: Points) -> None:
    for owner in (Transport, AsyncTransport):
        points.around(owner, "send")
    site = Site(folder, points)
    if mode == "async":
        asyncio.run(_consume(url, site))
    else:
        find = site.find if mode == "find" else None
        Feed(url, proxy="").consume(site.publish, find=find)


async def _consume(url: str, site: Site) -> None:
    async def publish(item: FeedItem) -> None:
        site.publish(item)

    async def find(item: FeedItem) -> bool:
        return site.find(item)

    async with AsyncFeed(url, proxy="") as feed:
        await feed.consume(publish, find=find)


def child(mode: str, folder: Path, url: str, last: int) -> int:
    """Consume in a process of its own, and return how it ended."""
    if process := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        consume(mode, folder, url, Points(last, folder / "point"))
    except BaseException as error:  # noqa: BLE001
        print(repr(error), file=sys.stderr)
        os._exit(2)
    os._exit(0)


def main(mode: str, folder: Path, address: str) -> None:
    for number in range(1, 200):
        own = folder / str(number)
        own.mkdir()
        url = f"{address}/v1/content-tokens/kill_{number}"
        ended = child(mode, own, url, number)
        if ended != -signal.SIGKILL:
            print(json.dumps({"number": number, "point": "", "ended": ended}))
            return
        again = child(mode, own, url, 0)
        point = (own / "point").read_text()
        print(json.dumps({"number": number, "point": point, "ended": again}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
