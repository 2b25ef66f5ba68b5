"""Consumes feeds, each time killed one step later.

    python consume_driver.py MODE FOLDER ADDRESS

MODE names the ledger, see consume(). For N = 1, 2, … a child process consumes the feed
with the token kill_N and ends itself by SIGKILL at its Nth point; a second child then runs to its
end. A line of JSON tells of each: the point's name and how the second child ended. The series ends
with the first child that is not killed. A point lies before and after every call to the feed, to
the ledger and to the site. The site is FOLDER/N/site, a file with one line for each publication, or
with MODE database a table.
"""

import asyncio
import functools
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from copydesk import AsyncFeed, Feed, FeedItem, Ledger, PublishError
from copydesk._transport import AsyncTransport, Transport
from copydesk.ledger import Entries


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


class Database:
    """The consumer's own database: the post and the note of it are one transaction."""

    def __init__(self, folder: Path, points: Points) -> None:
        self.db = sqlite3.connect(folder / "database", isolation_level=None)
        self.db.execute("CREATE TABLE IF NOT EXISTS posts (item_id TEXT)")
        self.db.execute("CREATE TABLE IF NOT EXISTS noted (item_id TEXT PRIMARY KEY)")
        self.points = points

    @contextmanager
    def transaction(self, item_id: str) -> Iterator[bool]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            added = self.db.execute("INSERT OR IGNORE INTO noted VALUES (?)", (item_id,))
            yield added.rowcount == 1
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.points.reach("before COMMIT")
        self.db.execute("COMMIT")
        self.points.reach("after COMMIT")

    def publish(self, item: FeedItem) -> None:
        self.points.reach("before publish")
        self.db.execute("INSERT INTO posts VALUES (?)", (item.id,))
        self.points.reach("within publish")


class AsyncDatabase(Database):
    @asynccontextmanager
    async def transaction(self, item_id: str) -> Any:  # type: ignore[override]
        with super().transaction(item_id) as is_new:
            yield is_new


def consume(mode: str, folder: Path, url: str, points: Points) -> None:
    for owner in (Transport, AsyncTransport):
        points.around(owner, "send")
    for attribute in ("state", "note"):
        points.around(Entries, attribute)
    site, ledger = Site(folder, points), Ledger(folder / "ledger")
    match mode:
        case "none":
            Feed(url, proxy="").consume(site.publish)
        case "ledger":
            Feed(url, proxy="").consume(site.publish, ledger=ledger)
        case "find":
            Feed(url, proxy="").consume(site.publish, ledger=ledger, find=site.find)
        case "database":
            database = Database(folder, points)
            Feed(url, proxy="").consume(database.publish, ledger=database)
        case "async" | "async database":
            asyncio.run(_consume(mode, folder, url, site, points))


async def _consume(mode: str, folder: Path, url: str, site: Site, points: Points) -> None:
    async def publish(item: FeedItem) -> None:
        site.publish(item)

    async def find(item: FeedItem) -> bool:
        return site.find(item)

    async with AsyncFeed(url, proxy="") as feed:
        if mode == "async":
            await feed.consume(publish, ledger=Ledger(folder / "ledger"), find=find)
            return
        database = AsyncDatabase(folder, points)

        async def insert(item: FeedItem) -> None:
            database.publish(item)

        await feed.consume(insert, ledger=database)


def child(mode: str, folder: Path, url: str, last: int) -> int:
    """Consume in a process of its own, and return how it ended."""
    if process := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    try:
        consume(mode, folder, url, Points(last, folder / "point"))
    except PublishError as error:
        (folder / "error").write_text(str(error))
        os._exit(1)
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
