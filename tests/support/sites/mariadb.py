"""A private MariaDB: a folder of its own, a socket instead of a port, nothing of the system's."""

import json
import os
import subprocess
import time
from typing import Any

from tests.support.process_group import ProcessGroup
from tests.support.sites.programs import Unavailable, printed, program

START_SECONDS = 60.0


class MariaDB:
    """A database server in the process group, which it ends with; only its user can reach it.

    Raises:
        NotInstalled: MariaDB is missing.
        Unavailable: it does not start.
    """

    def __init__(self, group: ProcessGroup) -> None:
        self.socket = group.folder / "mariadb.socket"
        data = group.folder / "mariadb"
        log = group.folder / "mariadb.log"
        # A server that starts clears away what it takes for leftovers in a folder of all.
        temporary = group.folder / "mariadb-tmp"
        temporary.mkdir()
        common = ["--no-defaults", f"--datadir={data}", f"--tmpdir={temporary}"]
        # MariaDB refuses to run as root unless it is told to.
        common += ["--user=root"] * (os.geteuid() == 0)
        options = ["--auth-root-authentication-method=normal", "--skip-test-db"]
        printed(["mariadb-install-db", *common, *options], Unavailable)
        self._group, self._log = group, log
        self._command = [
            program("mariadbd"),
            *common,
            f"--socket={self.socket}",
            f"--pid-file={group.folder / 'mariadb.pid'}",
            "--skip-networking",
            # What was committed survives a kill of the server; a crash of the machine, which
            # would cost an fsync a commit, ends the tests anyway.
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-buffer-pool-size=64M",
        ]
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self._server = self._group.spawn(self._command, log=self._log)
        deadline = time.monotonic() + START_SECONDS
        while self._client("SELECT 1", check=False).returncode != 0:
            if self._server.poll() is not None or time.monotonic() > deadline:
                said = self._log.read_text()[-1000:]
                raise Unavailable(f"MariaDB did not start: {said}")
            time.sleep(0.05)

    def revive(self) -> None:
        """Start the server if it has ended."""
        if self._server.poll() is not None:
            self.start()

    def kill(self) -> None:
        """End the server by SIGKILL."""
        self._server.kill()
        self._server.wait()

    def execute(self, sql: str, database: str = "") -> list[str]:
        """Run statements; the lines of their results, columns parted by tabs."""
        return self._client(sql, database).stdout.splitlines()

    def rows(self, sql: str, database: str) -> list[Any]:
        """Run a query that selects one JSON_OBJECT a row; the objects."""
        return [json.loads(line) for line in self.execute(sql, database)]

    def _client(
        self, sql: str, database: str = "", check: bool = True
    ) -> "subprocess.CompletedProcess[str]":
        command = [
            program("mariadb"),
            "--no-defaults",
            f"--socket={self.socket}",
            "--user=root",
            "--default-character-set=utf8mb4",
            "--batch",
            "--raw",
            "--skip-column-names",
            database,
        ]
        done = subprocess.run(command, input=sql, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"the query failed: {done.stderr.strip()}\n{sql}")
        return done
