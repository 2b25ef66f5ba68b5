"""The fake service as a real server on loopback, for other processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from copydesk.testing._service import FakeService


@contextmanager
def serve(service: FakeService | None = None, *, port: int = 0) -> Iterator[str]:
    """Serve the fake service on 127.0.0.1 while the block runs; yield its URL.

    ``port`` 0 takes a free one. ``service.base_url`` and ``service.feed_url`` are those of the
    server meanwhile. Another process needs the URL and ``service.api_key``, which is
    ``cd_test_fake``.
    """
    service = service or FakeService()
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler(service))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    before = service.base_url
    service.base_url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service.base_url
    finally:
        service.base_url = before
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(service: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = dict(self.headers.items())
            reply = service.respond(self.command, self.path, headers, content)
            if reply.lost:
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.content)))
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.content)

        do_POST = do_HEAD = do_PUT = do_DELETE = do_GET  # noqa: N815 - http.server's names

        def log_message(self, *_: Any) -> None:
            """Print nothing: paths may hold the token of a feed."""

    return Handler
