"""Limit calls per minute with the library `limits`: a moving window, in memory or in Redis."""

import math
import time
from collections.abc import Callable

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.ports import Allowance, RateLimiter

_WINDOW_SECONDS = 60
# After a failure Redis is not asked for this long, so that a hanging one does not delay every call.
_PAUSE_SECONDS = 1.0


class LimitsRateLimiter(RateLimiter):
    """Without ``redis_url``, and while Redis does not answer, each process counts its own calls.
    Keys must not contain secrets."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._limiter = self._own
        self._unreachable: tuple[type[Exception], ...] = ()
        self._report: Callable[[Exception], None] = lambda _: None
        if redis_url is not None:
            # Loaded only where it is used: it takes a command longer than its work.
            from limits.storage import RedisStorage
            from redis.exceptions import RedisError

            from app.adapters.redis_connection import Outage, quick

            pool = quick(redis_url).connection_pool
            storage = RedisStorage("redis://", connection_pool=pool, key_prefix="copydesk:limits")
            self._limiter = MovingWindowRateLimiter(storage)
            self._unreachable = (RedisError,)
            self._report = Outage("each process counts its own requests per minute").report
        self._paused_until = 0.0

    def hit(self, key: str, per_minute: int) -> Allowance:
        return self._ask(key, per_minute, count=True)

    def look(self, key: str, per_minute: int) -> Allowance:
        return self._ask(key, per_minute, count=False)

    def _ask(self, key: str, per_minute: int, *, count: bool) -> Allowance:
        if time.monotonic() >= self._paused_until:
            try:
                return _asked(self._limiter, key, per_minute, count)
            except self._unreachable as error:
                self._report(error)
                self._paused_until = time.monotonic() + _PAUSE_SECONDS
        return _asked(self._own, key, per_minute, count)


def _asked(limiter: MovingWindowRateLimiter, key: str, per_minute: int, count: bool) -> Allowance:
    limit = RateLimitItemPerMinute(per_minute)
    allowed = limiter.hit(limit, key) if count else None
    oldest_ends, remaining = limiter.get_window_stats(limit, key)
    if oldest_ends > time.time() + 2 * _WINDOW_SECONDS:
        # A call of the future, because the clock was set back: it would count until then.
        limiter.clear(limit, key)
        return _asked(limiter, key, per_minute, count)
    remaining = max(0, remaining)
    # Redis rounds times by less than a millisecond.
    until_next = max(1, math.ceil(round(oldest_ends - time.time(), 3)))
    if allowed is None:
        allowed = remaining > 0
    if not allowed or remaining == 0:
        # A refused call may see the room that became free a moment later.
        return Allowance(allowed, per_minute, remaining, 1 if remaining else until_next)
    # Only the oldest call's end is known; the newest one ends within a whole window.
    return Allowance(True, per_minute, remaining, _WINDOW_SECONDS * (remaining < per_minute))
