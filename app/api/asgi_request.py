"""One HTTP request, received by ASGI and passed on to Flask by WSGI."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from app.api.admission import ENVIRON_KEY, PendingRequest
from app.api.requests import MAX_BODY_BYTES

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 0.05, 1.0, 1.5


class AsgiRequest:
    """One HTTP request, from the arrival of its headers to its response."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.pending = PendingRequest()
        self.admitted = False
        self.client_left = False
        self._scope = scope
        self._receive = receive
        self._chunks = bytearray()
        self._listening: asyncio.Future[Any] | None = None
        self._pause = _FIRST_PAUSE
        headers = dict(scope["headers"])
        self.address = str((scope["client"] or ("",))[0])
        kind = headers.get(b"content-type", b"").lower()
        self.is_form = kind.startswith(b"application/x-www-form-urlencoded")
        # Waiting for a body takes a turn of the event loop, and a confirm sends an empty one.
        if b"transfer-encoding" not in headers and headers.get(b"content-length", b"0") == b"0":
            self.pending.body = b""

    @property
    def seconds(self) -> float:
        """The seconds since the headers of the request arrived."""
        return time.monotonic() - self.pending.began

    def next_pause(self) -> float:
        pause = self._pause
        self._pause = min(pause * _GROWTH, _LONGEST_PAUSE)
        return pause

    async def read_body(self, seconds: float) -> bool:
        """Read for at most ``seconds``. Return whether the body is complete.

        A body that is too long is truncated one byte above the limit.
        """
        if self.pending.body is not None:
            return True
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                while self.pending.body is None:
                    message = await self._next_message()
                    self._chunks += message.get("body", b"")
                    if self.client_left:
                        return False
                    if not message.get("more_body") or len(self._chunks) > MAX_BODY_BYTES:
                        self.pending.body = bytes(self._chunks[: MAX_BODY_BYTES + 1])
        except TimeoutError:
            return False
        return True

    async def while_connected(self, wait: Awaitable[Any]) -> Any:
        """Return the result of ``wait``. If the client disconnects first, cancel it and return
        None."""
        waiting = asyncio.ensure_future(wait)
        while not waiting.done() and not self.client_left:
            self._listening = self._listening or asyncio.ensure_future(self._receive())
            await asyncio.wait([waiting, self._listening], return_when=asyncio.FIRST_COMPLETED)
            if self._listening.done():
                await self._next_message()
        if waiting.done():
            return waiting.result()
        waiting.cancel()
        return None

    async def _next_message(self) -> MutableMapping[str, Any]:
        """Return the next message. A message that a time-out interrupts is not lost."""
        self._listening = self._listening or asyncio.ensure_future(self._receive())
        message: MutableMapping[str, Any] = await asyncio.shield(self._listening)
        self._listening = None
        self.client_left = message["type"] == "http.disconnect"
        return message

    def stop_listening(self) -> None:
        if self._listening is not None:
            self._listening.cancel()

    def environ(self) -> dict[str, Any]:
        """Return the WSGI environment (PEP 3333) with the part of the body that has arrived."""
        scope, body = self._scope, self.pending.body or b""
        host, port = scope["server"] or ("localhost", 80)
        address, client_port = scope["client"] or ("", 0)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": scope["method"],
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
            "QUERY_STRING": scope["query_string"].decode("latin-1"),
            "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
            "SERVER_NAME": str(host),
            "SERVER_PORT": str(port),
            "REMOTE_ADDR": str(address),
            "REMOTE_PORT": str(client_port),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scope["scheme"],
            "wsgi.input": BytesIO(body),
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            ENVIRON_KEY: self.pending,
        }
        for raw_name, value in scope["headers"]:
            if b"_" in raw_name:
                continue  # WSGI could not tell it from the header spelled with hyphens
            name = raw_name.decode("latin-1").upper().replace("-", "_")
            if name not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
                name = f"HTTP_{name}"
            text = value.decode("latin-1")
            environ[name] = f"{environ[name]},{text}" if name in environ else text
        return environ
