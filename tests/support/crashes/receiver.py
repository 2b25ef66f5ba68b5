"""A receiver of webhooks on loopback that keeps every delivery, byte for byte."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Arrival:
    """One delivery, as it came; ``at`` is in seconds since 1970."""

    at: float
    path: str
    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """As a context it listens; it answers 204 to whatever comes, but 503 to one in
    ``refuse_every``, which has not arrived then."""

    def __init__(self, refuse_every: int = 0) -> None:
        self._arrivals: list[Arrival] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.arrivals = self._arrivals
        self._server.refuse_every = refuse_every
        self._server.number = count(1)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="receiver", daemon=True
        )

    @property
    def arrivals(self) -> list[Arrival]:
        """All that came so far."""
        return list(self._arrivals)

    def url(self, path: str) -> str:
        """The address of a path, which begins with a slash."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    arrivals: list[Arrival]
    refuse_every: int
    number: "count[int]"

    def handle_error(self, request: object, client_address: object) -> None:
        """A sender that was killed in the middle is what this is for."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        number, every = next(self.server.number), self.server.refuse_every
        if every and number % every == 0:
            self.send_response(503)
            self.end_headers()
        # Cut off by a kill: it has not arrived.
        elif len(body) == length:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.arrivals.append(Arrival(time.time(), self.path, headers, body))
            self.send_response(204)
            self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""
