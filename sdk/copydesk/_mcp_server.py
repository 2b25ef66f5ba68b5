"""The calls of this package as tools for agents, over the Model Context Protocol.

It needs the extra ``copydesk[mcp]``. Only the command ``copydesk mcp`` imports it.
"""
# ruff: noqa: A002 - agents see the names of the arguments

import hashlib
import hmac
import inspect
import json
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal, Unpack, get_args, get_type_hints

import anyio
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import AnyHttpUrl, Field

from copydesk import errors
from copydesk._version import __version__
from copydesk.client import AsyncCopydesk
from copydesk.feed import AsyncFeed
from copydesk.models import Job, Post, Rendered
from copydesk.request import GenerateRequest, generate_body

# Clients that reset their time-out at each report often wait 30 or 60 seconds.
PROGRESS_EVERY_S = 5.0
# More than an agent corrects at a time.
_MOST_FINDINGS = 50

Found = dict[str, Any]
Format = Literal["markdown", "html"]
Wait = Annotated[int, Field(ge=1, le=300, description="Return when the job is done, or after this")]
Variant = Annotated[
    int, Field(ge=1, description="Another number writes and bills another post, same arguments")
]
_DESCRIPTIONS = {
    "keywords": "Phrases to cover; the first is the primary keyword",
    "max_words": "Default 1200, or the plan's maximum",
    "factuality_mode": "verified: claims need sources",
}
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
_PULLS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
_SETTLES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)


def make_server(
    service: AsyncCopydesk | None, feed: AsyncFeed | None, token: str = ""
) -> MCPServer[Any]:
    """Return an MCP server with the tools that the clients can serve.

    If there is a token, requests over HTTP must send it as ``Authorization: Bearer``.
    """
    # The library requires the URL of an issuer of tokens; nothing calls it.
    issuer = AuthSettings(issuer_url=AnyHttpUrl("http://localhost"), resource_server_url=None)
    return _Server(
        "copydesk",
        title="Copydesk",
        version=__version__,
        instructions="Copydesk writes blog posts from keywords and checks each one.",
        tools=[*(_service_tools(service) if service else ()), *(_feed_tools(feed) if feed else ())],
        auth=issuer if token else None,
        token_verifier=_OneToken(token) if token else None,
    )


