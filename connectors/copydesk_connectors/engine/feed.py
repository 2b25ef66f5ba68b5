"""The calls to the feed, with errors sorted by what to do about them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from copydesk import APIError, ConfigurationError, ConflictError, CopydeskError, Feed, NotFoundError
from copydesk_connectors.target.errors import FeedConflict, Misconfigured, Unavailable
from copydesk_connectors.target.http_api import is_transient
from copydesk_connectors.target.secret import Secret
from copydesk_connectors.target.settings import (
    Proxy,
    SecretText,
    Settings,
    Text,
    has_possible_host,
    proxy,
    setting,
)

DEFAULT_NAME = "feed"
_NEW_URL = "put the current feed URL into the configuration; the feed's operator knows it"


def pull_url(url: Secret) -> Secret:
    """Return a feed URL; raise a ValueError if it cannot be one."""
    try:
        Feed(url.reveal(), proxy="").close()
    except ConfigurationError as error:
        raise ValueError(str(error).removeprefix("pull_url ")) from None
    if not has_possible_host(url.reveal()):
        raise ValueError("names a host that cannot exist; check the spelling")
    return url


class FeedSettings(Settings):
    """Where posts come from, and how often and how many at a time."""

    url: Annotated[SecretText, AfterValidator(pull_url)] = setting(
        "The feed URL. Anyone who has it can take your posts: keep it in the "
        "environment or in a file that only you can read (`chmod 600`).",
        inline=True,
    )
    name: Text = setting(
        "The name of the feed in the ledger, in routes and in messages. Several feeds need names "
        "of their own.",
        default=DEFAULT_NAME,
    )
    rule: Text | None = setting(
        "Pull only the posts of this rule. Default: all rules.", default=None
    )
    poll_minutes: Annotated[float, Field(ge=1)] = setting(
        "How often `run` looks at the feed, in minutes. Of several feeds, the smallest number "
        "applies to all.",
        15,
    )
    parallel: Annotated[int, Field(ge=1, le=16)] = setting(
        "How many posts are published at a time on targets that support it (WordPress, "
        "Ghost). With 1, there is only one call at a time, and posts appear strictly in the order "
        "of their generation. Of several feeds, the smallest number applies to all.",
        4,
    )
    proxy: Proxy | None = proxy()

    @property
    def address(self) -> str:
        """The URL without what follows the token, which is secret."""
        return self.url.reveal().rstrip("/").removesuffix("/items").removesuffix("/latest")


class FeedClient:
    """One feed. Never shows its URL, whose path is the secret.

    ``label`` is how messages call it.
    """

    def __init__(self, settings: FeedSettings) -> None:
        self.name = settings.name
        self.label = "the feed" if settings.name == DEFAULT_NAME else f"the feed {settings.name}"
        self._rule = settings.rule
        # Not None, which would be the proxy of the environment's COPYDESK_PROXY.
        self._feed = Feed(
            settings.url.reveal(), proxy=settings.proxy.reveal() if settings.proxy else ""
        )

    def ready(self) -> None:
        """Return if the feed answers and knows the token. Pulls nothing.

        Raises:
            Unavailable: no usable answer.
            Misconfigured: the feed does not know the token, or the address is not a feed's.
        """
        try:
            with _sorted_errors():
                self._feed.ready()
        except NotFoundError:
            raise Misconfigured("it does not know this token", _NEW_URL) from None
        except Unavailable as error:
            refusal = error.__cause__
            if isinstance(refusal, APIError) and not is_transient(refusal.status):
                raise Misconfigured(str(refusal), _NEW_URL) from refusal
            raise

    def pull(self, *, several: bool = False) -> list[Mapping[str, Any]]:
        """Claim one item, or with ``several`` or a rule all that wait, up to 100."""
        try:
            with _sorted_errors():
                if several or self._rule is not None:
                    return [item.raw for item in self._feed.items(rule=self._rule)]
                item = self._feed.latest()
                return [] if item is None else [item.raw]
        except NotFoundError:
            self.ready()
            raise Misconfigured(
                f"it has no rule {self._rule}", "correct its rule, or leave it out to take all"
            ) from None

    def confirm(self, item_id: str, url: str = "") -> None:
        """Tell the feed that the item is published, and where ("" if that is not known).

        Raises:
            FeedConflict: the feed gave the item up.
        """
        self._answer(partial(self._feed.confirm, url=url or None), item_id)

    def reject(self, item_id: str) -> None:
        """Tell the feed that the item will not be published.

        Raises:
            FeedConflict: the feed gave the item up, or counts it as used.
        """
        self._answer(self._feed.reject, item_id)

    def _answer(self, call: Callable[[str], object], item_id: str) -> None:
        try:
            with _sorted_errors():
                call(item_id)
        except NotFoundError:
            self.ready()  # only the owner can fix an unknown token, and the item can wait for that
            raise FeedConflict(
                "the feed does not know this item; was the feed's URL changed?"
            ) from None


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
