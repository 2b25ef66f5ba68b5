"""The sites that the contract suite runs on.

A target joins the suite with a class here that shows the suite what readers and the owner see.
"""

import importlib
import shutil
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import frontmatter
import pytest

from copydesk_connectors.suite.contract import Site
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS

from .wordpress_sites import MemoryWordPress, RealWordPress


class Markdown(Site):
    """A folder of Markdown files."""

    serves_html = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def target(self) -> Target:
        table = Table(
            {"path": str(self.folder)}, "[[target]] 1", self.folder.with_name("copydesk.toml")
        )
        return TARGETS["markdown"]("site", table)

    def readers_see(self) -> dict[str, str]:
        files = sorted(self.folder.glob("*.md"))
        return {file.name: str(frontmatter.load(str(file))["title"]) for file in files}

    def copies(self) -> int:
        return len(self.readers_see())

    def everything(self) -> object:
        files = self.folder.glob("*.*") if self.folder.exists() else []
        return {file.name: (file.read_text(), file.stat().st_mtime_ns) for file in files}

    def markup(self, name: str) -> str:
        return frontmatter.load(str(self.folder / name)).content

    def owner_writes(self, slug: str, title: str) -> None:
        (self.folder / f"{slug}.md").write_text(f"---\ntitle: {title}\n---\nMine.\n")

    def owner_edits(self, name: str, old: str, new: str) -> None:
        file = self.folder / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))

    def goes_down(self) -> None:
        shutil.rmtree(self.folder)
        self.folder.write_text("not a folder any more")


class Ghost(Site):
    """A real Ghost, or the one in memory, by what both have stored.

    Ghost has no trash: an owner who does not want a post takes it back to the drafts.
    """

    has_trash = True
    has_drafts = True

    def __init__(self, url: str, key_file: Path) -> None:
        self.settings = {"url": url, "admin_key_file": str(key_file)}
        self.file = key_file.with_name("copydesk.toml")

    def target(self) -> Target:
        settings = self.settings | ({"url": self.address} if self.address else {})
        return TARGETS["ghost"]("site", Table(settings, "[[target]] 1", self.file))

    def readers_see(self) -> dict[str, str]:
        return {
            post["id"]: post["title"] for post in self.stored() if post["status"] == "published"
        }

    def copies(self) -> int:
        return len(self.stored())

    def everything(self) -> object:
        return self.stored()

    def markup(self, name: str) -> str:
        return next(str(post["html"]) for post in self.stored() if post["id"] == name)

    @abstractmethod
    def stored(self) -> list[dict[str, Any]]:
        """Every post with its id, status, slug, title and html."""


class MemoryGhost(Ghost):
    def __init__(self, fake: Any, key_file: Path) -> None:
        super().__init__(fake.url, key_file)
        self.fake = fake

    def stored(self) -> list[dict[str, Any]]:
        return [dict(post) for post in self.fake.posts.values()]

    def owner_writes(self, slug: str, title: str) -> None:
        self.fake.insert(status="published", slug=slug, title=title, html="<p>Mine.</p>")

    def owner_edits(self, name: str, old: str, new: str) -> None:
        assert old in self.markup(name)
        self.fake.change(name, html=self.markup(name).replace(old, new))

    def owner_trashes(self, name: str) -> None:
        self.fake.change(name, status="draft")

    def owner_deletes(self, name: str) -> None:
        del self.fake.posts[name]

    def goes_down(self) -> None:
        self.fake.key = f"{'0' * 24}:{'0' * 64}"


