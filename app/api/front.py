"""The ASGI front: reads bodies, admits calls, and waits without a thread for each call.

The front dispatches each request to the Flask application in a thread. Calls that hold one of the
``generate_places`` have a thread pool of their own, and checks of texts have one thread, so the
feed, usage, jobs and health respond even if every place is taken. ``app.api.admission`` lists what
a request waits for in between.

a2wsgi and asgiref do not fit: they block a thread while a body trickles in, and dispatch a request
only once.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from flask import Flask
from werkzeug.test import run_wsgi_app

from app.api.admission import BODY_SECONDS, Wait
from app.api.asgi_request import AsgiRequest, Receive, Scope, Send
from app.core.errors import RateLimited, ValidationFailed
from app.core.schemas.times import wire_time

Answer = tuple[Iterable[bytes], str, Any]

_SHORT_THREADS = 16
# A body that arrives within this time needs no second dispatch. Unknown callers wait no longer,
# except for forms: 32 at once for an address, which may be that of a proxy.
_BODY_GRACE_SECONDS = 0.2
_LATE_FORMS = 32
_PLACE_SECONDS = 10.0
_MAX_RETRY_AFTER = 60
_FIRST_GUESS_SECONDS = 20.0
_FIRST_GUESS_CHECK_SECONDS = 1.0


class Front:
    """An ASGI application around a Flask application.

    Args:
        places: The maximum number of calls that wait for the model at once.
        per_account: The maximum number of calls of an account that wait at once: for their body,
            for a place, for the model, or for a call with the same idempotency key.
        key_seconds: How long a call waits for another with the same key.
        at_start: Called before the first request, in the thread of the event loop.
        at_end: Called after the last request, in another thread.
    """

    def __init__(
        self,
        app: Flask,
        *,
        places: int,
        per_account: int,
        key_seconds: float,
        at_start: Callable[[], None] = lambda: None,
        at_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._key_seconds = key_seconds
        self._per_account = per_account
        self._at_start, self._at_end = at_start, at_end
        self._short = ThreadPoolExecutor(_SHORT_THREADS, "short")
        self._places = {
            Wait.PLACE: _Places(places, "generate", _FIRST_GUESS_SECONDS),
            Wait.CHECK: _Places(1, "check", _FIRST_GUESS_CHECK_SECONDS),
        }
        self._in_flight: Counter[str] = Counter()
        self._forms: Counter[str] = Counter()
        self._stopping = False

    def give_up_waiting(self) -> None:
        """Refuse calls that wait for another with the same key, because the process stops."""
        self._stopping = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._at_start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self._at_end)
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = AsgiRequest(scope, receive)
        await request.read_body(_BODY_GRACE_SECONDS)
        await self._read_late_form(request)
        try:
            answer = await self._dispatch(request)
            while request.pending.wait is not None:
                if not await self._wait(request):
                    return  # the client has disconnected
                answer = await self._dispatch(request)
        finally:
            request.stop_listening()
            if request.admitted:
                self._release(request.pending.account_id)
        await _send(answer, send)

    async def _read_late_form(self, request: AsgiRequest) -> None:
        """Wait for a form that comes late, from anybody: who sends it is often in it."""
        address = request.address
        if request.pending.body is None and request.is_form and self._forms[address] < _LATE_FORMS:
            self._forms[address] += 1
            try:
                await request.read_body(BODY_SECONDS - request.seconds)
            finally:
                # The number of addresses is unlimited: keep none at zero.
                self._forms -= Counter([address])

    async def _dispatch(self, request: AsgiRequest) -> Answer:
        pending = request.pending
        pending.wait = None
        place = pending.place
        pool = self._places[place].threads if place else self._short
        began = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                pool, copy_context().run, run_wsgi_app, self._app, request.environ(), True
            )
        finally:
            if place:
                pending.place = None
                self._places[place].give_back(time.monotonic() - began)

    async def _wait(self, request: AsgiRequest) -> bool:
        """Wait, and set the refusal if the wait fails. Return False if the client has disconnected
        and gets no answer."""
        pending = request.pending
        if not self._admit(request):
            return True
        if pending.wait is Wait.BODY:
            got = await request.read_body(BODY_SECONDS - request.seconds)
            if request.client_left:
                # Its connection is still open if it ended the body early, or malformed a chunk.
                pending.refusal = _incomplete()
                return True
        elif pending.wait in self._places:
            got = await request.while_connected(self._places[pending.wait].take())
            pending.place = pending.wait if got else None
        else:
            got = request.seconds < self._key_seconds and not self._stopping
            if got:
                await request.while_connected(asyncio.sleep(request.next_pause()))
        if not got:
            pending.refusal = pending.otherwise
            if pending.wait in self._places and pending.refusal is not None:
                places = self._places[pending.wait]
                pending.refusal.retry_after = places.retry_after(places.number)
        if request.client_left and pending.place:
            self._places[pending.place].give_back(None)
            pending.place = None
        return not request.client_left

    def _admit(self, request: AsgiRequest) -> bool:
        """Count the call as in flight for its account; refuse it if there are too many."""
        if request.admitted:
            return True
        account_id = request.pending.account_id
        if self._in_flight[account_id] >= self._per_account:
            request.pending.refusal = self._too_many()
            return False
        self._in_flight[account_id] += 1
        request.admitted = True
        return True

    def _too_many(self) -> RateLimited:
        limit, seconds = self._per_account, self._places[Wait.PLACE].retry_after(2)
        return RateLimited(
            f"This account has {limit} calls in flight, the maximum. Wait for one of them to end,"
            f" or try again in {seconds} s.",
            {
                "limitType": "callsInFlight",
                "limit": limit,
                "used": limit,
                "resetAt": wire_time(datetime.now(UTC) + timedelta(seconds=seconds)),
            },
            retry_after=seconds,
        )

    def _release(self, account_id: str) -> None:
        self._in_flight[account_id] -= 1
        if not self._in_flight[account_id]:
            del self._in_flight[account_id]  # the number of accounts is unlimited


def _incomplete() -> ValidationFailed:
    return ValidationFailed(
        "The body did not arrive completely. Send as many bytes as Content-Length says, or whole"
        " chunks.",
        {"field": ""},
    )


class _Places:
    """The places for calls of one kind, with a thread for each. Further calls wait for a place."""

    def __init__(self, places: int, name: str, guess_seconds: float) -> None:
        self.number = places
        self.threads = ThreadPoolExecutor(places, name)
        self._free = asyncio.Semaphore(places)
        self._mean_seconds = guess_seconds

    async def take(self) -> bool:
        """Take a place. Return False if none becomes free in time."""
        try:
            async with asyncio.timeout(_PLACE_SECONDS):
                return await self._free.acquire()
        except TimeoutError:
            return False

    def give_back(self, seconds: float | None) -> None:
        """Free a place that was in use for ``seconds``; None if it was not used."""
        if seconds is not None:
            self._mean_seconds += (seconds - self._mean_seconds) / 8
        self._free.release()

    def retry_after(self, share: int) -> int:
        """Return the seconds until one of ``share`` calls probably ends, from the mean time that a
        place is in use."""
        return min(_MAX_RETRY_AFTER, max(1, ceil(self._mean_seconds / share)))


async def _send(answer: Answer, send: Send) -> None:
    body, status, headers = answer
    start = {
        "type": "http.response.start",
        "status": int(status[:3]),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        ],
    }
    await send(start)
    await send({"type": "http.response.body", "body": b"".join(body)})
