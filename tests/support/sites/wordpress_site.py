"""A fresh real WordPress on loopback for tests, with eyes of its own on what the server holds.

    with WordPressSite() as site:
        connect(site.url, site.users["author"].login, site.app_password("author"))
        assert [post.status for post in site.posts()] == ["publish"]

Everything runs as the current user, in one folder and one process group that are gone afterwards,
also when the test run is killed.
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import requests

from tests.support.chromium import Browser
from tests.support.sites.live_site import REQUEST_SECONDS, LiveSite
from tests.support.sites.mariadb import MariaDB
from tests.support.sites.programs import NotInstalled, Unavailable, program
from tests.support.sites.wordpress_files import wordpress_tree
from tests.support.startup import free_port, wait_until

ROLES = ("administrator", "editor", "author", "contributor", "subscriber")
EXTENSIONS = ("mysqli", "curl", "gd", "mbstring", "xml")
SCRIPTS = Path(__file__).with_name("wordpress")
START_SECONDS = 60.0
LOGIN_SECONDS = 10.0
PORT_ATTEMPTS = 5
_MARKER = re.compile(r"<!-- copydesk:(\S+) -->")

POSTS = """
SELECT JSON_OBJECT(
    'id', p.ID, 'type', p.post_type, 'status', p.post_status, 'slug', p.post_name,
    'title', p.post_title, 'content', p.post_content, 'excerpt', p.post_excerpt,
    'author', u.user_login, 'date_gmt', CAST(p.post_date_gmt AS CHAR),
    'modified_gmt', CAST(p.post_modified_gmt AS CHAR))
FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author
WHERE p.post_type IN ('post', 'page') ORDER BY p.ID
"""
TERMS = """
SELECT JSON_OBJECT('post', r.object_id, 'taxonomy', x.taxonomy, 'name', t.name)
FROM wp_term_relationships r
JOIN wp_term_taxonomy x USING (term_taxonomy_id) JOIN wp_terms t USING (term_id)
ORDER BY r.object_id, t.name
"""
LEFT_BEHIND = """
SELECT JSON_OBJECT('kind', post_type, 'id', ID) FROM wp_posts
WHERE post_type IN ('post', 'page', 'attachment')
UNION ALL
SELECT JSON_OBJECT('kind', taxonomy, 'id', term_id) FROM wp_term_taxonomy
WHERE taxonomy = 'post_tag'
"""
META = """
SELECT JSON_OBJECT('key', meta_key, 'value', meta_value)
FROM wp_postmeta WHERE post_id = {post_id} ORDER BY meta_id
"""


@dataclass(frozen=True)
class SiteUser:
    """A user of the site; ``password`` is for the login page, ``app_password`` for the APIs."""

    login: str
    password: str = field(repr=False)
    app_password: str = field(repr=False)


@dataclass(frozen=True)
class StoredPost:
    """A row of WordPress's own table; dates are UTC, ``YYYY-MM-DD hh:mm:ss``."""

    id: int
    type: str
    status: str
    slug: str
    title: str
    content: str
    excerpt: str
    author: str
    date_gmt: str
    modified_gmt: str
    tags: tuple[str, ...]
    categories: tuple[str, ...]


