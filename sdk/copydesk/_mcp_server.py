"""The calls of this package as tools for agents, over the Model Context Protocol.

It needs the extra ``copydesk[mcp]``. Only the command ``copydesk mcp`` imports it.
"""

import hashlib
import hmac
import json
import logging
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, get_args

import anyio
import uvicorn
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from copydesk import errors
from copydesk._calls import OnProgress, Progress
from copydesk._version import __version__
from copydesk.client import AsyncCopydesk
from copydesk.errors import ConfigurationError, CopydeskError, JobPendingError
from copydesk.feed import AsyncFeed
from copydesk.models import CheckReport, Job, Post, Rendered
from copydesk.request import Factuality, GenerateRequest, KeywordUsage, Tone, generate_body

# Clients that reset their time-out at each report often wait 30 or 60 seconds.
PROGRESS_EVERY_S = 5.0
LONGEST_WAIT_S = 300
_LONGEST_ERROR = 2_000
# More than an agent corrects at a time.
_MOST_FINDINGS = 50

logger = logging.getLogger("copydesk.mcp")

Arguments = dict[str, Any]
Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
# Members of GenerateRequest. The service checks the values and explains what is wrong with them.
REQUEST: dict[str, Schema] = {
    "keywords": {
        "type": "array",
        "items": _TEXT,
        "minItems": 1,
        "maxItems": 20,
        "description": "Phrases to cover; the first is the primary keyword.",
    },
    "topic": {**_TEXT, "description": "What the post is about, beyond the keywords."},
    "language": {**_TEXT, "description": "BCP 47 tag; default en."},
    "region": {**_TEXT, "description": "ISO 3166-1 code, such as US."},
    "tone": {"enum": list(get_args(Tone))},
    "target_audience": _TEXT,
    "brand_voice": _TEXT,
    "industry": _TEXT,
    "target_url": {**_TEXT, "description": "The page the post is for."},
    "min_words": _NUMBER,
    "max_words": {**_NUMBER, "description": "Default 1200, or the plan's maximum."},
    "max_sections": _NUMBER,
    "include_faqs": {"type": "boolean"},
    "include_internal_links_placeholders": {"type": "boolean"},
    "keyword_usage_strategy": {"enum": list(get_args(KeywordUsage))},
    "factuality_mode": {
        "enum": list(get_args(Factuality)),
        "description": "verified: claims need sources.",
    },
}
_VARIANT: dict[str, Schema] = {
    "variant": {
        **_NUMBER,
        "minimum": 1,
        "default": 1,
        "description": "Another number writes and bills another post for the same arguments.",
    }
}
_FORMAT: dict[str, Schema] = {"format": {"enum": ["markdown", "html"], "default": "markdown"}}
_JOB_ID: dict[str, Schema] = {"job_id": _TEXT}
_ITEM_ID: dict[str, Schema] = {"item_id": _TEXT}
_WAIT: dict[str, Schema] = {
    "wait_seconds": {
        **_NUMBER,
        "minimum": 0,
        "maximum": LONGEST_WAIT_S,
        "default": 0,
        "description": "Return as soon as the job is done, at the latest after this time.",
    }
}


@dataclass(frozen=True)
class Clients:
    """What the tools call: the service, a feed, or both."""

    service: AsyncCopydesk | None = None
    feed: AsyncFeed | None = None


