"""How Redis is reached: quickly or not at all, as nothing that is kept there cannot be missed."""

import logging
import time

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 1.0
_COMPLAINT_SECONDS = 60.0


def quick_pool(url: str) -> ConnectionPool:
    """Connections for a caller who will not wait: one second to connect, one for a command, which
    is sent once. One that was closed while it lay idle is replaced before it is used."""
    return ConnectionPool.from_url(
        url,
        socket_connect_timeout=_TIMEOUT_SECONDS,
        socket_timeout=_TIMEOUT_SECONDS,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )


def quick(url: str) -> Redis:
    """A client on such connections, safe to use from several threads."""
    return Redis(connection_pool=quick_pool(url))


class Outage:
    """Says in the log what does not work without Redis, once a minute."""

    def __init__(self, effect: str) -> None:
        self._effect = effect
        self._quiet_until = 0.0

    def report(self, error: RedisError) -> None:
        """An error of Redis can repeat what it was sent, a password too: only its kind is told."""
        now = time.monotonic()
        if now >= self._quiet_until:
            self._quiet_until = now + _COMPLAINT_SECONDS
            log.warning("Redis does not answer (%s): %s", type(error).__name__, self._effect)
