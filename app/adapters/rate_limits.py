"""Calls per minute by the library `limits`: a moving window, in memory or shared in Redis."""

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from app.adapters.redis_connection import Outage, quick_pool
from app.ports import Allowance, RateLimiter

_WINDOW_SECONDS = 60
# A Redis that hangs must not hold up every call for as long as it takes to find that out.
_PAUSE_SECONDS = 1.0


class LimitsRateLimiter(RateLimiter):
    """Without ``redis_url`` each process counts by itself. Keys must hold no secret."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._limiter = MovingWindowRateLimiter(
            MemoryStorage()
            if redis_url is None
            else RedisStorage(
                "redis://", connection_pool=quick_pool(redis_url), key_prefix="copydesk:limits"
            )
        )
        self._outage = Outage("requests per minute are not limited")
        self._paused_until = 0.0

    def hit(self, key: str, per_minute: int) -> Allowance:
        return self._ask(key, per_minute, count=True)

    def look(self, key: str, per_minute: int) -> Allowance:
        return self._ask(key, per_minute, count=False)

    def _ask(self, key: str, per_minute: int, *, count: bool) -> Allowance:
        limit = RateLimitItemPerMinute(per_minute)
        if time.monotonic() < self._paused_until:
            return _without_limit(per_minute)
        try:
            allowed = self._limiter.hit(limit, key) if count else None
            oldest_ends, remaining = self._limiter.get_window_stats(limit, key)
        except RedisError as error:
            self._outage.report(error)
            self._paused_until = time.monotonic() + _PAUSE_SECONDS
            return _without_limit(per_minute)
        remaining = max(0, remaining)
        # Redis rounds the times that it is given, by less than a thousandth of a second.
        until_next = max(1, math.ceil(round(oldest_ends - time.time(), 3)))
        if allowed is None:
            allowed = remaining > 0
        if not allowed or remaining == 0:
            # One that was refused may see the room that came free a moment later.
            return Allowance(allowed, per_minute, remaining, 1 if remaining else until_next)
        # The window says when its oldest call ends, not its newest: it is at most a whole one.
        return Allowance(True, per_minute, remaining, _WINDOW_SECONDS * (remaining < per_minute))


def _without_limit(per_minute: int) -> Allowance:
    return Allowance(True, per_minute, per_minute, 0)