def make_server(clients: Clients) -> Server[Any]:
    """Return an MCP server with the tools that the clients can serve."""
    tools: dict[str, _Tool] = {}
    if clients.service is not None:
        tools |= _service_tools(clients.service)
    if clients.feed is not None:
        tools |= _feed_tools(clients.feed)

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool.listed for tool in tools.values()])

    async def call_tool(context: _Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name[:100]!r}.")
        return await _call(tool, context, params.arguments or {})

    return Server(
        "copydesk",
        title="Copydesk",
        version=__version__,
        instructions="Copydesk writes blog posts from keywords and checks each one.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(clients: Clients) -> None:
    """Serve on stdin and stdout until stdin ends."""

    async def run() -> None:
        server = make_server(clients)
        async with _open(clients), stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(run)


def serve_http(clients: Clients, host: str, port: int, token: str = "") -> None:
    """Serve streamable HTTP until the process is stopped; print the URL to stderr.

    ``port`` 0 takes a free one. Clients must send the token, if there is one, as
    ``Authorization: Bearer``.

    Raises:
        ConfigurationError: the address cannot be used.
    """
    listener = _listener(host, port)

    async def run() -> None:
        async with _open(clients):
            await _serve_http(make_server(clients), host, listener, token)

    anyio.run(run)


@asynccontextmanager
async def _open(clients: Clients) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for client in (clients.service, clients.feed):
            if client is not None:
                await stack.enter_async_context(client)
        yield


async def _serve_http(server: Server[Any], host: str, listener: socket.socket, token: str) -> None:
    # Without sessions, a client goes on after a restart of this server.
    app: ASGIApp = server.streamable_http_app(host=host, stateless_http=True)
    if token:
        app = _RequireToken(app, token)
    port = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    print(f"MCP server at http://{shown}:{port}/mcp", file=sys.stderr, flush=True)  # noqa: T201
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
    await uvicorn.Server(config).serve(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65_535:
        raise ConfigurationError(f"--port must be 0 to 65535; it is {port}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror
    raise ConfigurationError(f"--port {port} of {host} cannot be used: {reason}")


class _RequireToken:
    """Refuses HTTP requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            sent = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(sent, self._expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


# --- tools

_Context: TypeAlias = ServerRequestContext[Any, Any]
_Run = Callable[[Arguments, OnProgress], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True)
class _Tool:
    listed: Tool
    run: _Run


def _tool(
    name: str,
    description: str,
    run: _Run,
    properties: Mapping[str, Schema] | None = None,
    required: tuple[str, ...] = (),
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
) -> dict[str, _Tool]:
    schema: Schema = {
        "type": "object",
        "properties": dict(properties or {}),
        "required": list(required),
        "additionalProperties": False,
    }
    hints = ToolAnnotations(
        read_only_hint=read_only, destructive_hint=destructive, idempotent_hint=idempotent
    )
    listed = Tool(name=name, description=description, input_schema=schema, annotations=hints)
    return {name: _Tool(listed, run)}


def _service_tools(client: AsyncCopydesk) -> dict[str, _Tool]:
    async def generate(arguments: Arguments, on_progress: OnProgress) -> Mapping[str, Any]:
        shape = arguments.pop("format", "markdown")
        request, key = _request("generate", arguments)
        made = await client.generate(idempotency_key=key, on_progress=on_progress, **request)
        return {"quality_score": made.quality.score, **_post(made.post, made.rendered, shape)}

    async def create_job(arguments: Arguments, _: OnProgress) -> Mapping[str, Any]:
        request, key = _request("create_job", arguments)
        return _job(await client.jobs.create(idempotency_key=key, **request), "markdown")

    async def job_status(arguments: Arguments, on_progress: OnProgress) -> Mapping[str, Any]:
        job_id, wait = arguments["job_id"], arguments.get("wait_seconds", 0)
        try:
            if wait:
                job = await client.jobs.wait(job_id, timeout=wait, on_progress=on_progress)
            else:
                job = await client.jobs.get(job_id)
        except JobPendingError as pending:
            job = pending.job
        return _job(job, arguments.get("format", "markdown"))

    async def check_text(arguments: Arguments, _: OnProgress) -> Mapping[str, Any]:
        return _report(await client.check(**arguments))

    async def usage(_: Arguments, __: OnProgress) -> Mapping[str, Any]:
        return (await client.usage()).raw

    again = "The same arguments return the same post and bill it once."
    return {
        **_tool(
            "generate",
            f"Write and check a blog post; takes minutes. {again}",
            generate,
            {**REQUEST, **_FORMAT, **_VARIANT},
            ("keywords",),
        ),
        **_tool(
            "create_job",
            f"Start writing a post in the background; get it with job_status. {again} Arguments as"
            " for generate.",
            create_job,
            {**_without_descriptions(REQUEST), **_without_descriptions(_VARIANT)},
            ("keywords",),
        ),
        **_tool(
            "job_status",
            "Get a job: queued, processing, succeeded with the post, or failed with the reason.",
            job_status,
            {**_JOB_ID, **_WAIT, **_FORMAT},
            ("job_id",),
            read_only=True,
        ),
        **_tool(
            "check_text",
            "Check a Markdown text of your own: score and faults with their lines. Costs no words.",
            check_text,
            {
                "text": _TEXT,
                **_without_descriptions(
                    {name: REQUEST[name] for name in ("keywords", "language")} | {"title": _TEXT}
                ),
            },
            ("text",),
            read_only=True,
        ),
        **_tool("usage", "Get the plan, its limits and what is used.", usage, read_only=True),
    }


def _feed_tools(feed: AsyncFeed) -> dict[str, _Tool]:
    async def pull(arguments: Arguments, _: OnProgress) -> Mapping[str, Any]:
        item = await feed.latest()
        if item is None:
            return {"available": False}
        post = _post(item.post, item.rendered, arguments.get("format", "markdown"))
        sends = {"item_id": item.id, "sends": item.delivery_count}
        return {"available": True, **sends, **post}

    async def confirm(arguments: Arguments, _: OnProgress) -> Mapping[str, Any]:
        done = await feed.confirm(arguments["item_id"])
        return {"item_id": done.id, "status": done.status}

    async def reject(arguments: Arguments, _: OnProgress) -> Mapping[str, Any]:
        done = await feed.reject(arguments["item_id"])
        return {"item_id": done.id, "status": done.status}

    return {
        **_tool(
            "feed_pull",
            "Reserve the next post of the feed. Publish it, then call feed_confirm, or call"
            " feed_reject. Until then each pull sends the same post again; after 3 sends, the next"
            " pull abandons it.",
            pull,
            _FORMAT,
            destructive=True,
            idempotent=False,
        ),
        **_tool(
            "feed_confirm",
            "Mark a pulled post as published. Cannot be undone.",
            confirm,
            _ITEM_ID,
            ("item_id",),
            destructive=True,
        ),
        **_tool(
            "feed_reject",
            "Refuse a pulled post: the feed never sends it again. Cannot be undone.",
            reject,
            _ITEM_ID,
            ("item_id",),
            destructive=True,
        ),
    }


def _without_descriptions(properties: Mapping[str, Schema]) -> dict[str, Schema]:
    return {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in properties.items()
    }


def _request(tool: str, arguments: Arguments) -> tuple[GenerateRequest, str]:
    """Return the request of a tool's arguments, and the idempotency key derived from them."""
    variant = arguments.pop("variant", 1)
    request = cast(GenerateRequest, arguments)
    meant = json.dumps([tool, variant, generate_body(request)], sort_keys=True)
    return request, "mcp-" + hashlib.sha256(meant.encode()).hexdigest()[:40]


def _post(post: Post, rendered: Rendered, shape: str) -> dict[str, Any]:
    return {
        "title": post.title,
        "slug": post.slug_suggestion,
        "description": post.meta.description,
        "words": post.word_count,
        shape: rendered.html if shape == "html" else rendered.markdown,
    }


def _report(report: CheckReport) -> dict[str, Any]:
    """Return the report without the names of skipped rules; blockers come first."""
    raw, found = report.raw, report.findings
    worst = sorted(found, key=lambda each: each.severity != "blocker")[:_MOST_FINDINGS]
    shown = {name: value for name, value in raw.items() if name not in {"skipped", "findings"}}
    return {**shown, "findings": [each.raw for each in worst]}


def _job(job: Job, shape: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"job_id": job.job_id, "status": job.status}
    if job.error is not None:
        shown["error"] = {"code": job.error.code, "message": job.error.message}
    if job.post is not None and job.rendered is not None:
        shown |= _post(job.post, job.rendered, shape)
    return shown


# --- calls


async def _call(tool: _Tool, context: _Context, arguments: Arguments) -> CallToolResult:
    if problem := _problem(tool.listed, arguments):
        return _failed(f"Wrong arguments for {tool.listed.name}. {problem}")
    # An agent that has nothing to say about an argument may send null.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    begin, status = time.monotonic(), "working"

    def note(progress: Progress) -> None:
        nonlocal status
        status = progress.reason or progress.status

    async def report() -> None:
        elapsed = time.monotonic() - begin
        await context.session.report_progress(elapsed, None, f"{elapsed:.0f} s: {status}")

    async def report_on() -> None:
        while True:
            await anyio.sleep(PROGRESS_EVERY_S)
            await report()

    # Before the work: as a task, it could be cancelled by a fast answer.
    await report()
    async with anyio.create_task_group() as group:
        group.start_soon(report_on)
        result = await _outcome(tool, arguments, note)
        group.cancel_scope.cancel()
    return result


async def _outcome(tool: _Tool, arguments: Arguments, note: OnProgress) -> CallToolResult:
    try:
        found = dict(await tool.run(arguments, note))
    except CopydeskError as error:
        return _failed(f"{error}. {_advice(error)}")
    except Exception:
        # The library would send the text of the exception to the client.
        logger.exception("the tool %s failed", tool.listed.name)
        return _failed("The tool failed; the log of this MCP server has the reason.")
    text = json.dumps(found, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=found)


def _problem(tool: Tool, arguments: Arguments) -> str:
    """Return what is wrong with the arguments, or ""."""
    given = {name: value for name, value in arguments.items() if value is not None}
    found = best_match(Draft202012Validator(tool.input_schema).iter_errors(given))
    if found is None:
        return ""
    where = ".".join(map(str, found.absolute_path))
    return f"{where}: {found.message[:300]}" if where else found.message[:300]


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text[:_LONGEST_ERROR])], is_error=True)


def _advice(error: CopydeskError) -> str:
    """Return what an agent does next."""
    match error:
        case errors.QualityError():
            return (
                "Nothing was billed. Change the keywords, the topic or the limits of words, or pass"
                " another variant."
            )
        case errors.ProhibitedInputError():
            return "Ask for something else."
        case errors.RateLimitError():
            return f"Call again in {error.retry_after or 60:.0f} s with the same arguments."
        case errors.QuotaExceededError():
            return "The plan's quota is used up; the tool usage shows when it resets."
        case errors.AuthenticationError() | errors.PermissionDeniedError():
            return "Ask the user to set COPYDESK_API_KEY of this server to a valid key."
        case errors.NotFoundError():
            return "Use an id that another tool returned."
        case errors.ValidationError() | ConfigurationError():
            return "Correct the arguments."
    if error.transient or error.idempotency_key:
        return "Call again with the same arguments: nothing is done or billed twice."
    return "Do not repeat this call; tell the user."
