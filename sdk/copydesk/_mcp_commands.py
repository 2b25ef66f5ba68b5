"""The command ``mcp``."""

import argparse
import ipaddress
import os
from typing import Any

from copydesk.client import AsyncCopydesk
from copydesk.errors import ConfigurationError
from copydesk.feed import AsyncFeed

PORT = 8765


def add_commands(commands: Any) -> None:
    mcp = commands.add_parser(
        "mcp",
        help="serve the API as tools for AI agents (MCP)",
        description="Serve the API as tools over the Model Context Protocol: on stdin and stdout, "
        "or with --http at an address. COPYDESK_API_KEY enables the tools for posts, jobs and "
        "usage, COPYDESK_FEED_URL those for the feed.",
    )
    mcp.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp")
    mcp.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address for --http; default 127.0.0.1. Another machine's access needs "
        "COPYDESK_MCP_TOKEN, which clients send as Authorization: Bearer TOKEN",
    )
    mcp.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0: any free one"
    )
    mcp.add_argument(
        "--base-url", metavar="URL", help="the service; default: COPYDESK_BASE_URL, or port 8000"
    )
    mcp.set_defaults(run=_mcp)


def _mcp(arguments: argparse.Namespace) -> None:
    try:
        from copydesk import _mcp_server
    except ModuleNotFoundError as missing:
        problem = f"copydesk mcp needs the module {missing.name}: pip install 'copydesk[mcp]'"
        raise ConfigurationError(problem) from None
    feed_url = _setting("COPYDESK_FEED_URL")
    has_key = bool(_setting("COPYDESK_API_KEY"))
    if not has_key and not feed_url:
        raise ConfigurationError("No API key and no feed. Set COPYDESK_API_KEY, COPYDESK_FEED_URL.")
    token = _setting("COPYDESK_MCP_TOKEN")
    if arguments.http and not token and not _is_loopback(arguments.host):
        raise ConfigurationError(
            f"--host {arguments.host} lets other machines use your API key. Set COPYDESK_MCP_TOKEN "
            "to a secret that clients must send, or use 127.0.0.1."
        )
    server = _mcp_server.make_server(
        AsyncCopydesk(base_url=arguments.base_url) if has_key else None,
        AsyncFeed(feed_url) if feed_url else None,
        token if arguments.http else "",
    )
    if arguments.http:
        # Without sessions, a client goes on after a restart of this server.
        server.run("streamable-http", host=arguments.host, port=arguments.port, stateless_http=True)
    else:
        server.run("stdio")


def _setting(name: str) -> str:
    return os.environ.get(name, "").strip()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
