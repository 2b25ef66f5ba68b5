"""WordPress as the contract suite sees it: in memory and real, by each protocol."""

import html
from abc import abstractmethod
from pathlib import Path
from typing import Any

from copydesk_connectors.suite.contract import Site
from copydesk_connectors.target.base import Target
from copydesk_connectors.target.settings import Table
from copydesk_connectors.targets import TARGETS


class WordPress(Site):
    """A real WordPress, or the one in memory, by what both have stored."""

    has_trash = True
    has_drafts = True

    def __init__(self, url: str, login: str, password_file: Path) -> None:
        self.settings = {"url": url, "username": login, "password_file": str(password_file)}
        self.file = password_file.with_name("copydesk.toml")

    def target(self) -> Target:
        settings = self.settings | ({"url": self.address} if self.address else {})
        return TARGETS["wordpress"]("site", Table(settings, "[[target]] 1", self.file))

    def readers_see(self) -> dict[str, str]:
        return {
            str(post["id"]): html.unescape(post["title"])
            for post in self.stored()
            if post["status"] == "publish"
        }

    def copies(self) -> int:
        return len(self.stored())

    def everything(self) -> object:
        return self.stored()

    def markup(self, name: str) -> str:
        return next(str(post["content"]) for post in self.stored() if str(post["id"]) == name)

    @abstractmethod
    def stored(self) -> list[dict[str, Any]]:
        """Every post with its id, status, slug, title and content."""


class MemoryWordPress(WordPress):
    def __init__(self, fake: Any, url: str, password_file: Path) -> None:
        super().__init__(url, "jo", password_file)
        self.fake = fake

    def stored(self) -> list[dict[str, Any]]:
        return [dict(post) for post in self.fake.posts.values()]

    def owner_writes(self, slug: str, title: str) -> None:
        self.fake.insert(status="publish", slug=slug, title=title, content="<p>Mine.</p>")

    def owner_edits(self, name: str, old: str, new: str) -> None:
        post = self.fake.posts[int(name)]
        assert old in post["content"]
        post["content"] = post["content"].replace(old, new)

    def owner_trashes(self, name: str) -> None:
        self.fake.trash(int(name))

    def owner_deletes(self, name: str) -> None:
        del self.fake.posts[int(name)]

    def goes_down(self) -> None:
        self.fake.password = "another"


class RealWordPress(WordPress):
    def __init__(self, server: Any, password_file: Path) -> None:
        super().__init__(server.url, server.users["author"].login, password_file)
        self.server = server

    def stored(self) -> list[dict[str, Any]]:
        return [vars(post) for post in self.server.posts()]

    def owner_writes(self, slug: str, title: str) -> None:
        fields = {"status": "publish", "slug": slug, "title": title, "content": "<p>Mine.</p>"}
        self.server.rest("POST", "posts", json=fields)

    def owner_edits(self, name: str, old: str, new: str) -> None:
        content = self.markup(name)
        assert old in content
        self.server.rest("POST", f"posts/{name}", json={"content": content.replace(old, new)})

    def owner_trashes(self, name: str) -> None:
        self.server.rest("DELETE", f"posts/{name}")

    def owner_deletes(self, name: str) -> None:
        self.server.rest("DELETE", f"posts/{name}", params={"force": "true"})

    def goes_down(self) -> None:
        Path(self.settings["password_file"]).write_text("revoked")
