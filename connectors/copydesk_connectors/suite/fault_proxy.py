"""An HTTP proxy on loopback that breaks chosen requests in chosen ways.

    with FaultProxy(site.url) as proxy:
        proxy.add(Rule(Cut.AFTER_REQUEST, method="POST", path="/wp/v2/posts", nth=2))
        client.publish(proxy.url)
        assert [request.number for request in proxy.requests if request.fault] == [2]

A rule strikes the nth matching request after it was added, ``times`` in a row. Requests are
numbered from 1 in order of arrival. Other requests pass unchanged, except for the headers Host,
which names the server, and Connection: one connection carries one request.
"""

import socket
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.client import HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

UPSTREAM_SECONDS = 60.0
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Cut(StrEnum):
    """Where the connection is cut."""

    BEFORE_REQUEST = "before request"  # the server hears nothing
    MID_REQUEST = "mid request"  # the server hears half of it
    AFTER_REQUEST = "after request"  # the client is cut while the server still works on it
    BEFORE_RESPONSE = "before response"  # the server is done; the client hears nothing
    MID_RESPONSE = "mid response"  # the client hears the headers and half of the body
    SHORT_RESPONSE = "short response"  # half of the body, with that length, as from a broken cache
    SILENCE = "silence"  # the server does its work; the client hears nothing until it times out


@dataclass(frozen=True)
class Replace:
    """The client gets this answer; the server gets the request only if ``forward`` is set."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    forward: bool = False


Fault = Cut | Replace
FOR_GOOD = sys.maxsize


@dataclass
class Rule:
    """``fault`` strikes the ``nth`` request (from 1) that matches, ``times`` in a row.

    ``path`` is a part of the path with its query. An empty ``method`` or ``path`` matches all.
    """

    fault: Fault
    method: str = ""
    path: str = ""
    nth: int = 1
    times: int = 1

    def strikes(self, method: str, path: str) -> bool:
        """Count a request that matches, and return whether to break it."""
        if self.method not in ("", method) or self.path not in path:
            return False
        self.nth -= 1
        return -self.times < self.nth <= 0


@dataclass(frozen=True)
class SeenRequest:
    """A request as it arrived, with the fault that struck it."""

    number: int
    method: str
    path: str
    fault: Fault | None


class FaultProxy:
    """A context manager: the proxy in front of ``upstream`` (http://host:port), at ``url``."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        if parts.scheme != "http" or not parts.hostname or parts.port is None:
            raise ValueError("upstream must be http://host:port")
        self.upstream = (parts.hostname, parts.port)
        self.requests: list[SeenRequest] = []
        self._rules: list[Rule] = []
        self._busy = 0
        self._changed = threading.Condition()

    def add(self, *rules: Rule) -> None:
        """Add rules; of several that strike the same request, the first added wins."""
        with self._changed:
            self._rules.extend(rules)

    def mend(self) -> None:
        """Drop all rules."""
        with self._changed:
            self._rules.clear()

    def settle(self, seconds: float = UPSTREAM_SECONDS) -> None:
        """Wait until the server has answered all requests; else raise TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._busy == 0, seconds):
                raise TimeoutError(f"{self._busy} requests still run after {seconds} s")

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _arrived(self, method: str, path: str) -> Fault | None:
        with self._changed:
            self._busy += 1
            # Every rule counts every request, also the one that another rule breaks.
            struck = [rule.fault for rule in self._rules if rule.strikes(method, path)]
            fault = struck[0] if struck else None
            self.requests.append(SeenRequest(len(self.requests) + 1, method, path, fault))
            return fault

    def _done(self) -> None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()


class _Server(ThreadingHTTPServer):
    def __init__(self, proxy: FaultProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        """Serve the connection's one request, whatever its method."""
        self.close_connection = True
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            return None
        if "Transfer-Encoding" in self.headers:
            return self._answer(501, (), b"this proxy takes requests with a Content-Length only")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.proxy._arrived(self.command, self.path)
        try:
            self._serve(body, fault)
        except (OSError, HTTPException):
            # The other side closed the connection; so does this one.
            self._cut()
        finally:
            self.server.proxy._done()
        return None

    def log_message(self, *args: object) -> None:
        """Log nothing: ``FaultProxy.requests`` has the requests."""

    def _serve(self, body: bytes, fault: Fault | None) -> None:
        if fault is Cut.BEFORE_REQUEST:
            return self._cut()
        if isinstance(fault, Replace) and not fault.forward:
            return self._answer(fault.status, fault.headers.items(), fault.body)
        with socket.create_connection(self.server.proxy.upstream, UPSTREAM_SECONDS) as upstream:
            request = self._request_bytes(body)
            if fault is Cut.MID_REQUEST:
                upstream.sendall(request[: len(request) // 2])
                return self._cut()
            upstream.sendall(request)
            if fault is Cut.AFTER_REQUEST:
                self._cut()
            response = HTTPResponse(upstream, method=self.command)
            response.begin()
            answer = response.read()
        if fault is Cut.AFTER_REQUEST:
            return None
        if fault is Cut.BEFORE_RESPONSE:
            return self._cut()
        if isinstance(fault, Replace):
            return self._answer(fault.status, fault.headers.items(), fault.body)
        if fault is Cut.SILENCE:
            self.connection.settimeout(UPSTREAM_SECONDS)
            self.connection.recv(1)
            return self._cut()
        if fault is Cut.SHORT_RESPONSE:
            answer = answer[: len(answer) // 2]
        half = len(answer) // 2 if fault is Cut.MID_RESPONSE else None
        return self._answer(response.status, response.getheaders(), answer, half)

    def _request_bytes(self, body: bytes) -> bytes:
        host, port = self.server.proxy.upstream
        headers = [item for item in self.headers.items() if item[0].lower() not in HOP_BY_HOP]
        headers = [item for item in headers if item[0].lower() != "host"]
        headers += [("Host", f"{host}:{port}"), ("Connection", "close")]
        if body or "Content-Length" in self.headers:
            headers.append(("Content-Length", str(len(body))))
        head = f"{self.requestline}\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers)
        return head.encode("latin-1") + b"\r\n" + body

    def _answer(
        self, status: int, headers: Iterable[tuple[str, str]], body: bytes, sent: int | None = None
    ) -> None:
        """Answer with the first ``sent`` bytes of ``body`` (None: all) and end the connection."""
        self.send_response_only(status)
        length = str(len(body))
        for key, value in headers:
            if key.lower() not in HOP_BY_HOP:
                self.send_header(key, value)
            elif key.lower() == "content-length" and self.command == "HEAD":
                # The length that GET would have.
                length = value
        if status not in (204, 304):
            self.send_header("Content-Length", length)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body[:sent])

    def _cut(self) -> None:
        with suppress(OSError):  # the client was quicker
            self.connection.shutdown(socket.SHUT_RDWR)
