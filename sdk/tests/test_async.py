"""The async clients: the calls, results and errors of the blocking ones, with ``await``."""

import asyncio
import gc
import json
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from copydesk import AsyncCopydesk, AsyncFeed, Copydesk, CopydeskError, Feed


@pytest.fixture(params=["asyncio", "trio"])
def run(request: pytest.FixtureRequest) -> Callable[[Callable[[], Awaitable[Any]]], Any]:
    """Run an async function on each event loop that httpx2 knows."""
    return lambda work: anyio.run(work, backend=request.param)


def test_every_call_has_the_result_of_the_blocking_client(
    service: Any, api_key: str, run: Any
) -> None:
    with Copydesk(api_key, service.url) as client, Feed(service.pull_url) as feed:
        blocking = [
            client.generate(keywords=["cold brew"]),
            client.usage(),
            client.check("Tea.", title="Tea"),
            client.jobs.create(keywords=["cold brew"]),
            client.jobs.wait("job_1"),
            client.jobs.get("job_1"),
            feed.latest(),
            feed.items(),
            feed.confirm("itm_1"),
            feed.latest(),
        ]
    sent = [(seen.method, seen.path, seen.query) for seen in service.seen]
    service.seen.clear()
    service.waiting.append({**blocking[6].raw})  # type: ignore[union-attr]

    async def work() -> list[Any]:
        async with (
            AsyncCopydesk(api_key, service.url) as client,
            AsyncFeed(service.pull_url) as feed,
        ):
            return [
                await client.generate(keywords=["cold brew"]),
                await client.usage(),
                await client.check("Tea.", title="Tea"),
                await client.jobs.create(keywords=["cold brew"]),
                await client.jobs.wait("job_1"),
                await client.jobs.get("job_1"),
                await feed.latest(),
                await feed.items(),
                await feed.confirm("itm_1"),
                await feed.latest(),
            ]

    results = run(work)
    assert results[:3] == blocking[:3]
    assert results[5:] == blocking[5:]
    # The first two looks at the job were the blocking client's.
    again = [(seen.method, seen.path, seen.query) for seen in service.seen]
    assert set(again) == set(sent)


def test_what_passes_is_sent_again_with_its_key(service: Any, api_key: str, run: Any) -> None:
    service.replies.extend(["cut", "half", (504, b"<html>", {})])

    async def work() -> Any:
        async with AsyncCopydesk(api_key, service.url) as client:
            return await client.generate(keywords=["cold brew"])

    assert run(work).request_id == "req_1"
    assert len({seen.headers["Idempotency-Key"] for seen in service.seen}) == 1
    assert len(service.seen) == 4


def test_200_calls_are_in_flight_at_once(api_key: str, samples: Any) -> None:
    """ "200 calls at once in asyncio with one client: all in flight, no warning, memory flat" """
    arrived = 0
    everybody = asyncio.Event()
    body = json.dumps(samples["usage"]).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        await reader.readuntil(b"\r\n\r\n")
        arrived += 1
        if arrived == 200:
            everybody.set()
        # Nobody is answered before all have asked.
        await everybody.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ")
        writer.write(b"%d\r\nConnection: close\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def work() -> list[int]:
        nonlocal arrived
        objects = []
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=300)
        port = server.sockets[0].getsockname()[1]
        async with server, AsyncCopydesk(api_key, f"http://127.0.0.1:{port}") as client:
            for _ in range(3):
                arrived = 0
                everybody.clear()
                results = await asyncio.gather(*(client.usage() for _ in range(200)))
                assert len(results) == 200
                del results
                gc.collect()
                objects.append(len(gc.get_objects()))
        return objects

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, before, after = asyncio.run(work())
    # 200 calls that left anything behind would leave 200 objects or more.
    assert after - before < 200


def test_a_cancelled_call_is_cancelled(service: Any, api_key: str) -> None:
    service.replies.append("silent")

    async def work() -> None:
        async with AsyncCopydesk(api_key, service.url) as client:
            task = asyncio.create_task(client.generate(keywords=["cold brew"]))
            while not service.seen:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(work())


def test_a_result_tells_its_request_id_rate_limits_and_whether_it_is_a_replay(
    service: Any, api_key: str, samples: Any
) -> None:
    """ "request id, rate limits and replay flag on every result" """
    service.reply(
        200,
        samples["generation"],
        X_Request_ID="req_7",
        Idempotent_Replayed="true",
        RateLimit='"minute";r=9;t=42, "day";r=49;t=3600',
    )
    with Copydesk(api_key, service.url) as client:
        response = client.generate(keywords=["cold brew"]).response
    assert response is not None
    assert (response.status, response.request_id, response.replayed) == (200, "req_7", True)
    assert response.rate_limits["minute"].remaining == 9
    assert response.rate_limits["day"].reset_seconds == 3600


def test_so_does_an_error(service: Any, api_key: str) -> None:
    service.refuse(429, "QUOTA_EXCEEDED", RateLimit='"minute";r=0;t=42')
    with Copydesk(api_key, service.url) as client, pytest.raises(CopydeskError) as caught:
        client.usage()
    assert caught.value.response.rate_limits["minute"].remaining == 0  # type: ignore[attr-defined]


def test_own_headers_are_sent(service: Any, api_key: str) -> None:
    with Copydesk(api_key, service.url, headers={"X-Team": "news"}) as client:
        client.usage()
    assert service.seen[0].headers["X-Team"] == "news"


def test_the_logger_tells_what_is_sent_again_and_no_secret(
    service: Any, api_key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="copydesk")
    service.replies.append("cut")
    with Copydesk(api_key, service.url) as client:
        client.generate(keywords=["cold brew"])
    levels = [(record.levelname, record.name) for record in caplog.records]
    assert levels == [("INFO", "copydesk"), ("DEBUG", "copydesk")]
    assert "POST" in caplog.text
    assert "is sent again" in caplog.text
    assert api_key not in caplog.text
