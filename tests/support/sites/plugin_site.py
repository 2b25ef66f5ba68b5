"""The Copydesk plugin on a real WordPress of the tests: installed, set up, run and killed.

with WordPressSite("bookworm") as site:
    plugin = PluginSite(site)
    plugin.install()
    plugin.set_options(feed_url=feed.url, status="publish")
    plugin.php("return Copydesk_Runner::run( 'cli' );")
    assert [row["state"] for row in plugin.rows()] == ["live"]
"""

import base64
import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.sites.wordpress_site import SCRIPTS, WordPressSite

REPOSITORY = Path(__file__).resolve().parents[3]
PLUGIN = REPOSITORY / "connectors" / "wordpress-plugin" / "copydesk"
MAIN_FILE = "copydesk/copydesk.php"
SCRIPT = SCRIPTS / "snippet.php"
PHP_SECONDS = 300.0
COMPLAINTS = (
    *("PHP Warning", "PHP Notice", "PHP Fatal", "PHP Deprecated", "PHP Parse", "PHP Strict"),
    "database error",
)
COLUMNS = (
    "item_id",
    "feed",
    "rule",
    "title",
    "state",
    "post_id",
    "reason",
    "slot",
    "attempts",
    "next_try",
    "told",
    "received_at",
    "updated_at",
)

# As the plugin's settings give it for an owner who changed nothing but the author.
ROUTE: Mapping[str, Any] = {
    "status": "publish", "author": 0, "categories": [], "tags": [], "schedule": {},
    "format": "blocks", "image": "none", "disclosure": False, "json_ld": True, "seo": "auto",
    "links": True,
}  # fmt: skip


class Killed(Exception):
    """PHP ended by SIGKILL, as the caller asked."""


@dataclass(frozen=True)
class PluginSite:
    """The plugin on one site."""

    site: WordPressSite

    @property
    def root(self) -> Path:
        """Where the site's files are."""
        return self.site._group.folder / "www"

    @contextmanager
    def without_complaints(self) -> Iterator[None]:
        """Fail if PHP or the database complains meanwhile."""
        before = self._complaints()
        yield
        complaints = self._complaints() - before
        assert not complaints, complaints

    def _complaints(self) -> Counter[str]:
        return Counter(filter(self._is_ours, self.site.log().splitlines()))

    @staticmethod
    def _is_ours(line: str) -> bool:
        # Where its timers are run, WordPress looks for updates, which a test site cannot.
        if not any(word in line for word in COMPLAINTS) or "WordPress.org" in line:
            return False
        # A PHP that is newer than a WordPress deprecates code of that WordPress. A deprecated
        # function of WordPress is reported from its files too, and is the fault of who called it.
        ours = ("/plugins/copydesk/", "deprecated</strong> since version")
        return "PHP Deprecated" not in line or any(part in line for part in ours)

    def install(self, folder: Path = PLUGIN) -> None:
        """Put the plugin among the site's plugins and activate it, as its owner does."""
        there = self.root / "wp-content" / "plugins" / "copydesk"
        shutil.rmtree(there, ignore_errors=True)
        shutil.copytree(folder, there)
        self.activate()

    def activate(self) -> None:
        """Activate the installed plugin."""
        assert self.php(f"return activate_plugin( '{MAIN_FILE}' );") is None

    def deactivate(self) -> None:
        """Deactivate it."""
        self.php(f"deactivate_plugins( '{MAIN_FILE}' );")

    def uninstall(self) -> None:
        """Deactivate it and delete it with its data, as its owner does on the page of plugins."""
        self.deactivate()
        self.php(
            f"require_once ABSPATH . 'wp-admin/includes/plugin.php'; "
            f"uninstall_plugin( '{MAIN_FILE}' );"
        )
        shutil.rmtree(self.root / "wp-content" / "plugins" / "copydesk")

    def set_options(self, **settings: Any) -> None:
        """Store the plugin's settings: these, and nothing else, unchecked."""
        self.store(f"json_decode( base64_decode( '{encoded(settings)}' ), true )")

    def store(self, code: str) -> None:
        """Store what the code is worth as the settings, unchecked."""
        self.php(
            "remove_all_filters( 'sanitize_option_copydesk_settings' ); "
            f"update_option( 'copydesk_settings', {code}, false );"
        )

    def php(self, code: str) -> Any:
        """What the code returns, run in a PHP process of its own with WordPress loaded.

        Raises:
            AssertionError: PHP failed.
        """
        return finished(self.start(code))

    def start(
        self,
        code: str,
        kill_at: int = 0,
        env: Mapping[str, str] | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> "subprocess.Popen[str]":
        """The same, begun: hand it to ``finished``. ``settings`` are some of PHP's.

        With ``kill_at`` the process ends by SIGKILL before its nth statement; see snippet.php.
        """
        given = [f"-d{name}={value}" for name, value in (settings or {}).items()]
        script = [str(SCRIPT), str(self.root), self.site.url, str(kill_at)]
        process = subprocess.Popen(
            [*self.site.php_command(), *given, *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "COPYDESK_TEST_DB_SOCKET": str(self.site._database.socket),
                "COPYDESK_TEST_SECRET": self.site.secret,
                "COPYDESK_TEST_LOG": str(self.root.parent / "wordpress.log"),
                **(env or {}),
            },
        )
        assert process.stdin is not None
        process.stdin.write(code)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self) -> Any:
        """One run of the plugin: its summary."""
        return self.php("return Copydesk_Runner::run( 'cli' );")

    def act(self, item_id: str, action: str) -> str:
        """Do what a person does in the list of items: "" or the sentence of the refusal."""
        said = self.php(
            f"$said = Copydesk_Runner::act( '{item_id}', '{action}' ); "
            "return is_wp_error( $said ) ? $said->get_error_message() : '';"
        )
        return str(said)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the plugin's table by item id, without their bodies."""
        fields = ", ".join(f"'{name}', {name}" for name in COLUMNS)
        query = f"SELECT JSON_OBJECT({fields}) FROM wp_copydesk_items ORDER BY item_id"
        return self.site._database.rows(query, "wordpress")

    def row(self, item_id: str) -> dict[str, Any]:
        """One of them."""
        return next(row for row in self.rows() if row["item_id"] == item_id)

    def let_time_pass(self) -> None:
        """Bring on the time at which everything that waits is due."""
        self.sql("UPDATE wp_copydesk_items SET next_try = NULL")
        self.sql(
            "DELETE FROM wp_options WHERE option_name IN ('copydesk_lock', 'copydesk_feed_wait', "
            "'_transient_copydesk_beside', '_transient_timeout_copydesk_beside')"
        )

    def reset(self) -> None:
        """Leave no post, no item and nothing that waits."""
        self.let_time_pass()
        for table in ("posts", "postmeta", "term_relationships", "copydesk_items"):
            self.sql(f"DELETE FROM wp_{table}")
        self.sql("UPDATE wp_term_taxonomy SET count = 0")

    def sql(self, statement: str) -> list[str]:
        """Run a statement in the site's database; the lines of its result."""
        return self.site._database.execute(statement, "wordpress")


