"""Rate limits by the `limits` library: a moving window, in memory or in Redis."""

import logging
import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from app.ports import Allowance, RateLimiter

log = logging.getLogger(__name__)


class LimitsRateLimiter(RateLimiter):
    """``redis_url`` shares the limits between processes; without one each has its own."""

    def __init__(self, redis_url: str | None = None) -> None:
        storage: Storage = MemoryStorage() if redis_url is None else RedisStorage(redis_url)
        self._limiter = MovingWindowRateLimiter(storage)

    def hit(self, key: str, per_minute: int) -> Allowance:
        limit = RateLimitItemPerMinute(per_minute)
        try:
            allowed = self._limiter.hit(limit, key)
            return self._state(limit, key, allowed)
        except RedisError as error:
            log.warning("rate limits are off: Redis: %s", type(error).__name__)
            return Allowance(True, per_minute, per_minute, 60)

    def look(self, key: str, per_minute: int) -> Allowance:
        limit = RateLimitItemPerMinute(per_minute)
        try:
            return self._state(limit, key, True)
        except RedisError:
            return Allowance(True, per_minute, per_minute, 60)

    def _state(self, limit: RateLimitItemPerMinute, key: str, allowed: bool) -> Allowance:
        reset, remaining = self._limiter.get_window_stats(limit, key)
        seconds = max(1, math.ceil(reset - time.time()))
        return Allowance(allowed, limit.amount, max(0, remaining), min(60, seconds))
