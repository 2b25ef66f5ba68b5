"""The MCP server as a process before the real service, driven by the official client."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.support.customers import Customer, another_key
from tests.support.feeds import RunningFeed, new_feed
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel, one_process

SECONDS = 120


@asynccontextmanager
async def served(customer: Customer, feed: RunningFeed) -> AsyncIterator[Client]:
    """``copydesk mcp`` over stdio, and a client of it."""
    env = {
        "COPYDESK_API_KEY": customer.api_key,
        "COPYDESK_BASE_URL": customer.service.url,
        "COPYDESK_FEED_URL": feed.url,
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    command = ["-m", "copydesk", "mcp"]
    async with Client(StdioServerParameters(command=sys.executable, args=command, env=env)) as each:
        yield each


def done(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def test_every_tool_works_with_the_service(group: ProcessGroup) -> None:
    """Tests drive it with the official client against the real service, over stdio."""
    service = one_process(group, ScriptedModel(group).url)
    feed = new_feed(service, requests_per_minute=10_000, requests_per_day=100_000)
    customer = another_key(service, feed.account_id)
    first, second = feed.add_items(feed.add_rule(), 2)

    async def inner() -> None:
        async with served(customer, feed) as client:
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
            assert "max_words" in refused.content[0].text
        # A server that was started again: the same arguments are the same post.
        async with served(customer, feed) as client:
            again = done(await client.call_tool("generate", {**request, "format": "html"}))
            assert again == made
            used = done(await client.call_tool("usage"))
            assert used["consumed"]["posts"] == 2

    asyncio.run(inner())
    assert [state for state, _ in feed.states()] == ["used", "rejected"]
