"""The ASGI front: reads bodies without a thread, then dispatches each request to Flask in a thread.

Calls that may wait (``app.api.admission``) have threads of their own, so the feed, usage, jobs and
health respond even if every place is taken.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from flask import Flask

from app.api.admission import ENVIRON_KEY, Admission, Call
from app.core.errors import RequestTimeout, ValidationFailed
from app.core.schemas.json_body import MAX_BODY_BYTES

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_LONG_PATHS = ("/v1/generate", "/v1/check")
_SHORT_THREADS, _BODY_SECONDS = 16, 10
# Callers are looked up only if their body takes longer than this. Forms are waited for, from
# anybody: 32 at once for an address, which may be that of a proxy.
_GRACE_SECONDS = 0.2
_LATE_FORMS = 32
_FORMS = (b"application/x-www-form-urlencoded", b"multipart/form-data")


class Front:
    """An ASGI application around a Flask application.

    Args:
        enter: Count a call as in flight for the account that an Authorization header names, or
            raise why its body is not waited for.
        at_start: Called before the first request, in the thread of the event loop.
        at_end: Called after the last request, in another thread.
    """

    def __init__(
        self,
        app: Flask,
        admission: Admission,
        enter: Callable[[Call, str], None],
        at_start: Callable[[], None],
        at_end: Callable[[], None],
    ) -> None:
        self._app, self._admission, self._enter = app, admission, enter
        self._at_start, self._at_end = at_start, at_end
        self._short = ThreadPoolExecutor(_SHORT_THREADS, "short")
        self._long = ThreadPoolExecutor(admission.threads, "long")
        self._late_forms: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            self._at_start()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await asyncio.to_thread(self._at_end)
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        call, headers = Call(self._admission), dict(scope["headers"])
        body = _Body(headers, receive)
        run = asyncio.get_running_loop().run_in_executor
        try:
            arrived = await body.read(_GRACE_SECONDS)
            if arrived is None and headers.get(b"content-type", b"").lower().startswith(_FORMS):
                arrived = await self._late_form(body, str((scope["client"] or ("",))[0]))
            if arrived is None:
                arrived = await self._rest(body, call, headers)
            environ = _environ(scope, arrived)
            environ[ENVIRON_KEY] = call
            is_long = environ["PATH_INFO"].startswith(_LONG_PATHS)
            threads = self._long if is_long else self._short
            call.dispatched = time.monotonic()
            start, content = await run(threads, _respond, self._app, environ)
        finally:
            call.end()
            body.close()
        await send(start)
        await send(content)

    async def _late_form(self, body: "_Body", address: str) -> bytes | None:
        """Return a form that comes late, from anybody: who sends it is often in it."""
        if self._late_forms[address] >= _LATE_FORMS:
            return None
        self._late_forms[address] += 1
        try:
            return await body.read(_BODY_SECONDS - _GRACE_SECONDS)
        finally:
            # The number of addresses is unlimited: keep none at zero.
            self._late_forms -= Counter([address])

    async def _rest(self, body: "_Body", call: Call, headers: dict[bytes, bytes]) -> bytes:
        """Return a slow body; set the refusal if it does not come, or must not be waited for."""
        try:
            authorization = headers.get(b"authorization", b"").decode("latin-1")
            await asyncio.to_thread(self._enter, call, authorization)
            arrived = await body.read(call.began + _BODY_SECONDS - time.monotonic())
            if arrived is not None:
                return arrived
            if not body.has_ended:
                raise RequestTimeout(f"The body did not arrive within {_BODY_SECONDS} seconds.")
            # The connection is still open if the client ended the body early, or malformed a chunk.
            raise ValidationFailed(
                "The body did not arrive completely. Send as many bytes as Content-Length says, or"
                " whole chunks.",
                {"field": ""},
            )
        except Exception as refusal:  # noqa: BLE001 - the view raises it
            # The frames of a traceback would keep the connection open.
            call.refusal = refusal.with_traceback(None)
            return b""


class _Body:
    """The body of a request, as it arrives. Too long a body is cut one byte above the limit."""

    def __init__(self, headers: dict[bytes, bytes], receive: Receive) -> None:
        self._receive = receive
        self._bytes = bytearray()
        # Waiting for a body takes a turn of the event loop, and a confirm sends an empty one.
        length = headers.get(b"content-length", b"0")
        self._length = int(length) if b"transfer-encoding" not in headers else MAX_BODY_BYTES + 1
        self._more = self._length > 0
        self._next: asyncio.Future[MutableMapping[str, Any]] | None = None
        self.has_ended = False  # the client has disconnected, or malformed a chunk

    async def read(self, seconds: float) -> bytes | None:
        """Return the body; None if it is not complete within ``seconds``."""
        until = time.monotonic() + seconds
        while self._more and len(self._bytes) <= MAX_BODY_BYTES:
            if self.has_ended:
                return None
            # If the time is over, the next read goes on to wait for it, so that nothing is lost.
            self._next = self._next or asyncio.ensure_future(self._receive())
            await asyncio.wait([self._next], timeout=until - time.monotonic())
            if not self._next.done():
                return None
            message, self._next = self._next.result(), None
            self.has_ended = message["type"] == "http.disconnect"
            self._bytes += message.get("body", b"")
            is_whole = len(self._bytes) >= self._length
            self._more = self.has_ended or (message.get("more_body", False) and not is_whole)
        return bytes(self._bytes[: MAX_BODY_BYTES + 1])

    def close(self) -> None:
        if self._next is not None:
            self._next.cancel()


def _respond(app: Flask, environ: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the ASGI messages of the application's response to a request."""
    start: dict[str, Any] = {"type": "http.response.start"}

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        start["status"] = int(status[:3])
        start["headers"] = [
            (name.lower().encode(), each.encode("latin-1")) for name, each in headers
        ]

    pieces: Any = app(environ, start_response)
    try:
        return start, {"type": "http.response.body", "body": b"".join(pieces)}
    finally:
        pieces.close()


def _environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """Return the WSGI environment of a request (PEP 3333)."""
    (host, port), (address, _) = scope["server"] or ("localhost", 80), scope["client"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # With one slash at its beginning, as Flask reads it: a path decides on the threads.
        "PATH_INFO": "/" + unquote_to_bytes(scope["raw_path"]).decode("latin-1").lstrip("/"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": str(host),
        "SERVER_PORT": str(port),
        "REMOTE_ADDR": str(address),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, value in scope["headers"]:
        if b"_" in raw_name:
            continue  # WSGI could not tell it from the header spelled with hyphens
        name = raw_name.decode("latin-1").upper().replace("-", "_")
        if name not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            name = f"HTTP_{name}"
        earlier = f"{environ[name]}," if name in environ else ""
        environ[name] = earlier + value.decode("latin-1")
    return environ
