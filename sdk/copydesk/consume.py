"""Publish the items of a feed, one after another: the loop of ``Feed.consume``."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from copydesk._calls import Call
from copydesk._log import logger
from copydesk.errors import ConfigurationError, ConflictError, CopydeskError, PublishError
from copydesk.ledger import Entries, Ledger, State
from copydesk.models import FeedItem, FeedResult

LAST_SEND = 3
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


@dataclass(frozen=True)
class Ask:
    """A step: call one of the caller's functions with the item."""

    function: Callable[[FeedItem], Any]
    item: FeedItem = field(repr=False)


@dataclass(frozen=True)
class Work:
    """A step: a call that may take as long as a write to the disk."""

    function: Callable[[], Any]


Step = Call[Any] | Ask | Work
# A step is answered by its result, or by the exception that it raised.
Steps = Generator[Step, Any, Consumed]
# The answer to ``publish`` of an item that the caller's database has already.
_ALREADY = object()


@dataclass(frozen=True)
class Plan:
    """What a run needs: the calls of the feed, the caller's functions, and the ledger if any."""

    latest: Call[FeedItem | None]
    settle: Callable[[str, str], Call[FeedResult]]
    scrub: Callable[[str], str]
    publish: Callable[[FeedItem], Any]
    find: Callable[[FeedItem], Any] | None
    limit: int | None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ConfigurationError(f"limit must be 1 or more; it is {self.limit}")


def consume(
    plan: Plan, ledger: Ledger | Transactions | None, call: Callable[[Call[Any]], Any]
) -> Consumed:
    """Carry out a plan, blocking; ``call`` makes a call of the feed."""
    if ledger is not None and not isinstance(ledger, Ledger):
        plan = replace(plan, publish=_in_transaction(plan.publish, ledger))

    def take(step: Step) -> Any:
        match step:
            case Work():
                return step.function()
            case Ask():
                return _asked(step.function, step.item)
        return call(step)

    with ExitStack() as stack:
        entries = stack.enter_context(ledger.open()) if isinstance(ledger, Ledger) else None
        steps = _steps(plan, entries)
        answer: Any = None
        error: Exception | None = None
        while True:
            try:
                step = steps.send(answer) if error is None else steps.throw(error)
            except StopIteration as end:
                done: Consumed = end.value
                return done
            answer = error = None
            try:
                answer = take(step)
            except Exception as caught:  # noqa: BLE001 - the steps decide what it means
                error = caught


async def async_consume(
    plan: Plan,
    ledger: Ledger | AsyncTransactions | None,
    call: Callable[[Call[Any]], Awaitable[Any]],
) -> Consumed:
    """Carry out a plan, as ``consume`` does."""
    from anyio import to_thread

    if ledger is not None and not isinstance(ledger, Ledger):
        plan = replace(plan, publish=_in_async_transaction(plan.publish, ledger))

    async def take(step: Step) -> Any:
        match step:
            case Work():
                return await to_thread.run_sync(step.function)
            case Ask():
                return await _awaited(step.function(step.item))
        return await call(step)

    with ExitStack() as stack:
        entries = None
        if isinstance(ledger, Ledger):
            entries = await to_thread.run_sync(stack.enter_context, ledger.open())
        steps = _steps(plan, entries)
        answer: Any = None
        error: Exception | None = None
        while True:
            try:
                step = steps.send(answer) if error is None else steps.throw(error)
            except StopIteration as end:
                done: Consumed = end.value
                return done
            answer = error = None
            try:
                answer = await take(step)
            except Exception as caught:  # noqa: BLE001 - the steps decide what it means
                error = caught


def require_ledger(ledger: object, find: object) -> None:
    """Raise ConfigurationError if the ledger is not one, or if ``find`` has no use."""
    if not (ledger is None or isinstance(ledger, Ledger) or hasattr(ledger, "transaction")):
        raise ConfigurationError(
            "ledger must be a copydesk.Ledger, or your database with a method transaction; it is"
            f" {type(ledger).__name__}"
        )
    if find is not None and not isinstance(ledger, Ledger):
        raise ConfigurationError("find is for a copydesk.Ledger; pass one as ledger")


def _asked(function: Callable[[FeedItem], Any], item: FeedItem) -> Any:
    result = function(item)
    if hasattr(result, "__await__"):
        # Nothing has run yet. Taken for a result, it would count as done.
        if hasattr(result, "close"):
            result.close()
        raise ConfigurationError("an async function was passed to Feed; use AsyncFeed")
    return result


async def _awaited(result: Any) -> Any:
    return await result if hasattr(result, "__await__") else result


def _in_transaction(publish: Publish, database: Transactions) -> Publish:
    def publish_once(item: FeedItem) -> object:
        ended = False
        with database.transaction(item.id) as is_new:
            if is_new:
                _asked(publish, item)
            ended = True
        _require_ended(ended)
        return None if is_new else _ALREADY

    return publish_once


def _in_async_transaction(publish: AsyncPublish, database: AsyncTransactions) -> AsyncPublish:
    async def publish_once(item: FeedItem) -> object:
        ended = False
        async with database.transaction(item.id) as is_new:
            if is_new:
                await _awaited(publish(item))
            ended = True
        _require_ended(ended)
        return None if is_new else _ALREADY

    return publish_once


def _require_ended(ended: bool) -> None:
    if not ended:
        raise ConfigurationError("transaction must pass exceptions on after it rolled back")


