"""Whether an endpoint is worth calling: circuit breaker, retry budget and learned concurrency.

The breaker and the budget are shared by the processes of a machine, because a worker process makes
only a few calls and then ends. The calls at once are counted in each process.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import ceil
from threading import Condition
from typing import Any, TypeVar

from app.adapters.shared_state import SharedState
from app.core.errors import ModelResting
from app.deadline import Deadline
from app.ports import Breaker, EndpointState

T = TypeVar("T")

log = logging.getLogger(__name__)

# The breaker opens if of the last attempts, at most _WINDOW of the last _WINDOW_SECONDS, this share
# failed. An endpoint that fails at random at a rate of 30 % does not reach it in practice.
_WINDOW, _WINDOW_SECONDS = 20, 300.0
_LEAST_ATTEMPTS = 5
_FAILED_SHARE = 0.7
# A rest doubles with each failed probe, up to this many times the first.
_LONGEST_REST = 4
# How long the others wait while a probe runs.
_PROBE_PAUSE = 15.0
# The budget: a retry for every tenth call and one a minute, and a reserve for short troubles.
_PER_CALL, _PER_SECOND, _RESERVE = 0.1, 1 / 60, 10.0
# How soon a call that waits for a place notices that the endpoint rests.
_LOOK_SECONDS = 0.25
FIRST_REST_SECONDS = 30.0


@dataclass
class _Record:
    """What the processes share; times are seconds since the epoch, 0 for never.

    Args:
        outcomes: when the last attempts ended, and whether they succeeded; oldest first.
        open_until: when the next probe may begin; 0 while the breaker is closed.
        probe_until: when a running probe counts as lost.
        rests: how many rests in a row there were.
        budget: how many retries may be made now, and when that was calculated.
    """

    outcomes: list[tuple[float, bool]] = field(default_factory=list)
    succeeded_at: float = 0.0
    open_until: float = 0.0
    probe_until: float = 0.0
    rests: int = 0
    reason: str = ""
    budget: float = _RESERVE
    budget_at: float = 0.0
    calls: int = 0
    attempts: int = 0
    failures: int = 0
    retries: int = 0
    refused_retries: int = 0
    openings: int = 0


class Places:
    """The calls that may run at once in this process: at most ``most``, fewer after 429s.

    A 429 halves the number, at least to one; every round of successful calls adds one.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.time) -> None:
        self._most = most
        self._limit = float(most)
        self._taken = 0
        self._halved_at = 0.0
        self._clock = clock
        self._free = Condition()

    @property
    def limit(self) -> int:
        """How many calls may run at once now, 1 or more."""
        return int(self._limit)

    def take(self, seconds: float) -> bool:
        """Take a place; return False if none is free within ``seconds``."""
        with self._free:
            if not self._free.wait_for(lambda: self._taken < self.limit, seconds):
                return False
            self._taken += 1
            return True

    def leave(self) -> None:
        """Give a place back."""
        with self._free:
            self._taken -= 1
            self._free.notify()

    def refused(self, begun: float) -> None:
        """Note a 429 to a call that began then. Calls that began before the last halving tell
        nothing new."""
        with self._free:
            if begun > self._halved_at:
                self._limit = max(1.0, self._limit / 2)
                self._halved_at = self._clock()

    def succeeded(self) -> None:
        """Note a call that was answered."""
        with self._free:
            before, self._limit = self.limit, min(self._most, self._limit + 1 / self._limit)
            if self.limit > before:
                self._free.notify()


