"""The plugin's part that writes posts, on a site of the tests."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite

PLUGIN = Path(__file__).parents[3] / "connectors" / "wordpress-plugin" / "copydesk"
LOADER = SCRIPTS / "plugin-loader.php"
PHP_SECONDS = 120.0
# As the plugin's settings give it for an owner who changed nothing but the author.
ROUTE: Mapping[str, Any] = {
    "status": "publish",
    "author": 0,
    "categories": [],
    "tags": [],
    "schedule": {},
    "format": "blocks",
    "image": "none",
    "disclosure": False,
    "json_ld": True,
    "seo": "auto",
    "links": True,
}


def route(**changes: Any) -> dict[str, Any]:
    """Return ROUTE with ``changes`` in place of its values."""
    return {**ROUTE, **changes}


@dataclass(frozen=True)
class PluginPosts:
    """The plugin's classes for posts on one site."""

    site: WordPressSite

    @property
    def root(self) -> Path:
        """The folder of the site's files."""
        return self.site._group.folder / "www"

    def install(self) -> None:
        """Copy the plugin to the site and load its classes with every request."""
        shutil.copytree(
            PLUGIN, self.root / "wp-content" / "plugins" / "copydesk", dirs_exist_ok=True
        )
        self.site.add_plugin(LOADER)

    def run(
        self,
        *calls: Mapping[str, Any],
        login: str = "",
        memory: str = "256M",
        seconds: int = 0,
    ) -> list[Any]:
        """Return the result of each call, made one after another by one PHP.

        Args:
            login: the user that acts; empty is nobody, as in a run by cron.
            memory: the most memory that PHP may use.
            seconds: the most processor time that PHP may use; 0 is no limit.
        """
        script = SCRIPTS / "plugin-posts.php"
        limits = (
            "display_errors=stderr",
            f"memory_limit={memory}",
            f"max_execution_time={seconds}",
        )
        settings = [part for limit in limits for part in ("-d", limit)]
        done = subprocess.run(
            [
                *self.site.php_command(),
                *settings,
                str(script),
                str(self.root),
                self.site.url,
                login,
            ],
            input=json.dumps(calls),
            env={
                **os.environ,
                "COPYDESK_TEST_DB_SOCKET": str(self.site._database.socket),
                "COPYDESK_TEST_LOG": str(self.root.parent / "wordpress.log"),
            },
            capture_output=True,
            text=True,
            timeout=PHP_SECONDS,
        )
        assert done.returncode == 0, (done.stdout + done.stderr + self.site.log())[-3000:]
        assert done.stderr == ""
        return list(json.loads(done.stdout))

    def convert(self, *markup: str) -> list[dict[str, str]]:
        """Return what becomes of each HTML: "blocks" and "html", or "error" and "message"."""
        return self.run(*({"do": "convert", "html": each} for each in markup))

    def put(
        self, item: Mapping[str, Any], *, status: str = "publish", login: str = "", **changes: Any
    ) -> int:
        """Return the id of a post of an item, made as the plugin does it."""
        (post,) = self.run({"do": "begin"}, login=login)
        filled, _ = self.run(
            {"do": "fill", "post": post, "item": item, "route": route(**changes)},
            {"do": "status", "post": post, "status": status},
            login=login,
        )
        assert filled is True, filled
        return int(post)
