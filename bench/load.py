"""A client that costs little, so that the server is what is measured: requests written once and
sent over connections that stay open."""

import re
import socket
import time
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing import get_context
from multiprocessing.pool import Pool
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

CONNECTIONS = 4
_ITEM_ID = re.compile(rb'"id": ?"(itm_[^"]+)"')


class Client:
    """One connection; any answer but a 200 is an error."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._connection = socket.create_connection(address)

    def call(self, request: bytes) -> bytes:
        """The body of the answer."""
        self._connection.sendall(request)
        head, _, body = self._connection.recv(65536).partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"not a 200: {head[:300]!r} {body[:300]!r}")
        left = _content_length(head) - len(body)
        while left > 0:
            body += self._connection.recv(65536)
            left = _content_length(head) - len(body)
        return body

    def close(self) -> None:
        self._connection.close()


def requests_per_second(
    url: str, *, method: str = "GET", headers: dict[str, str], body: bytes = b"", seconds: float
) -> float:
    """Answers with status 200 a second, by a process of its own; any other answer ends it."""
    address, path = _parts(url)
    request = _request(method, path, address, headers, body)
    return elsewhere(_measure_calls, address, request, seconds)


def deliveries_per_second(feeds: Sequence[str], count: int) -> float:
    """Items claimed and confirmed a second, by a process of its own.

    Args:
        feeds: addresses without ``/latest``; each has a connection of its own.
        count: how many items to take from each.
    """
    return elsewhere(_measure_deliveries, list(feeds), count)


def elsewhere(measure: Callable[..., float], *arguments: Any) -> float:
    """What a process of its own measures; it is always the same one, as its start takes seconds."""
    return _process().apply(measure, arguments)


@cache
def _process() -> Pool:
    return get_context("spawn").Pool(1)


def _measure_calls(address: tuple[str, int], request: bytes, seconds: float) -> float:
    counts = [0] * CONNECTIONS
    until = time.monotonic() + seconds

    def ask(number: int) -> None:
        client = Client(address)
        while time.monotonic() < until:
            client.call(request)
            counts[number] += 1
        client.close()

    took = _side_by_side(ask, CONNECTIONS)
    return sum(counts) / took


def _measure_deliveries(feeds: list[str], count: int) -> float:
    done = [0] * len(feeds)

    def deliver(number: int) -> None:
        address, path = _parts(feeds[number])
        client = Client(address)
        pull = _request("GET", f"{path}/latest", address, {}, b"")
        for _ in range(count):
            found = _ITEM_ID.search(client.call(pull))
            if found is None:
                raise RuntimeError("the feed is empty")
            confirm = f"{path}/items/{found[1].decode()}/confirm"
            client.call(_request("POST", confirm, address, {"Content-Length": "0"}, b""))
            done[number] += 1
        client.close()

    took = _side_by_side(deliver, len(feeds))
    if sum(done) != count * len(feeds):
        raise RuntimeError("a client gave up")
    return sum(done) / took


def _side_by_side(work: Callable[[int], None], count: int) -> float:
    """Run the work in ``count`` threads and return the seconds it took."""
    threads = [Thread(target=work, args=(number,)) for number in range(count)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begun


def _parts(url: str) -> tuple[tuple[str, int], str]:
    parts = urlsplit(url)
    return (str(parts.hostname), int(parts.port or 80)), parts.path


def _request(
    method: str, path: str, address: tuple[str, int], headers: dict[str, str], body: bytes
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {address[0]}:{address[1]}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def _content_length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
