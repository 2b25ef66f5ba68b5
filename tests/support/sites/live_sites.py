"""Real sites, all seen in one way: what the connector promises of one it promises of each."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.sites.ghost_site import GhostSite
from tests.support.sites.sqlite_wordpress import SqliteWordPressSite
from tests.support.sites.wordpress_site import WordPressSite

_MARKER = re.compile(r"<!-- copydesk:(\S+) -->")
NAMES = ("ghost", "ghost-mariadb", "wordpress-bookworm", "wordpress-trixie", "wordpress-sqlite")


class LiveSite(ABC):
    """A running site. ``api`` is a part of the path of every request that the connector makes."""

    api: str
    url: str

    @abstractmethod
    def secret(self) -> str:
        """What the connector gets in to the site with."""

    @abstractmethod
    def settings(self, url: str) -> str:
        """The lines of a target at ``url``, which is the site's own or a proxy's; "key" is a file
        with the secret."""

    @abstractmethod
    def stored(self) -> list[tuple[str, str]]:
        """The status and the slug of every post, drafts and the trash included, in order."""

    @abstractmethod
    def public_items(self) -> list[str]:
        """Return the item id of every public post made by the connector, once per copy, sorted."""

    @abstractmethod
    def clear(self) -> None:
        """Delete all of it."""

    def published(self) -> list[str]:
        """The slugs of what readers see."""
        return sorted(slug for status, slug in self.stored() if status.startswith("publish"))


class LiveGhost(LiveSite):
    """A Ghost."""

    api = "/ghost/api/admin/"

    def __init__(self, site: GhostSite) -> None:
        self.site = site
        self.url = site.url

    def secret(self) -> str:
        return self.site.admin_key

    def settings(self, url: str) -> str:
        return f'type = "ghost"\nurl = "{url}"\nadmin_key_file = "key"\n'

    def stored(self) -> list[tuple[str, str]]:
        return [(post.status, post.slug) for post in self.site.posts()]

    def public_items(self) -> list[str]:
        tags = [tag for post in self.site.posts("published") for tag in post.tags]
        ours = [tag.removeprefix("#copydesk-") for tag in tags if tag.startswith("#copydesk-")]
        return sorted(bytes.fromhex(tag).decode() for tag in ours)

    def clear(self) -> None:
        self.site.clear()


class LiveWordPress(LiveSite):
    """A WordPress by its REST API, as an author."""

    api = "/wp-json/"

    def __init__(self, site: WordPressSite) -> None:
        self.site = site
        self.url = site.url

    def secret(self) -> str:
        return self.site.app_password("author")

    def settings(self, url: str) -> str:
        login = self.site.users["author"].login
        return f'type = "wordpress"\nurl = "{url}"\nusername = "{login}"\npassword_file = "key"\n'

    def stored(self) -> list[tuple[str, str]]:
        return [(post.status, post.slug) for post in self.site.posts()]

    def public_items(self) -> list[str]:
        texts = [post.content for post in self.site.posts("publish")]
        return sorted(item for text in texts for item in _MARKER.findall(text))

    def clear(self) -> None:
        self.site.clear()


class LiveXmlRpc(LiveWordPress):
    """A WordPress by XML-RPC, as an author."""

    api = "/xmlrpc.php"

    def settings(self, url: str) -> str:
        return f'{super().settings(url)}protocol = "xmlrpc"\n'


@contextmanager
def live_site(name: str) -> Iterator[LiveSite]:
    """One of NAMES, started and ended.

    Raises:
        NotInstalled
    """
    kind, _, variant = name.partition("-")
    if kind == "ghost":
        with GhostSite(mariadb=variant == "mariadb") as ghost:
            yield LiveGhost(ghost)
    else:
        made = SqliteWordPressSite() if variant == "sqlite" else WordPressSite(variant)
        with made as wordpress:
            yield LiveWordPress(wordpress)


def write_config(folder: Path, site: LiveSite, url: str, feed: str) -> Path:
    """A configuration for one feed and one site, in a new folder; ``feed`` is a line of [feed]."""
    folder.mkdir()
    secret = folder / "key"
    secret.write_text(site.secret())
    secret.chmod(0o600)
    file = folder / "copydesk.toml"
    file.write_text(f'[feed]\n{feed}\n[ledger]\npath = "ledger"\n[[target]]\n{site.settings(url)}')
    file.chmod(0o600)
    return file
