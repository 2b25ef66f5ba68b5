"""Passes again and again, at a rhythm that suits the feed and spares a site that is down."""

import random
import signal
import time
from collections.abc import Callable
from types import FrameType

from copydesk_connectors.courier import Outcome
from copydesk_connectors.log import logger

_FIRST_RETRY_S = 30.0
# An answer that asks for more is a mistake sooner than a wish, and would be obeyed unseen.
_LONGEST_PAUSE_S = 6 * 3600.0
_JITTER = 0.1  # so that many connectors of one feed's host do not call in step
_NAP_S = 0.5


class Stop:
    """Whether the process was asked to end. A second request ends it at once."""

    def __init__(self) -> None:
        self._requested = False

    def __call__(self) -> bool:
        return self._requested

    def listen(self) -> None:
        """Take SIGTERM and SIGINT as the request."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request)

    def wait(self, seconds: float) -> None:
        """Wait that long, or until the request."""
        end = time.monotonic() + seconds
        while not self._requested and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _NAP_S))

    def _request(self, number: int, _frame: FrameType | None) -> None:
        self._requested = True
        signal.signal(number, signal.SIG_DFL)


def pause_s(outcome: Outcome, failures: int, interval_s: float) -> float:
    """How long to wait after a pass; ``failures`` counts the unfinished ones in a row.

    After an unfinished pass soon, then twice as long each time, at most the usual interval; never
    sooner than the other side asked for, up to six hours.
    """
    if not outcome.unfinished:
        return interval_s
    backoff = min(interval_s, _FIRST_RETRY_S * 2.0 ** min(failures - 1, 20))
    return max(backoff, min(outcome.retry_after, _LONGEST_PAUSE_S))


def poll(once: Callable[[], Outcome], interval_s: float, stop: Stop) -> None:
    """Call ``once`` until asked to end."""
    failures = 0
    while not stop():
        outcome = once()
        if stop():
            break
        failures = failures + 1 if outcome.unfinished else 0
        wait_s = pause_s(outcome, failures, interval_s)
        wait_s *= 1 + random.uniform(0, _JITTER)  # noqa: S311 - nothing depends on its secrecy
        logger.info("the next look at the feed is in %.0f s", wait_s)
        stop.wait(wait_s)
    logger.info("ended as asked")
