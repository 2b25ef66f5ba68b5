"""Runs ``copydesk-connect once`` for each line of its input, in a process that it may kill.

``driver`` starts this program. A line is a JSON object: ``folder`` with the configuration, ``feed``
the address of the feed, and ``kill``, the number of the point at which the process ends itself by
SIGKILL, or null. The answer is a line with ``ended``, the exit status, negative for a signal.
Nothing waits between two tries, so that what a server still works on is met at once.

A point lies before every call that leaves the process, and so after the one before it: SQL
statements, files that are opened, synced, linked, replaced, removed, HTTP requests that are sent
and answers that are read. The product knows nothing of this: its libraries are wrapped here.
"""

import functools
import http.client
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import httpx2  # noqa: F401
from httpcore2._sync.http11 import HTTP11Connection

# The targets of all series, loaded once here and not in each child, like the HTTP library above.
import copydesk._transport
import copydesk_connectors.targets.markdown
import copydesk_connectors.targets.wordpress.site
import copydesk_connectors.targets.wordpress.xmlrpc_site  # noqa: F401
from copydesk_connectors.cli import cli
from copydesk_connectors.target import http_api
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.targets.registry import GROUP

KILLED = -signal.SIGKILL


class Driver:
    """This program, running."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def once(self, folder: Path, feed: str, kill: int | None = None) -> int:
        """One pass; its exit status, negative for a signal."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"folder": str(folder), "feed": feed, "kill": kill}
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return int(json.loads(self._process.stdout.readline())["ended"])

    def killed_once(self, folder: Path, feed: str, point: int) -> str:
        """A pass that is killed at a point and a pass that ends well; the point's name. It is
        empty if the first pass had fewer points, and ended well."""
        ended = self.once(folder, feed, point)
        name = (folder / "point").read_text()
        if name:
            assert ended == KILLED
            ended = self.once(folder, feed)
        assert ended == 0, f"killed before {name}: {(folder / 'log').read_text()}"
        return name


@contextmanager
def driver() -> Iterator[Driver]:
    """A driver, until the block ends."""
    command = [sys.executable, __file__]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Driver(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


class Points:
    """Counts the points and ends this process at the chosen one."""

    def __init__(self, last: int, folder: Path) -> None:
        self.left = last
        self.passed: list[str] = []
        self._point, self._passed = (
            os.open(folder / name, os.O_WRONLY | os.O_CREAT) for name in ("point", "passed")
        )

    def reach(self, name: str) -> None:
        """Be at a point."""
        self.left -= 1
        if self.left == 0:
            os.write(self._point, name.encode())
            os.kill(os.getpid(), signal.SIGKILL)
        self.passed.append(name)

    def end(self) -> None:
        """Note the points of a pass that had fewer than the chosen one."""
        os.write(self._passed, "\n".join(self.passed).encode())

    def before(self, owner: Any, attribute: str) -> None:
        """Make a point before every call of a function."""
        call: Callable[..., Any] = getattr(owner, attribute)

        @functools.wraps(call)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.reach(attribute)
            return call(*args, **kwargs)

        setattr(owner, attribute, wrapped)

    def set_up(self) -> None:
        """Wrap what leaves the process."""
        points, connect = self, sqlite3.connect

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
                points.reach(sql)
                return super().execute(sql, *args)

        def connect_watched(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            return connect(*args, factory=Connection, **kwargs)

        sqlite3.connect = connect_watched  # type: ignore[assignment]
        self.before(Connection, "executemany")
        self.before(Connection, "executescript")
        for name in ("link", "replace", "unlink", "mkdir", "fsync"):
            self.before(os, name)
        self.before(io, "open")  # what pathlib opens files with
        self.before(http.client.HTTPConnection, "endheaders")
        self.before(http.client.HTTPConnection, "getresponse")
        self.before(HTTP11Connection, "_send_request_headers")  # those of the feed
        self.before(HTTP11Connection, "_receive_response_headers")


def child(folder: Path, url: str, last: int | None) -> int:
    """One pass in a process of its own; how it ended, as os.waitpid tells it."""
    pid = os.fork()
    if pid == 0:
        os.environ["KILL_TEST_FEED"] = url
        for number in (1, 2):
            log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, number)
        points = Points(last, folder) if last is not None else None
        if points:
            points.set_up()
        try:
            cli(["once", "--config", str(folder / "copydesk.toml")])
        except SystemExit as end:
            if points:
                points.end()
            os._exit(int(end.code or 0))
        os._exit(99)
    return os.waitpid(pid, 0)[1]


def main() -> None:
    """The passes."""
    http_api.sleep = lambda _: None
    copydesk._transport.sleep = lambda _: None
    TARGETS.ours["shelf"] = EntryPoint("shelf", "shelf:Shelf", GROUP)
    for line in sys.stdin:
        wanted = json.loads(line)
        status = child(Path(wanted["folder"]), wanted["feed"], wanted["kill"])
        print(json.dumps({"ended": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
