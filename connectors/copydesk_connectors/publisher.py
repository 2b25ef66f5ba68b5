"""The port to a site."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from copydesk_connectors.internal_links import Page
from copydesk_connectors.post import Post


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line of ``check``: what was seen and, unless it is fine, how to mend it."""

    level: Level
    subject: str
    message: str
    fix: str = ""


class CopyState(StrEnum):
    """What a site's copy of a post is, in the words of every site."""

    DRAFT = "draft"
    PUBLIC = "public"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Copy:
    """A site's copy of a post.

    ``remote_id`` is the site's own name for it. ``url`` is where readers find it, empty for a
    draft. ``notes`` are sentences that the owner should read.
    """

    remote_id: str
    state: CopyState
    url: str = ""
    notes: tuple[str, ...] = ()


class Publisher(Protocol):
    """A site that posts are put on, each exactly once.

    The caller records every step before and after it. It calls ``find``; where that gives None,
    ``draft``; then ``publish``, again and again until it returns. Each of the three may be
    called again after a crash at any point, and by two processes at once; the post's id is the
    key. A post that the owner edited is left as it is, one in the trash stays there. Where the site
    is Keyed, ``put`` takes the place of all three. Every post comes from one thread, one after the
    other, unless the site is Concurrent.

    All methods raise Unavailable (the same call may succeed later) and Misconfigured (the owner
    has to act); ``draft`` and ``publish`` also raise Refused.
    """

    @property
    def name(self) -> str:
        """The target's name in the configuration and in the ledger; never changes."""

    def ready(self) -> None:
        """Return when a post could be published now. Changes nothing on the site."""

    def check(self) -> Sequence[Finding]:
        """What an owner should know about this target. Changes nothing and never raises."""

    def find(self, post: Post) -> Copy | None:
        """The site's copy of this post, whatever its state and whoever made it."""

    def draft(self, post: Post) -> Copy:
        """Put the whole post on the site without showing it to readers."""

    def publish(self, post: Post, remote_id: str) -> Copy:
        """Show the draft to readers, or do whatever the owner set in place of that.

        Raises:
            DraftGone: there is no such draft any more, and no other copy either.
        """


@runtime_checkable
class Searchable(Protocol):
    """What a site may do beside: find its own pages, for internal links."""

    def related(self, text: str) -> Sequence[Page]:
        """Public pages about what the text is about, the closest first. Changes nothing.

        Raises:
            Unavailable, Misconfigured
        """


@runtime_checkable
class Keyed(Protocol):
    """What a site may do beside: keep the post's id unique by itself."""

    def put(self, post: Post) -> Copy | None:
        """Find or make the post and show it, or do whatever the owner set in place of that, in
        one step. None where the site cannot do so today; then ``find`` and the rest follow.

        May be called again after a crash at any point and by two processes at once. It finds a
        copy that ``draft`` made, too, and leaves alone what the owner edited or took away.

        Raises:
            Unavailable, Misconfigured, Refused
        """


@runtime_checkable
class Reconciling(Protocol):
    """What a site may do beside: see in ``publish``, before it shows anything, every copy that
    ``find`` would have found, and choose among them.

    ``find`` is then left out before the first draft of an item that its feed has handed out once,
    to us: no one else can have put it there, and if somebody did, the draft gives way to that copy.
    """

    @property
    def reconciles(self) -> bool:
        """Whether it does."""


@runtime_checkable
class Concurrent(Protocol):
    """What a site may do beside: take several posts at a time.

    ``find``, ``publish``, ``related`` and ``put`` are then called from up to ``at_once`` threads,
    each for another post. ``draft`` is called by one thread at a time even so: it makes the tags
    and sends the pictures that posts share, and no site keeps those unique.
    """

    @property
    def at_once(self) -> int:
        """How many posts at a time, 1 or more; the owner may set less."""