def _steps(plan: Plan, entries: Entries | None) -> Steps:
    """Pull, publish and confirm until the feed is empty, the limit is reached or an item fails.

    Raises:
        CopydeskError: the run ended early; ``consumed`` has what was done.
    """
    loop = _Run(plan, entries)
    try:
        yield from loop.steps()
    except CopydeskError as error:
        error.consumed = loop.consumed
        raise
    return loop.consumed


class _Run:
    def __init__(self, plan: Plan, entries: Entries | None) -> None:
        self._plan = plan
        self._entries = entries
        self._outcomes: list[Outcome] = []

    @property
    def consumed(self) -> Consumed:
        return Consumed(tuple(self._outcomes))

    def steps(self) -> Generator[Any, Any, None]:
        seen: set[str] = set()
        while self._plan.limit is None or len(seen) < self._plan.limit:
            item: FeedItem | None = yield self._plan.latest
            if item is None:
                return
            if item.id in seen:
                raise PublishError(f"the feed sends {item.id} again although it was told the state")
            seen.add(item.id)
            yield from self._take(item)

    def _take(self, item: FeedItem) -> Generator[Any, Any, None]:
        if not item.id:
            raise self._failure(item, "it has no id and cannot be confirmed")
        state: State | None = None
        if self._entries is not None:
            entries = self._entries
            state = yield Work(lambda: entries.state(item.id))
        match state:
            case State.PUBLISHED:
                yield from self._settle(item, "confirmed", "published by an earlier run")
                return
            case State.REJECTED:
                yield from self._settle(item, "rejected", "rejected by an earlier run")
                return
            case State.BEGUN | State.FAILED if self._plan.find is not None:
                if (yield from self._found(item, self._plan.find)):
                    yield from self._note(item, State.PUBLISHED)
                    yield from self._settle(item, "confirmed", "found; published by an earlier run")
                    return
            case State.BEGUN:
                raise self._unclear(item)
        yield from self._publish(item)

    def _publish(self, item: FeedItem) -> Generator[Any, Any, None]:
        yield from self._note(item, State.BEGUN)
        try:
            answer = yield Ask(self._plan.publish, item)
        except Reject as error:
            rejection: str | None = self._reason(error)
        except Exception as error:
            yield from self._note(item, State.FAILED)
            raise self._failure(item, self._reason(error)) from error
        else:
            rejection = None
        if rejection is None:
            yield from self._note(item, State.PUBLISHED)
            if answer is _ALREADY:
                yield from self._settle(item, "confirmed", "published by an earlier run")
            else:
                yield from self._settle(item, "published")
        else:
            yield from self._note(item, State.REJECTED)
            yield from self._settle(item, "rejected", rejection)

    def _found(self, item: FeedItem, find: Callable[[FeedItem], Any]) -> Generator[Any, Any, bool]:
        try:
            return bool((yield Ask(find, item)))
        except Exception as error:
            reason = f"find did not tell whether it is published: {self._reason(error)}"
            raise self._failure(item, reason) from error

    def _note(self, item: FeedItem, state: State) -> Generator[Any, Any, None]:
        if self._entries is not None:
            entries = self._entries
            yield Work(lambda: entries.note(item.id, state))

    def _settle(
        self,
        item: FeedItem,
        status: Literal["published", "confirmed", "rejected"],
        reason: str = "",
    ) -> Generator[Any, Any, None]:
        """Record the outcome, and tell the feed."""
        self._add(Outcome(item.id, item.post.title, status, reason))
        try:
            yield self._plan.settle(item.id, "reject" if status == "rejected" else "confirm")
        except ConflictError as error:
            # The outcome stands; the feed gave the item up, or the caller settled it.
            known = "; ".join(filter(None, (reason, f"the feed does not count it: {error}")))
            self._outcomes[-1] = replace(self._outcomes[-1], reason=known)
            logger.warning("%s is %s, but the feed does not count it: %s", item.id, status, error)

    def _failure(self, item: FeedItem, reason: str) -> PublishError:
        self._add(Outcome(item.id, item.post.title, "failed", reason))
        if item.delivery_count is not None and item.delivery_count >= LAST_SEND:
            more = "the next pull abandons it, because this was its last send"
        else:
            more = "the feed sends it again"
        return PublishError(
            f"{item.id or 'an item'} is not published: {reason.rstrip('.')}; {more}"
        )

    def _unclear(self, item: FeedItem) -> PublishError:
        reason = (
            "an earlier run was stopped while it published the item. Look for the post: if it is"
            f" published, confirm {item.id} at the feed; if not, retry {item.id} in the ledger"
        )
        self._add(Outcome(item.id, item.post.title, "unclear", reason))
        return PublishError(f"{item.id} may be published already: {reason}")

    def _add(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        said = f"{outcome.item_id} is {outcome.status}"
        logger.info("%s: %s" if outcome.reason else "%s%s", said, outcome.reason)

    def _reason(self, error: Exception) -> str:
        """Return an exception of the caller's as one line of bounded length."""
        text = " ".join(self._plan.scrub(str(error)).split())
        kind = "" if isinstance(error, Reject) and text else type(error).__name__
        said = ": ".join(filter(None, (kind, text)))
        return said if len(said) <= _LONGEST_REASON else f"{said[: _LONGEST_REASON - 1]}…"
