"""The feed, as the connector sees it: the SDK's calls, with errors sorted by what to do."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import requests

from copydesk import APIError, ConflictError, CopydeskError, Feed, NotFoundError
from copydesk_connectors.config import FeedSettings
from copydesk_connectors.errors import FeedConflict, Misconfigured, Unavailable
from copydesk_connectors.http_answer import NO_ANSWER, retry_after_s

_TIMEOUT_S = 15.0
_NEW_URL = "put the feed's current pull URL into the configuration; its operator knows it"


class FeedClient:
    """One feed. Never shows its URL, whose path is the secret."""

    def __init__(self, settings: FeedSettings) -> None:
        self._url = settings.url
        self._rule = settings.rule
        self._feed = Feed(settings.url.reveal())

    def ready(self) -> None:
        """Return when the feed answers and knows the token. Claims nothing: it is a HEAD.

        Raises:
            Unavailable: no usable answer.
            Misconfigured: the feed does not know the token, or the address is not a feed's.
        """
        url = self._url.reveal().rstrip("/").removesuffix("/items").removesuffix("/latest")
        try:
            answer = requests.head(f"{url}/latest", timeout=_TIMEOUT_S, allow_redirects=False)
        except NO_ANSWER as error:
            # The exception's own text holds the URL.
            raise Unavailable(f"it cannot be reached ({type(error).__name__})") from None
        status = answer.status_code
        if status == 404:
            raise Misconfigured("it does not know this token", _NEW_URL)
        if status in {408, 429} or status >= 500:
            raise Unavailable(f"it answered {status}", retry_after_s(answer.headers))
        if status not in {200, 204, 405}:  # 405: a feed that has no HEAD is there all the same
            raise Misconfigured(f"it answered {status} in place of 200", _NEW_URL)

    def pull(self, *, several: bool = False) -> list[Mapping[str, Any]]:
        """Claim what is next: one item, or with ``several`` or a rule all that wait, up to 100."""
        try:
            with _sorted_errors():
                if several or self._rule is not None:
                    return [item.raw for item in self._feed.items(rule=self._rule)]
                item = self._feed.latest()
                return [] if item is None else [item.raw]
        except NotFoundError:
            self.ready()
            raise Misconfigured(
                f"it has no rule {self._rule}", "correct [feed] rule, or leave it out to take all"
            ) from None

    def confirm(self, item_id: str) -> None:
        """Say that the item is published.

        Raises:
            FeedConflict: the feed gave the item up.
        """
        try:
            with _sorted_errors():
                self._feed.confirm(item_id)
        except NotFoundError:
            self._unknown_item()

    def reject(self, item_id: str) -> None:
        """Say that the item will not be published.

        Raises:
            FeedConflict: the feed gave the item up, or counts it as used.
        """
        try:
            with _sorted_errors():
                self._feed.reject(item_id)
        except NotFoundError:
            self._unknown_item()

    def _unknown_item(self) -> None:
        self.ready()  # an unknown token is the owner's to mend, and the item can wait for that
        raise FeedConflict("the feed does not know this item; was the feed's URL changed?")


@contextmanager
def _sorted_errors() -> Iterator[None]:
    try:
        yield
    except NotFoundError:
        raise
    except ConflictError as error:
        raise FeedConflict(str(error)) from error
    except CopydeskError as error:
        retry_after = error.retry_after if isinstance(error, APIError) else None
        raise Unavailable(str(error), retry_after) from error
