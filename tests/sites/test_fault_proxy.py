"""The fault proxy against a trivial server that notes what reached it."""

import itertools
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
import requests

from copydesk_connectors.suite.fault_proxy import (
    FOR_GOOD,
    Cut,
    Delay,
    FaultProxy,
    Half,
    Replace,
    Rule,
    Silence,
)

ANSWER = b"0123456789"


class NotingServer(ThreadingHTTPServer):
    """Answers ANSWER to all, a POST once ``go`` is set; ``heard`` are the complete requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), NotingHandler)
        self.heard: list[tuple[str, str, bytes]] = []
        self.hosts: list[str] = []
        self.go = threading.Event()
        self.go.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class NotingHandler(BaseHTTPRequestHandler):
    server: NotingServer

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            return
        if self.command == "POST":
            assert self.server.go.wait(10)
        self.server.hosts.append(self.headers["Host"])
        self.server.heard.append((self.command, self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", str(len(ANSWER)))
        self.send_header("X-Kept", "yes")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(ANSWER)

    do_POST = do_HEAD = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[NotingServer]:
    with NotingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def proxy(server: NotingServer) -> Iterator[FaultProxy]:
    with FaultProxy(server.url) as proxy:
        yield proxy


def get(proxy: FaultProxy, path: str = "/") -> requests.Response:
    return requests.get(proxy.url + path, timeout=10)


def post(proxy: FaultProxy, body: bytes = b"body") -> requests.Response:
    return requests.post(f"{proxy.url}/posts", data=body, timeout=10)


def test_what_no_rule_strikes_goes_through_unchanged(
    server: NotingServer, proxy: FaultProxy
) -> None:
    assert get(proxy, "/a?b=c%20d").content == ANSWER
    response = post(proxy)
    assert response.headers["X-Kept"] == "yes"
    head = requests.head(proxy.url, timeout=10)
    assert head.headers["Content-Length"] == "10"
    assert server.heard == [
        ("GET", "/a?b=c%20d", b""),
        ("POST", "/posts", b"body"),
        ("HEAD", "/", b""),
    ]
    assert set(server.hosts) == {urlsplit(server.url).netloc}
    assert [request.number for request in proxy.requests] == [1, 2, 3]


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_rule_strikes_the_nth_request_that_fits_and_no_other(proxy: FaultProxy, nth: int) -> None:
    proxy.add(Rule(Replace(500), method="GET", path="/posts", nth=nth))
    statuses = []
    for _ in range(4):
        get(proxy, "/other")
        post(proxy)
        statuses.append(get(proxy, "/posts?id=1").status_code)
    assert statuses == [500 if number == nth else 200 for number in range(1, 5)]


@pytest.mark.parametrize(
    ("cut", "carried_out"),
    [(Cut.BEFORE_REQUEST, False), (Cut.MID_REQUEST, False), (Cut.BEFORE_RESPONSE, True)],
)
def test_a_cut_leaves_the_client_without_an_answer(
    server: NotingServer, proxy: FaultProxy, cut: Cut, carried_out: bool
) -> None:
    proxy.add(Rule(cut))
    with pytest.raises(requests.ConnectionError):
        post(proxy, b"x" * 100_000)
    proxy.settle()
    assert bool(server.heard) is carried_out
    assert post(proxy).content == ANSWER


def test_after_request_cuts_the_client_while_the_server_still_works(
    server: NotingServer, proxy: FaultProxy
) -> None:
    proxy.add(Rule(Cut.AFTER_REQUEST))
    server.go.clear()
    with pytest.raises(requests.ConnectionError):
        post(proxy)
    assert server.heard == []
    with pytest.raises(TimeoutError):
        proxy.settle(0.05)
    server.go.set()
    proxy.settle()
    assert server.heard == [("POST", "/posts", b"body")]


def test_mid_response_leaves_half_a_body(proxy: FaultProxy) -> None:
    proxy.add(Rule(Cut.MID_RESPONSE))
    response = requests.get(proxy.url, timeout=10, stream=True)
    assert response.headers["Content-Length"] == "10"
    # urllib3 hands out what came and then says that the rest did not.
    chunks = response.iter_content(1)
    assert b"".join(itertools.islice(chunks, 5)) == ANSWER[:5]
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        next(chunks)


def test_replace_answers_in_the_servers_place(server: NotingServer, proxy: FaultProxy) -> None:
    proxy.add(Rule(Replace(429, b"slow down", {"Retry-After": "7"})))
    response = post(proxy)
    assert (response.status_code, response.content) == (429, b"slow down")
    assert response.headers["Retry-After"] == "7"
    assert server.heard == []


def test_replace_can_hide_that_the_server_did_the_work(
    server: NotingServer, proxy: FaultProxy
) -> None:
    proxy.add(Rule(Replace(500, b"<html>", forward=True)))
    assert post(proxy).status_code == 500
    assert len(server.heard) == 1


def test_delay_holds_the_answer_back_until_the_client_gives_up(
    server: NotingServer, proxy: FaultProxy
) -> None:
    proxy.add(Rule(Delay(0.5)))
    with pytest.raises(requests.ReadTimeout):
        requests.get(proxy.url, timeout=0.1)
    proxy.settle()
    assert len(server.heard) == 1


def test_a_rule_may_last(proxy: FaultProxy) -> None:
    proxy.add(Rule(Replace(500), nth=2, times=2))
    assert [get(proxy).status_code for _ in range(4)] == [200, 500, 500, 200]
    proxy.add(Rule(Replace(500), times=FOR_GOOD))
    assert [get(proxy).status_code for _ in range(3)] == [500, 500, 500]
    proxy.mend()
    assert get(proxy).status_code == 200


def test_silence_lasts_until_the_client_gives_up(server: NotingServer, proxy: FaultProxy) -> None:
    proxy.add(Rule(Silence()))
    with pytest.raises(requests.ReadTimeout):
        requests.get(proxy.url, timeout=0.1)
    proxy.settle()
    assert len(server.heard) == 1


def test_half_is_an_answer_that_looks_whole(proxy: FaultProxy) -> None:
    proxy.add(Rule(Half()))
    response = get(proxy)
    assert (response.content, response.headers["Content-Length"]) == (ANSWER[:5], "5")


def test_a_proxy_that_is_down_refuses_and_comes_back(proxy: FaultProxy) -> None:
    url = proxy.url
    proxy.down()
    with pytest.raises(requests.ConnectionError, match="refused"):
        get(proxy)
    proxy.up()
    assert proxy.url == url
    assert get(proxy).content == ANSWER


def test_a_server_that_is_down_is_a_cut_connection() -> None:
    with NotingServer() as server:
        url = server.url
    with FaultProxy(url) as proxy, pytest.raises(requests.ConnectionError):
        get(proxy)


def test_an_upstream_that_is_no_http_url_is_refused() -> None:
    with pytest.raises(ValueError, match="http://host:port"):
        FaultProxy("https://127.0.0.1")
