"""Many calls through a proxy that drops, delays, cuts, duplicates and gives up."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

from copydesk import AsyncCopydesk, Copydesk, Generation

CALLS = int(os.environ.get("FAULTY_CALLS", "300"))
AT_ONCE = 40
FAULTS = ("drop", "cut", "late", "twice", "502", "503", "504", "empty", "reset after the work")


@dataclass
class Upstream:
    """A service that does the work of a key once, behind the proxy."""

    samples: Any
    seed: int
    url: str = ""
    work: dict[str, int] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, or fail on the way."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = dict(
                line.split(": ", 1) for line in head.lower().split("\r\n")[1:] if ": " in line
            )
            body = json.loads(await reader.readexactly(int(lines["content-length"])))
            await self._through(lines["idempotency-key"], body, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _through(self, key: str, body: Any, writer: asyncio.StreamWriter) -> None:
        fault = self._random.choice(FAULTS) if self._random.random() < 0.5 else ""
        if fault == "drop":
            return
        if fault == "503":
            self._write(writer, 503, b"")
            return
        status, answer = await self._answer(key, body)
        if fault == "twice":
            status, answer = await self._answer(key, body)
        if fault in ("502", "504"):
            self._write(writer, int(fault), b"<html>Gateway</html>", "text/html")
        elif fault == "empty":
            self._write(writer, 200, b"{")
        elif fault == "cut":
            self._write(writer, status, answer, cut=True)
        elif fault != "reset after the work":
            if fault == "late":
                await asyncio.sleep(0.02)
            self._write(writer, status, answer)
        await writer.drain()

    async def _answer(self, key: str, body: Any) -> tuple[int, bytes]:
        if key in self.running:
            return 409, b'{"error": {"code": "IDEMPOTENCY_IN_PROGRESS", "message": "Wait."}}'
        if key not in self.work:
            self.running.add(key)
            await asyncio.sleep(self._random.random() * 0.02)
            self.running.discard(key)
            self.work[key] = self.work.get(key, 0) + 1
        post = {**self.samples["generation"], "requestId": f"req_{body['keywords'][0]}"}
        return 200, json.dumps(post).encode()

    def _write(
        self,
        writer: asyncio.StreamWriter,
        status: int,
        body: bytes,
        kind: str = "application/json",
        cut: bool = False,
    ) -> None:
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())
        writer.write(body[: len(body) // 2] if cut else body)


@asynccontextmanager
async def serving(upstream: Upstream) -> AsyncIterator[Upstream]:
    server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0, backlog=500)
    upstream.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield upstream


@contextmanager
def in_a_thread(upstream: Upstream) -> Iterator[Upstream]:
    ready, done = Event(), Event()

    async def work() -> None:
        async with serving(upstream):
            ready.set()
            while not done.is_set():
                await asyncio.sleep(0.02)

    thread = Thread(target=lambda: asyncio.run(work()))
    thread.start()
    ready.wait(20)
    try:
        yield upstream
    finally:
        done.set()
        thread.join()


def check(upstream: Upstream, results: list[Generation]) -> None:
    """ "0 double generations, 0 lost results, no unclear error" """
    assert [each.request_id for each in results] == [f"req_{n}" for n in range(CALLS)]
    assert len(upstream.work) == CALLS
    assert set(upstream.work.values()) == {1}


def test_async_calls_lose_and_double_nothing(samples: Any, api_key: str) -> None:
    async def work() -> tuple[Upstream, list[Generation]]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def call(number: int) -> Generation:
            async with gate:
                return await client.generate(keywords=[str(number)], idempotency_key=f"k{number}")

        async with (
            serving(Upstream(samples, 7)) as upstream,
            AsyncCopydesk(api_key, upstream.url, timeout=120) as client,
        ):
            return upstream, await asyncio.gather(*map(call, range(CALLS)))

    check(*asyncio.run(work()))


def test_blocking_calls_lose_and_double_nothing(samples: Any, api_key: str) -> None:
    with in_a_thread(Upstream(samples, 8)) as upstream:
        with Copydesk(api_key, upstream.url, timeout=120) as client, ThreadPoolExecutor(20) as pool:
            results = list(
                pool.map(
                    lambda number: client.generate(
                        keywords=[str(number)], idempotency_key=f"k{number}"
                    ),
                    range(CALLS),
                )
            )
        check(upstream, results)


@pytest.mark.parametrize("patience", [0.1])
def test_a_post_that_takes_ten_times_a_proxys_patience_is_returned(
    samples: Any, api_key: str, patience: float
) -> None:
    """ "a post that takes 5 minutes (scaled down) behind proxies with 1/10 of that patience" """
    begun: list[float] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        await reader.readexactly(length)
        now = asyncio.get_running_loop().time()
        begun.append(now)
        left = begun[0] + 10 * patience - now
        await asyncio.sleep(max(0.0, min(patience, left)))
        if left > patience:
            writer.write(b"HTTP/1.1 504 Time-out\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        else:
            body = json.dumps(samples["generation"]).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(body))
            writer.write(b"Connection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    async def work() -> Generation:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, AsyncCopydesk(api_key, url) as client:
            return await client.generate(keywords=["cold brew"])

    assert asyncio.run(work()).request_id == "req_1"
    assert len(begun) > 3
