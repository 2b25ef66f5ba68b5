"""Whether an endpoint is worth calling: a circuit breaker for the calls of this process."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from threading import BoundedSemaphore, RLock

from app.core.errors import GenerationTimeout
from app.deadline import Deadline
from app.ports import EndpointState

log = logging.getLogger(__name__)

# The number of failures in a row that opens the breaker: more than one post has, with three
# attempts at each of its two drafts.
_FAILURES = 7
# A rest doubles with each failed probe, up to this many times the first.
_LONGEST_REST = 4
# How long the others wait while a probe runs.
_PROBE_PAUSE = 15
# How soon a call that waits for a place notices that the endpoint rests.
_LOOK_SECONDS = 0.25
FIRST_REST_SECONDS = 30.0


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call: when it began, and whether it tries a resting endpoint."""

    began: float
    is_probe: bool


class EndpointHealth:
    """The health of one endpoint. Thread-safe.

    After some failures in a row the endpoint rests: nobody calls it. Then one call probes it.

    Args:
        endpoint: scheme, host and port, for operators.
        concurrency: the most calls at once in this process.
        probe_seconds: the longest that a call may take.
        rest_seconds: the first rest.
        now: a clock, in seconds.
    """

    def __init__(
        self,
        endpoint: str,
        concurrency: int,
        *,
        probe_seconds: float,
        rest_seconds: float = FIRST_REST_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._concurrency, self._now = endpoint, concurrency, now
        self._probe_seconds, self._rest_seconds = probe_seconds, rest_seconds
        self._places = BoundedSemaphore(concurrency)
        self._lock = RLock()
        self._reason, self._is_probed = "", False
        # Failures in a row since the last rest, and rests in a row.
        self._failures = self._rests = 0
        # Until when nobody may call: the end of a rest, or of the longest probe.
        self._until, self._succeeded_at = 0.0, float("-inf")

    def state(self) -> EndpointState:
        """Return the present state."""
        with self._lock:
            return EndpointState(self._reason, self._rests > 0, self._wait())

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

    def begin(self) -> Attempt:
        """Return a new attempt; it must end as ``succeeded``, ``failed`` or ``abandoned``.

        Raises:
            ModelResting: the endpoint rests, or another attempt probes it.
        """
        with self._lock:
            self.state().check()
            now, is_probe = self._now(), self._rests > 0
            if is_probe:
                self._is_probed, self._until = True, now + self._probe_seconds
            return Attempt(now, is_probe)

    def succeeded(self, attempt: Attempt) -> None:
        """Note an attempt that was answered; a probe ends the rests."""
        with self._lock:
            self._failures, self._succeeded_at = 0, self._now()
            if attempt.is_probe:
                log.warning("the model endpoint %s answers again and is used", self._endpoint)
                self._until, self._rests = 0.0, 0
            if not self._rests:
                self._reason = ""

    def failed(
        self, attempt: Attempt, reason: str, *, hung: bool = False, counts: bool = True
    ) -> None:
        """Note an attempt that failed.

        Args:
            reason: a sentence for operators.
            hung: there was no answer in time. The endpoint rests if no other attempt succeeded
                meanwhile: waiting for a few more would take too long.
            counts: False if it says nothing about the endpoint.
        """
        with self._lock:
            if self._rests and not attempt.is_probe:
                return  # it began before the rest
            self._reason = reason
            if not counts:
                self.abandoned(attempt)
                return
            self._failures += 1
            hangs = hung and self._succeeded_at < attempt.began
            if attempt.is_probe or hangs or self._failures >= _FAILURES:
                rest = self._rest_seconds * min(2**self._rests, _LONGEST_REST)
                self._is_probed, self._until = False, self._now() + rest
                self._rests = min(self._rests + 1, _LONGEST_REST)
                log.warning("an endpoint is not called for %.3g s: %s", rest, reason)

    def abandoned(self, attempt: Attempt) -> None:
        """Note an attempt that ended without saying anything about the endpoint."""
        if attempt.is_probe:
            self._until = 0.0

    def _wait(self) -> int:
        """Return the seconds until a call may be sent, 0 for now."""
        wait = max(0, ceil(self._until - self._now()))
        return min(wait, _PROBE_PAUSE) if self._is_probed else wait
