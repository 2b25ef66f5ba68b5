"""A client that costs little, so that the server is what is measured: requests written once and
sent over connections that stay open."""

import socket
import sys
import time
from multiprocessing import get_context
from threading import Thread
from urllib.parse import urlsplit

CONNECTIONS = 4


def requests_per_second(
    url: str, *, method: str = "GET", headers: dict[str, str], body: bytes = b"", seconds: float
) -> float:
    """Answers with status 200 a second, by a process of its own; any other answer ends it."""
    parts = urlsplit(url)
    lines = [f"{method} {parts.path} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    request = "\r\n".join([*lines, "", ""]).encode() + body
    address = (str(parts.hostname), int(parts.port or 80))
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (address, request, seconds))


def _measure(address: tuple[str, int], request: bytes, seconds: float) -> float:
    counts = [0] * CONNECTIONS
    begun = time.monotonic()
    threads = [
        Thread(target=_ask, args=(address, request, begun + seconds, counts, number))
        for number in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)


def _ask(
    address: tuple[str, int], request: bytes, until: float, counts: list[int], number: int
) -> None:
    with socket.create_connection(address) as connection:
        while time.monotonic() < until:
            connection.sendall(request)
            answer = connection.recv(65536)
            head, _, rest = answer.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                sys.exit(f"not a 200: {answer[:500]!r}")
            left = _content_length(head) - len(rest)
            while left > 0:
                left -= len(connection.recv(65536))
            counts[number] += 1


def _content_length(head: bytes) -> int:
    lines = head.lower().split(b"\r\n")
    return next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
