"""What the services need from outside, each as a Protocol; ``app.wiring`` picks who answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from app.core.prompts import Completion, Prompt


class Model(Protocol):
    """A language model behind one blocking call. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as its endpoint knows it."""

    @property
    def concurrency(self) -> int:
        """How many calls at once are worth making (1 or more)."""

    def complete(self, prompt: Prompt) -> Completion:
        """Answer one prompt.

        Raises:
            ModelUnavailable: no connection, no usable answer after the retries, or bad credentials.
            GenerationTimeout: no answer within the adapter's time-out.
        """

    def ping(self) -> None:
        """Return when the endpoint answers; raise ModelUnavailable when it does not."""


class Moderator(Protocol):
    """Tells what an endpoint's policy prohibits. Safe to call from several threads."""

    def flagged(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The categories, by the endpoint's names, that any of the texts falls under; () is fine.

        Raises:
            ModelUnavailable: no connection, no usable answer after the retries or in time, bad
                credentials, or an endpoint that has no such call.
        """


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in UTC."""


class WorkKind(StrEnum):
    """What runs in the background; each kind is a table whose rows are the work."""

    JOB = "job"
    RUN = "run"
    DELIVERY = "delivery"


@dataclass(frozen=True)
class Work:
    """One piece of background work: the id of its row, in which attempt it would be begun."""

    kind: WorkKind
    id: str
    attempt: int = 1


class TaskQueue(Protocol):
    """A wake-up for work whose truth is in the database; losing a wake-up loses nothing."""

    def enqueue(self, *work: Work) -> None:
        """Say that this work can begin. Never blocks for long and never fails the caller."""

    def missing(self, *work: Work) -> list[Work]:
        """Those of them that the queue does not hold: nobody was told, or the queue lost it."""

    def ping(self) -> None:
        """Return when the queue can be reached; raise QueueUnavailable when it cannot."""


class QueueUnavailable(Exception):
    """The queue cannot be reached; work waits in the database meanwhile."""


@dataclass(frozen=True)
class WebhookAnswer:
    """How one attempt at a delivery went.

    ``status`` is None where there was no answer, and then ``problem`` is a sentence that says why.
    ``retry_after`` is what the receiver asked for, in seconds from now.
    """

    status: int | None = None
    retry_after: float | None = None
    problem: str | None = None


class WebhookSender(Protocol):
    """Delivers one webhook over the public internet."""

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        """POST the body once and follow no redirect. Never raises: it answers what went wrong."""


@dataclass(frozen=True)
class Allowance:
    """What is left of a rate limit. ``reset_seconds``: until at least one more call is allowed
    where none is left, else until the whole limit is there again."""

    allowed: bool
    limit: int
    remaining: int
    reset_seconds: int


class RateLimiter(Protocol):
    """Calls per minute. Where its store cannot be reached everything is allowed: quotas, which
    cost money, are in the database."""

    def hit(self, key: str, per_minute: int) -> Allowance:
        """Count a call, unless the limit is reached: then ``allowed`` is False."""

    def look(self, key: str, per_minute: int) -> Allowance:
        """The same without counting."""


@dataclass(frozen=True)
class Hit:
    """A page that a search found; ``published_at`` where the search says, aware and in UTC."""

    url: str
    title: str
    published_at: datetime | None = None


class SourcesUnavailable(Exception):
    """A search could not be made: a sentence without keys or queries of URLs."""


class SourceProvider(Protocol):
    """Finds pages about something. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """What logs call it."""

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        """The best pages first, at most ``limit``; none is an answer too.

        Args:
            query: a few words.
            language: a BCP 47 tag; pages in other languages may be found all the same.
            limit: 1 or more.

        Raises:
            SourcesUnavailable: there was no usable answer.
        """


@dataclass(frozen=True)
class Page:
    """What was read of a web page: everything is a stranger's.

    ``url`` is where redirects led, ``site`` the registered part of its host. ``language`` is the
    primary subtag that the page declares, or "". ``main_share`` is the share of its visible words
    that are in ``text``, from 0 to 1.
    """

    url: str
    site: str
    title: str
    text: str
    language: str
    published_at: datetime | None
    main_share: float


class PageRefused(Exception):
    """Why a page was not read: a sentence that repeats no path and no query of its URL."""


class PageReader(Protocol):
    """Reads pages of the public internet. Safe to call from several threads."""

    def site(self, url: str) -> str:
        """The part of a URL's host that its owner registered; "" where it has none."""

    def read(self, url: str, seconds: float) -> Page:
        """Fetch a page and take its text out, within so many seconds.

        Raises:
            PageRefused: it could not or must not be read, or its text not be found.
            TimeoutError: the time was up before the page had all the time that a page gets.
        """
