"""What the services need from outside, as Protocols and functions;
``app.container`` chooses the adapters.

All of them are safe to call from several threads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from app.core.errors import ModelResting
from app.deadline import Deadline
from app.sources.source import Page
from app.writing.completion import Completion, Prompt


@dataclass(frozen=True)
class EndpointState:
    """The health of a model endpoint, for operators.

    Args:
        reason: why the last call failed, as a sentence that names the endpoint; "" if it succeeded.
        retry_after: seconds until it is called again, because it failed too often; 0 if it is
            called.
    """

    reason: str
    retry_after: int

    def __str__(self) -> str:
        """What an operator should know: why the last call failed, and when the endpoint is called
        again; "" if the last call succeeded."""
        if self.retry_after:
            return f"{self.reason} It is called again in {self.retry_after} s."
        return self.reason and f"The last call failed. {self.reason}"

    def check(self) -> None:
        """Return if a call would be sent now, raise ModelResting if not."""
        if self.retry_after:
            raise ModelResting(operator=str(self), retry_after=self.retry_after)


class Model(Protocol):
    """A language model."""

    name: str
    """The model's name, as its endpoint knows it."""

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        """Return the answer to one prompt; retries included, before the deadline.

        Raises:
            ModelUnavailable: no connection, no usable answer after the retries, or bad credentials;
                with the endpoint's Retry-After in seconds, if it sent one.
            ModelResting: the endpoint failed so often that it is not called now.
            GenerationTimeout: no answer within the adapter's time-out or before the deadline.
            GenerationCancelled: the deadline was cancelled, which also ends a running call.
        """

    def ping(self) -> None:
        """Return if the endpoint answers; raise ModelUnavailable if it does not."""

    def context_tokens(self) -> int | None:
        """Return how many tokens a prompt and its answer have together at most, as the endpoint's
        list of models says; None if it does not. Never raises."""
        return None

    def state(self) -> EndpointState | None:
        """Return the health of the endpoint, None if it is unknown. Calls nobody."""
        return None

    def check(self) -> None:
        """Return if a call would be sent now, raise ModelResting if not. Calls nobody."""
        if (state := self.state()) is not None:
            state.check()


Moderator = Callable[[Sequence[str], Deadline], tuple[str, ...]]
"""Returns the names of the policy categories that any of the texts violates; empty if none.

Raises:
    ModelUnavailable: no connection, no usable answer after the retries or in time, bad credentials,
        or an endpoint without moderation.
    GenerationTimeout, GenerationCancelled: no answer before the deadline.
"""


class Clock:
    """The clock of this machine, or that of the database's server once ``server`` returns it: so a
    machine whose own is wrong neither takes the work of others nor makes what it stores look
    old."""

    def __init__(self, server: Callable[[], datetime | None] = lambda: None) -> None:
        self._server = server

    def now(self) -> datetime:
        """Return the current time in UTC, timezone-aware."""
        return self._server() or datetime.now(UTC)


class WorkKind(StrEnum):
    """Kinds of background work; each is a table whose rows are the work."""

    JOB = "job"
    RUN = "run"
    DELIVERY = "delivery"


@dataclass(frozen=True)
class Work:
    """One piece of background work: the id of its row, the number of its next attempt, and whether
    it goes before other work of its kind."""

    kind: WorkKind
    id: str
    attempt: int = 1
    urgent: bool = field(default=False, compare=False)


class TaskQueue(Protocol):
    """Wakes workers. The state of the work is in the database, so a lost wake-up loses nothing."""

    def enqueue(self, *work: Work) -> None:
        """Announce that this work can begin. Never blocks for long and never raises."""

    def missing(self, *work: Work) -> list[Work]:
        """Return the work that the queue does not hold: never announced, or lost."""

    def ping(self) -> None:
        """Return if the queue can be reached; raise QueueUnavailable if it cannot."""


class MailUnavailable(Exception):
    """The mail server takes no message now. The text says why, without secrets."""


MailSender = Callable[[str, str, str], bool]
"""Sends one message to an address, with a subject and a text; returns whether the server takes
messages to that address.

Raises:
    MailUnavailable
"""


class QueueUnavailable(Exception):
    """The queue cannot be reached; work waits in the database meanwhile."""


@dataclass(frozen=True)
class WebhookAnswer:
    """The result of one delivery attempt.

    Without an answer, ``status`` is None and ``problem`` is a sentence that says why.
    ``retry_after`` is the receiver's Retry-After, in seconds from now.
    """

    status: int | None = None
    retry_after: float | None = None
    problem: str | None = None


WebhookSender = Callable[[str, Mapping[str, str], bytes], WebhookAnswer]
"""Posts a body to a URL with these headers, once, without following redirects. Never raises."""


@dataclass(frozen=True)
class Allowance:
    """The state of a rate limit. ``reset_seconds`` is the time until another call is allowed if
    none remains, else until the whole limit is available again."""

    allowed: bool
    limit: int
    remaining: int
    reset_seconds: int


class RateLimiter:
    """Limits calls per minute. The base class allows every call."""

    def hit(self, key: str, per_minute: int) -> Allowance:
        """Count a call, unless the limit is reached: then ``allowed`` is False."""
        return Allowance(True, per_minute, per_minute, 0)

    def look(self, key: str, per_minute: int) -> Allowance:
        """Return the same without counting."""
        return Allowance(True, per_minute, per_minute, 0)


@dataclass(frozen=True)
class Hit:
    """A page that a search found; ``published_at`` is in UTC, or None if the search has no date."""

    url: str
    title: str
    published_at: datetime | None = None


class SourcesUnavailable(Exception):
    """Why a search failed: a sentence that names the provider, without keys or queries of URLs."""


class SourceProvider(Protocol):
    """Finds pages about a subject."""

    name: str
    """The name used in logs."""

    def search(self, query: str, language: str, limit: int) -> Sequence[Hit]:
        """Return at most ``limit`` (1 or more) pages, the best first; possibly none.

        Args:
            query: a few words.
            language: a BCP 47 tag; the result may include pages in other languages.

        Raises:
            SourcesUnavailable: there was no usable answer.
        """


class PageRefused(Exception):
    """Why a page was not read: a sentence without path and query of its URL. The cache of pages
    holds it as a result."""


class PageUnavailable(PageRefused):
    """The page could not be read just now; another call may be able to read it."""


class PageReader(Protocol):
    """Reads pages of the public internet."""

    def site(self, url: str) -> str:
        """Return the registered part of a URL's host; "" if it has none."""

    def read(self, url: str, seconds: float) -> Page:
        """Fetch a page within ``seconds`` and extract its text.

        Raises:
            PageRefused: the page could not or must not be read, or has no text; PageUnavailable
                if that may change in a moment, or there was too little time.
        """
