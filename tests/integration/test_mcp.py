"""The MCP server as a process before the real service, driven by the official client."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from sqlalchemy import select

from app.store import models
from tests.support.customers import Customer, another_key
from tests.support.deployments import one_process
from tests.support.feeds import RunningFeed, new_feed
from tests.support.long_tests import LONG
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until

WRITES = int(os.environ.get("MCP_WRITES", "4"))
PLAN = [
    ("generate", "the MCP server is killed"),
    ("create_job", "the service is killed"),
    ("generate", "the service is killed"),
    ("create_job", "the MCP server is killed"),
]
ATTEMPTS = 10
SECONDS = 120


@pytest.fixture(scope="module")
def group() -> Iterator[ProcessGroup]:
    with ProcessGroup() as running:
        yield running


@pytest.fixture(scope="module")
def model(group: ProcessGroup) -> ScriptedModel:
    return ScriptedModel(group)


@pytest.fixture(scope="module")
def service(group: ProcessGroup, model: ScriptedModel) -> CopydeskService:
    return one_process(group, model.url)


@pytest.fixture
def feed(service: CopydeskService) -> RunningFeed:
    return new_feed(service, requests_per_minute=10_000, requests_per_day=100_000)


@pytest.fixture
def customer(service: CopydeskService, feed: RunningFeed) -> Customer:
    return another_key(service, feed.account_id)


class Server:
    """``copydesk mcp`` over stdio, which can be killed."""

    def __init__(self, customer: Customer, feed: RunningFeed, folder: Path) -> None:
        self._pid = folder / "pid"
        self._env = {
            "COPYDESK_API_KEY": customer.api_key,
            "COPYDESK_BASE_URL": customer.service.url,
            "COPYDESK_FEED_URL": feed.url,
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        begin = ["-c", 'echo $$ > "$0"; exec "$@"', str(self._pid)]
        command = [sys.executable, "-m", "copydesk", "mcp"]
        parameters = StdioServerParameters(command="sh", args=[*begin, *command], env=self._env)
        async with Client(parameters) as client:
            yield client

    def kill(self) -> None:
        os.kill(int(self._pid.read_text()), signal.SIGKILL)


@pytest.fixture
def server(customer: Customer, feed: RunningFeed, tmp_path: Path) -> Server:
    return Server(customer, feed, tmp_path)


def done(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def test_every_tool_works_with_the_service(server: Server, feed: RunningFeed) -> None:
    """Tests drive it with the official client against the real service, over stdio."""
    first, second = feed.add_items(feed.add_rule(), 2)

    async def inner() -> None:
        async with server.client() as client:
            assert len((await client.list_tools()).tools) == 8
            request = {"keywords": ["cold brew"], "max_words": 350}
            made = done(await client.call_tool("generate", {**request, "format": "html"}))
            assert made["html"].startswith("<")
            assert made["quality_score"] > 0
            job = done(await client.call_tool("create_job", request))
            assert job["status"] == "queued"
            wait = {"job_id": job["job_id"], "wait_seconds": SECONDS}
            ended = done(await client.call_tool("job_status", wait))
            assert ended["status"] == "succeeded"
            assert ended["markdown"]
            used = done(await client.call_tool("usage"))
            assert used["consumed"]["posts"] == 2
            assert done(await client.call_tool("feed_pull"))["item_id"] == first
            done(await client.call_tool("feed_confirm", {"item_id": first}))
            assert done(await client.call_tool("feed_pull"))["item_id"] == second
            done(await client.call_tool("feed_reject", {"item_id": second}))
            refused = await client.call_tool("feed_confirm", {"item_id": second})
            assert refused.is_error
            assert "CONFLICT" in refused.content[0].text
            wrong = {"keywords": ["cold brew"], "max_words": 10**6}
            refused = await client.call_tool("generate", wrong)
            assert refused.is_error
            assert "maxWords" in refused.content[0].text

    asyncio.run(inner())
    assert [state for state, _ in feed.states()] == ["used", "rejected"]


def jobs_have_ended(service: CopydeskService) -> bool:
    if service.is_idle():  # or waits for its next attempt, which is brought forward
        service.pass_time()
    with service.engine.connect() as database:
        open_ = models.Job.status.in_((models.Job.WAITING, models.Job.HELD))
        return database.scalar(select(models.Job.id).where(open_).limit(1)) is None


@LONG
def test_writes_are_done_once_whatever_is_killed(
    server: Server, service: CopydeskService, customer: Customer, model: ScriptedModel
) -> None:
    """MCP writes with lost answers and restarts: 0 doubled."""
    lost: list[str] = []

    async def at_work(calls: int) -> None:
        await asyncio.to_thread(wait_until, lambda: model.calls() > calls, SECONDS, "a call")

    async def attempt(tool: str, arguments: dict[str, Any], fault: str) -> bool:
        """Call once; return whether there was a result."""
        async with server.client() as client:
            calls = model.calls()
            calling = asyncio.create_task(client.call_tool(tool, arguments))
            if fault:
                await at_work(calls)
            if fault == "the MCP server is killed":
                server.kill()
            if fault == "the service is killed":
                await asyncio.to_thread(service.kill)
                await asyncio.to_thread(service.start)
                service.pass_time()
            try:
                result = await asyncio.wait_for(calling, SECONDS)
            except MCPError:
                lost.append(fault)
                return False
            assert not result.is_error or "Call again" in result.content[0].text, result.content
            return not result.is_error

    async def write(number: int) -> None:
        tool, fault = PLAN[number % len(PLAN)]
        arguments = {"keywords": [f"cold brew no {number}"], "max_words": 350}
        for _ in range(ATTEMPTS):
            if await attempt(tool, arguments, fault):
                return
            fault = ""
        raise AssertionError(f"no result of write {number}")

    # Posts of one account must not repeat each other.
    with model.behaving("varied"):
        for number in range(WRITES):
            asyncio.run(write(number))
            # Before the next kill: a job over which three workers die is given up.
            wait_until(lambda: jobs_have_ended(service), SECONDS, "the job has ended")
    assert "the MCP server is killed" in lost
    assert customer.usage()["consumed"]["posts"] == WRITES
