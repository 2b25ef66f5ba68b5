"""Receivers of webhooks that fail or are slow: how long they rest, and when they are switched off.

A receiver is what answers at one scheme, host and port for one account. Without rests, one that
hangs would hold up the webhooks of all others, and so would an account with many that hang.
"""

from datetime import datetime, timedelta

from app.core.addresses import web_target

RESTS_AFTER = 3
"""Fewer failures in a row may be those of single webhooks."""
_FIRST_REST = timedelta(seconds=30)
LONGEST_REST = timedelta(minutes=10)
"""The longest rest between two attempts."""
_SLOW = timedelta(seconds=1)
ALL = "*"
"""Stands for all receivers of an account."""
_HANGS = timedelta(seconds=5)
# As long as Svix waits before it disables an endpoint.
_OFF_AFTER = timedelta(days=5)
_OFF_FAILURES = 10
ATTEMPT = timedelta(seconds=20)
"""What one attempt takes at most; a receiver in trouble gets no second one meanwhile."""


def receiver_of(url: str) -> str:
    """Return the scheme, host and port of a webhook's URL; "" if it cannot be read."""
    try:
        target = web_target(url, allow_private=True)
    except ValueError:
        return ""
    return f"{target.scheme}://{target.authority}"


def rest_after_failure(failures: int, asked_seconds: float | None) -> timedelta:
    """Return how long a receiver rests after a number of failures in a row.

    ``asked_seconds`` is its Retry-After, which counts from the first failure on.
    """
    rest = timedelta(0)
    if failures >= RESTS_AFTER:
        doubled = min(failures - RESTS_AFTER, 10)
        rest = _FIRST_REST * 2**doubled
    return min(max(rest, timedelta(seconds=asked_seconds or 0)), LONGEST_REST)


def rest_after_success(seconds: float) -> timedelta:
    """Return how long a receiver rests after an answer that took so long: as long again if it is
    slow, so that others get at least half of a worker's time."""
    took = timedelta(seconds=seconds)
    return took if took > _SLOW else timedelta(0)


def rest_of_all(seconds: float) -> timedelta:
    """Return how long all receivers of an account rest after an attempt that took so long: as long
    again if it hung, because one account can have any number of receivers."""
    took = timedelta(seconds=seconds)
    return took if took > _HANGS else timedelta(0)


def is_off(failures: int, failing_since: datetime, now: datetime) -> bool:
    """Return whether a receiver has failed for so long that it is switched off."""
    return failures >= _OFF_FAILURES and now - failing_since >= _OFF_AFTER
