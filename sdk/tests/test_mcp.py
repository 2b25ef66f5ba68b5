"""The MCP server, driven by the official client: in process, and as a process of its own."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from copydesk import AsyncCopydesk, AsyncFeed, _mcp_server
from copydesk._mcp_server import make_server
from copydesk.cli import main

# Text in JSON has more than three characters a token.
CHARACTERS_A_TOKEN = 3
SECONDS = 60
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
# Whether a tool only reads, can lose something, and can be repeated.
HINTS = {
    "generate": (False, False, True),
    "create_job": (False, False, True),
    "job_status": (True, False, True),
    "usage": (True, False, True),
    "check_text": (True, False, True),
    "feed_pull": (False, True, False),
    "feed_confirm": (False, True, True),
    "feed_reject": (False, True, True),
}

Use = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def run(service: Any, api_key: str) -> Callable[[Use], Any]:
    """Return a function that uses a client of a server in this process."""

    async def inner(use: Use) -> Any:
        async with (
            AsyncCopydesk(api_key, service.url, max_retries=0) as calls,
            AsyncFeed(service.pull_url) as feed,
            Client(make_server(calls, feed)) as client,
        ):
            return await asyncio.wait_for(use(client), SECONDS)

    return lambda use: asyncio.run(inner(use))


@pytest.fixture
def call(run: Callable[[Use], Any]) -> Callable[..., Any]:
    return lambda tool, **arguments: run(lambda client: client.call_tool(tool, arguments))


def done(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def test_the_tool_list_is_short_and_says_what_the_tools_do(run: Callable[[Use], Any]) -> None:
    """tool list ≤ 2,000 tokens"""
    listed = run(lambda client: client.list_tools())
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(sent) / CHARACTERS_A_TOKEN <= 2_000
    hints = {tool.name: tool.annotations for tool in listed.tools}
    assert {
        name: (hint.read_only_hint, hint.destructive_hint, hint.idempotent_hint)
        for name, hint in hints.items()
    } == HINTS
    told = README.partition("## Tools for AI agents")[2].partition("\n\nThe API key")[0]
    assert set(re.findall(r"`([a-z_]+)`", told.rpartition("|---|")[2])) >= HINTS.keys()


@pytest.mark.parametrize(
    ("tool", "arguments", "found"),
    [
        ("generate", {"keywords": ["tea"], "tone": None, "format": "html"},
         {"quality_score": 91, "html": "<p>Cold brew needs time.</p>\n"}),
        ("create_job", {"keywords": ["tea"]}, {"job_id": "job_1", "status": "queued"}),
        ("job_status", {"job_id": "job_1", "wait_seconds": 30},
         {"status": "succeeded", "title": "Cold brew at home"}),
        ("check_text", {"text": "Tea.", "keywords": ["tea"]}, {"passes": True, "score": 68}),
        ("usage", {}, {"consumed": {"words": 930, "posts": 1, "requests": 1}}),
        ("feed_pull", {}, {"available": True, "item_id": "itm_1", "sends": 1}),
        ("feed_confirm", {"item_id": "itm_1"}, {"item_id": "itm_1", "status": "used"}),
        ("feed_reject", {"item_id": "itm_1"}, {"item_id": "itm_1", "status": "rejected"}),
    ],
)  # fmt: skip
def test_each_tool_returns_what_its_call_returns(
    call: Callable[..., Any], tool: str, arguments: dict[str, Any], found: dict[str, Any]
) -> None:
    assert found.items() <= done(call(tool, **arguments)).items()


def test_an_empty_feed_and_a_failed_or_pending_job_are_results(
    call: Callable[..., Any], service: Any, samples: dict[str, Any]
) -> None:
    service.waiting.clear()
    assert done(call("feed_pull")) == {"available": False}
    service.job = [samples["queued"]]
    assert done(call("job_status", job_id="job_1"))["status"] == "queued"
    service.job = [samples["failed"]]
    failed = done(call("job_status", job_id="job_1"))
    assert failed["error"]["code"] == "CONTENT_QUALITY_FAILED"


@pytest.mark.parametrize("tool", ["generate", "create_job"])
def test_a_repeated_write_has_the_same_idempotency_key(
    call: Callable[..., Any], service: Any, tool: str
) -> None:
    """Each write carries an idempotency key derived from its arguments"""
    done(call(tool, keywords=["tea"], tone="bold"))
    done(call(tool, tone="bold", keywords=["tea"], topic=None))
    done(call(tool, keywords=["tea"], tone="bold", variant=2))
    first, again, other = (
        seen.headers.get("Idempotency-Key") or seen.body["idempotencyKey"] for seen in service.seen
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("generate", {}, "keywords\n  Field required"),
        ("generate", {"keywords": "tea"}, "keywords\n  Input should be a valid list"),
        ("generate", {"keywords": ["tea"], "tonne": "bold"}, "tonne\n  Extra inputs"),
        ("generate", {"keywords": ["tea"], "tone": "loud"}, "tone\n  Input should be 'prof"),
        ("job_status", {"job_id": "job_1", "wait_seconds": 1e9}, "wait_seconds\n"),
        ("job_status", {"job_id": ".."}, "job_id must be an id that the service gave"),
        ("publish", {}, "Unknown tool: publish"),
    ],
)
def test_wrong_arguments_are_explained_and_nothing_is_sent(
    call: Callable[..., Any], service: Any, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    result = call(tool, **arguments)
    assert result.is_error
    assert problem in result.content[0].text
    assert not service.seen


@pytest.mark.parametrize(
    ("status", "code", "advice"),
    [
        (422, "CONTENT_QUALITY_FAILED", "pass another variant"),
        (503, "SERVICE_UNAVAILABLE", "nothing is done or billed twice"),
        (404, "NOT_FOUND", "Use an id that another tool returned"),
        (400, "VALIDATION_ERROR", "Correct the arguments"),
    ],
)
def test_an_error_of_the_service_is_a_tool_error_with_advice(
    call: Callable[..., Any], service: Any, status: int, code: str, advice: str
) -> None:
    """errors of the service as clear tool errors"""
    service.refuse(status, code, "It does not work.")
    result = call("generate", keywords=["tea"])
    assert result.is_error
    said = result.content[0].text
    assert said.startswith(f"It does not work (HTTP {status} {code}")
    assert advice in said


def test_no_output_has_a_secret(
    call: Callable[..., Any],
    service: Any,
    api_key: str,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """no secret in any output"""
    service.replies.extend(["cut", "cut"])
    said = [str(call("feed_pull")), str(call("usage"))]
    service.refuse(404, "NOT_FOUND", f"There is no {token}.")
    said.append(str(call("feed_pull")))

    def broken(*_: Any) -> None:
        raise RuntimeError(f"at {service.pull_url} with {api_key}")

    monkeypatch.setattr(_mcp_server, "_post", broken)
    said.append(str(call("feed_pull")))
    assert "Error executing tool feed_pull" in said[-1]
    assert all("is_error=True" in each for each in said)
    assert not any(secret in each for each in said for secret in (api_key, token))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_generate_reports_progress_until_the_post_is_there(
    service: Any, api_key: str, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """generate with progress"""
    monkeypatch.setattr(_mcp_server, "PROGRESS_EVERY_S", 0.01)
    seen: list[float] = []

    async def on_progress(progress: float, *_: Any) -> None:
        seen.append(progress)
        if len(seen) == 3:
            service.released.set()

    async def inner() -> Any:
        async with (
            AsyncCopydesk(api_key, service.url) as calls,
            Client(make_server(calls, None), mode=mode) as client,
        ):
            assert len((await client.list_tools()).tools) == 5
            arguments = {"keywords": ["tea"]}
            made = client.call_tool("generate", arguments, progress_callback=on_progress)
            return await asyncio.wait_for(made, SECONDS)

    service.replies.append("silent")
    assert done(asyncio.run(inner()))["markdown"]
    assert len(seen) >= 3
    assert seen == sorted(set(seen))


# --- as a process


@pytest.fixture
def environment(service: Any, api_key: str) -> dict[str, str]:
    return {
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "COPYDESK_API_KEY": api_key,
        "COPYDESK_BASE_URL": service.url,
        "COPYDESK_FEED_URL": service.pull_url,
    }


def test_the_settings_in_the_readme_start_the_server(environment: dict[str, str]) -> None:
    (block,) = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    settings = json.loads(block)["mcpServers"]["copydesk"]
    assert settings["env"].keys() <= environment.keys()
    arguments = ["-m", settings["command"], *settings["args"]]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    async def inner() -> set[str]:
        async with Client(parameters) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(inner()) == HINTS.keys()


@asynccontextmanager
async def over_http(environment: dict[str, str], port: str = "0") -> AsyncIterator[str]:
    """``copydesk mcp --http`` as a process; yields its URL."""
    command = [sys.executable, "-m", "copydesk", "mcp", "--http", "--port", port]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        url = None
        while url is None:
            line = await asyncio.to_thread(process.stderr.readline)
            assert line, "the server has ended"
            url = re.search(r"http://127\.0\.0\.1:\d+", line)
        yield f"{url[0]}/mcp"
    finally:
        process.terminate()
        await asyncio.to_thread(process.communicate, timeout=SECONDS)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_over_http_goes_on_after_a_restart(environment: dict[str, str], mode: str) -> None:
    """stdio and streamable HTTP (loopback by default)"""

    async def inner() -> None:
        async with over_http(environment) as url:
            port = url.split(":")[2].partition("/")[0]
            client = Client(url, mode=mode)
            async with client:
                first = done(await client.call_tool("generate", {"keywords": ["tea"]}))
        async with over_http(environment, port) as url, Client(url, mode=mode) as client:
            assert done(await client.call_tool("generate", {"keywords": ["tea"]})) == first

    asyncio.run(inner())


def test_http_refuses_other_hosts_and_clients_without_the_token(
    environment: dict[str, str],
) -> None:
    token = "s3cret-of-the-mcp-server"

    async def inner() -> None:
        async with (
            over_http({**environment, "COPYDESK_MCP_TOKEN": token}) as url,
            httpx2.AsyncClient(trust_env=False) as web,
        ):
            bearer = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
            for headers in ({}, {"Authorization": "Bearer s3cret"}):
                assert (await web.post(url, headers=headers, json={})).status_code == 401
            strange = {**bearer, "Host": "rebound.example.com"}
            assert (await web.post(url, headers=strange, json={})).status_code == 421
            assert (await web.post(url, headers=bearer, json={})).status_code not in (401, 421)

    asyncio.run(inner())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "no API key and no feed: set COPYDESK_API_KEY"),
        (["--http", "--host", "0.0.0.0"], "set COPYDESK_MCP_TOKEN"),
        (["--base-url", "ftp://copydesk"], "--base-url must be a complete URL"),
    ],
)
def test_a_server_that_cannot_work_does_not_start(
    arguments: list[str],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if arguments:
        monkeypatch.setenv("COPYDESK_API_KEY", "cd_test_fake")
    assert main(["mcp", *arguments]) == 2
    assert problem in capsys.readouterr().err
