"""Publish the items of a feed, one after another: the loop of ``Feed.consume``."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from copydesk._calls import IO, Call, perform
from copydesk._log import logger
from copydesk.errors import ConfigurationError, ConflictError, CopydeskError, PublishError
from copydesk.models import FeedItem, FeedResult

_LAST_SEND = 3
_LONGEST_REASON = 300

Status = Literal["published", "confirmed", "rejected", "failed"]
Publish = Callable[[FeedItem], object]
AsyncPublish = Callable[[FeedItem], Awaitable[object]]
Find = Callable[[FeedItem], bool]
AsyncFind = Callable[[FeedItem], Awaitable[bool]]


class Reject(Exception):
    """Raise this in ``publish`` to reject the item: it is never sent again. The text says why."""


@dataclass(frozen=True)
class Outcome:
    """What ``consume`` did with one item.

    ``status`` is published, confirmed (``find`` says that it was published before), rejected, or
    failed (``publish`` or ``find`` raised an exception; the feed sends the item again, up to 3
    times in all). ``reason`` is one line, and empty where there is nothing to explain.
    """

    item_id: str
    title: str
    status: Status
    reason: str = ""


@dataclass
class Run:
    """One run of ``Feed.consume``: the calls of the feed and what the caller gave.

    Raises:
        ConfigurationError: the limit is below 1, or ``publish`` or ``find`` is no function.
    """

    latest: Call[FeedItem | None]
    settle: Callable[[str, str], Call[FeedResult]]
    publish: Callable[[FeedItem], Any]
    find: Callable[[FeedItem], Any] | None
    limit: int | None
    _outcomes: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ConfigurationError(f"limit must be 1 or more; it is {self.limit}")
        # Looked at before the feed sends an item, which it does 3 times at most.
        for name, given in (("publish", self.publish), ("find", self.find)):
            if not callable(given) and (given is not None or name == "publish"):
                raise ConfigurationError(f"{name} must be a function, not {type(given).__name__}")

    async def consume(self, io: IO) -> list[Outcome]:
        """Pull, publish and confirm until the feed is empty, the limit is reached or an item fails.

        Raises:
            CopydeskError: the run ended early; ``outcomes`` has what was done.
        """
        seen: set[str] = set()
        try:
            while self.limit is None or len(seen) < self.limit:
                item = await perform(self.latest, io)
                if item is None:
                    break
                if item.id in seen:
                    raise PublishError(f"the feed sends {item.id} again although it has ended")
                seen.add(item.id)
                await self._take(io, item)
        except CopydeskError as error:
            error.outcomes = tuple(self._outcomes)
            raise
        return self._outcomes

    async def _take(self, io: IO, item: FeedItem) -> None:
        if not item.id:
            raise self._failure(item, "it has no id and cannot be confirmed")
        if self.find is not None and await self._ask(io, self.find, item):
            await self._settle(io, item, "confirmed")
            return
        try:
            await self._ask(io, self.publish, item)
        except Reject as error:
            await self._settle(io, item, "rejected", _reason(io, error))
        else:
            await self._settle(io, item, "published")

    async def _ask(self, io: IO, function: Callable[[FeedItem], Any], item: FeedItem) -> Any:
        try:
            return await io.ask(function, item)
        except Reject:
            raise
        except Exception as error:
            raise self._failure(item, _reason(io, error)) from error

    async def _settle(self, io: IO, item: FeedItem, status: Status, reason: str = "") -> None:
        """Record the outcome, and tell the feed."""
        self._outcomes.append(Outcome(item.id, item.post.title, status, reason))
        verb = "reject" if status == "rejected" else "confirm"
        try:
            await perform(self.settle(item.id, verb), io)
        except ConflictError as error:
            # The outcome stands; the feed gave the item up, or the caller settled it.
            reason = "; ".join(filter(None, (reason, f"the feed does not count it: {error}")))
            self._outcomes[-1] = Outcome(item.id, item.post.title, status, reason)
        logger.info("%s is %s: %s" if reason else "%s is %s%s", item.id, status, reason)

    def _failure(self, item: FeedItem, reason: str) -> PublishError:
        self._outcomes.append(Outcome(item.id, item.post.title, "failed", reason))
        more = "the feed sends it again"
        if (item.delivery_count or 0) >= _LAST_SEND:
            more = "the next pull abandons it, because this was its last send"
        return PublishError(
            f"{item.id or 'an item'} is not published: {reason.rstrip('.')}; {more}"
        )


def _reason(io: IO, error: Exception) -> str:
    """Return an exception of the caller's as one line of bounded length."""
    text = " ".join(io.address.scrub(str(error)).split())
    kind = "" if isinstance(error, Reject) and text else type(error).__name__
    said = ": ".join(filter(None, (kind, text)))
    return said if len(said) <= _LONGEST_REASON else f"{said[: _LONGEST_REASON - 1]}…"
