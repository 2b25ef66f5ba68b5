"""A site as the contract's tests see it, and the steps that they take on it."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext

from copydesk_connectors.errors import ConnectorError
from copydesk_connectors.post import Post
from copydesk_connectors.publisher import Copy, CopyState, Keyed, Publisher


class Site(ABC):
    """A site, seen by its readers and its owner."""

    has_trash = False
    serves_html = True

    @abstractmethod
    def publisher(self) -> Publisher:
        """A new publisher, as a process that was just started has it."""

    @abstractmethod
    def readers_see(self) -> dict[str, str]:
        """The title and the text of every public post, by a name of the site's own."""

    @abstractmethod
    def copies(self) -> int:
        """How many posts are stored, in whatever state."""

    @abstractmethod
    def everything(self) -> object:
        """All that is stored, to compare before and after."""

    @abstractmethod
    def owner_writes(self, slug: str, title: str) -> None:
        """The owner publishes a post of their own under that slug."""

    @abstractmethod
    def owner_edits(self, name: str, old: str, new: str) -> None:
        """The owner changes the text of a public post."""

    @abstractmethod
    def markup(self, name: str) -> str:
        """The post's body as HTML (or Markdown) as readers get it."""

    def owner_trashes(self, name: str) -> None:
        """The owner puts a public post into the trash."""
        raise NotImplementedError

    @abstractmethod
    def goes_down(self) -> None:
        """The site can no longer be used."""


def put(
    publisher: Publisher, post: Post, drafting: AbstractContextManager[object] | None = None
) -> Copy:
    """Every step, as the courier takes them; drafts are made within ``drafting``."""
    if isinstance(publisher, Keyed) and (in_one := publisher.put(post)) is not None:
        return in_one
    copy = publisher.find(post)
    if copy is None:
        with drafting or nullcontext():
            copy = publisher.draft(post)
    if copy.state is CopyState.WITHDRAWN:
        return copy
    return publisher.publish(post, copy.remote_id)


def put_until_done(
    publisher: Publisher, post: Post, drafting: AbstractContextManager[object] | None = None
) -> Copy:
    """The same again after each failure, as pass after pass does."""
    for _ in range(5):
        try:
            return put(publisher, post, drafting)
        except ConnectorError:
            continue
    raise AssertionError("five tries did not end well")
