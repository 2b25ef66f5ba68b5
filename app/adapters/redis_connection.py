"""Connect to Redis with short timeouts: it stores nothing essential."""

import logging
import time

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 1.0
_COMPLAINT_SECONDS = 60.0


def quick(url: str) -> Redis:
    """Return a client that waits one second to connect and one for a command, and never retries.

    It is safe to use from several threads. A connection that was closed while idle is replaced
    before it is used.
    """
    return Redis.from_url(
        url,
        socket_connect_timeout=_TIMEOUT_SECONDS,
        socket_timeout=_TIMEOUT_SECONDS,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )


class Outage:
    """Logs once a minute what does not work without Redis."""

    def __init__(self, effect: str) -> None:
        self._effect = effect
        self._quiet_until = 0.0

    def report(self, error: Exception) -> None:
        """Log only the type of an error: Redis errors can repeat the input, including passwords."""
        now = time.monotonic()
        if now >= self._quiet_until:
            self._quiet_until = now + _COMPLAINT_SECONDS
            log.warning("Redis does not answer (%s): %s", type(error).__name__, self._effect)
