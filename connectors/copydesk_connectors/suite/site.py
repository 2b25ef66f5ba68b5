"""A site as the contract's tests see it, and the steps they take on it."""
# ruff: noqa: S101

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeVar

from copydesk_connectors.target.base import Copy, CopyState, Target
from copydesk_connectors.target.errors import ConnectorError
from copydesk_connectors.target.post import Post
from copydesk_connectors.target.settings import Table, read

T = TypeVar("T", bound=Target)


class Site(ABC):
    """A site as its readers and its owner see it."""

    has_trash = False
    has_drafts = False
    serves_html = True
    address = ""
    """The site's server as http://host:port, or "" if the target calls none.

    ``target`` must use it: to break requests, the suite puts a ``FaultProxy`` in front of the
    server and names that one here.
    """

    @abstractmethod
    def target(self) -> Target:
        """Return a new target, as a new process has it."""

    @abstractmethod
    def readers_see(self) -> dict[str, str]:
        """Return the title of every public post, by its remote id."""

    @abstractmethod
    def copies(self) -> int:
        """Return the number of stored posts, in any state."""

    @abstractmethod
    def everything(self) -> object:
        """Return everything that is stored, to compare before and after."""

    @abstractmethod
    def owner_writes(self, slug: str, title: str) -> None:
        """Publish the owner's own post under that slug."""

    @abstractmethod
    def owner_edits(self, name: str, old: str, new: str) -> None:
        """Change the text of a public post, as its owner."""

    @abstractmethod
    def markup(self, name: str) -> str:
        """Return the post's body as readers get it, as HTML or Markdown."""

    def owner_trashes(self, name: str) -> None:
        """Move a public post to the trash, as its owner."""
        raise NotImplementedError

    def owner_deletes(self, name: str) -> None:
        """Delete a draft permanently, as its owner."""
        raise NotImplementedError

    @abstractmethod
    def goes_down(self) -> None:
        """Make the site unusable."""


def open_target(kind: type[T], folder: Path, name: str = "site", **settings: object) -> T:
    """Return a target with these settings, as from a configuration file in ``folder``."""
    table = Table(settings, f"[[target]] 1 ({name})", folder / "copydesk.toml")
    target = kind.open(name, read(kind.Settings, table))
    assert isinstance(target, kind)
    return target


def put(target: Target, post: Post, drafting: AbstractContextManager[object] | None = None) -> Copy:
    """Take every step as the engine does; make drafts within ``drafting``."""
    copy = target.find(post)
    if copy is None:
        with drafting or nullcontext():
            copy = target.draft(post)
    if copy.state is CopyState.WITHDRAWN:
        return copy
    return target.publish(post, copy.remote_id)


def put_until_done(
    target: Target, post: Post, drafting: AbstractContextManager[object] | None = None
) -> Copy:
    """Call ``put`` again after each failure, as further passes do."""
    for _ in range(5):
        try:
            return put(target, post, drafting)
        except ConnectorError:
            continue
    raise AssertionError("five tries did not end well")
