"""A fresh real Ghost on loopback for tests, with eyes of its own on what the server holds.

    with GhostSite() as site:
        connect(site.url, site.admin_key)
        assert [post.status for post in site.posts()] == ["published"]

Everything runs as the current user, in one folder and one process group that are gone afterwards,
also when the test run is killed.
"""

import json
import secrets
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import requests

from tests.running.process_group import ProcessGroup
from tests.running.starting import free_port
from tests.sites.ghost_files import GHOST, GhostFiles, GhostUnavailable, cache_folder, ghost_files

START_SECONDS = 120.0
REQUEST_SECONDS = 60.0
PORT_ATTEMPTS = 3
OWNER = "owner@blog.example"

POSTS = """
SELECT p.id, p.status, p.slug, p.title, p.html, p.lexical, p.custom_excerpt, p.feature_image,
    p.codeinjection_head, p.canonical_url, p.published_at, p.created_at, p.updated_at,
    m.meta_title, m.meta_description, m.feature_image_alt,
    (SELECT json_group_array(name) FROM (SELECT t.name FROM posts_tags pt
        JOIN tags t ON t.id = pt.tag_id WHERE pt.post_id = p.id ORDER BY pt.sort_order)) AS tags,
    (SELECT json_group_array(slug) FROM (SELECT u.slug FROM posts_authors pa
        JOIN users u ON u.id = pa.author_id WHERE pa.post_id = p.id ORDER BY pa.sort_order))
        AS authors
FROM posts p LEFT JOIN posts_meta m ON m.post_id = p.id
WHERE p.type = 'post' ORDER BY p.created_at, p.id
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


class GhostSite:
    """A context manager around one new Ghost with no posts, its owner and one integration.

    Links to other sites are left as they were written (outbound link tagging is off), as
    an owner who follows the connector's ``check`` has it.

    Raises:
        NotInstalled: npm or a compiler is missing; the message says what installs it.
        GhostUnavailable: Ghost could not be fetched or started; the message says why.
    """

    version = GHOST

    def __init__(self) -> None:
        self.url = ""
        self.admin_key = ""
        self._owner = requests.Session()

    def __enter__(self) -> Self:
        files = ghost_files()
        self._group = ProcessGroup()
        try:
            self._start(files)
            self._set_up()
        except BaseException:
            self._group.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._owner.close()
        self._group.close()

    def posts(self, *statuses: str) -> list[StoredGhostPost]:
        """Every post in the database by age, drafts included; with ``statuses`` only those."""
        posts = [
            StoredGhostPost(
                **row | {name: tuple(json.loads(row[name])) for name in ("tags", "authors")}
            )
            for row in self.rows(POSTS)
        ]
        return [post for post in posts if not statuses or post.status in statuses]

    def rows(self, query: str) -> list[dict[str, Any]]:
        """What a query finds in Ghost's database."""
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query)]

    def page_html(self, url: str) -> str:
        """The page as a reader without a login gets it.

        Raises:
            AssertionError: the site does not answer 200.
        """
        response = requests.get(url, timeout=REQUEST_SECONDS)
        assert response.status_code == 200, f"{url} answered {response.status_code}"
        return response.text

    def admin(self, method: str, path: str, **arguments: Any) -> Any:
        """Call ``/ghost/api/admin/<path>`` with the owner's login, as Ghost's own editor does.

        ``arguments`` go to requests (``json``, ``params``, …). The answer is the decoded JSON,
        None where there is none.
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
        (invite,) = self.rows(f"SELECT token FROM invites WHERE email = '{email}'")
        person = {"name": name, "email": email, "password": secrets.token_urlsafe(16)}
        invitation = {**person, "token": invite["token"]}
        self.admin("POST", "authentication/invitation/", json={"invitation": [invitation]})

    def clear(self) -> None:
        """Delete all posts and tags, so that a site can serve one test after another."""
        if self.posts():
            every = "status:[draft,published,scheduled,sent]"
            self.admin("DELETE", "posts/", params={"filter": every})
        for tag in self.rows("SELECT id FROM tags"):
            self.admin("DELETE", f"tags/{tag['id']}/")

    def log(self) -> str:
        """What Ghost said so far."""
        return (self._group.folder / "ghost.log").read_text(errors="replace")

    def _start(self, files: GhostFiles) -> None:
        folder = self._group.folder / "blog"
        folder.mkdir()
        (folder / "current").symlink_to(files.tree)
        shutil.copytree(files.tree / "content", folder / "content", symlinks=True)
        self._database = folder / "ghost.db"
        env = {
            "NODE_ENV": "development",
            "NODE_COMPILE_CACHE": str(cache_folder() / f"ghost-{GHOST}-compiled"),
        }
        for _ in range(PORT_ATTEMPTS):
            # The port is free now and may be taken before Ghost has it; then Ghost ends at once.
            port = free_port()
            self.url = f"http://127.0.0.1:{port}"
            (folder / "config.development.json").write_text(json.dumps(self._config(port)))
            server = self._group.spawn(
                [str(files.node), "current/index.js"],
                log=self._group.folder / "ghost.log",
                env=env,
                cwd=folder,
            )
            if self._answers(server):
                return
        raise GhostUnavailable(f"Ghost did not start: {self.log()[-1500:]}")

    def _config(self, port: int) -> dict[str, Any]:
        """Nothing of it leaves the machine: no mail, no update check, no avatars."""
        off = ("useUpdateCheck", "useGravatar", "useRpcPing")
        return {
            "url": f"{self.url}/",
            "server": {"host": "127.0.0.1", "port": port, "shutdownTimeout": 500},
            "database": {
                "client": "better-sqlite3",
                "connection": {"filename": str(self._database)},
                "useNullAsDefault": True,
            },
            "mail": {"transport": "stub"},
            "paths": {"contentPath": str(self._database.with_name("content"))},
            "privacy": dict.fromkeys(off, False),
            "security": {"staffDeviceVerification": False},
            "logging": {"transports": ["stdout"], "level": "warn"},
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