class WordPressSite(LiveSite):
    """A context manager around one new WordPress with no posts and a user for each of ROLES.

    ``suite`` is the Debian suite whose WordPress is used: bookworm (6.1), trixie (6.8) or forky
    (7.1). ``workers`` is how many requests PHP answers at a time. ``php`` is the PHP that runs it,
    the machine's own by default. The connector comes by the REST API, as an author.

    Raises:
        ValueError: unknown suite.
        NotInstalled: PHP or MariaDB is missing; the message says what installs it.
        Unavailable: WordPress could not be fetched or started; the message says why.
    """

    database_kind: type[MariaDB] = MariaDB

    def __init__(self, suite: str = "bookworm", workers: int = 4, php: str = "") -> None:
        self.suite = suite
        self.workers = workers
        self.php = php or "php"
        self.version = ""
        self.users: Mapping[str, SiteUser] = {}
        self.secret = secrets.token_hex(16)

    def credential(self) -> str:
        return self.app_password("author")

    def target(self, url: str) -> str:
        login = self.users["author"].login
        return f'type = "wordpress"\nurl = "{url}"\nusername = "{login}"\npassword_file = "key"\n'

    def stored(self) -> list[tuple[str, str]]:
        return [(post.status, post.slug) for post in self.posts()]

    def public_items(self) -> list[str]:
        texts = [post.content for post in self.posts("publish")]
        return sorted(item for text in texts for item in _MARKER.findall(text))

    def app_password(self, role: str) -> str:
        """The application password of the user with that role."""
        return self.users[role].app_password

    def posts(self, *statuses: str) -> list[StoredPost]:
        """Every post and page in the database by id, drafts and the trash included.

        With ``statuses`` only those. Revisions are left out.
        """
        names: dict[tuple[int, str], list[str]] = {}
        for term in self._database.rows(TERMS, "wordpress"):
            names.setdefault((term["post"], term["taxonomy"]), []).append(term["name"])
        posts = [
            StoredPost(
                **row,
                tags=tuple(names.get((row["id"], "post_tag"), ())),
                categories=tuple(names.get((row["id"], "category"), ())),
            )
            for row in self._database.rows(POSTS, "wordpress")
        ]
        return [post for post in posts if not statuses or post.status in statuses]

    def meta(self, post_id: int) -> dict[str, str]:
        """The post meta in the database by name; of several under one name the last."""
        rows = self._database.rows(META.format(post_id=int(post_id)), "wordpress")
        return {row["key"]: row["value"] for row in rows}

    def php_command(self) -> list[str]:
        """Return the command for a PHP that runs once, for a script and its arguments to follow.

        What it compiles of WordPress is kept in a folder of the site, for the next one.
        """
        settings = (
            "opcache.enable_cli=1",
            "opcache.file_cache_only=1",
            f"opcache.file_cache={self._compiled}",
        )
        return [program(self.php), *(part for setting in settings for part in ("-d", setting))]

    def add_plugin(self, file: Path) -> None:
        """Let the site run a PHP file with every request, as a must-use plugin."""
        self._plugins.mkdir(exist_ok=True)
        shutil.copy(file, self._plugins)

    @contextmanager
    def with_plugin(self, code: str) -> Iterator[None]:
        """In the block, the site runs this PHP with every request, as a must-use plugin."""
        self._plugins.mkdir(exist_ok=True)
        # Of a file that it knows, PHP looks only every other second whether it has changed.
        file = self._plugins / f"{secrets.token_hex(8)}.php"
        file.write_text(f"<?php\n{code}")
        try:
            yield
        finally:
            file.unlink()

    @contextmanager
    def with_old_tables(self) -> Iterator[None]:
        """In the block, texts hold characters of three bytes at most, as in the tables of old
        sites; then there is no post."""
        for charset, collation in (("utf8mb3", "general"), ("utf8mb4", "unicode_520")):
            for table in ("wp_posts", "wp_postmeta", "wp_terms"):
                self._database.execute(
                    f"ALTER TABLE wordpress.{table} CONVERT TO CHARACTER SET {charset}"
                    f" COLLATE {charset}_{collation}_ci"
                )
            if charset == "utf8mb3":
                try:
                    yield
                finally:
                    self.clear()

    def upload(self, file: Path) -> Any:
        """Put a picture into the library, as an administrator does; what the site says of it."""
        named = f'attachment; filename="{file.name}"'
        headers = {"Content-Type": "image/png", "Content-Disposition": named}
        return self.rest("POST", "media", data=file.read_bytes(), headers=headers)

    @property
    def _compiled(self) -> Path:
        return self._group.folder / "compiled"

    @property
    def _plugins(self) -> Path:
        return self._group.folder / "www" / "wp-content" / "mu-plugins"

    def rest(self, method: str, path: str, role: str = "administrator", **arguments: Any) -> Any:
        """Call ``/wp-json/wp/v2/<path>`` as the user with a role, the way the site's owner acts.

        ``arguments`` go to requests (``json``, ``params``, …). The answer is the decoded JSON.
        """
        user = self.users[role]
        response = requests.request(
            method,
            f"{self.url}/wp-json/wp/v2/{path}",
            auth=(user.login, user.app_password),
            timeout=REQUEST_SECONDS,
            **arguments,
        )
        assert response.ok, f"{method} {path} answered {response.status_code}: {response.text}"
        return response.json()

    def clear(self) -> None:
        for row in self._database.rows(LEFT_BEHIND, "wordpress"):
            route = {"attachment": "media", "post_tag": "tags"}.get(row["kind"], f"{row['kind']}s")
            self.rest("DELETE", f"{route}/{row['id']}", params={"force": "true"})

    def log(self) -> str:
        logs = (self._group.folder / name for name in ("php.log", "wordpress.log"))
        return "".join(log.read_text(errors="replace") for log in logs if log.exists())

    def kill(self) -> None:
        for pid in self._server_processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait()
        wait_until(lambda: not self._server_processes(), START_SECONDS, "the address is free")

    def _server_processes(self) -> list[int]:
        """Those that answer requests; they outlive the one that started them."""
        found, address = [], self.url.removeprefix("http://").encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                arguments = (folder / "cmdline").read_bytes().split(b"\0")
                if address in arguments and os.getpgid(int(folder.name)) == self._group.id:
                    found.append(int(folder.name))
        return found

    def restart(self) -> None:
        self._server = self._spawn()
        assert _listening(self._server, int(self.url.rpartition(":")[2])), self.log()[-1000:]

    def _start(self) -> None:
        tree, php = wordpress_tree(self.suite), _php(self.php)
        folder = self._group.folder
        root = folder / "www"
        shutil.copytree(tree, root)
        self._compiled.mkdir()
        shutil.copy(SCRIPTS / "wp-config.php", root)
        self._database = self.database_kind(self._group)
        self._database.execute("CREATE DATABASE wordpress CHARACTER SET utf8mb4")
        env = {
            "COPYDESK_TEST_DB_SOCKET": str(self._database.socket),
            "COPYDESK_TEST_SECRET": self.secret,
            "COPYDESK_TEST_LOG": str(folder / "wordpress.log"),
            "PHP_CLI_SERVER_WORKERS": str(self.workers),
        }
        for _ in range(PORT_ATTEMPTS):
            # The port is free now and may be taken before PHP has it; then PHP ends at once.
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            command = [*php, "-S", f"127.0.0.1:{port}", "-t", str(root)]
            self._spawn = partial(
                self._group.spawn,
                [*command, str(SCRIPTS / "router.php")],
                log=folder / "php.log",
                env=env,
            )
            self._server = self._spawn()
            if _listening(self._server, port):
                break
        else:
            raise Unavailable(f"PHP's web server did not start: {self.log()[-1000:]}")
        self._install(php, root, env)

    def _install(self, php: list[str], root: Path, env: Mapping[str, str]) -> None:
        done = subprocess.run(
            [*php, str(SCRIPTS / "install.php"), str(root), self.url, *ROLES],
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            # Its standard output would hold passwords.
            said = (done.stderr + self.log())[-2000:]
            raise Unavailable(f"WordPress's installation failed: {said}")
        installed = json.loads(done.stdout)
        self.version = installed["version"]
        self.users = {role: SiteUser(**user) for role, user in installed["users"].items()}


def log_in(browser: Browser, site: WordPressSite) -> None:
    """Log in as the administrator, on the site's own form."""
    browser.open(f"{site.url}/wp-login.php")
    # The page selects this field 200 ms after it loads: what is typed then replaces it.
    focused = "document.activeElement.id === 'user_login'"
    wait_until(lambda: bool(browser.evaluate(focused)), LOGIN_SECONDS, "the login form")
    owner = site.users["administrator"]
    for name, text in (("user_login", owner.login), ("user_pass", owner.password)):
        browser.point(f"document.getElementById('{name}')")
        browser.type(text)
    browser.submit("#wp-submit")
    if browser.evaluate("document.querySelector('#correct-admin-email') !== null"):
        browser.submit("#correct-admin-email")


def _php(name: str) -> list[str]:
    php = program(name)
    modules = subprocess.run([php, "-m"], capture_output=True, text=True, check=True).stdout.split()
    missing = sorted(set(EXTENSIONS) - set(modules))
    if missing:
        raise NotInstalled(
            f"PHP lacks the extensions {', '.join(missing)}: run .ci/packages as root"
        )
    settings = ("opcache.enable_cli=1", "display_errors=stderr", "memory_limit=256M")
    return [php, *(part for setting in settings for part in ("-d", setting))]


def _listening(server: "subprocess.Popen[bytes]", port: int) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                # Somebody listens; it is ours unless ours has ended for want of the port.
                return server.poll() is None
        time.sleep(0.02)
    return False
