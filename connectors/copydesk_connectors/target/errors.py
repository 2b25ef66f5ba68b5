"""The errors of this package, by what the connector does about them.

Messages never contain a password, a feed token or a URL with one.
"""


class ConnectorError(Exception):
    """Base of every error of this package."""


class ConfigError(ConnectorError):
    """The configuration is wrong: nothing was done. The message says where and how to fix it.

    ``key`` is the setting to change, if there is one.
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class LedgerError(ConnectorError):
    """The ledger is in use by another process, or is not a ledger."""


class BadItem(ConnectorError):
    """The feed's item lacks what a post needs: it is rejected."""


class Unavailable(ConnectorError):
    """There is no usable answer: the step is tried again later.

    ``retry_after`` is the wait in seconds that the other side asked for, or None.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Misconfigured(ConnectorError):
    """The owner has to change something; ``fix`` says what. The step waits for that."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.args[0]}. To fix it: {self.fix}"


class Refused(ConnectorError):
    """The target refuses this one post permanently."""


class DraftGone(ConnectorError):
    """The draft was deleted on a working target, and there is no other copy: it stays deleted."""


class FeedConflict(ConnectorError):
    """The feed no longer reserves the item for us (409, or 404 for the item)."""
