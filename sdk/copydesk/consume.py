"""Publish the items of a feed, one after another: the loop of ``Feed.consume``."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from copydesk._calls import IO, Call, call_blocking, perform
from copydesk._log import logger
from copydesk.errors import ConfigurationError, ConflictError, CopydeskError, PublishError
from copydesk.ledger import Entries, Ledger, State
from copydesk.models import FeedItem, FeedResult

_LAST_SEND = 3
_LONGEST_REASON = 300


class Reject(Exception):
    """Raise this in ``publish`` to reject the item: it is never sent again. The text says why."""


@dataclass(frozen=True)
class Outcome:
    """What ``consume`` did with one item.

    ``status`` is published, rejected, failed (``publish`` raised an exception; the feed sends the
    item again, up to 3 times in all), confirmed (an earlier run published it, and the feed did not
    know), or unclear (an earlier run was stopped while it published the item). ``reason`` is one
    line, and empty where there is nothing to explain.
    """

    item_id: str
    title: str
    status: Literal["published", "confirmed", "rejected", "failed", "unclear"]
    reason: str = ""


@dataclass(frozen=True)
class Consumed:
    """What ``consume`` did, in the order of the items."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def published(self) -> tuple[Outcome, ...]:
        """The items that this call published."""
        return self._of("published")

    @property
    def confirmed(self) -> tuple[Outcome, ...]:
        """The items that an earlier call published and this one confirmed."""
        return self._of("confirmed")

    @property
    def rejected(self) -> tuple[Outcome, ...]:
        """The items that this call rejected."""
        return self._of("rejected")

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The item that ``publish`` could not publish, if there was one."""
        return self._of("failed")

    @property
    def unclear(self) -> tuple[Outcome, ...]:
        """The item that may be published already, if there was one."""
        return self._of("unclear")

    def _of(self, status: str) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.status == status)


class Transactions(Protocol):
    """Your own database as the ledger: a post and the note of it are one transaction."""

    def transaction(self, item_id: str) -> AbstractContextManager[bool]:
        """Begin a transaction and add the id to a table in which it is unique.

        The block gets whether the id was added; False means that it was there already. If so,
        ``publish`` is not called. It commits at its end, and rolls back on an exception.
        """


class AsyncTransactions(Protocol):
    """``Transactions`` for ``AsyncFeed``."""

    def transaction(self, item_id: str) -> AbstractAsyncContextManager[bool]:
        """Begin a transaction, as ``Transactions.transaction`` does."""


Publish = Callable[[FeedItem], object]
AsyncPublish = Callable[[FeedItem], Awaitable[object]]
Find = Callable[[FeedItem], bool]
AsyncFind = Callable[[FeedItem], Awaitable[bool]]
# The answer to ``publish`` of an item that the caller's database has already.
_ALREADY = object()


@dataclass
class Run:
    """One run of ``Feed.consume``: the calls of the feed and what the caller gave.

    Raises:
        ConfigurationError: an argument is not as it must be.
    """

    latest: Call[FeedItem | None]
    settle: Callable[[str, str], Call[FeedResult]]
    publish: Callable[[FeedItem], Any]
    ledger: Any
    find: Callable[[FeedItem], Any] | None
    limit: int | None
    _entries: Entries | None = None
    _outcomes: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        ledger = self.ledger
        if not (ledger is None or isinstance(ledger, Ledger) or hasattr(ledger, "transaction")):
            raise ConfigurationError(
                "ledger must be a copydesk.Ledger, or your database with a method transaction; it"
                f" is {type(ledger).__name__}"
            )
        if self.find is not None and not isinstance(ledger, Ledger):
            raise ConfigurationError("find is for a copydesk.Ledger; pass one as ledger")
        if self.limit is not None and self.limit < 1:
            raise ConfigurationError(f"limit must be 1 or more; it is {self.limit}")

    async def consume(self, io: IO) -> Consumed:
        """Pull, publish and confirm until the feed is empty, the limit is reached or an item fails.

        Raises:
            CopydeskError: the run ended early; ``consumed`` has what was done.
        """
        ledger = self.ledger
        seen: set[str] = set()
        try:
            with ledger.open() if isinstance(ledger, Ledger) else nullcontext() as self._entries:
                while self.limit is None or len(seen) < self.limit:
                    item = await perform(self.latest, io)
                    if item is None:
                        break
                    if item.id in seen:
                        raise PublishError(f"the feed sends {item.id} again although it has ended")
                    seen.add(item.id)
                    await self._take(io, item)
        except CopydeskError as error:
            error.consumed = Consumed(tuple(self._outcomes))
            raise
        return Consumed(tuple(self._outcomes))

    async def _take(self, io: IO, item: FeedItem) -> None:
        if not item.id:
            raise self._failure(item, "it has no id and cannot be confirmed")
        state = self._entries.state(item.id) if self._entries is not None else None
        if state is State.PUBLISHED:
            await self._settle(io, item, "confirmed", "published by an earlier run")
        elif state is State.REJECTED:
            await self._settle(io, item, "rejected", "rejected by an earlier run")
        elif state is not None and self.find is not None and await self._found(io, item):
            self._note(item, State.PUBLISHED)
            await self._settle(io, item, "confirmed", "found; published by an earlier run")
        elif state is State.BEGUN and self.find is None:
            raise self._unclear(item)
        else:
            await self._publish(io, item)

    async def _publish(self, io: IO, item: FeedItem) -> None:
        self._note(item, State.BEGUN)
        try:
            answer = await io.ask(self.publish, item)
        except Reject as error:
            reason = _reason(io, error)
            self._note(item, State.REJECTED)
            await self._settle(io, item, "rejected", reason)
        except Exception as error:
            self._note(item, State.FAILED)
            raise self._failure(item, _reason(io, error)) from error
        else:
            self._note(item, State.PUBLISHED)
            if answer is _ALREADY:
                await self._settle(io, item, "confirmed", "published by an earlier run")
            else:
                await self._settle(io, item, "published")

    async def _found(self, io: IO, item: FeedItem) -> bool:
        assert self.find is not None  # noqa: S101 - for the type checker
        try:
            return bool(await io.ask(self.find, item))
        except Exception as error:
            reason = f"find did not tell whether it is published: {_reason(io, error)}"
            raise self._failure(item, reason) from error

    def _note(self, item: FeedItem, state: State) -> None:
        if self._entries is not None:
            self._entries.note(item.id, state)

    async def _settle(
        self,
        io: IO,
        item: FeedItem,
        status: Literal["published", "confirmed", "rejected"],
        reason: str = "",
    ) -> None:
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

    def _unclear(self, item: FeedItem) -> PublishError:
        reason = (
            "an earlier run was stopped while it published the item. Look for the post: if it is"
            f" published, confirm {item.id} at the feed; if not, retry {item.id} in the ledger"
        )
        self._outcomes.append(Outcome(item.id, item.post.title, "unclear", reason))
        return PublishError(f"{item.id} may be published already: {reason}")


def _reason(io: IO, error: Exception) -> str:
    """Return an exception of the caller's as one line of bounded length."""
    text = " ".join(io.address.scrub(str(error)).split())
    kind = "" if isinstance(error, Reject) and text else type(error).__name__
    said = ": ".join(filter(None, (kind, text)))
    return said if len(said) <= _LONGEST_REASON else f"{said[: _LONGEST_REASON - 1]}…"


def in_transaction(publish: Publish, ledger: object) -> Publish:
    """Return ``publish`` as a part of a transaction, if the ledger is the caller's database."""
    if not hasattr(ledger, "transaction"):
        return publish
    database: Transactions = ledger

    def publish_once(item: FeedItem) -> object:
        with database.transaction(item.id) as is_new:
            return call_blocking(publish, item) if is_new else _ALREADY
        raise _hides_exceptions()

    return publish_once


def in_async_transaction(publish: AsyncPublish, ledger: object) -> AsyncPublish:
    """Do the same for ``AsyncFeed``."""
    if not hasattr(ledger, "transaction"):
        return publish
    database: AsyncTransactions = ledger

    async def publish_once(item: FeedItem) -> object:
        async with database.transaction(item.id) as is_new:
            return await publish(item) if is_new else _ALREADY
        raise _hides_exceptions()

    return publish_once


def _hides_exceptions() -> ConfigurationError:
    return ConfigurationError("transaction must pass exceptions on after it rolled back")
