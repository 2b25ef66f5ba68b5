"""Whether an endpoint is worth calling: a circuit breaker, and a budget of retries.

Each process counts its own calls. What it concludes, that an endpoint rests and why the last call
failed, is in a small file, for the other processes of the machine and for commands that ask.
"""

import json
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from tempfile import gettempdir
from threading import BoundedSemaphore, RLock

from app.core.errors import ModelResting
from app.deadline import Deadline
from app.ports import Breaker, EndpointState

log = logging.getLogger(__name__)

# The number of failures in a row, each within this time of the last one, that opens the breaker:
# more than one post has, with three attempts at each of its two drafts.
_FAILURES, _TOGETHER_SECONDS = 7, 300.0
# A rest doubles with each failed probe, up to this many times the first.
_LONGEST_REST = 4
# How long the others wait while a probe runs.
_PROBE_PAUSE = 15.0
# The budget: a retry for every tenth call, and a reserve for short troubles.
_PER_CALL, _RESERVE = 0.1, 10.0
# How soon a call that waits for a place notices that the endpoint rests.
_LOOK_SECONDS = 0.25
FIRST_REST_SECONDS = 30.0


def shared_folder(preferred: Path) -> Path | None:
    """Return a private folder for the files of ``EndpointHealth``: the preferred one, or one of
    this user among temporary files, such as in a container whose other folders are read-only. None
    if neither can be used."""
    for each in (preferred, Path(gettempdir()) / f"copydesk-{os.getuid()}"):
        with suppress(OSError):
            each.mkdir(mode=0o700, exist_ok=True)
            if each.stat().st_uid == os.getuid() and os.access(each, os.W_OK):
                return each
    return None


@dataclass
class _Conclusion:
    """What the processes share: until when the endpoint rests (seconds since the epoch, 0 if the
    breaker is closed), how many rests in a row there were, and why the last call failed."""

    open_until: float = 0.0
    rests: int = 0
    reason: str = ""


