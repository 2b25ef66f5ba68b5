"""A fresh real Ghost on loopback for tests, with eyes of its own on what the server holds.

    with GhostSite() as site:
        connect(site.url, site.admin_key)
        assert [post.status for post in site.posts()] == ["published"]

Everything runs as the current user, in one folder and one process group that are gone afterwards,
also when the test run is killed.
"""

import json
import os
import platform
import secrets
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import requests

from tests.support.sites.cache import cache_folder, made_once
from tests.support.sites.live_site import REQUEST_SECONDS, LiveSite
from tests.support.sites.mariadb import MariaDB
from tests.support.sites.programs import NotInstalled, Unavailable, printed, program
from tests.support.startup import free_port, wait_until

GHOST = "6.65.0"
NODE = "22.23.3"
PNPM = "12.4.2"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


@dataclass(frozen=True)
class GhostFiles:
    """An installed Ghost (``tree``) and the program that runs it."""

    tree: Path
    node: Path


def ghost_files() -> GhostFiles:
    """The installed Ghost, fetched and built when the cache does not hold it: Ghost, the Node that
    it wants and pnpm, which reads its lock file, all come through npm. Of its native modules only
    better-sqlite3 is built: the others have a way without, and no script of a package runs.

    All sites share the files and never write to them. Safe to call from several processes.

    Raises:
        NotInstalled: npm or a compiler is missing, or this is no Linux that Node is built for.
        Unavailable: it could not be fetched or built.
    """
    folder = made_once(f"ghost-{GHOST}", _install)
    return GhostFiles(folder / "package", _node_folder(folder) / "bin" / "node")


def _machine() -> str:
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise NotInstalled(
            f"Ghost's tests know no Node for {platform.system()} on {platform.machine()}"
        )
    return MACHINES[platform.machine()]


def _node_folder(folder: Path) -> Path:
    return folder / "tools" / "node_modules" / f"node-linux-{_machine()}"


def _install(folder: Path) -> Path:
    machine, npm = _machine(), program("npm")
    for compiler in ("g++", "make", "python3"):
        program(compiler)
    tools = folder / "tools"
    tools.mkdir()
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    wanted = [f"node-linux-{machine}@{NODE}", f"pnpm@{PNPM}"]
    fetch = partial(printed, failure=Unavailable)
    fetch([npm, "install", "--prefix", str(tools), *quiet, *wanted], cwd=folder)
    fetch([npm, "pack", "--ignore-scripts", f"ghost@{GHOST}"], cwd=folder)
    (archive,) = folder.glob("ghost-*.tgz")
    fetch(["tar", "-xzf", str(archive)], cwd=folder)
    archive.unlink()

    tree, node = folder / "package", _node_folder(folder)
    env = {
        "PATH": f"{node / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        "npm_config_nodedir": str(node),
        "CI": "true",
    }
    pnpm = tools / "node_modules" / "pnpm"
    node_program = str(node / "bin" / "node")
    arguments = ["install", "--prod", "--frozen-lockfile", "--ignore-scripts"]
    fetch([node_program, str(pnpm / "bin" / "pnpm.mjs"), *arguments], cwd=tree, env=env)
    built = [*tree.glob("node_modules/.pnpm/better-sqlite3@*/node_modules/better-sqlite3")]
    if len(built) != 1:
        raise Unavailable(f"Ghost brought {len(built)} versions of better-sqlite3")
    gyp = pnpm / "dist" / "node_modules" / "node-gyp" / "bin" / "node-gyp.js"
    fetch([node_program, str(gyp), "rebuild", "--release"], cwd=built[0], env=env)
    return folder


START_SECONDS = 120.0
PORT_ATTEMPTS = 3
OWNER = "owner@blog.example"

# Both SQLite and MariaDB understand these; each gives one JSON object a row.
POSTS = """
SELECT JSON_OBJECT(
    'id', p.id, 'status', p.status, 'slug', p.slug, 'title', p.title, 'html', p.html,
    'lexical', p.lexical, 'custom_excerpt', p.custom_excerpt, 'feature_image', p.feature_image,
    'codeinjection_head', p.codeinjection_head, 'canonical_url', p.canonical_url,
    'published_at', CAST(p.published_at AS CHAR), 'created_at', CAST(p.created_at AS CHAR),
    'updated_at', CAST(p.updated_at AS CHAR), 'meta_title', m.meta_title,
    'meta_description', m.meta_description, 'feature_image_alt', m.feature_image_alt)
FROM posts p LEFT JOIN posts_meta m ON m.post_id = p.id
WHERE p.type = 'post' ORDER BY p.created_at, p.id
"""
TAGS = """
SELECT JSON_OBJECT('post', x.post_id, 'name', t.name)
FROM posts_tags x JOIN tags t ON t.id = x.tag_id ORDER BY x.sort_order
"""
AUTHORS = """
SELECT JSON_OBJECT('post', x.post_id, 'name', u.slug)
FROM posts_authors x JOIN users u ON u.id = x.author_id ORDER BY x.sort_order
"""