class EndpointHealth:
    """The health of one endpoint. Thread-safe.

    Args:
        endpoint: scheme, host and port, for operators.
        concurrency: the most calls at once in this process.
        probe_seconds: the longest that a call may take.
        rest_seconds: the first rest after the breaker opened.
        opens: False for an endpoint whose breaker never opens.
        state: where the record is kept.
        clock: seconds since the epoch; the processes of a machine share it.
    """

    def __init__(
        self,
        endpoint: str,
        concurrency: int,
        *,
        probe_seconds: float,
        rest_seconds: float = FIRST_REST_SECONDS,
        opens: bool = True,
        state: SharedState | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.endpoint = endpoint
        self.places = Places(concurrency, clock)
        self._most = concurrency
        self._probe_seconds = probe_seconds
        self._rest_seconds = rest_seconds
        self._opens = opens
        self._state = state or SharedState()
        self._clock = clock

    def now(self) -> float:
        """Return the time of the clock."""
        return self._clock()

    def state(self) -> EndpointState:
        """Return the present state."""

        def read(record: _Record, now: float) -> EndpointState:
            wait = self._wait(record, now)
            breaker = Breaker.CLOSED
            if record.open_until:
                breaker = Breaker.OPEN if wait else Breaker.HALF_OPEN
            return EndpointState(
                endpoint=self.endpoint,
                breaker=breaker,
                reason=record.reason if record.open_until else "",
                retry_after=ceil(wait),
                calls=record.calls,
                attempts=record.attempts,
                failures=record.failures,
                retries=record.retries,
                refused_retries=record.refused_retries,
                openings=record.openings,
                concurrency=self.places.limit,
                most_concurrency=self._most,
            )

        return self._change(read)

    def check(self) -> None:
        """Return if a call would be sent now.

        Raises:
            ModelResting: it would not.
        """
        state = self.state()
        if state.breaker is Breaker.OPEN:
            raise self._resting(state.retry_after, state.reason)

    def wait_for_place(self, deadline: Deadline) -> bool:
        """Wait for a place; return False if there is none before the deadline.

        Raises:
            ModelResting: the breaker opened meanwhile.
            GenerationCancelled: the deadline was cancelled.
        """
        while True:
            self.check()
            left = deadline.left()
            if self.places.take(min(_LOOK_SECONDS, left)):
                return True
            if left <= _LOOK_SECONDS:
                return False

    def begin_call(self) -> None:
        """Count a call; it adds to the budget of retries."""

        def count(record: _Record, now: float) -> None:
            record.calls += 1
            self._fill(record, now, _PER_CALL)

        self._change(count)

    def begin_attempt(self) -> bool:
        """Count an attempt; return whether it is a probe.

        Raises:
            ModelResting: the breaker is open.
        """

        def begin(record: _Record, now: float) -> bool:
            if wait := self._wait(record, now):
                raise self._resting(ceil(wait), record.reason)
            record.attempts += 1
            if not record.open_until:
                return False
            record.probe_until = now + self._probe_seconds
            return True

        return self._change(begin)

    def succeeded(self, probe: bool) -> None:
        """Note an attempt that was answered; a probe closes the breaker."""
        self.places.succeeded()

        def note(record: _Record, now: float) -> bool:
            record.succeeded_at = now
            self._add(record, now, True)
            if probe:
                self._close(record)
            return probe

        if self._change(note):
            log.warning("the model endpoint %s answers again and is used", self.endpoint)

    def failed(self, reason: str, probe: bool, hung_since: float | None = None) -> None:
        """Note an attempt that failed.

        Args:
            reason: a few words for operators, without anything that the endpoint sent.
            probe: it was one; the breaker opens again.
            hung_since: when an attempt without an answer in time began. It opens the breaker if no
                other attempt succeeded since: waiting for a few more would take too long.
        """

        def note(record: _Record, now: float) -> float:
            record.failures += 1
            self._add(record, now, False)
            record.probe_until = 0.0 if probe else record.probe_until
            hangs = hung_since is not None and record.succeeded_at < hung_since
            if not self._opens or (record.open_until and not probe):
                return 0.0
            if not (probe or hangs or _is_too_much(record)):
                return 0.0
            rest = self._rest_seconds * min(1 << min(record.rests, 8), _LONGEST_REST)
            record.open_until, record.reason = now + rest, reason
            record.rests += 1
            record.openings += 1
            return rest

        if rest := self._change(note):
            log.warning(
                "the model endpoint %s is not called for %.3g s, because it fails: %s",
                self.endpoint,
                rest,
                reason,
            )

    def abandoned(self, probe: bool) -> None:
        """Note an attempt that ended without saying anything about the endpoint."""

        def note(record: _Record, _: float) -> None:
            if probe:
                record.probe_until = 0.0

        self._change(note)

    def may_retry(self) -> bool:
        """Take a retry from the budget; return False if it is used up."""

        def take(record: _Record, now: float) -> bool:
            self._fill(record, now, 0.0)
            if record.budget < 1:
                record.refused_retries += 1
                return False
            record.budget -= 1
            record.retries += 1
            return True

        return self._change(take)

    def _change(self, change: Callable[[_Record, float], T]) -> T:
        with self._state.changing() as values:
            record = _read(values)
            try:
                return change(record, self._clock())
            finally:
                values.update(asdict(record))

    def _wait(self, record: _Record, now: float) -> float:
        """Return the seconds until a call may be sent, 0 for now. A clock that was set back does
        not lengthen a rest."""
        rest = record.open_until - now
        if 0 < rest <= self._rest_seconds * _LONGEST_REST:
            return rest
        probe = record.probe_until - now
        return min(_PROBE_PAUSE, self._rest_seconds) if 0 < probe <= self._probe_seconds else 0.0

    def _fill(self, record: _Record, now: float, more: float) -> None:
        passed = max(0.0, now - record.budget_at) if record.budget_at else 0.0
        record.budget = min(_RESERVE, record.budget + passed * _PER_SECOND + more)
        record.budget_at = now

    def _add(self, record: _Record, now: float, success: bool) -> None:
        since = now - _WINDOW_SECONDS
        recent = [each for each in record.outcomes if since < each[0] <= now]
        record.outcomes = [*recent, (now, success)][-_WINDOW:]

    def _close(self, record: _Record) -> None:
        record.open_until = record.probe_until = 0.0
        record.rests, record.reason, record.outcomes = 0, "", []

    def _resting(self, seconds: int, reason: str) -> ModelResting:
        return ModelResting(
            operator=f"The model endpoint {self.endpoint} fails ({reason}) and is not called for"
            f" {seconds} s.",
            retry_after=max(1, seconds),
        )


def _is_too_much(record: _Record) -> bool:
    failed = sum(not success for _, success in record.outcomes)
    most = len(record.outcomes)
    return most >= _LEAST_ATTEMPTS and failed >= most * _FAILED_SHARE


def _read(values: dict[str, Any]) -> _Record:
    """Return the stored record; a new one if another version stored it in another form."""
    try:
        record = _Record(**values)
        record.outcomes = [(float(at), bool(success)) for at, success in record.outcomes]
    except (TypeError, ValueError):
        values.clear()
        return _Record()
    return record
