"""A feed of posts to publish, each delivered to one consumer."""

from collections.abc import Callable
from typing import Any, TypeVar

from copydesk._address import feed_address, path_segment
from copydesk._transport import READ_TIMEOUT_S, Client, Transport, checked_seconds
from copydesk._wire import UnexpectedAnswer
from copydesk.models import FeedItem, FeedResult

T = TypeVar("T")


class Feed(Client):
    """One feed, given by its URL: https://HOST/v1/content-tokens/TOKEN, with or without a trailing
    /latest or /items. The token is secret and never shown. Safe to use from several threads.

    A pull reserves the items it returns. Publish an item and ``confirm`` it, or ``reject`` it.
    Otherwise later pulls send it again, and after 3 sends it is abandoned. Pulls are therefore
    never retried; ``confirm`` and ``reject`` are retried ``max_retries`` times. ``timeout`` is the
    read time-out of one attempt in seconds. ``proxy`` is as for ``Copydesk``.

    Raises:
        ConfigurationError: the URL is not a feed URL, or a value is malformed.
    """

    def __init__(
        self,
        pull_url: str,
        timeout: float | None = None,
        max_retries: int = 2,
        proxy: str | None = None,
    ) -> None:
        self._address = feed_address(pull_url)
        self._timeout = checked_seconds("timeout", timeout) or READ_TIMEOUT_S
        self._transport = Transport(self._address, max_retries, proxy)

    def latest(self, next: bool = False) -> FeedItem | None:  # noqa: A002 - the query's own name
        """Pull one item: the reserved one, or a new one. Return None if there is none.

        ``next=True`` rejects the reserved item first, in the same step.

        Raises:
            NotFoundError: the service does not know the token.
            APIConnectionError: no response; an item it contained counts as sent.
        """
        return self._pull("/latest", _available, {"next": "true"} if next else {})

    def items(self, rule: str | None = None) -> list[FeedItem]:
        """Pull up to 100 items. Confirm or reject each of them.

        ``rule`` selects one rule by id or name (case-insensitive).

        Raises:
            NotFoundError: the service does not know the token or the rule.
            APIConnectionError: no response; items it contained count as sent.
        """
        return self._pull("/items", _all, {} if rule is None else {"rule": rule})

    def confirm(self, item_id: str) -> FeedResult:
        """Mark the item as published. It is safe to repeat this.

        Raises:
            ConflictError: the item is not, or no longer, reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._settle(item_id, "confirm")

    def reject(self, item_id: str) -> FeedResult:
        """Reject the item. It is safe to repeat this.

        Raises:
            ConflictError: the item is confirmed already, or not reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._settle(item_id, "reject")

    def __repr__(self) -> str:
        return f"Feed({self._address.shown!r})"

    def _pull(self, path: str, parse: Callable[[dict[str, Any]], T], params: dict[str, str]) -> T:
        return self._transport.call(
            "GET", path, parse, retry=False, read_timeout=self._timeout, params=params
        )

    def _settle(self, item_id: str, verb: str) -> FeedResult:
        return self._transport.call(
            "POST",
            f"/items/{path_segment('item_id', item_id)}/{verb}",
            FeedResult.from_wire,
            retry=True,
            read_timeout=self._timeout,
        )


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
