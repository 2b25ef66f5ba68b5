"""Runs copydesk-connect and kills it with SIGKILL at one point of its HTTP traffic.

    python -m tests.support.sites.killed_connector POINT NTH METHOD PATH -- once --config FILE

POINT is ``before`` a request is sent, once it is ``sent`` and its answer unread, or when it is
``answered``; NTH counts from 1 the requests of that METHOD whose path holds PATH (an empty one fits
all). The product knows nothing of this: its transport is wrapped here, in its own process.
"""

import os
import signal
import sys
from typing import Any

import httpx2
from httpcore2._sync.http11 import HTTP11Connection
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection
from urllib3.response import BaseHTTPResponse

POINTS = ("before", "sent", "answered")


class Assassin:
    """Counts requests and kills this process at the chosen one."""

    def __init__(self, point: str, nth: int, method: str, path: str) -> None:
        if point not in POINTS:
            raise SystemExit(f"the point must be one of {', '.join(POINTS)}, not {point!r}")
        self.point = point
        self.left = nth
        self.method = method
        self.path = path

    def counts(self, method: str | None, url: str | None) -> bool:
        """Count a request that fits; whether it is the one."""
        if self.method not in ("", method) or self.path not in (url or ""):
            return False
        self.left -= 1
        return self.left == 0

    def strike(self, point: str) -> None:
        """Kill this process if this is the point to do so."""
        if point == self.point:
            os.kill(os.getpid(), signal.SIGKILL)

    def hide(self) -> None:
        """Wrap the transports of requests, for sites, and of httpx2, for the feed."""
        handle, receive_headers = (
            httpx2.HTTPTransport.handle_request,
            HTTP11Connection._receive_response_headers,
        )
        send, receive = HTTPAdapter.send, HTTPConnection.getresponse
        chosen = False

        def watched_send(
            adapter: HTTPAdapter, request: PreparedRequest, *args: Any, **kwargs: Any
        ) -> Response:
            nonlocal chosen
            chosen = self.counts(request.method, request.url)
            if chosen:
                self.strike("before")
            response = send(adapter, request, *args, **kwargs)
            if chosen:
                # The whole answer has to be there: what follows is the connector's next step.
                response.content  # noqa: B018
                self.strike("answered")
            return response

        def watched_receive(connection: HTTPConnection) -> BaseHTTPResponse:
            if chosen:
                self.strike("sent")
            return receive(connection)

        def watched_handle(
            transport: httpx2.HTTPTransport, request: httpx2.Request
        ) -> httpx2.Response:
            nonlocal chosen
            chosen = self.counts(request.method, str(request.url))
            if chosen:
                self.strike("before")
            answered = handle(transport, request)
            if chosen:
                answered.read()
                self.strike("answered")
            return answered

        def watched_headers(connection: HTTP11Connection, *args: Any, **kwargs: Any) -> Any:
            if chosen:
                self.strike("sent")
            return receive_headers(connection, *args, **kwargs)

        httpx2.HTTPTransport.handle_request = watched_handle  # type: ignore[method-assign]
        HTTP11Connection._receive_response_headers = watched_headers  # type: ignore[method-assign]
        HTTPAdapter.send = watched_send  # type: ignore[method-assign,assignment]
        HTTPConnection.getresponse = watched_receive  # type: ignore[method-assign,assignment]


def main() -> None:
    from copydesk_connectors.cli import main as connect

    point, nth, method, path, dashes, *arguments = sys.argv[1:]
    if dashes != "--":
        raise SystemExit(__doc__)
    Assassin(point, int(nth), method, path).hide()
    sys.argv[1:] = arguments
    connect()


if __name__ == "__main__":
    main()
