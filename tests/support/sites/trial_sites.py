"""Real sites that can be killed, filled and locked, their owner, and what became of posts there."""

import subprocess
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from copydesk_connectors.suite.fault_proxy import Cut, Rule
from tests.support.disk import Disk
from tests.support.process_group import ProcessGroup
from tests.support.sites.ghost_site import GhostSite
from tests.support.sites.mariadb import MariaDB
from tests.support.sites.programs import program
from tests.support.sites.sqlite_wordpress import SQLite, SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

SITE_MEGABYTES = 500
TEXT, OWN_WORDS = "hard water are a pair", "hard water are friends of mine"
TAGS = {"descale espresso machine", "citric acid"}
LOCK_SECONDS = 2
LOCK_TABLE = "START TRANSACTION; SELECT COUNT(*) FROM wp_copydesk_items FOR UPDATE;\n"
HOLDER = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print(flush=True)
sys.stdin.read()
"""
"""Another program in the middle of a change, as a browser of SQLite files with an unsaved one."""
KILLER = """<?php
// Ends PHP by SIGKILL before its nth statement, once, in the request that first finds the file.
$copydesk_file = '{file}';
if ( @rename( $copydesk_file, "$copydesk_file.taken" ) ) {
    $copydesk_left = (int) file_get_contents( "$copydesk_file.taken" );
    add_filter( 'query', function ( $query ) use ( &$copydesk_left ) {
        if ( 0 === --$copydesk_left ) { posix_kill( getmypid(), SIGKILL ); }
        return $query;
    } );
}
"""


@dataclass(frozen=True)
class Seen:
    """A post of a trial as the site holds it. ``name`` is its item's id."""

    name: str
    id: Any
    public: bool
    whole: bool
    edited: bool
    text: str


@dataclass
class Moment(Rule):
    """Breaks no request: calls ``act``, in a thread, when the nth one arrives."""

    fault: Cut = Cut.BEFORE_REQUEST
    act: Callable[[], object] = lambda: None
    threads: list[Thread] = field(default_factory=list)

    def strikes(self, method: str, path: str) -> bool:
        """Count a request, and act if it is the one."""
        if super().strikes(method, path):
            self.threads.append(Thread(target=self.act))
            self.threads[-1].start()
        return False

    def join(self) -> None:
        """Wait until what began is done."""
        for thread in self.threads:
            thread.join()


@dataclass
class Account:
    """What became of the items of a trial. Only the lists in ``wrong`` may not be filled."""

    items: int
    passes: int
    kills: int
    faults: Counter[str]
    edited: int
    trashed: int
    most_sends: int
    wrong: dict[str, list[str]]

    def __str__(self) -> str:
        faults = ", ".join(f"{name} {times}" for name, times in sorted(self.faults.items()))
        wrong = ", ".join(f"{what} {len(names)}" for what, names in self.wrong.items())
        return (
            f"{self.items} items, {self.passes} passes, of which {self.kills} were killed, "
            f"{self.faults.total()} faults ({faults}); "
            f"{self.edited} edited and {self.trashed} trashed by the owner; "
            f"sent {self.most_sends} times at most; {wrong}"
        )


class MariaDBOnDisk(MariaDB):
    """Has a disk of its own, and gives a lock up soon."""

    def __init__(self, group: ProcessGroup) -> None:
        self.disk = Disk(group.folder / "mariadb", SITE_MEGABYTES)
        super().__init__(group)
        # A statement that waits for a lock fails after 50 seconds, unless its server says less.
        self.execute(f"SET GLOBAL innodb_lock_wait_timeout = {LOCK_SECONDS}")
        self._command.append(f"--innodb-lock-wait-timeout={LOCK_SECONDS}")


class SQLiteOnDisk(SQLite):
    """Has a disk of its own."""

    def __init__(self, group: ProcessGroup) -> None:
        super().__init__(group)
        self.disk = Disk(self._file.parent, SITE_MEGABYTES)


class TrialSite(ABC):
    """A site of a trial. ``database`` is None where it is a file; ``folder`` ends with the site."""

    site: GhostSite | WordPressSite
    disk: Disk
    database: MariaDB | None
    drafts_can_be_trashed = True

    @property
    def folder(self) -> Path:
        return self.site._group.folder

    @abstractmethod
    def seen(self) -> list[Seen]:
        """Every post, drafts and the trash included."""

    @abstractmethod
    def edit(self, post: Seen) -> None:
        """The owner changes the text."""

    @abstractmethod
    def trash(self, post: Seen) -> None:
        """The owner takes the post away."""

    def kill(self) -> None:
        """End what answers requests."""
        self.site.kill()

    def restart(self) -> None:
        """Start again what answers requests, of whose processes one may live."""
        self.site.kill()
        self.site.restart()

    @abstractmethod
    def kill_at(self, statement: int) -> None:
        """End what answers the next request, before its nth statement."""

    @abstractmethod
    def check(self) -> None:
        """Start again what ended because its database did."""