class RealGhost(Ghost):
    def __init__(self, server: Any, key_file: Path) -> None:
        super().__init__(server.url, key_file)
        self.server = server
        self.key_file = key_file

    def stored(self) -> list[dict[str, Any]]:
        return [vars(post) for post in self.server.posts()]

    def owner_writes(self, slug: str, title: str) -> None:
        fields = {"status": "published", "slug": slug, "title": title, "html": "<p>Mine.</p>"}
        self.server.admin("POST", "posts/", params={"source": "html"}, json={"posts": [fields]})

    def owner_edits(self, name: str, old: str, new: str) -> None:
        assert old in self.markup(name)
        self.server.change(name, html=self.markup(name).replace(old, new))

    def owner_trashes(self, name: str) -> None:
        self.server.change(name, status="draft")

    def owner_deletes(self, name: str) -> None:
        self.server.admin("DELETE", f"posts/{name}/")

    def goes_down(self) -> None:
        self.key_file.write_text(f"{'0' * 24}:{'0' * 64}")


def _harness(request: pytest.FixtureRequest, name: str) -> Any:
    """A module that starts a real site on loopback, where it is asked for by ``-m sites``."""
    if "sites" not in request.config.getoption("markexpr"):
        pytest.skip("starts a real site only with -m sites")
    # The harness is the repository's; both folders of tests share the name "tests".
    sys.modules["tests"].__path__.append(str(Path(__file__).parents[3] / "tests"))
    return importlib.import_module(f"tests.support.sites.{name}")


@pytest.fixture(scope="session")
def real_ghost(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A Ghost."""
    with _harness(request, "ghost_site").GhostSite() as server:
        yield server


@pytest.fixture(scope="session")
def real_wordpress(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A WordPress."""
    with _harness(request, "wordpress_site").WordPressSite("trixie") as server:
        yield server


def _markdown(request: pytest.FixtureRequest) -> Iterator[Site]:
    yield Markdown(request.getfixturevalue("tmp_path") / "content")


def _memory_wordpress(request: pytest.FixtureRequest) -> Iterator[Site]:
    fake = request.getfixturevalue("fake_wordpress")
    site = MemoryWordPress(fake, fake.url, _secret_file(request, fake.password))
    with fake.on_loopback() as site.address:
        yield site


def _real_wordpress(request: pytest.FixtureRequest) -> Iterator[Site]:
    server = request.getfixturevalue("real_wordpress")
    server.clear()
    yield RealWordPress(server, _secret_file(request, server.app_password("author")))


def _xmlrpc(request: pytest.FixtureRequest) -> Iterator[Site]:
    for site in _real_wordpress(request):
        assert isinstance(site, RealWordPress)
        site.settings["protocol"] = "xmlrpc"
        yield site


def _memory_xmlrpc(request: pytest.FixtureRequest) -> Iterator[Site]:
    fake = request.getfixturevalue("fake_xmlrpc")
    site = MemoryWordPress(fake, fake.url, _secret_file(request, fake.password))
    site.settings["protocol"] = "xmlrpc"
    site.address = fake.url
    yield site


def _memory_ghost(request: pytest.FixtureRequest) -> Iterator[Site]:
    fake = request.getfixturevalue("fake_ghost")
    site = MemoryGhost(fake, _secret_file(request, fake.key))
    with fake.on_loopback() as site.address:
        yield site


def _real_ghost(request: pytest.FixtureRequest) -> Iterator[Site]:
    server = request.getfixturevalue("real_ghost")
    server.clear()
    yield RealGhost(server, _secret_file(request, server.admin_key))


def _secret_file(request: pytest.FixtureRequest, secret: str) -> Path:
    file: Path = request.getfixturevalue("tmp_path") / "secret"
    file.write_text(secret)
    file.chmod(0o600)
    return file


_SITES: dict[str, Callable[[pytest.FixtureRequest], Iterator[Site]]] = {
    "markdown": _markdown,
    "wordpress-in-memory": _memory_wordpress,
    "wordpress": _real_wordpress,
    "wordpress-xmlrpc-in-memory": _memory_xmlrpc,
    "wordpress-xmlrpc": _xmlrpc,
    "ghost-in-memory": _memory_ghost,
    "ghost": _real_ghost,
}
_REAL = {"wordpress", "wordpress-xmlrpc", "ghost"}


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.sites if name in _REAL else ()) for name in _SITES]
)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """Each site in turn, without posts."""
    yield from _SITES[request.param](request)
