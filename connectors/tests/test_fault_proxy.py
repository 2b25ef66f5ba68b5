"""The fault proxy of the contract suite: what client and server see of each fault."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from copydesk_connectors.suite.fault_proxy import FOR_GOOD, Cut, Fault, FaultProxy, Replace, Rule

ANSWER = b"0123456789"
BODY = b"x" * 100_000
SHORT_S = 0.3


class Server(ThreadingHTTPServer):
    """Answers ANSWER; ``heard`` are the requests that arrived whole."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.heard: list[tuple[str, str, bytes]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) == length:
            self.server.heard.append((self.command, self.path, body))
            self.send_response(200)
            self.send_header("Content-Length", str(len(ANSWER)))
            self.send_header("X-Kept", "yes")
            self.end_headers()
            self.wfile.write(ANSWER)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    with FaultProxy(f"http://127.0.0.1:{server.server_address[1]}") as proxy:
        yield proxy


def post(proxy: FaultProxy, seconds: float = 10) -> requests.Response:
    return requests.post(f"{proxy.url}/posts?b=c%20d", data=BODY, timeout=seconds)


@pytest.mark.parametrize(
    ("fault", "told", "arrives"),
    [
        (Cut.BEFORE_REQUEST, requests.ConnectionError, False),
        (Cut.MID_REQUEST, requests.ConnectionError, False),
        (Cut.AFTER_REQUEST, requests.ConnectionError, True),
        (Cut.BEFORE_RESPONSE, requests.ConnectionError, True),
        (Cut.MID_RESPONSE, requests.exceptions.ChunkedEncodingError, True),
        (Cut.SILENCE, requests.ReadTimeout, True),
        (Cut.SHORT_RESPONSE, (200, ANSWER[:5]), True),
        (Replace(429, b"slow down"), (429, b"slow down"), False),
        (Replace(500, b"<html>", forward=True), (500, b"<html>"), True),
    ],
    ids=str,
)
def test_a_fault_strikes_one_request_and_the_next_goes_through_unchanged(
    server: Server, proxy: FaultProxy, fault: Fault, told: object, arrives: bool
) -> None:
    proxy.add(Rule(fault))
    seconds = SHORT_S if fault is Cut.SILENCE else 10
    if isinstance(told, type) and issubclass(told, Exception):
        with pytest.raises(told):
            post(proxy, seconds)
    else:
        response = post(proxy)
        assert (response.status_code, response.content) == told
    proxy.settle()
    whole = ("POST", "/posts?b=c%20d", BODY)
    assert server.heard == [whole] * arrives
    response = post(proxy)
    assert (response.content, response.headers["X-Kept"]) == (ANSWER, "yes")
    assert server.heard == [whole] * (arrives + 1)
    assert [request.fault for request in proxy.requests] == [fault, None]


def test_a_rule_strikes_the_nth_requests_that_fit_and_no_others(proxy: FaultProxy) -> None:
    proxy.add(Rule(Replace(500), method="POST", path="/posts", nth=2, times=2))
    statuses = []
    for _ in range(4):
        assert requests.get(f"{proxy.url}/posts", timeout=10).status_code == 200
        statuses.append(post(proxy).status_code)
    assert statuses == [200, 500, 500, 200]
    proxy.add(Rule(Replace(500), times=FOR_GOOD))
    assert [post(proxy).status_code for _ in range(3)] == [500] * 3
    proxy.mend()
    assert post(proxy).status_code == 200
