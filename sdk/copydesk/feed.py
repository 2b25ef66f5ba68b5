"""A pull feed: posts that wait to be published, each handed to one consumer."""

from collections.abc import Callable
from typing import Any, Self, TypeVar

from requests import PreparedRequest
from requests.auth import AuthBase

from copydesk._address import feed_address, path_segment
from copydesk._transport import READ_TIMEOUT_S, Transport, checked_seconds
from copydesk._wire import UnexpectedAnswer
from copydesk.models import FeedItem, FeedResult

T = TypeVar("T")


class Feed:
    """One feed, by its pull URL: https://HOST/v1/content-tokens/TOKEN, with or without a trailing
    /latest or /items. The token is a secret; nothing here shows it. Safe to use from several
    threads.

    A pull reserves what it returns. Publish it, then ``confirm`` it; ``reject`` what will not be
    published. What is neither is sent again by the next pulls, and lost after 3 sends: pulls are
    therefore never retried, while ``confirm`` and ``reject``, which may be repeated, are retried
    ``max_retries`` times. ``timeout`` is the longest silence in seconds that one attempt bears.

    Raises:
        ConfigurationError: the URL is no feed's, or a value is malformed.
    """

    def __init__(self, pull_url: str, timeout: float | None = None, max_retries: int = 2) -> None:
        self._address = feed_address(pull_url)
        self._timeout = checked_seconds("timeout", timeout) or READ_TIMEOUT_S
        self._transport = Transport(self._address, _NoAuthorization(), max_retries)

    def latest(self, next: bool = False) -> FeedItem | None:  # noqa: A002 - the query's own name
        """Pull one item: the reserved one again, or a new one; None when there is nothing new.

        ``next=True`` rejects the reserved item first, in the same step.

        Raises:
            NotFoundError: the service does not know the token.
            APIConnectionError: no answer; the item that it may have held counts as sent.
        """
        return self._pull("/latest", _available, {"next": "true"} if next else {})

    def items(self, rule: str | None = None) -> list[FeedItem]:
        """Pull every waiting item, up to 100; each must be confirmed or rejected by itself.

        ``rule`` restricts it to one rule, by its id, or its name in any case.

        Raises:
            NotFoundError: the service does not know the token or the rule.
            APIConnectionError: no answer; the items that it may have held count as sent.
        """
        return self._pull("/items", _all, {} if rule is None else {"rule": rule})

    def confirm(self, item_id: str) -> FeedResult:
        """Say that the item is published. Doing so again is fine.

        Raises:
            ConflictError: the item is not, or no longer, reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._settle(item_id, "confirm")

    def reject(self, item_id: str) -> FeedResult:
        """Say that the item will not be published. Doing so again is fine.

        Raises:
            ConflictError: the item is confirmed already, or not reserved.
            NotFoundError: the service does not know the token or the item.
        """
        return self._settle(item_id, "reject")

    def close(self) -> None:
        """Close the connections; a call after this opens new ones."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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


class _NoAuthorization(AuthBase):
    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        return request


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