@dataclass(frozen=True)
class PluginPosts(PluginSite):
    """The plugin on one site, called by its classes for posts."""

    def do(
        self, *calls: Mapping[str, Any], login: str = "", memory: str = "256M", seconds: int = 0
    ) -> list[Any]:
        """Return the result of each call of plugin-posts.php, made one after another by one PHP.

        Args:
            login: the user that acts; empty is nobody, as in a run by cron.
            memory: the most memory that PHP may use.
            seconds: the most processor time that PHP may use; 0 is no limit.
        """
        file = self.root.parent / "calls.json"
        file.write_text(json.dumps(calls))
        user = f"wp_set_current_user( get_user_by( 'login', '{login}' )->ID ); " if login else ""
        process = self.start(
            f"{user}return require '{SCRIPTS / 'plugin-posts.php'}';",
            env={"COPYDESK_TEST_CALLS": str(file)},
            settings={"memory_limit": memory, "max_execution_time": seconds},
        )
        return list(finished(process))

    def convert(self, *markup: str) -> list[dict[str, str]]:
        """Return what becomes of each HTML: "blocks" and "html", or "error" and "message"."""
        return self.do(*({"do": "convert", "html": each} for each in markup))

    def put(
        self, item: Mapping[str, Any], *, status: str = "publish", login: str = "", **changes: Any
    ) -> int:
        """Return the id of a post of an item, made as the plugin does it."""
        (post,) = self.do({"do": "begin"}, login=login)
        filled, _ = self.do(
            {"do": "fill", "post": post, "item": item, "route": route(**changes)},
            {"do": "status", "post": post, "status": status},
            login=login,
        )
        assert filled is True, filled
        return int(post)


def route(**changes: Any) -> dict[str, Any]:
    """Return ROUTE with ``changes`` in place of its values."""
    return {**ROUTE, **changes}


def finished(process: "subprocess.Popen[str]") -> Any:
    """What the code of ``PluginSite.start`` returned.

    Raises:
        Killed: the process ended by SIGKILL.
        AssertionError: PHP failed otherwise.
    """
    output, errors = process.communicate(timeout=PHP_SECONDS)
    if process.returncode == -signal.SIGKILL:
        raise Killed
    assert process.returncode == 0, output + errors
    return json.loads(output.splitlines()[-1])


def encoded(value: object) -> str:
    """A value as JSON in base64, which stands in any PHP string."""
    return base64.b64encode(json.dumps(value).encode()).decode()