class _Server(MCPServer[Any]):
    """Reports progress during each call, and explains errors of the service."""

    async def call_tool(
        self, name: str, arguments: Found, context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        begin = time.monotonic()

        async def report() -> None:
            while context is not None:
                elapsed = time.monotonic() - begin
                await context.report_progress(elapsed, None, f"{elapsed:.0f} s")
                await anyio.sleep(PROGRESS_EVERY_S)

        # An agent that has nothing to say about an argument may send null.
        given = {key: value for key, value in arguments.items() if value is not None}
        async with anyio.create_task_group() as group:
            group.start_soon(report)
            try:
                return await super().call_tool(name, given, context)
            except ToolError as error:  # the group would wrap an exception that leaves it
                failure = error
                if isinstance(error.__cause__, errors.CopydeskError):
                    failure = ToolError(_advised(error.__cause__))
            finally:
                group.cancel_scope.cancel()
        raise failure


class _OneToken:
    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        known = hmac.compare_digest(token.encode(), self._token)
        return AccessToken(token=token, client_id="copydesk", scopes=[]) if known else None


def _service_tools(client: AsyncCopydesk) -> list[Tool]:
    async def generate(
        format: Format = "markdown", variant: Variant = 1, **request: Unpack[GenerateRequest]
    ) -> Found:
        """Write and check a blog post; takes minutes. The same arguments return the same post and
        bill it once."""
        key = _key("generate", variant, request)
        made = await client.generate(idempotency_key=key, **request)
        return {"quality_score": made.quality.score, **_post(made.post, made.rendered, format)}

    async def create_job(variant: Variant = 1, **request: Unpack[GenerateRequest]) -> Found:
        """Start writing a post in the background; get it with job_status. Arguments as for
        generate. The same arguments return the same job and bill it once."""
        key = _key("create_job", variant, request)
        return _job(await client.jobs.create(idempotency_key=key, **request))

    async def job_status(job_id: str, wait_seconds: Wait = 1, format: Format = "markdown") -> Found:
        """Get a job: queued, processing, succeeded with the post, or failed with the reason."""
        try:
            return _job(await client.jobs.wait(job_id, timeout=wait_seconds), format)
        except errors.JobPendingError as pending:
            return _job(pending.job)

    async def check_text(text: str, title: str = "", keywords: tuple[str, ...] = ()) -> Found:
        """Check a Markdown text of your own: score and faults with their lines. Costs no words."""
        report = await client.check(text, title=title or None, keywords=keywords)
        worst = sorted(report.findings, key=lambda each: each.severity != "blocker")
        shown = {name: value for name, value in report.raw.items() if name != "skipped"}
        return {**shown, "findings": [each.raw for each in worst[:_MOST_FINDINGS]]}

    async def usage() -> Found:
        """Get the plan, its limits and what is used."""
        return (await client.usage()).raw

    writes = [_tool(_named(function), _WRITES) for function in (generate, create_job)]
    return writes + [_tool(function, _READS) for function in (job_status, check_text, usage)]


def _feed_tools(feed: AsyncFeed) -> list[Tool]:
    async def feed_pull(format: Format = "markdown") -> Found:
        """Reserve the next post of the feed. Publish it, then call feed_confirm, or call
        feed_reject. Until then each pull sends the same post again; after 3 sends, the next pull
        abandons it."""
        item = await feed.latest()
        if item is None:
            return {"available": False}
        sent = {"available": True, "item_id": item.id, "sends": item.delivery_count}
        return {**sent, **_post(item.post, item.rendered, format)}

    async def feed_confirm(item_id: str) -> Found:
        """Mark a pulled post as published. Cannot be undone."""
        return {"item_id": item_id, "status": (await feed.confirm(item_id)).status}

    async def feed_reject(item_id: str) -> Found:
        """Refuse a pulled post: the feed never sends it again. Cannot be undone."""
        return {"item_id": item_id, "status": (await feed.reject(item_id)).status}

    return [_tool(feed_pull, _PULLS), _tool(feed_confirm, _SETTLES), _tool(feed_reject, _SETTLES)]


def _tool(function: Callable[..., Any], hints: ToolAnnotations) -> Tool:
    description = " ".join((function.__doc__ or "").split())
    tool = Tool.from_function(function, description=description, annotations=hints)
    # Refuse a misspelt argument: the library would drop it, and the post would be another one.
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema()
    # Agents pay for each token of a tool.
    for schema in (tool.parameters, *tool.parameters["properties"].values()):
        schema.pop("title")
        if schema.get("default", "") is None:
            del schema["default"]
    return tool


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Name the arguments in the function's ``**request``: the library reads the signature."""
    own = list(inspect.signature(function).parameters.values())[:-1]
    kind = inspect.Parameter
    named = [
        kind(
            name,
            kind.KEYWORD_ONLY,
            default=kind.empty if name == "keywords" else None,
            # The first alternative: the second is None, or another kind of list.
            annotation=Annotated[get_args(hint)[0], Field(description=_DESCRIPTIONS.get(name))],
        )
        for name, hint in get_type_hints(GenerateRequest).items()
        if name not in {"response_types", "client_provided_request_id"}
    ]
    signature = inspect.Signature([*own, *named], return_annotation=Found)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _key(tool: str, variant: int, request: GenerateRequest) -> str:
    """Return the idempotency key of these arguments."""
    meant = json.dumps([tool, variant, generate_body(request)], sort_keys=True)
    return "mcp-" + hashlib.sha256(meant.encode()).hexdigest()[:40]


def _post(post: Post, rendered: Rendered, shape: Format) -> Found:
    return {
        "title": post.title,
        "slug": post.slug_suggestion,
        "description": post.meta.description,
        "words": post.word_count,
        shape: rendered.html if shape == "html" else rendered.markdown,
    }


def _job(job: Job, shape: Format = "markdown") -> Found:
    shown: Found = {"job_id": job.job_id, "status": job.status}
    if job.error is not None:
        shown["error"] = {"code": job.error.code, "message": job.error.message}
    if job.post is not None and job.rendered is not None:
        shown |= _post(job.post, job.rendered, shape)
    return shown


def _advised(error: errors.CopydeskError) -> str:
    """Return what happened and what an agent does next."""
    match error:
        case errors.QualityError():
            advice = "Nothing was billed. Change the request, or pass another variant"
        case errors.NotFoundError():
            advice = "Use an id that another tool returned"
        case errors.APIError(transient=True) | errors.APIConnectionError():
            advice = "Call again with the same arguments: nothing is done or billed twice"
        case _:
            advice = "Correct the arguments, or tell the user"
    return f"{error}. {advice}."
