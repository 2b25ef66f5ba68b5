"""The base class of a target: a site on which the engine publishes each post exactly once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from copydesk_connectors.target import settings
from copydesk_connectors.target.errors import ConnectorError, Misconfigured
from copydesk_connectors.target.internal_links import Page
from copydesk_connectors.target.post import Post

if TYPE_CHECKING:
    from copydesk_connectors.engine.calendar import Calendar


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One line of ``check``: what was found and, unless it is OK, how to fix it."""

    level: Level
    subject: str
    message: str
    fix: str = ""

    @classmethod
    def of_error(
        cls,
        subject: str,
        error: ConnectorError,
        fix: str = "see whether the site is up and answers this machine, then check again",
    ) -> Self:
        """Return a problem with the error's own fix, or ``fix`` if it has none."""
        if isinstance(error, Misconfigured):
            return cls(Level.PROBLEM, subject, str(error.args[0]), error.fix)
        return cls(Level.PROBLEM, subject, str(error), fix)


class CopyState(StrEnum):
    """The state of a site's copy of a post, in the same words for every site.

    Only a draft may still be published by the connector. All other states were decided by the
    configuration or by the owner.
    """

    DRAFT = "draft"
    PENDING = "pending"  # waits for a review on the site
    SCHEDULED = "scheduled"  # the site will show it
    PUBLIC = "live"
    WITHDRAWN = "withdrawn"  # its owner trashed it, took it back or made it private


@dataclass(frozen=True)
class Copy:
    """A site's copy of a post.

    ``remote_id`` is the site's own id. ``url`` is empty unless readers see the post. ``notes`` are
    sentences for the owner. ``due`` is when the site will show a scheduled post, in UTC.
    """

    remote_id: str
    state: CopyState
    url: str = ""
    notes: tuple[str, ...] = ()
    due: datetime | None = None


class Target(ABC):
    """A site that posts are published on. Derive from this class, or from ``DraftSite``.

    The engine calls ``find``; if that returns None, ``draft``; then ``publish`` in each pass until
    it returns. Each may be called again after a crash at any point, and by two processes at once;
    the post's id is the key. Do not change a post that its owner edited or moved to the trash.

    Every method may raise Unavailable (a later call may succeed) and Misconfigured (the owner has
    to act). ``draft`` and ``publish`` may also raise Refused, but only if the site's own
    software refused this post. If a firewall, a web server or a network answered,
    for example with a web page, raise Misconfigured.
    """

    name: str
    """The target's name in the configuration and in the ledger. It never changes."""
    at_once: int = 1
    """How many posts the site takes at a time; the owner may set less.

    ``find``, ``publish`` and ``related`` are called from that many threads, each for another post.
    """
    drafts_in_turn: bool = True
    """Whether only one thread at a time calls ``draft``.

    Posts share tags and pictures, which no site keeps unique. Set False if ``draft`` itself makes
    these one at a time.
    """
    reconciles: bool = False
    """Whether ``publish`` chooses among all copies that ``find`` would see, before it shows one.

    If so, the engine skips ``find`` before the first draft of an item that the feed delivered for
    the first time.
    """

    schedules: bool = False
    """Whether the site shows a post at its ``slot`` on its own.

    If so, the engine publishes a post with a slot immediately, and ``publish`` schedules it. Else
    the engine waits until the slot is due.
    """
    calendar: "Calendar | None" = None
    """When posts appear, or None for immediately. The configuration sets it."""

    status: str = ""
    """How readers are to see posts: the setting of that name, "" if unknown. The configuration sets
    it."""

    Settings: ClassVar[type[settings.Settings]] = settings.Settings
    """How the target is configured."""

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def open(cls, name: str, settings: Any) -> "Target":
        """Return a target with these ``Settings``; raise a SettingError if they cannot be used."""
        make: Callable[..., Target] = cls
        return make(name, settings)

    @abstractmethod
    def ready(self) -> None:
        """Return if a post could be published now. Changes nothing on the site."""

    def check(self) -> Sequence[Finding]:
        """Return the findings about this target. Changes nothing and never raises."""
        try:
            self.ready()
            return self.inspect()
        except ConnectorError as error:
            return [Finding.of_error(self.name, error)]

    def inspect(self) -> Sequence[Finding]:
        """Return the findings of ``check`` about a target that is ready."""
        return [Finding(Level.OK, self.name, "can be used")]

    @abstractmethod
    def find(self, post: Post) -> Copy | None:
        """Return the site's copy of this post, in any state and by any author."""

    @abstractmethod
    def draft(self, post: Post) -> Copy:
        """Put the whole post on the site without showing it to readers."""

    @abstractmethod
    def publish(self, post: Post, remote_id: str) -> Copy:
        """Show the draft to readers, or do what the owner configured instead.

        Raises:
            DraftGone: the owner deleted the draft, and there is no other copy. Raise it only if
                the site says so about this id: an empty list may be a fault. The post then stays
                unpublished.
        """

    def related(self, text: str) -> Sequence[Page]:
        """Return public pages of the site about ``text`` for internal links, closest first."""
        del text
        return ()
