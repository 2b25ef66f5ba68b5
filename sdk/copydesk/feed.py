"""A feed of posts to publish, each delivered to one consumer."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk._address import Address, feed_address, path_segment
from copydesk._calls import IO, READ_TIMEOUT_S, Call, Calls, perform
from copydesk._transport import AsyncClient, AsyncTransport, Client, Transport
from copydesk._wire import UnexpectedAnswer
from copydesk.consume import AsyncFind, AsyncPublish, Find, Outcome, Publish, Run
from copydesk.errors import APIError
from copydesk.models import FeedItem, FeedResult

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


class _FeedCalls(Calls):
    """The calls of a feed, without input and output."""

    _address: Address

    def _configure(self, pull_url: str, timeout: float | None, max_retries: int) -> None:
        self._address = feed_address(pull_url)
        self._set_options(timeout, max_retries)

    async def _ready(self, io: IO) -> None:
        call = Call("HEAD", "/latest", lambda _: None, self._timeout or READ_TIMEOUT_S)
        try:
            await perform(call, io)
        except APIError as error:
            # There is a feed at the URL that has no HEAD.
            if error.status != 405:
                raise

    def _latest(self, next_item: bool) -> Call[FeedItem | None]:
        return self._pull("/latest", _available, {"next": "true"} if next_item else {})

    def _items(self, rule: str | None) -> Call[list[FeedItem]]:
        return self._pull("/items", _all, {} if rule is None else {"rule": rule})

    def _pull(
        self, path: str, parse: Callable[[dict[str, Any]], T], params: dict[str, str]
    ) -> Call[T]:
        return Call("GET", path, parse, self._timeout or READ_TIMEOUT_S, params=params)

    def _settle(self, item_id: str, verb: str, url: str | None = None) -> Call[FeedResult]:
        path = f"/items/{path_segment('item_id', item_id)}/{verb}"
        body = None if url is None else {"url": url}
        return self._short("POST", path, FeedResult.from_wire, body=body)

    def _run(self, publish: Any, find: Any, limit: int | None) -> Run:
        return Run(self._latest(False), self._settle, publish, find, limit)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._address.shown!r})"


class Feed(_FeedCalls, Client):
    """One feed, given by its URL: https://HOST/v1/content-tokens/TOKEN, with or without a trailing
    /latest or /items. The token is secret and never shown. Safe to use from several threads.

    A pull reserves the items it returns. Publish an item and ``confirm`` it, or ``reject`` it.
    Otherwise later pulls send it again, and after 3 sends it is abandoned. Pulls are therefore
    never retried; ``confirm`` and ``reject`` are retried ``max_retries`` times. ``timeout`` is the
    time of one call in seconds, retries included; by default 30 for a pull and 180 for the rest.
    ``proxy``, ``headers`` and ``transport`` are as for ``Copydesk``.

    Raises:
        ConfigurationError: the URL is not a feed URL, or a value is malformed.
    """

    def __init__(
        self,
        pull_url: str,
        timeout: float | None = None,
        max_retries: int = 2,
        proxy: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        transport: "httpx2.BaseTransport | None" = None,
    ) -> None:
        self._configure(pull_url, timeout, max_retries)
        self._transport = Transport(self._address, proxy, transport, headers)

    def ready(self) -> None:
        """Return if the service answers and knows the feed URL. Reserves nothing, asks once.

        Raises:
            NotFoundError: the service does not know the token.
            APIConnectionError: no response.
            APIError: another error response; ``transient`` tells whether to ask again later.
        """
        self._transport.drive(self._ready(self._transport))

    def latest(self, next: bool = False) -> FeedItem | None:  # noqa: A002 - the query's own name
        """Pull one item: the reserved one, or a new one. Return None if there is none.

        ``next=True`` rejects the reserved item first, in the same step.

        Raises:
            NotFoundError: the service does not know the token.
            APIConnectionError: no response; an item it contained counts as sent.
        """
        return self._transport.run(self._latest(next))

    def items(self, rule: str | None = None) -> list[FeedItem]:
        """Pull up to 100 items. Confirm or reject each of them.

        ``rule`` selects one rule by id or name (case-insensitive).

        Raises:
            NotFoundError: the service does not know the token or the rule.
            APIConnectionError: no response; items it contained count as sent.
        """
        return self._transport.run(self._items(rule))

    def confirm(self, item_id: str, url: str | None = None) -> FeedResult:
        """Mark the item as published. It is safe to repeat this.

        ``url`` is the address of the published post, which the service shows to its owners; an
        address that it does not accept is ignored.

        Raises:
            ConflictError: the item is not, or no longer, reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._transport.run(self._settle(item_id, "confirm", url))

    def reject(self, item_id: str) -> FeedResult:
        """Reject the item. It is safe to repeat this.

        Raises:
            ConflictError: the item is confirmed already, or not reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._transport.run(self._settle(item_id, "reject"))

    def consume(
        self, publish: Publish, *, find: Find | None = None, limit: int | None = None
    ) -> list[Outcome]:
        """Pull items one at a time, call ``publish`` with each, and confirm it.

        Ends when the feed is empty, or after ``limit`` items. It never waits for new items: call
        it again later. What ``publish`` returns is ignored. If ``publish`` raises ``Reject``, the
        item is rejected and the next one is pulled. Any other exception means that the item is not
        published: it stays reserved and ``consume`` raises PublishError at once, because the feed
        sends a reserved item before any other, and only 3 times.

        ``find`` tells whether an item is published already; it is asked before each ``publish``.
        If it tells the truth, each item is published exactly once, even if the program is killed at
        any point. Without it, an item is published again if the program is killed, or the feed
        cannot be told, after ``publish``. Run one consumer of a feed at a time.

        Raises:
            PublishError: an item is not published.
            ConfigurationError: the limit is below 1, or ``publish`` or ``find`` is no function.
            CopydeskError: the errors of ``latest``, ``confirm`` and ``reject``. The error's
                ``outcomes`` has what was done before.
        """
        return self._transport.drive(self._run(publish, find, limit).consume(self._transport))


class AsyncFeed(_FeedCalls, AsyncClient):
    """``Feed`` for ``async`` code: the same options, calls and errors, with ``await``.

    Raises:
        ConfigurationError: the URL is not a feed URL, or a value is malformed.
    """

    def __init__(
        self,
        pull_url: str,
        timeout: float | None = None,
        max_retries: int = 2,
        proxy: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        transport: "httpx2.AsyncBaseTransport | None" = None,
    ) -> None:
        self._configure(pull_url, timeout, max_retries)
        self._transport = AsyncTransport(self._address, proxy, transport, headers)

    async def ready(self) -> None:
        """Return if the service answers and knows the feed URL, as ``Feed.ready`` does."""
        await self._ready(self._transport)

    async def latest(self, next: bool = False) -> FeedItem | None:  # noqa: A002 - the query's own name
        """Pull one item, as ``Feed.latest`` does."""
        return await self._transport.run(self._latest(next))

    async def items(self, rule: str | None = None) -> list[FeedItem]:
        """Pull up to 100 items, as ``Feed.items`` does."""
        return await self._transport.run(self._items(rule))

    async def confirm(self, item_id: str, url: str | None = None) -> FeedResult:
        """Mark the item as published, as ``Feed.confirm`` does."""
        return await self._transport.run(self._settle(item_id, "confirm", url))

    async def reject(self, item_id: str) -> FeedResult:
        """Reject the item, as ``Feed.reject`` does."""
        return await self._transport.run(self._settle(item_id, "reject"))

    async def consume(
        self, publish: AsyncPublish, *, find: AsyncFind | None = None, limit: int | None = None
    ) -> list[Outcome]:
        """Pull, publish and confirm items one at a time, as ``Feed.consume`` does."""
        return await self._run(publish, find, limit).consume(self._transport)


def _available(data: dict[str, Any]) -> FeedItem | None:
    match data:
        case {"available": True, "item": dict(item)}:
            return FeedItem.from_wire(item)
        case {"available": False}:
            return None
    raise UnexpectedAnswer("it does not say what is available")


def _all(data: dict[str, Any]) -> list[FeedItem]:
    match data:
        case {"items": list(items)}:
            return [FeedItem.from_wire(item) for item in items if isinstance(item, dict)]
    raise UnexpectedAnswer("it has no items")
