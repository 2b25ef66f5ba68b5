"""HTTP servers on loopback, each in a thread of its own."""

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any, TypeVar

Some = TypeVar("Some", bound=BaseServer)


class Handler(BaseHTTPRequestHandler):
    """Gets or posts, as the handler of a server does; what it was asked is not printed."""

    def get(self) -> None:
        self.answer(405)

    head = post = get

    def do_GET(self) -> None:
        self.get()

    def do_HEAD(self) -> None:
        self.head()

    def do_POST(self) -> None:
        self.post()

    def read_body(self) -> bytes:
        """Shorter than it was announced if its sender was killed."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(
        self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """A good run prints nothing."""


class Server(ThreadingHTTPServer):
    """Listens on a free port unless it is told one; a client that goes away is no news."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, handler: type[BaseHTTPRequestHandler], host: str = "127.0.0.1", port: int = 0
    ) -> None:
        super().__init__((host, port), handler)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def running(server: Some) -> Iterator[Some]:
    """Serve while the block runs."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
