"""Runs ``copydesk-connect once`` again and again, each time killed one I/O call later.

    python kill_driver.py FOLDER < addresses.json

For N = 1, 2, … a child process takes the Nth configuration (FOLDER/N/copydesk.toml) with the Nth
address and ends itself by SIGKILL at its Nth point; a second child then runs to its end. A line of
JSON tells of each: the point's name and how the second child ended. The series ends with the first
child that is not killed. A point lies before every call that leaves the process, and so after the
one before it: SQL statements, files that are opened, synced, linked, replaced, removed, HTTP
requests that are sent and answers that are read. The product knows nothing of this: its libraries
are wrapped here.
"""

import functools
import http.client
import io
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2  # noqa: F401
from httpcore2._sync.http11 import HTTP11Connection

# The targets of all series, loaded once here and not in each child, like the HTTP library above.
import copydesk_connectors.targets.html
import copydesk_connectors.targets.markdown
import copydesk_connectors.targets.wordpress.site
import copydesk_connectors.targets.wordpress.xmlrpc_site  # noqa: F401
from copydesk_connectors.cli import cli


class Points:
    """Counts the points and ends this process at the chosen one."""

    def __init__(self, last: int, note: Path) -> None:
        self.left = last
        self.note = os.open(note, os.O_WRONLY | os.O_CREAT)

    def reach(self, name: str) -> None:
        """Be at a point."""
        self.left -= 1
        if self.left == 0:
            os.write(self.note, name.encode())
            os.kill(os.getpid(), signal.SIGKILL)

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
        if last is not None:
            Points(last, folder / "point").set_up()
        try:
            cli(["once", "--config", str(folder / "copydesk.toml")])
        except SystemExit as end:
            os._exit(int(end.code or 0))
        os._exit(99)
    return os.waitpid(pid, 0)[1]


def main() -> None:
    """The series."""
    for number, url in enumerate(json.load(sys.stdin), start=1):
        folder = Path(sys.argv[1]) / str(number)
        first = child(folder, url, number)
        killed = os.WIFSIGNALED(first) and os.WTERMSIG(first) == signal.SIGKILL
        point = (folder / "point").read_text()
        ended = os.waitstatus_to_exitcode(child(folder, url, None) if killed else first)
        print(json.dumps({"number": number, "killed": killed, "point": point, "ended": ended}))
        if not killed:
            return
    raise SystemExit("more points than addresses")


if __name__ == "__main__":
    main()
