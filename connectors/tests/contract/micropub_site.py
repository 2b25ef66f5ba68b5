"""A Micropub server, for the contract suite."""

import copy
from pathlib import Path

from copydesk_connectors.contract import Site
from copydesk_connectors.publisher import Publisher
from copydesk_connectors.targets import TARGETS
from copydesk_connectors.toml_table import Table

from .micropub_server import MicropubServer


class MicropubSite(Site):
    """A server that takes slugs, drafts and source queries."""

    def __init__(self, server: MicropubServer, folder: Path) -> None:
        self.server = server
        self.token = folder / "token"
        self.token.write_text(server.token)
        self.token.chmod(0o600)

    def publisher(self) -> Publisher:
        settings = {
            "url": f"{self.server.url}/",
            "token_file": str(self.token),
            "address": f"{self.server.url}/{{slug}}",
        }
        table = Table(settings, "[[target]] 1", self.token.with_name("copydesk.toml"))
        return TARGETS["micropub"]("site", table)

    def readers_see(self) -> dict[str, str]:
        return {url: str(post["name"][0]) for url, post in self.server.public().items()}

    def copies(self) -> int:
        return len(self.server.posts)

    def everything(self) -> object:
        return copy.deepcopy(self.server.posts)

    def owner_writes(self, slug: str, title: str) -> None:
        self.server.create({"name": [title], "mp-slug": [slug], "content": ["Mine."]})

    def owner_edits(self, name: str, old: str, new: str) -> None:
        content = self.server.posts[name]["content"][0]
        assert old in content["html"]
        content["html"] = content["html"].replace(old, new)

    def markup(self, name: str) -> str:
        return str(self.server.posts[name]["content"][0]["html"])

    def goes_down(self) -> None:
        self.server.token = "revoked"
