"""What can go wrong, sorted by what the connector does about it.

    ConnectorError
    ├── ConfigError       the owner's file is wrong: nothing was done
    ├── LedgerError       the ledger is in use by another process, or cannot be read
    ├── BadItem           the feed's item cannot be a post: it is rejected
    ├── Unavailable       no usable answer now: the same step is tried again later
    ├── Misconfigured     the owner has to change something: the step waits for that
    ├── Refused           the target will never take this post: it counts as refused there
    ├── DraftGone         the draft that was to be published no longer exists: it is made again
    └── FeedConflict      the feed no longer counts the item as ours (409, or 404 for the item)

Messages never hold a password, a feed token or a URL that carries one.
"""


class ConnectorError(Exception):
    """Base of every error of this package."""


class ConfigError(ConnectorError):
    """The configuration is wrong; the message says where and what would be right."""


class LedgerError(ConnectorError):
    """The ledger is in use by another process, or is not a ledger."""


class BadItem(ConnectorError):
    """An item of the feed lacks what a post needs."""


class Unavailable(ConnectorError):
    """No usable answer; trying later may succeed.

    ``retry_after`` is the wait in seconds that the other side asked for, None where it did not.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Misconfigured(ConnectorError):
    """Nothing will work until the owner acts; ``fix`` says how."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.args[0]}. To fix it: {self.fix}"


class Refused(ConnectorError):
    """The target refuses this one post for good."""


class DraftGone(ConnectorError):
    """The draft no longer exists on the target."""


class FeedConflict(ConnectorError):
    """The feed does not accept the confirm or reject: the item is no longer ours."""