@dataclass(frozen=True)
class StoredGhostPost:
    """A row of Ghost's own tables; times are UTC, ``YYYY-MM-DD hh:mm:ss``, or None."""

    id: str
    status: str
    slug: str
    title: str
    html: str
    lexical: str
    custom_excerpt: str | None
    feature_image: str | None
    codeinjection_head: str | None
    canonical_url: str | None
    published_at: str | None
    created_at: str
    updated_at: str
    meta_title: str | None
    meta_description: str | None
    feature_image_alt: str | None
    tags: tuple[str, ...]
    authors: tuple[str, ...]


class GhostSite(LiveSite):
    """A context manager around one new Ghost with no posts, its owner and one integration.

    Links to other sites are left as they were written (outbound link tagging is off), as
    an owner who follows the connector's ``check`` has it. The database is SQLite, which takes one
    transaction at a time, or MariaDB, which takes many, as on the servers of readers' blogs.

    Raises:
        NotInstalled: npm, a compiler or MariaDB is missing; the message says what installs it.
        Unavailable: Ghost could not be fetched or started; the message says why.
    """

    version = GHOST

    def __init__(self, *, mariadb: bool = False) -> None:
        self.database_kind = MariaDB if mariadb else None
        self._mariadb: MariaDB | None = None
        self.admin_key = ""
        self._owner = requests.Session()

    def __exit__(self, *_: object) -> None:
        self._owner.close()
        super().__exit__()

    def credential(self) -> str:
        return self.admin_key

    def target(self, url: str) -> str:
        return f'type = "ghost"\nurl = "{url}"\nadmin_key_file = "key"\n'

    def stored(self) -> list[tuple[str, str]]:
        return [(post.status, post.slug) for post in self.posts()]

    def public_items(self) -> list[str]:
        tags = [tag for post in self.posts("published") for tag in post.tags]
        ours = [tag.removeprefix("#copydesk-") for tag in tags if tag.startswith("#copydesk-")]
        return sorted(bytes.fromhex(tag).decode() for tag in ours)

    def posts(self, *statuses: str) -> list[StoredGhostPost]:
        """Every post in the database by age, drafts included; with ``statuses`` only those."""
        names: dict[tuple[str, str], list[str]] = {}
        for kind, query in (("tags", TAGS), ("authors", AUTHORS)):
            for row in self.rows(query):
                names.setdefault((row["post"], kind), []).append(row["name"])
        posts = [
            StoredGhostPost(
                **row,
                tags=tuple(names.get((row["id"], "tags"), ())),
                authors=tuple(names.get((row["id"], "authors"), ())),
            )
            for row in self.rows(POSTS)
        ]
        return [post for post in posts if not statuses or post.status in statuses]

    def rows(self, query: str) -> list[Any]:
        """What a query that selects one JSON_OBJECT a row finds in Ghost's database."""
        if self._mariadb is not None:
            return self._mariadb.rows(query, "ghost")
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as database:
            return [json.loads(text) for (text,) in database.execute(query)]

    def admin(self, method: str, path: str, **arguments: Any) -> Any:
        """Call ``/ghost/api/admin/<path>`` with the owner's login, as Ghost's own editor does.

        ``arguments`` go to requests (``json``, ``params``, …). The answer is the decoded JSON,
        None if there is no such post.
        """
        response = self._owner.request(
            method, f"{self.url}/ghost/api/admin/{path}", timeout=REQUEST_SECONDS, **arguments
        )
        assert response.ok, f"{method} {path} answered {response.status_code}: {response.text}"
        if "json" not in response.headers.get("Content-Type", ""):
            return None
        return response.json()

    def change(self, post_id: str, **fields: Any) -> None:
        """Change a post, as its owner does in the editor."""
        (now,) = self.admin("GET", f"posts/{post_id}/")["posts"]
        body = {"posts": [{"updated_at": now["updated_at"], **fields}]}
        query = {"source": "html"} if "html" in fields else {}
        self.admin("PUT", f"posts/{post_id}/", params=query, json=body)

    def new_key(self) -> str:
        """The Admin API key of one more integration; ``revoke`` takes it back."""
        made = self.admin(
            "POST",
            "integrations/",
            params={"include": "api_keys"},
            json={"integrations": [{"name": f"Copydesk {secrets.token_hex(4)}"}]},
        )
        keys = made["integrations"][0]["api_keys"]
        return str(next(key["secret"] for key in keys if key["type"] == "admin"))

    def tag_outbound_links(self, *, on: bool) -> None:
        """Switch on or off that Ghost adds ?ref= to links, as the owner does in the settings."""
        setting = {"key": "outbound_link_tagging", "value": on}
        self.admin("PUT", "settings/", json={"settings": [setting]})

    def add_author(self, name: str, email: str) -> None:
        """One more person with the role Author, by an invitation as people are invited."""
        roles = self.admin("GET", "roles/")["roles"]
        role = next(role["id"] for role in roles if role["name"] == "Author")
        self.admin("POST", "invites/", json={"invites": [{"email": email, "role_id": role}]})
        query = "SELECT JSON_OBJECT('token', token) FROM invites"
        (invite,) = self.rows(f"{query} WHERE email = '{email}'")
        person = {"name": name, "email": email, "password": secrets.token_urlsafe(16)}
        invitation = {**person, "token": invite["token"]}
        self.admin("POST", "authentication/invitation/", json={"invitation": [invitation]})

    def clear(self) -> None:
        if self.posts():
            every = "status:[draft,published,scheduled,sent]"
            self.admin("DELETE", "posts/", params={"filter": every})
        for tag in self.rows("SELECT JSON_OBJECT('id', id) FROM tags"):
            self.admin("DELETE", f"tags/{tag['id']}/")

    def log(self) -> str:
        return (self._group.folder / "ghost.log").read_text(errors="replace")

    def kill(self) -> None:
        self._server.kill()
        self._server.wait()

    def restart(self) -> None:
        def works() -> bool:
            self._server = self._spawn()
            return self._answers(self._server)

        wait_until(works, START_SECONDS, "Ghost answers again")

    def _start(self) -> None:
        files = ghost_files()
        folder = self._group.folder / "blog"
        folder.mkdir()
        (folder / "current").symlink_to(files.tree)
        shutil.copytree(files.tree / "content", folder / "content", symlinks=True)
        self._file = folder / "ghost.db"
        if self.database_kind is not None:
            self._mariadb = self.database_kind(self._group)
            self._mariadb.execute("CREATE DATABASE ghost CHARACTER SET utf8mb4")
        env = {
            "NODE_ENV": "development",
            "NODE_COMPILE_CACHE": str(cache_folder() / f"ghost-{GHOST}-compiled"),
        }
        for _ in range(PORT_ATTEMPTS):
            # The port is free now and may be taken before Ghost has it; then Ghost ends at once.
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            (folder / "config.development.json").write_text(json.dumps(self._config(port)))
            self._spawn = partial(
                self._group.spawn,
                [str(files.node), "current/index.js"],
                log=self._group.folder / "ghost.log",
                env=env,
                cwd=folder,
            )
            self._server = self._spawn()
            if self._answers(self._server):
                break
        else:
            raise Unavailable(f"Ghost did not start: {self.log()[-1500:]}")
        self._set_up()

    def _config(self, port: int) -> dict[str, Any]:
        """Nothing of it leaves the machine: no mail, no update check, no avatars."""
        off = ("useUpdateCheck", "useGravatar", "useRpcPing")
        return {
            "url": f"{self.url}/",
            "server": {"host": "127.0.0.1", "port": port, "shutdownTimeout": 500},
            "database": self._database(),
            "mail": {"transport": "stub"},
            "paths": {"contentPath": str(self._file.with_name("content"))},
            "privacy": dict.fromkeys(off, False),
            "security": {"staffDeviceVerification": False},
            "logging": {"transports": ["stdout"], "level": "warn"},
        }

    def _database(self) -> dict[str, Any]:
        if self._mariadb is not None:
            login = {"user": "root", "password": "", "database": "ghost"}
            socket = str(self._mariadb.socket)
            return {"client": "mysql", "connection": {**login, "socketPath": socket}}
        return {
            "client": "better-sqlite3",
            "connection": {"filename": str(self._file)},
            "useNullAsDefault": True,
        }

    def _answers(self, server: "subprocess.Popen[bytes]") -> bool:
        deadline = time.monotonic() + START_SECONDS
        while server.poll() is None and time.monotonic() < deadline:
            try:
                site = requests.get(f"{self.url}/ghost/api/admin/site/", timeout=REQUEST_SECONDS)
                if site.status_code == 200:
                    return True
            except requests.RequestException:
                pass
            time.sleep(0.05)
        return False

    def _set_up(self) -> None:
        self._owner.headers["Origin"] = self.url
        person = {"name": "Jo", "email": OWNER, "password": secrets.token_urlsafe(16)}
        self.admin(
            "POST",
            "authentication/setup/",
            json={"setup": [{**person, "blogTitle": "Jo's blog"}]},
        )
        login = {"username": OWNER, "password": person["password"]}
        self.admin("POST", "session/", json=login)
        self.tag_outbound_links(on=False)
        self.admin_key = self.new_key()
        self.clear()
