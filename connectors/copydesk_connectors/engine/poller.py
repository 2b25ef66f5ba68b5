"""Repeat passes, with longer pauses while a site is down."""

import random
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import FrameType

from copydesk_connectors.engine.courier import Outcome
from copydesk_connectors.engine.log import logger

_FIRST_RETRY_S = 30.0
# A longer pause is probably a mistake of the server.
_LONGEST_PAUSE_S = 6 * 3600.0
_JITTER = 0.1  # many connectors of one host must not call in step
_NAP_S = 0.5
_SOONEST_S = 1.0  # before a slot


class Stop:
    """Whether the process was asked to end. A second request ends it immediately."""

    def __init__(self) -> None:
        self._requested = False

    def __call__(self) -> bool:
        return self._requested

    def listen(self) -> None:
        """Treat SIGTERM and SIGINT as the request."""
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
    """Return the seconds to wait after a pass. ``failures`` counts the unfinished ones in a row.

    The wait after an unfinished pass doubles each time, up to the usual interval. It is never
    shorter than the other side asked for, up to six hours.
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
        if outcome.next_slot is not None:
            until_slot_s = (outcome.next_slot - datetime.now(UTC)).total_seconds()
            wait_s = min(wait_s, max(until_slot_s, _SOONEST_S))
        logger.info("next pass in %.0f s", wait_s)
        stop.wait(wait_s)
    logger.info("stopped as requested")