class EndpointHealth:
    """The health of one endpoint. Thread-safe.

    Args:
        endpoint: scheme, host and port, for operators.
        concurrency: the most calls at once in this process.
        probe_seconds: the longest that a call may take.
        rest_seconds: the first rest after the breaker opened.
        opens: False for an endpoint whose breaker never opens.
        file: where the processes of a machine share their conclusions; None for nowhere.
        now: the seconds since the epoch.
    """

    def __init__(
        self,
        endpoint: str,
        concurrency: int,
        *,
        probe_seconds: float,
        rest_seconds: float = FIRST_REST_SECONDS,
        opens: bool = True,
        file: Path | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.endpoint, self.concurrency, self.now = endpoint, concurrency, now
        self._probe_seconds, self._rest_seconds = probe_seconds, rest_seconds
        self._opens, self._file, self._concluded = opens, file, _Conclusion()
        self._places = BoundedSemaphore(concurrency)
        self._lock = RLock()
        self._budget, self._failures = _RESERVE, 0
        self._failed_at = self._succeeded_at = self._probe_until = 0.0

    def state(self) -> EndpointState:
        """Return the present state."""
        concluded = self._load()
        wait, breaker = self._wait(concluded), Breaker.CLOSED
        if concluded.open_until:
            breaker = Breaker.OPEN if wait else Breaker.HALF_OPEN
        return EndpointState(self.endpoint, breaker, concluded.reason, ceil(wait))

    def check(self) -> None:
        """Return if a call would be sent now.

        Raises:
            ModelResting: it would not.
        """
        concluded = self._load()
        if wait := ceil(self._wait(concluded)):
            told = f"{concluded.reason} It is not called for {wait} s."
            raise ModelResting(operator=told, retry_after=wait)

    def take_place(self, deadline: Deadline) -> bool:
        """Wait for a place among the calls at once; return False if none is free before the
        deadline.

        Raises:
            ModelResting: the breaker opened meanwhile.
            GenerationCancelled: the deadline was cancelled.
        """
        while True:
            self.check()
            left = deadline.left()
            if self._places.acquire(timeout=min(_LOOK_SECONDS, left)):
                return True
            if left <= _LOOK_SECONDS:
                return False

    def leave_place(self) -> None:
        """Give a place back."""
        self._places.release()

    def begin_call(self) -> None:
        """Count a call; it adds to the budget of retries."""
        with self._lock:
            self._budget = min(_RESERVE, self._budget + _PER_CALL)

    def may_retry(self) -> bool:
        """Take a retry from the budget; return False if it is used up."""
        with self._lock:
            if self._budget < 1:
                return False
            self._budget -= 1
            return True

    def begin_attempt(self) -> bool:
        """Return whether an attempt is a probe.

        Raises:
            ModelResting: the breaker is open.
        """
        with self._lock:
            self.check()
            if not self._load().open_until:
                return False
            self._probe_until = self.now() + self._probe_seconds
            return True

    def succeeded(self, probe: bool) -> None:
        """Note an attempt that was answered; a probe closes the breaker."""
        with self._lock:
            self._failures, self._succeeded_at = 0, self.now()
            concluded = self._load()
            if probe or (concluded.reason and not concluded.open_until):
                self._probe_until = 0.0
                self._store(_Conclusion())
        if probe:
            log.warning("the model endpoint %s answers again and is used", self.endpoint)

    def failed(
        self, reason: str, probe: bool, hung_since: float | None = None, *, counts: bool = True
    ) -> None:
        """Note an attempt that failed.

        Args:
            reason: a sentence for operators.
            probe: it was one; the breaker opens again.
            hung_since: when an attempt without an answer in time began. It opens the breaker if no
                other attempt succeeded since: waiting for a few more would take too long.
            counts: False if it says nothing about the endpoint.
        """
        with self._lock:
            now, concluded = self.now(), self._load()
            self._probe_until = 0.0 if probe else self._probe_until
            if concluded.open_until and not probe:
                return
            concluded.reason, rest = reason, 0.0
            if counts:
                recent = 0 <= now - self._failed_at < _TOGETHER_SECONDS
                self._failures, self._failed_at = self._failures * recent + 1, now
                hangs = hung_since is not None and self._succeeded_at < hung_since
                if self._opens and (probe or hangs or self._failures >= _FAILURES):
                    rest = self._rest_seconds * min(1 << min(concluded.rests, 8), _LONGEST_REST)
                    concluded.open_until, concluded.rests = now + rest, concluded.rests + 1
            self._store(concluded)
        if rest:
            log.warning("an endpoint is not called for %.3g s: %s", rest, reason)

    def abandoned(self, probe: bool) -> None:
        """Note an attempt that ended without saying anything about the endpoint."""
        if probe:
            self._probe_until = 0.0

    def _wait(self, concluded: _Conclusion) -> float:
        """Return the seconds until a call may be sent, 0 for now. A clock that was set back does
        not lengthen a rest."""
        rest, probe = concluded.open_until - self.now(), self._probe_until - self.now()
        if 0 < rest <= self._rest_seconds * _LONGEST_REST:
            return rest
        return min(_PROBE_PAUSE, self._rest_seconds) if 0 < probe <= self._probe_seconds else 0.0

    def _load(self) -> _Conclusion:
        """Return what was concluded; nothing if the file is missing or of another form."""
        if self._file is None:
            return self._concluded
        try:
            found = json.loads(self._file.read_text("utf-8"))
            return _Conclusion(
                float(found["open_until"]), int(found["rests"]), str(found["reason"])
            )
        except (OSError, ValueError, TypeError, LookupError):
            return _Conclusion()

    def _store(self, concluded: _Conclusion) -> None:
        self._concluded = concluded
        if self._file is None:
            return
        draft = self._file.with_suffix(f".{os.getpid()}")
        try:
            draft.touch(0o600)
            draft.write_text(json.dumps(asdict(concluded)), "utf-8")
            draft.replace(self._file)
        except OSError as error:
            log.warning("%s cannot be written (%s)", self._file, error.strerror)
            self._file = None
