"""The connector as a site owner runs it: one configuration file, commands, a ledger."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
COMMAND_SECONDS = 120.0
CONFIG = """\
[feed]
url_env = "COPYDESK_FEED_URL"

[ledger]
path = "ledger.sqlite3"

[[target]]
type = "wordpress"
name = "blog"
url = "{url}"
username = "{login}"
password_env = "WORDPRESS_PASSWORD"
"""


class Connector:
    """``copydesk-connect`` with a folder of its own, between a feed and a WordPress site."""

    def __init__(self, folder: Path, pull_url: str, site_url: str, login: str, password: str):
        folder.mkdir()
        self._config = folder / "copydesk.toml"
        self._config.write_text(CONFIG.format(url=site_url, login=login))
        self._secrets = {"COPYDESK_FEED_URL": pull_url, "WORDPRESS_PASSWORD": password}

    def once(self) -> "subprocess.CompletedProcess[str]":
        """One pass; it has to end with 0."""
        done = self._run(["-m", "copydesk_connectors"], "once")
        assert done.returncode == 0, f"once ended with {done.returncode}:\n{_said(done)}"
        return done

    def killed(self, point: str, nth: int = 1, method: str = "", path: str = "") -> bool:
        """One pass that dies at a point of its traffic; see killed_connector.py.

        False where it ended before it got there, which it then has to do with 0.
        """
        wrapper = [
            "-m",
            "tests.support.sites.killed_connector",
            point,
            str(nth),
            method,
            path,
            "--",
        ]
        done = self._run(wrapper, "once")
        assert done.returncode in (0, -signal.SIGKILL), (
            f"neither killed nor done but {done.returncode}:\n{_said(done)}"
        )
        return done.returncode != 0

    def status(self) -> Any:
        """What ``status --json`` says."""
        done = self._run(["-m", "copydesk_connectors"], "status", "--json")
        assert done.returncode == 0, _said(done)
        return json.loads(done.stdout)

    def _run(self, program: list[str], *arguments: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, *program, *arguments, "--config", str(self._config)],
            cwd=ROOT,
            env={**os.environ, **self._secrets},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        token = self._secrets["COPYDESK_FEED_URL"].split("/")[-2]
        for secret in (token, self._secrets["WORDPRESS_PASSWORD"]):
            assert secret not in done.stdout + done.stderr, "the connector printed a secret"
        return done


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    return done.stdout + done.stderr
