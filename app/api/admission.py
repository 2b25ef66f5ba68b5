"""What a call may have to wait for: a place, or a call with the same idempotency key.

A view waits in its thread: the front (``app.api.front``) has threads for calls that may wait.
Behind other WSGI servers, places are unlimited, and a key in use gets a 409 at once.
"""

import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Condition, Event, Lock, Semaphore

from flask import g, request

from app.core.errors import Crowded, RateLimited
from app.core.schemas.times import wire_time
from app.services.idempotency import KeyInUse

ENVIRON_KEY = "copydesk.call"
_WAITING_THREADS = 192
_PLACE_SECONDS = 10.0
_PAUSE_SECONDS = 0.5
_RETRY_SECONDS = 5


class Admission:
    """What the calls of a process share.

    Args:
        places: The maximum number of calls that wait for the model at once.
        per_account: The maximum number of calls of an account that wait at once: for their body,
            for a place, for the model, or for a call with the same idempotency key.
        key_seconds: How long a call waits for another with the same key.
    """

    def __init__(self, places: int, per_account: int, key_seconds: float) -> None:
        self.threads = places + _WAITING_THREADS
        self.places = Semaphore(places)
        self.per_account, self.key_seconds = per_account, key_seconds
        # The accounts that check a text, each with one call at a time; it is the first one's turn.
        self.line, self.line_moved = list[str](), Condition()
        self.in_flight, self.lock = Counter[str](), Lock()
        self.stopping = Event()  # set: calls no longer wait for a key


class Call:
    """One call, from the arrival of its head to its response."""

    def __init__(self, admission: Admission) -> None:
        self.began = self.dispatched = time.monotonic()
        self.refusal: Exception | None = None  # why its body is not there
        self._shared = admission
        self._account_id = ""
        self._has_place = False
        self._is_in_line = False

    def enter(self, account_id: str) -> None:
        """Count it as in flight for its account, once.

        Raises:
            RateLimited: too many calls of the account are in flight.
        """
        if self._account_id:
            return
        limit = self._shared.per_account
        with self._shared.lock:
            if self._shared.in_flight[account_id] < limit:
                self._shared.in_flight[account_id] += 1
                self._account_id = account_id
                return
        resets = wire_time(datetime.now(UTC) + timedelta(seconds=_RETRY_SECONDS))
        raise RateLimited(
            f"This account has {limit} calls in flight, the maximum. Wait for one of them to end,"
            f" or try again in {_RETRY_SECONDS} s.",
            {"limitType": "callsInFlight", "limit": limit, "used": limit, "resetAt": resets},
            retry_after=_RETRY_SECONDS,
        )

    def wait_for_place(self) -> None:
        """Wait for one of the places for calls that wait for the model.

        Raises:
            Crowded: no place became free in time.
            RateLimited: too many calls of the account are in flight.
        """
        self.enter(g.caller.account_id)
        if not self._shared.places.acquire(timeout=self._seconds_left()):
            raise Crowded(
                "The service is busy with other posts. Try again shortly.",
                retry_after=_RETRY_SECONDS,
            )
        self._has_place = True

    def wait_to_check(self) -> None:
        """Wait until no other call checks a text; raise as ``wait_for_place``.

        An account is in the line with one call, so that however many it makes, those of others
        get their turns.
        """
        shared, account_id = self._shared, g.caller.account_id
        self.enter(account_id)
        with shared.line_moved:
            if self._line_is(lambda: account_id not in shared.line):
                shared.line.append(account_id)
                self._is_in_line = True
                if self._line_is(lambda: shared.line[0] == account_id):
                    return
        raise Crowded(
            "The service is busy with other texts. Try again shortly.", retry_after=_RETRY_SECONDS
        )

    def wait_for_key(self, in_use: KeyInUse) -> None:
        """Wait for a moment, because another call uses its idempotency key.

        Raises:
            KeyInUse: the other call did not end in time.
            RateLimited: too many calls of the account are in flight.
        """
        self._give_place_back()
        self.enter(g.caller.account_id)
        is_late = time.monotonic() > self.began + self._shared.key_seconds
        if is_late or self._shared.stopping.wait(_PAUSE_SECONDS):
            raise in_use

    def end(self) -> None:
        """Free what it holds."""
        self._give_place_back()
        if self._is_in_line:
            with self._shared.line_moved:
                self._shared.line.remove(self._account_id)
                self._shared.line_moved.notify_all()
        if self._account_id:
            with self._shared.lock:
                # The number of accounts is unlimited: keep none at zero.
                self._shared.in_flight -= Counter([self._account_id])

    def _line_is(self, condition: Callable[[], bool]) -> bool:
        return self._shared.line_moved.wait_for(condition, self._seconds_left())

    def _seconds_left(self) -> float:
        return max(0.0, self.dispatched + _PLACE_SECONDS - time.monotonic())

    def _give_place_back(self) -> None:
        if self._has_place:
            self._has_place = False
            self._shared.places.release()


def call() -> Call:
    """Return the call that the request belongs to."""
    found: Call | None = request.environ.get(ENVIRON_KEY)
    return found or Call(Admission(places=1, per_account=1, key_seconds=-1.0))
