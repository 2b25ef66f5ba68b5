"""What all real sites have in common: what the connector promises of one it promises of each."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

import requests

from tests.support.process_group import ProcessGroup

REQUEST_SECONDS = 60.0


class LiveSite(ABC):
    """A context manager around one new site in a process group of its own."""

    url = ""

    def __enter__(self) -> Self:
        self._group = ProcessGroup()
        try:
            self._start()
        except BaseException:
            self._group.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._group.close()

    @abstractmethod
    def _start(self) -> None:
        """Start the site and give it what tests need."""

    @abstractmethod
    def credential(self) -> str:
        """What the connector gets in to the site with."""

    @abstractmethod
    def target(self, url: str) -> str:
        """The lines of a target at ``url``, which is the site's own or a proxy's; "key" is a file
        with the credential."""

    @abstractmethod
    def stored(self) -> list[tuple[str, str]]:
        """The status and the slug of every post, drafts and the trash included, in order."""

    @abstractmethod
    def public_items(self) -> list[str]:
        """Return the item id of every public post made by the connector, once per copy, sorted."""

    @abstractmethod
    def clear(self) -> None:
        """Delete all posts and tags, so that a site can serve one test after another."""

    @abstractmethod
    def log(self) -> str:
        """What the site said so far: requests, warnings, errors."""

    @abstractmethod
    def kill(self) -> None:
        """End what answers requests, with all of its processes, by SIGKILL."""

    @abstractmethod
    def restart(self) -> None:
        """Start what answers requests again at its address."""

    def page_html(self, url: str) -> str:
        """The page as a reader without a login gets it.

        Raises:
            AssertionError: the site does not answer 200.
        """
        response = requests.get(url, timeout=REQUEST_SECONDS)
        assert response.status_code == 200, f"{url} answered {response.status_code}"
        return response.text


def write_config(folder: Path, site: LiveSite, url: str, feed: str) -> Path:
    """A configuration for one feed and one site, in a new folder; ``feed`` is a line of [feed]."""
    folder.mkdir()
    key = folder / "key"
    key.write_text(site.credential())
    key.chmod(0o600)
    file = folder / "copydesk.toml"
    file.write_text(f'[feed]\n{feed}\n[ledger]\npath = "ledger"\n[[target]]\n{site.target(url)}')
    file.chmod(0o600)
    return file
