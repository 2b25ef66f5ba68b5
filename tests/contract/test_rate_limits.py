"""Calls per minute, held against memory and against a real Redis. The library reads the time by
``time.time``, which these tests move: nobody waits a minute."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.adapters import redis_connection
from app.adapters.rate_limits import LimitsRateLimiter
from app.ports import Allowance
from tests.support.process_group import ProcessGroup
from tests.support.redis_fixtures import TIMEOUT_SECONDS, patient, redis
from tests.support.redis_server import RedisServer

__all__ = ["patient", "redis"]


class Clock:
    """The time of the library, which stands still until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr("time.time", lambda: self.now)


@pytest.fixture(scope="module")
def server(group: ProcessGroup) -> RedisServer:
    return RedisServer(group)


@pytest.fixture(params=["memory", "Redis"])
def limiter(request: pytest.FixtureRequest) -> LimitsRateLimiter:
    if request.param == "memory":
        return LimitsRateLimiter()
    return LimitsRateLimiter(request.getfixturevalue("redis").url)


@pytest.fixture
def clock(limiter: LimitsRateLimiter, monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_the_limit_is_counted_down_and_then_refuses(
    limiter: LimitsRateLimiter, clock: Clock
) -> None:
    assert [limiter.hit("key", 3) for _ in range(4)] == [
        Allowance(True, 3, 2, 60),
        Allowance(True, 3, 1, 60),
        Allowance(True, 3, 0, 60),
        Allowance(False, 3, 0, 60),
    ]


def test_a_refusal_says_when_one_more_call_is_allowed(
    limiter: LimitsRateLimiter, clock: Clock
) -> None:
    """Retry-After: whole seconds, rounded up, and not a second before."""
    limiter.hit("key", 2)
    clock.now += 10.5
    limiter.hit("key", 2)
    clock.now += 9.25
    refused = limiter.hit("key", 2)
    assert (refused.allowed, refused.reset_seconds) == (False, 41)
    clock.now += 40.2
    assert not limiter.hit("key", 2).allowed
    assert limiter.hit("key", 2).reset_seconds == 1
    clock.now += 0.8
    # The first call is a minute old; the second is not.
    assert limiter.hit("key", 2) == Allowance(True, 2, 0, 10)
    assert not limiter.hit("key", 2).allowed


def test_what_was_refused_does_not_count(limiter: LimitsRateLimiter, clock: Clock) -> None:
    """A client that tries all the time is let in as soon as one that waits."""
    limiter.hit("key", 1)
    for _ in range(59):
        clock.now += 1
        assert not limiter.hit("key", 1).allowed
    clock.now += 1.1
    assert limiter.hit("key", 1).allowed


@pytest.mark.parametrize("fast", [3600, 6 * 86_400])
def test_a_clock_that_was_set_back_keeps_nobody_waiting(
    limiter: LimitsRateLimiter, clock: Clock, fast: int
) -> None:
    """clocks that were wrong leave nothing waiting longer than the longest pause"""
    limiter.hit("key", 3)
    clock.now += fast
    while limiter.hit("key", 3).allowed:
        pass
    limiter.hit("half", 3)
    clock.now -= fast
    clock.now += 61
    assert limiter.look("half", 3) == Allowance(True, 3, 3, 0)
    assert [limiter.hit("key", 3).allowed for _ in range(4)] == [True, True, True, False]


def test_a_look_counts_nothing(limiter: LimitsRateLimiter, clock: Clock) -> None:
    assert [limiter.look("key", 2) for _ in range(3)] == [Allowance(True, 2, 2, 0)] * 3
    limiter.hit("key", 2)
    assert [limiter.look("key", 2) for _ in range(3)] == [Allowance(True, 2, 1, 60)] * 3
    limiter.hit("key", 2)
    clock.now += 20
    assert [limiter.look("key", 2) for _ in range(3)] == [Allowance(False, 2, 0, 40)] * 3
    clock.now += 41
    assert limiter.look("key", 2) == Allowance(True, 2, 2, 0)


def test_keys_do_not_share(limiter: LimitsRateLimiter, clock: Clock) -> None:
    assert limiter.hit("one", 1).allowed
    assert limiter.hit("other", 1).allowed
    assert not limiter.hit("one", 1).allowed


def test_callers_at_once_get_no_more_than_the_limit(limiter: LimitsRateLimiter) -> None:
    with ThreadPoolExecutor(16) as callers:
        allowed = list(callers.map(lambda _: limiter.hit("key", 20).allowed, range(100)))
    assert allowed.count(True) == 20


def test_processes_share_what_redis_counts(redis: RedisServer) -> None:
    one, other = LimitsRateLimiter(redis.url), LimitsRateLimiter(redis.url)
    assert one.hit("key", 2).remaining == 1
    assert other.hit("key", 2).remaining == 0
    assert not one.hit("key", 2).allowed


def test_without_redis_each_process_counts_until_it_is_back(
    redis: RedisServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“If Redis is down, each process counts alone”, which is said once. When it is back, it has
    forgotten its scripts and its counts."""
    limiter = LimitsRateLimiter(redis.url)
    limiter.hit("key", 1)
    redis.kill()
    assert [limiter.hit("key", 1).allowed for _ in range(3)] == [True, False, False]
    assert limiter.look("key", 1).remaining == 0
    assert caplog.text.count("each process counts its own requests per minute") == 1
    redis.start()
    later = time.monotonic() + 2
    monkeypatch.setattr("time.monotonic", lambda: later)
    assert limiter.hit("key", 1) == Allowance(True, 1, 0, 60)
    assert not limiter.hit("key", 1).allowed


def test_a_redis_that_hangs_holds_up_one_call_and_not_all(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_connection, "_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    limiter = LimitsRateLimiter(redis.url)
    redis.pause()
    try:
        began = time.monotonic()
        for _ in range(50):
            assert limiter.hit("key", 100).allowed
        # Fifty that each waited for Redis would take fifty.
        assert time.monotonic() - began < 20
    finally:
        redis.resume()
