"""When to send again, and after how long.

The counting, the waiting and the reading of Retry-After are urllib3's. It is driven from
``_transport`` and not from an adapter of requests: requests reads the body after its adapter is
done, so an adapter's retries miss an answer that is cut off halfway, see no error code, and write
the URL, which may hold a secret, into the log.
"""

import random

from urllib3.exceptions import InvalidHeader
from urllib3.response import BaseHTTPResponse
from urllib3.util.retry import Retry

from copydesk.errors import APIError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# Rate limits are counted by the minute; a wait beyond that is the caller's to decide.
LONGEST_RETRY_AFTER_S = 120.0


class Retries(Retry):
    """urllib3's Retry with a jittered wait before every retry, the first included."""

    def get_backoff_time(self) -> float:
        wait: float = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (len(self.history) - 1))
        return wait * random.uniform(0.5, 1.0)  # noqa: S311 - it spreads load, it hides nothing

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Retry-After in seconds; one that cannot be read counts as absent."""
        try:
            return super().get_retry_after(response)
        except InvalidHeader:
            return None


def is_transient(error: APIError, should_retry: str | None) -> bool:
    """Whether the same request may succeed soon; ``should_retry`` is the header x-should-retry."""
    if should_retry == "false" or (error.retry_after or 0) > LONGEST_RETRY_AFTER_S:
        return False
    if error.code == "QUOTA_EXCEEDED":  # also where a proxy drops the header above
        return False
    return (
        error.status == 408
        or error.status >= 500
        or (error.status == 409 and error.code == "IDEMPOTENCY_IN_PROGRESS")
        or (error.status == 429 and error.retry_after is not None)
    )
