"""The contract suite on a Micropub server in memory."""

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest

from copydesk_connectors.suite import Site, TargetContract, open_target
from copydesk_micropub import Micropub

from .micropub_server import MicropubServer, micropub_server


class MicropubSite(Site):
    """A server that takes slugs, drafts and source queries."""

    has_drafts = True

    def __init__(self, server: MicropubServer, folder: Path) -> None:
        self.server = server
        self.address = server.url
        self.token = folder / "token"
        self.token.write_text(server.token)
        self.token.chmod(0o600)

    def target(self) -> Micropub:
        return open_target(
            Micropub,
            self.token.parent,
            url=f"{self.address}/",
            token_file=str(self.token),
            address=f"{self.server.url}/{{slug}}",
        )

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

    def owner_deletes(self, name: str) -> None:
        del self.server.posts[name]

    def markup(self, name: str) -> str:
        return str(self.server.posts[name]["content"][0]["html"])

    def goes_down(self) -> None:
        self.server.token = "revoked"


class TestContract(TargetContract):
    """What every target must do."""

    @pytest.fixture
    def site(self, tmp_path: Path) -> Iterator[MicropubSite]:
        """A site without posts."""
        with micropub_server() as server:
            yield MicropubSite(server, tmp_path)
            assert server.violations == []
