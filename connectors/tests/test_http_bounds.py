"""A call ends in time and takes a bounded amount of memory, whatever the other side does."""

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from copydesk_connectors.target import http_client
from copydesk_connectors.target.base import CopyState
from copydesk_connectors.target.errors import Unavailable
from copydesk_connectors.target.http_client import HttpClient
from copydesk_connectors.target.post import Post

from .items import Write
from .planted import seeing
from .test_http_client import target


@contextmanager
def dripping(head: bytes, drop: bytes) -> Iterator[str]:
    """A server that sends ``head`` and then ``drop`` again and again, slowly; its address."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(head)
            while not ended.wait(0.005):
                connection.sendall(drop)

    def listen() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    listener = socket.create_server(("127.0.0.1", 0))
    listening = threading.Thread(target=listen)
    listening.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (listening, *threads):
            thread.join()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIPS = {
    "headers": (b"HTTP/1.1 200 OK\r\nX-Drip: ", b"x"),
    "more headers": (b"HTTP/1.1 200 OK\r\n", b"X-Drip: x\r\n"),
    "a body of a length": (HEAD + b"Content-Length: 9999999\r\n\r\n", b" "),
    "one large chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n989680\r\n", b" "),
    "many chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a body without a length": (HEAD + b"\r\n", b" "),
    "a body that is the last": (HEAD + b"Connection: close\r\nContent-Length: 9999\r\n\r\n", b" "),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("drip", DRIPS)
def test_an_answer_that_drips_ends_in_time(monkeypatch: pytest.MonkeyPatch, drip: str) -> None:
    """a site that drips ends in time"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    with dripping(*DRIPS[drip]) as url:
        client = HttpClient("the site")
        for _ in range(2):  # the first leaves nothing behind that the next one uses
            with pytest.raises(Unavailable) as caught:
                client.request("GET", url)
            # The library itself refuses more than a hundred headers.
            assert "the site sent no complete response" in str(caught.value)
            assert url not in str(caught.value)


def test_a_tls_handshake_that_does_not_go_on_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """bounded in bytes and time"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    # The head of a record of 16 KB, which is the server's hello, byte by byte.
    with (
        dripping(b"\x16\x03\x03\x40\x00", b"\x02") as url,
        pytest.raises(Unavailable, match="the site sent no complete response within"),
    ):
        HttpClient("the site").request("GET", url.replace("http", "https", 1))


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_is_too_large_is_given_up(
    monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    """a site that sends 512 MB ends in time"""
    monkeypatch.setattr(http_client, "LARGEST_ANSWER", 100_000)
    body = b" " * 5_000_000
    headers = {"Content-Encoding": "gzip"} if packed else {}
    with seeing(200, gzip.compress(body) if packed else body, **headers) as site:
        client = HttpClient("the site")
        with pytest.raises(Unavailable, match="the site sent more than 100,000 bytes"):
            client.request("GET", site.url)
        answer = client.request("GET", site.url, most=1_000, whole=False)
    assert len(answer.content) == 1_000


def test_a_call_in_time_leaves_its_connection_for_the_next() -> None:
    """Connections are kept and used again."""
    asked: list[tuple[str, int]] = []

    def serve() -> None:
        connection, address = listener.accept()
        with connection:
            for _ in range(3):
                while not connection.recv(65536).endswith(b"\r\n\r\n"):
                    pass
                asked.append(address)
                connection.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        client = HttpClient("it")
        for _ in range(3):
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            assert client.request("GET", url).json() == {}
        thread.join()
    assert len(asked) == 3


def test_what_a_receiver_says_behind_its_status_does_not_matter(
    write_config: Write, tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2xx is published, whatever becomes of the body: else it would get the post again"""
    monkeypatch.setattr(http_client, "TOTAL_S", 0.3)
    with dripping(HEAD + b"Content-Length: 9999\r\n\r\n", b" ") as url:
        copy = target("webhook", write_config, tmp_path, url).publish(post, "")
    assert (copy.state, copy.url) == (CopyState.PUBLIC, "")