class TrialWordPress(TrialSite):
    """A WordPress."""

    site: WordPressSite

    def __init__(self, site: WordPressSite) -> None:
        database = site._database
        assert isinstance(database, MariaDBOnDisk | SQLiteOnDisk)
        self.site, self.disk = site, database.disk
        self.database = None if isinstance(database, SQLiteOnDisk) else database
        self._kill_at = self.folder / "kill-at"
        file = self.folder / "kill-at.php"
        file.write_text(KILLER.replace("{file}", str(self._kill_at)))
        site.add_plugin(file)

    def seen(self) -> list[Seen]:
        """WordPress deletes auto-drafts, which nobody sees."""
        return [
            Seen(
                post.title.removeprefix("The post "),
                post.id,
                post.status == "publish",
                TEXT in post.content
                and {tag.casefold() for tag in post.tags} == TAGS
                and post.categories == ("Uncategorized",),
                OWN_WORDS in post.content,
                post.content,
            )
            for post in self.site.posts()
            if post.status != "auto-draft"
        ]

    def edit(self, post: Seen) -> None:
        content = post.text.replace(TEXT, OWN_WORDS)
        self.site.rest("POST", f"posts/{post.id}", json={"content": content})

    def trash(self, post: Seen) -> None:
        self.site.rest("DELETE", f"posts/{post.id}")

    def restart(self) -> None:
        self._kill_at.unlink(missing_ok=True)
        super().restart()

    def kill_at(self, statement: int) -> None:
        self._kill_at.write_text(str(statement))

    def check(self) -> None:
        """A database whose disk is full may end; PHP does not."""
        if self.database is not None:
            self.database.revive()

    @contextmanager
    def held_table(self) -> Iterator[None]:
        """In the block, another program has all rows of the plugin's table, and room for more."""
        if self.database is None:
            with held(self.disk.folder / ".ht.sqlite"):
                yield
            return
        command = [program("mariadb"), "--no-defaults", f"--socket={self.database.socket}"]
        command += ["--user=root", "--skip-column-names", "--unbuffered", "wordpress"]
        with _holding(command, LOCK_TABLE):
            yield


class TrialGhost(TrialSite):
    """A Ghost on MariaDB."""

    site: GhostSite
    drafts_can_be_trashed = False

    def __init__(self, site: GhostSite) -> None:
        assert isinstance(site._mariadb, MariaDBOnDisk)
        self.site, self.database, self.disk = site, site._mariadb, site._mariadb.disk

    def seen(self) -> list[Seen]:
        return [
            Seen(
                post.title.removeprefix("The post "),
                post.id,
                post.status == "published",
                TEXT in post.lexical
                and {tag.casefold() for tag in post.tags if not tag.startswith("#")} == TAGS,
                OWN_WORDS in post.lexical,
                post.lexical,
            )
            for post in self.site.posts()
        ]

    def edit(self, post: Seen) -> None:
        self.site.change(post.id, lexical=post.text.replace(TEXT, OWN_WORDS))

    def trash(self, post: Seen) -> None:
        """Ghost has no trash: the owner takes the post off the site again."""
        self.site.change(post.id, status="draft")

    def kill_at(self, statement: int) -> None:
        """Ghost has no hook for statements: end it while it works on the request."""
        self.site.kill()

    def check(self) -> None:
        """Ghost may end with its database, or keep dead connections."""
        assert self.database is not None
        self.database.revive()
        self.restart()


@contextmanager
def held(file: Path) -> Iterator[None]:
    """In the block, another process is in the middle of a change to an SQLite file."""
    with _holding([sys.executable, "-c", HOLDER, str(file)]):
        yield


@contextmanager
def _holding(command: list[str], said: str = "") -> Iterator[None]:
    """In the block, a program holds what it reports to have; it gets ``said``."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(said)
        process.stdin.flush()
        process.stdout.readline()
        try:
            yield
        finally:
            process.stdin.close()


@contextmanager
def trial_site(kind: str) -> Iterator[TrialSite]:
    """A running site: "ghost", "sqlite", or the Debian suite of a WordPress.

    Raises:
        NotInstalled
    """
    if kind == "ghost":
        ghost = GhostSite()
        ghost.database_kind = MariaDBOnDisk
        with ghost:
            yield TrialGhost(ghost)
        return
    wordpress = SqliteWordPressSite() if kind == "sqlite" else WordPressSite(kind)
    wordpress.database_kind = SQLiteOnDisk if kind == "sqlite" else MariaDBOnDisk
    with wordpress:
        yield TrialWordPress(wordpress)
