"""When to retry, and after how long.

The counting, the waiting and the reading of Retry-After are urllib3's. It is driven from
``_transport`` and not from an adapter of requests: requests reads the body after its adapter is
done, so an adapter's retries miss an answer that is cut off halfway, see no error code, and write
the URL, which may hold a secret, into the log.
"""

import random
import sys
from typing import Any

from urllib3.exceptions import InvalidHeader
from urllib3.response import BaseHTTPResponse
from urllib3.util.retry import Retry

from copydesk.errors import APIError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# Rate limits are per minute. The caller decides about longer waits.
LONGEST_RETRY_AFTER_S = 120.0
# A retry would take just as long, or be refused until the quota resets.
_FINAL = frozenset({"GENERATION_TIMEOUT", "QUOTA_EXCEEDED"})


class Retries(Retry):
    """urllib3's Retry with a jittered wait before every retry, the first included."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        # Newer versions read more than six hours as six; a month's quota takes longer.
        self.retry_after_max = sys.maxsize

    def get_backoff_time(self) -> float:
        wait: float = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (len(self.history) - 1))
        return wait * random.uniform(0.5, 1.0)  # noqa: S311 - it spreads load, it hides nothing

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Return Retry-After in seconds, or None if it is missing or invalid."""
        try:
            return super().get_retry_after(response)
        except (InvalidHeader, ValueError, OverflowError):  # a date in no calendar, too many digits
            return None


def is_transient(error: APIError, should_retry: str | None) -> bool:
    """Return whether a retry may succeed soon. ``should_retry`` is the header x-should-retry."""
    if should_retry == "false" or (error.retry_after or 0) > LONGEST_RETRY_AFTER_S:
        return False
    if error.code in _FINAL:  # also where a proxy drops the header above
        return False
    return (
        error.status == 408
        or error.status >= 500
        or (error.status == 409 and error.code == "IDEMPOTENCY_IN_PROGRESS")
        or (error.status == 429 and error.retry_after is not None)
    )
