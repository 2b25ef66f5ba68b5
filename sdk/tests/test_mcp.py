"""The MCP server, driven by the official client: in process, and as a process of its own."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from copydesk import AsyncCopydesk, GenerateRequest, _mcp_server
from copydesk._mcp_server import Clients, make_server
from copydesk.cli import main
from copydesk.testing import FakeService, make_check_report, serve

WRITES = int(os.environ.get("MCP_WRITES", "40"))
# Text in JSON has more than three characters a token.
CHARACTERS_A_TOKEN = 3
SECONDS = 60

Use = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def fake() -> FakeService:
    return FakeService(requests_per_minute=100_000, requests_per_day=100_000)


def run(fake: FakeService, use: Use) -> Any:
    """Use a client of a server in this process."""

    async def inner() -> Any:
        async with Client(make_server(Clients(fake.async_client(), fake.async_feed()))) as client:
            return await asyncio.wait_for(use(client), SECONDS)

    return asyncio.run(inner())


def call(fake: FakeService, tool: str, **arguments: Any) -> Any:
    return run(fake, lambda client: client.call_tool(tool, arguments))


def done(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def billed(fake: FakeService) -> int:
    return fake._month()["posts"]


# --- the list of tools


def test_the_tool_list_has_at_most_2000_tokens(fake: FakeService) -> None:
    """tool list ≤ 2,000 tokens"""
    listed = run(fake, lambda client: client.list_tools())
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(sent) / CHARACTERS_A_TOKEN <= 2_000


def test_the_arguments_are_those_of_a_request() -> None:
    ours = {"response_types", "client_provided_request_id"}
    assert _mcp_server.REQUEST.keys() == GenerateRequest.__annotations__.keys() - ours


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


def test_the_annotations_say_what_the_tools_do(fake: FakeService) -> None:
    listed = run(fake, lambda client: client.list_tools()).tools
    hints = {tool.name: tool.annotations for tool in listed}
    assert {
        name: (hint.read_only_hint, hint.destructive_hint, hint.idempotent_hint)
        for name, hint in hints.items()
    } == HINTS


@pytest.mark.parametrize("tool", ["generate", "create_job"])
def test_a_repeated_write_is_done_once(fake: FakeService, tool: str) -> None:
    """Each write carries an idempotency key derived from its arguments"""
    first = done(call(fake, tool, keywords=["tea"], tone="bold"))
    assert done(call(fake, tool, tone="bold", keywords=["tea"], topic=None)) == first
    keys = {each.headers.get("idempotency-key") or each.body["idempotencyKey"]
            for each in fake.requests}  # fmt: skip
    assert len(keys) == 1
    fake.finish_jobs()
    assert billed(fake) == 1
    done(call(fake, tool, keywords=["tea"], tone="bold", variant=2))
    fake.finish_jobs()
    assert billed(fake) == 2


def test_reading_changes_nothing(fake: FakeService) -> None:
    done(call(fake, "generate", keywords=["tea"]))
    before = done(call(fake, "usage"))
    done(call(fake, "usage"))
    assert done(call(fake, "usage")) == before


def test_a_text_is_checked_and_blockers_come_first(fake: FakeService) -> None:
    """check text"""
    faults = [
        {"line": line, "column": 1, "severity": severity, "check": "cut_off", "reason": "It ends."}
        for line, severity in enumerate(["warning"] * 60 + ["blocker"], 1)
    ]
    report = make_check_report(passes=False, findings=faults, finding_count=61)
    fake.check_reports.append(report)
    found = done(call(fake, "check_text", text="# Tea\n", keywords=["tea"], title="Tea"))
    assert fake.requests[-1].body == {"text": "# Tea\n", "keywords": ["tea"], "title": "Tea"}
    assert (found["passes"], found["score"], found["findingCount"]) == (False, 70, 61)
    assert [each["line"] for each in found["findings"]] == [61, *range(1, 50)]
    assert billed(fake) == 0


def test_a_repeated_pull_can_lose_a_post(fake: FakeService) -> None:
    item_id = fake.add_item()
    for sends in (1, 2, 3):
        assert done(call(fake, "feed_pull"))["sends"] == sends
    assert done(call(fake, "feed_pull")) == {"available": False}
    assert fake.item_status(item_id) == "abandoned"


@pytest.mark.parametrize(("tool", "state"), [("feed_confirm", "used"), ("feed_reject", "rejected")])
def test_a_feed_write_can_be_repeated(fake: FakeService, tool: str, state: str) -> None:
    item_id = fake.add_item()
    assert done(call(fake, "feed_pull"))["item_id"] == item_id
    for _ in range(2):
        assert done(call(fake, tool, item_id=item_id)) == {"item_id": item_id, "status": state}


@pytest.mark.parametrize(
    ("clients", "tools"),
    [
        ("service", {"generate", "create_job", "job_status", "check_text", "usage"}),
        ("feed", {"feed_pull", "feed_confirm", "feed_reject"}),
    ],
)
def test_only_tools_that_can_work_are_listed(
    fake: FakeService, clients: str, tools: set[str]
) -> None:
    given = {"service": fake.async_client(), "feed": fake.async_feed()}

    async def listed() -> set[str]:
        async with Client(make_server(Clients(**{clients: given[clients]}))) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(listed()) == tools


# --- progress


class Held(httpx2.AsyncBaseTransport):
    """The fake service, which answers when it is released."""

    def __init__(self, fake: FakeService) -> None:
        self.released = asyncio.Event()
        self._fake = fake

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await self.released.wait()
        return await self._fake.transport.handle_async_request(request)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_generate_reports_progress_until_the_post_is_there(
    fake: FakeService, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """generate with progress"""
    monkeypatch.setattr(_mcp_server, "PROGRESS_EVERY_S", 0.01)
    seen: list[float] = []

    async def inner() -> Any:
        held = Held(fake)

        async def on_progress(progress: float, _: float | None, message: str | None) -> None:
            seen.append(progress)
            assert message
            assert message.endswith("s: working")
            if len(seen) == 3:
                held.released.set()

        service = AsyncCopydesk(fake.api_key, fake.base_url, transport=held)
        async with Client(make_server(Clients(service)), mode=mode) as client:
            arguments = {"keywords": ["tea"]}
            made = client.call_tool("generate", arguments, progress_callback=on_progress)
            return await asyncio.wait_for(made, SECONDS)

    assert done(asyncio.run(inner()))["markdown"]
    assert len(seen) >= 3
    assert seen == sorted(set(seen))


def test_job_status_waits_for_the_post(fake: FakeService) -> None:
    job_id = done(call(fake, "create_job", keywords=["tea"]))["job_id"]
    found = done(call(fake, "job_status", job_id=job_id, wait_seconds=30, format="html"))
    assert found["status"] == "succeeded"
    assert found["html"].startswith("<")


def test_job_status_says_what_the_job_is_when_its_time_is_over(
    fake: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = done(call(fake, "create_job", keywords=["tea"]))["job_id"]
    monkeypatch.setattr(fake, "_finish", lambda _: None)
    found = done(call(fake, "job_status", job_id=job_id, wait_seconds=1))
    assert found == {"job_id": job_id, "status": "processing"}


def test_a_failed_job_says_why(fake: FakeService) -> None:
    arguments = {"keywords": ["test:CONTENT_QUALITY_FAILED"]}
    job_id = done(call(fake, "create_job", **arguments))["job_id"]
    found = done(call(fake, "job_status", job_id=job_id, wait_seconds=30))
    assert (found["status"], found["error"]["code"]) == ("failed", "CONTENT_QUALITY_FAILED")


# --- errors


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("CONTENT_QUALITY_FAILED", "Nothing was billed."),
        ("PROHIBITED_INPUT", "Ask for something else."),
        ("QUOTA_EXCEEDED", "the tool usage shows when it resets"),
        ("RATE_LIMITED", "with the same arguments"),
        ("SERVICE_UNAVAILABLE", "nothing is done or billed twice"),
        ("INTERNAL_ERROR", "nothing is done or billed twice"),
        ("UNAUTHORIZED", "COPYDESK_API_KEY"),
        ("FORBIDDEN", "COPYDESK_API_KEY"),
        ("VALIDATION_ERROR", "Correct the arguments."),
    ],
)
def test_an_error_of_the_service_is_a_tool_error_with_advice(
    fake: FakeService, code: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """errors of the service as clear tool errors"""

    async def at_once(_: float) -> None:
        return

    monkeypatch.setattr("copydesk._transport.async_sleep", at_once)
    fake.fail_next(code, times=3)
    result = call(fake, "generate", keywords=["tea"])
    assert result.is_error
    text = result.content[0].text
    assert code in text
    assert advice in text
    assert billed(fake) == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("generate", {}, "'keywords' is a required property"),
        ("generate", {"keywords": "tea"}, "keywords: 'tea' is not of type 'array'"),
        ("generate", {"keywords": ["tea"], "tonne": "bold"}, "'tonne' was unexpected"),
        ("generate", {"keywords": ["tea"], "tone": "loud"}, "'loud' is not one of ['professional'"),
        ("create_job", {"keywords": ["tea"], "variant": 0}, "variant: 0 is less than"),
        ("job_status", {"job_id": "job_1", "wait_seconds": 1e9}, "wait_seconds: "),
        ("job_status", {"job_id": ".."}, "job_id must be an id that the service gave"),
        ("job_status", {"job_id": "job_1"}, "Use an id that another tool returned."),
        ("feed_confirm", {"item_id": "itm_1"}, "Use an id that another tool returned."),
        ("generate", {"keywords": ["x" * 100_000] * 30}, "keywords: "),
    ],
)
def test_wrong_arguments_are_explained(
    fake: FakeService, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    result = call(fake, tool, **arguments)
    assert result.is_error
    text = result.content[0].text
    assert problem in text
    assert len(text) < 2_001


def test_an_unknown_tool_is_an_error_of_the_protocol(fake: FakeService) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="There is no tool 'publish'"):
            await client.call_tool("publish")

    run(fake, use)


def test_the_text_of_an_unexpected_exception_stays_in_the_server(
    fake: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError(f"at {fake.feed_url}")

    monkeypatch.setattr(_mcp_server, "_post", broken)
    fake.add_item()
    result = call(fake, "feed_pull")
    assert result.is_error
    assert result.content[0].text == "The tool failed; the log of this MCP server has the reason."


def test_no_output_has_a_secret(fake: FakeService) -> None:
    """no secret in any output"""
    fake.add_item()

    async def everything(client: Client) -> str:
        said = [str(await client.list_tools())]
        for tool, arguments in [
            ("generate", {"keywords": ["tea"]}),
            ("generate", {"keywords": ["test:UNAUTHORIZED"]}),
            ("create_job", {"keywords": ["tea"]}),
            ("job_status", {"job_id": "job_unknown"}),
            ("check_text", {"text": "Tea."}),
            ("usage", {}),
            ("feed_pull", {}),
            ("feed_confirm", {"item_id": "itm_unknown"}),
        ]:
            said.append(str(await client.call_tool(tool, arguments)))
        fake.disconnect_next()
        said.append(str(await client.call_tool("feed_pull")))
        fake.feed_token = "ct_other"
        said.append(str(await client.call_tool("feed_pull")))
        return "\n".join(said)

    said = run(fake, everything)
    for secret in (fake.api_key, "ct_fake", "ct_other"):
        assert secret not in said


# --- as a process


@pytest.fixture
def served(fake: FakeService) -> Iterator[FakeService]:
    with serve(fake):
        yield fake


def environment(fake: FakeService, **more: str) -> dict[str, str]:
    shown = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return {
        **shown,
        "COPYDESK_API_KEY": fake.api_key,
        "COPYDESK_BASE_URL": fake.base_url,
        "COPYDESK_FEED_URL": fake.feed_url,
        **more,
    }


class Process:
    """``copydesk mcp`` over stdio, which can be killed."""

    def __init__(self, fake: FakeService, folder: Path) -> None:
        self._env = environment(fake)
        self._pid = folder / "pid"

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        self._pid.unlink(missing_ok=True)
        begin = ["-c", 'echo $$ > "$0"; exec "$@"', str(self._pid)]
        command = [sys.executable, "-m", "copydesk", "mcp"]
        parameters = StdioServerParameters(command="sh", args=[*begin, *command], env=self._env)
        async with Client(parameters) as client:
            yield client

    def kill(self) -> None:
        os.kill(int(self._pid.read_text()), signal.SIGKILL)


def test_the_settings_in_the_readme_start_the_server(served: FakeService) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    settings = json.loads(block)["mcpServers"]["copydesk"]
    env = environment(served)
    assert settings["env"].keys() <= env.keys()
    arguments = ["-m", settings["command"], *settings["args"]]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=env)

    async def inner() -> set[str]:
        async with Client(parameters) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(inner()) == HINTS.keys()
    tools = re.findall(
        r"^\| (`.*?) \|", readme.partition("## Tools for AI agents")[2], re.MULTILINE
    )
    assert set(re.findall(r"`(\w+)`", " ".join(tools[:6]))) == HINTS.keys()


Task = Callable[[Client, FakeService], Awaitable[bool]]


def scripted_tasks() -> list[Task]:
    """What users ask agents for."""

    def write(number: int, shape: str) -> Task:
        async def task(client: Client, _: FakeService) -> bool:
            arguments = {"keywords": [f"tea {number}"], "format": shape, "tone": "friendly"}
            made = done(await client.call_tool("generate", arguments))
            return bool(made[shape]) and made["words"] > 0

        return task

    def correct(number: int) -> Task:
        async def task(client: Client, _: FakeService) -> bool:
            wrong = {"keywords": f"pan {number}", "min_words": 100}
            refused = await client.call_tool("generate", wrong)
            right = {**wrong, "keywords": [wrong["keywords"]]}
            return refused.is_error and bool(done(await client.call_tool("generate", right)))

        return task

    def another(number: int) -> Task:
        async def task(client: Client, fake: FakeService) -> bool:
            before, arguments = billed(fake), {"keywords": [f"oil {number}"]}
            for variant in (1, 1, 2):
                done(await client.call_tool("generate", {**arguments, "variant": variant}))
            return billed(fake) == before + 2

        return task

    def in_background(number: int) -> Task:
        async def task(client: Client, _: FakeService) -> bool:
            job = done(await client.call_tool("create_job", {"keywords": [f"iron {number}"]}))
            wait = {"job_id": job["job_id"], "wait_seconds": 30}
            return done(await client.call_tool("job_status", wait))["status"] == "succeeded"

        return task

    def publish(number: int) -> Task:
        async def task(client: Client, fake: FakeService) -> bool:
            item_id = fake.add_item()
            pulled = done(await client.call_tool("feed_pull"))
            tool = "feed_reject" if number % 3 == 2 else "feed_confirm"
            settled = done(await client.call_tool(tool, {"item_id": pulled["item_id"]}))
            return pulled["item_id"] == item_id and settled["status"] != "reserved"

        return task

    def fail_and_replace(_: int) -> Task:
        async def task(client: Client, __: FakeService) -> bool:
            wrong = {"keywords": ["test:CONTENT_QUALITY_FAILED"]}
            refused = await client.call_tool("generate", wrong)
            return refused.is_error and "another variant" in refused.content[0].text

        return task

    def count(_: int) -> Task:
        async def task(client: Client, fake: FakeService) -> bool:
            used = done(await client.call_tool("usage"))["consumed"]["posts"]
            return bool(used == billed(fake))

        return task

    return [
        *(write(number, shape) for number in range(8) for shape in ("markdown", "html")),
        *map(correct, range(5)),
        *map(another, range(5)),
        *map(in_background, range(8)),
        *map(publish, range(9)),
        *map(fail_and_replace, range(3)),
        *map(count, range(4)),
    ]


def test_the_official_client_completes_50_scripted_tasks(
    served: FakeService, tmp_path: Path
) -> None:
    """the official client completes 50 scripted tasks ≥ 95 %"""
    tasks = scripted_tasks()
    assert len(tasks) == 50

    async def inner() -> list[bool]:
        async with Process(served, tmp_path).client() as client:
            return [await asyncio.wait_for(task(client, served), SECONDS) for task in tasks]

    assert asyncio.run(inner()) == [True] * 50


class Unreliable(FakeService):
    """The fake service; it can do the work of a request and hold the answer."""

    def __init__(self) -> None:
        super().__init__(requests_per_minute=100_000, requests_per_day=100_000)
        self.hold = threading.Event()
        self.holding, self.released = threading.Event(), threading.Event()

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> Any:
        reply = super().respond(method, target, headers, content)
        if method == "POST" and self.hold.is_set():
            self.hold.clear()
            self.holding.set()
            self.released.wait(SECONDS)
        return reply


async def kill_in_a_call(
    process: Process, client: Client, fake: Unreliable, tool: str, arguments: dict[str, Any]
) -> None:
    """Call the tool, and kill the server when the work is done and the answer is on its way."""
    fake.holding.clear()
    fake.released.clear()
    fake.hold.set()
    calling = asyncio.create_task(client.call_tool(tool, arguments))
    assert await asyncio.to_thread(fake.holding.wait, SECONDS)
    process.kill()
    fake.released.set()
    with pytest.raises(MCPError):
        await asyncio.wait_for(calling, SECONDS)


def test_writes_with_lost_answers_and_restarts_are_done_once(tmp_path: Path) -> None:
    """MCP writes with lost answers and restarts: 0 doubled. MCP_WRITES=1000 is the long form."""
    fake, random = Unreliable(), Random(19)
    faults = random.choices(["", "lost", "killed"], [5, 4, 1], k=WRITES)
    assert len(set(faults)) == 3
    writes = [
        (fault, random.choice(["generate", "create_job"]), {"keywords": [f"tea {number}"]})
        for number, fault in enumerate(faults)
    ]

    async def write_until_killed(process: Process) -> None:
        """Do as an agent: call again with the same arguments until there is an answer."""
        async with process.client() as client:
            while writes:
                fault, tool, arguments = writes[0]
                if fault == "killed":
                    writes[0] = ("", tool, arguments)
                    await kill_in_a_call(process, client, fake, tool, arguments)
                    return
                if fault == "lost":
                    fake.disconnect_next(after_work=True)
                first = done(await client.call_tool(tool, arguments))
                assert done(await client.call_tool(tool, arguments)) == first
                del writes[0]

    with serve(fake):
        process = Process(fake, tmp_path)
        for _ in range(1 + faults.count("killed")):
            asyncio.run(write_until_killed(process))
        assert not writes
        fake.finish_jobs()
        assert billed(fake) == WRITES


@asynccontextmanager
async def over_http(fake: FakeService, *options: str, **more: str) -> AsyncIterator[str]:
    """``copydesk mcp --http`` as a process; yields its URL."""
    command = [sys.executable, "-m", "copydesk", "mcp", "--http", *options]
    env = {**os.environ, **environment(fake, **more)}
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = await asyncio.to_thread(process.stderr.readline)
        said, _, url = line.strip().rpartition(" ")
        assert said == "MCP server at", line
        yield url
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait, SECONDS)
        process.stderr.close()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_over_http_goes_on_after_a_restart(served: FakeService, mode: str) -> None:
    """stdio and streamable HTTP (loopback by default)"""
    seen: list[float] = []

    async def on_progress(progress: float, *_: Any) -> None:
        seen.append(progress)

    async def inner() -> None:
        arguments = {"keywords": ["tea"]}
        async with over_http(served, "--port", "0") as url:
            port = url.split(":")[2].partition("/")[0]
            assert url.startswith("http://127.0.0.1:")
            client = Client(url, mode=mode)
            async with client:
                first = done(
                    await client.call_tool("generate", arguments, progress_callback=on_progress)
                )
        async with over_http(served, "--port", port) as url, Client(url, mode=mode) as client:
            assert done(await client.call_tool("generate", arguments)) == first

    asyncio.run(inner())
    assert seen
    assert billed(served) == 1


def test_http_refuses_other_hosts_and_clients_without_the_token(served: FakeService) -> None:
    token = "s3cret-of-the-mcp-server"

    async def inner() -> None:
        async with (
            over_http(served, "--port", "0", COPYDESK_MCP_TOKEN=token) as url,
            httpx2.AsyncClient(trust_env=False) as web,
        ):
            bearer = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
            for headers in ({}, {"Authorization": "Bearer s3cret"}):
                assert (await web.post(url, headers=headers, json={})).status_code == 401
            strange = {**bearer, "Host": "rebound.example.com"}
            assert (await web.post(url, headers=strange, json={})).status_code == 421
            assert (await web.post(url, headers=bearer, json={})).status_code not in (401, 421)

    asyncio.run(inner())


# --- the command


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "No API key and no feed. Set COPYDESK_API_KEY"),
        (["--http", "--host", "0.0.0.0"], "Set COPYDESK_MCP_TOKEN"),
        (["--http", "--port", "99999"], "--port must be 0 to 65535"),
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
