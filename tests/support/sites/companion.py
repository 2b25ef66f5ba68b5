"""The companion plugin on a site of the tests: put there, taken away, called and killed.

A bench that measures with it calls ``Companion(site).install()`` before it makes its targets.
"""

import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from copydesk_connectors.targets.wordpress.companion import PLUGIN
from tests.support.sites.wordpress_site import REQUEST_SECONDS, WordPressSite

SCRIPT = Path(__file__).with_name("wordpress") / "put.php"
PHP_SECONDS = 60.0


@dataclass(frozen=True)
class Companion:
    """The plugin on one site."""

    site: WordPressSite

    @property
    def root(self) -> Path:
        """Where the site's files are."""
        return self.site._group.folder / "www"

    def install(self) -> None:
        """Put it among the must-use plugins, which are always active."""
        folder = self.root / "wp-content" / "mu-plugins"
        folder.mkdir(exist_ok=True)
        shutil.copy(PLUGIN, folder)

    def remove(self) -> None:
        """Take it away."""
        (self.root / "wp-content" / "mu-plugins" / PLUGIN.name).unlink()

    def call(
        self, method: str, path: str, role: str = "author", **arguments: Any
    ) -> requests.Response:
        """A request to its API, as the user with a role; an empty role is nobody."""
        user = self.site.users.get(role)
        return requests.request(
            method,
            f"{self.site.url}/wp-json/copydesk/v1/{path}",
            auth=(user.login, user.app_password) if user else None,
            timeout=REQUEST_SECONDS,
            **arguments,
        )

    def put(self, item: str, role: str = "author", **fields: Any) -> requests.Response:
        """Ask for a published post of an item, with ``fields`` in place of the usual ones."""
        return self.call("PUT", f"posts/{item}", role, json=body(item) | fields)

    def put_in_a_process(self, item: str, kill_at: int = 0) -> bool:
        """The same in a PHP of its own, which ends by SIGKILL before its nth SQL statement.

        Whether it was killed; where not, the post was answered.
        """
        done = subprocess.run(
            [
                *self.site.php_command(),
                str(SCRIPT),
                str(self.root),
                self.site.url,
                item,
                str(kill_at),
            ],
            input=json.dumps(body(item)),
            env={
                **os.environ,
                "COPYDESK_TEST_DB_SOCKET": str(self.site._database.socket),
                "COPYDESK_TEST_LOG": str(self.root.parent / "wordpress.log"),
            },
            capture_output=True,
            text=True,
            timeout=PHP_SECONDS,
        )
        if done.returncode == -signal.SIGKILL:
            return True
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["status"] == "publish"
        return False


def body(item: str) -> dict[str, Any]:
    """A post as the connector sends it."""
    return {
        "status": "publish",
        "title": f"Title of {item} &amp; more",
        "slug": f"post-{item}",
        "content": f"<p>Hello from {item}.<!-- copydesk:{item} --></p>",
        "excerpt": "Short.",
        "tags": ["alpha", "beta & gamma"],
    }
