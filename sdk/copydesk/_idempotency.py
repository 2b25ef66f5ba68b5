"""One idempotency key for a call and all its retries, also in the error that ends it."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from copydesk.errors import ConfigurationError, CopydeskError


def key_or_new(key: str | None) -> str:
    """The caller's key, or a new one.

    Raises:
        ConfigurationError: no header can carry it.
    """
    if key is None:
        return str(uuid.uuid4())
    require_visible_ascii("idempotency_key", key)
    return key


@contextmanager
def named_in_errors(key: str) -> Iterator[None]:
    """Let every error of the block say with which key the call can be continued."""
    try:
        yield
    except CopydeskError as error:
        error.idempotency_key = key
        raise


def require_visible_ascii(name: str, value: str) -> None:
    # What a header cannot carry would come back in an exception of requests, value and all.
    if not value or not all("!" <= char <= "~" for char in value):
        raise ConfigurationError(f"{name} must be one or more visible ASCII characters, no spaces")
