"""Whether an endpoint is worth calling: a circuit breaker for the calls of this process."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from threading import BoundedSemaphore, Lock

from app.core.errors import GenerationTimeout
from app.deadline import Deadline
from app.ports import EndpointState

log = logging.getLogger(__name__)

# The number of failures in a row that opens the breaker: more than one post has, with three
# attempts at each of its two drafts.
_FAILURES = 7
# A rest doubles with each failure behind it, up to this many times the first.
_LONGEST_REST = 4
# How soon a call that waits for a place notices that the endpoint rests.
_LOOK_SECONDS = 0.25
FIRST_REST_SECONDS = 30.0


class EndpointHealth:
    """The health of one endpoint. Thread-safe.

    After some failures in a row the endpoint rests: nobody calls it. The first call behind the rest
    that ends shows whether it is back.

    Args:
        endpoint: scheme, host and port, for operators.
        concurrency: the most calls at once in this process.
        rest_seconds: the first rest.
        now: a clock, in seconds.
    """

    def __init__(
        self,
        endpoint: str,
        concurrency: int,
        *,
        rest_seconds: float = FIRST_REST_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._concurrency, self._now = endpoint, concurrency, now
        self._rest_seconds = rest_seconds
        self._places = BoundedSemaphore(concurrency)
        self._lock = Lock()
        self._reason = ""
        # Failures and rests in a row, and when the last rest ends.
        self._failures, self._rests, self._until = 0, 0, 0.0
        self._succeeded_at = float("-inf")

    def state(self) -> EndpointState:
        """Return the present state."""
        return EndpointState(self._reason, max(0, ceil(self._until - self._now())))

    @contextmanager
    def place(self, deadline: Deadline) -> Iterator[None]:
        """Wait for a place among the calls at once and hold it for the block.

        Raises:
            ModelResting: the endpoint rests.
            GenerationTimeout: no place became free before the deadline.
            GenerationCancelled: the deadline was cancelled.
        """
        while True:
            self.state().check()
            left = deadline.left()
            if self._places.acquire(timeout=min(_LOOK_SECONDS, left)):
                break
            if left <= _LOOK_SECONDS:
                raise GenerationTimeout(
                    operator=f"The model is busy: none of the {self._concurrency} calls at once"
                    " (COPYDESK_MODEL_CONCURRENCY) ended before the deadline."
                )
        try:
            yield
        finally:
            self._places.release()

    def begin(self) -> float:
        """Return when an attempt at a call begins, which ``succeeded`` and ``failed`` take.

        Raises:
            ModelResting: the endpoint rests.
        """
        self.state().check()
        return self._now()

    def succeeded(self, began: float) -> None:
        """Note an attempt that was answered, unless it began before the last rest."""
        with self._lock:
            if began < self._until:
                return
            if self._rests:
                log.warning("the model endpoint %s answers again and is used", self._endpoint)
            self._failures, self._rests, self._reason = 0, 0, ""
            self._succeeded_at = self._now()

    def failed(self, began: float, reason: str, *, hung: bool = False, counts: bool = True) -> None:
        """Note an attempt that failed, unless it began before the last rest.

        Args:
            reason: a sentence for operators.
            hung: there was no answer in time. The endpoint rests if no other attempt succeeded
                meanwhile: waiting for a few more would take too long.
            counts: False if it says nothing about the endpoint.
        """
        with self._lock:
            if began < self._until:
                return
            self._reason = reason
            self._failures += counts
            hangs = hung and self._succeeded_at < began
            if counts and (self._rests or hangs or self._failures >= _FAILURES):
                rest = self._rest_seconds * min(2**self._rests, _LONGEST_REST)
                self._until = self._now() + rest
                self._rests = min(self._rests + 1, _LONGEST_REST)
                log.warning("an endpoint is not called for %.3g s: %s", rest, reason)
