"""Calls to the ASGI front in this process."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from app.api.front import Front


async def call(
    front: Front, path: str, body: bytes = b"", method: str = "GET", **headers: str
) -> tuple[int, str]:
    """Return the status and the body of the response; headers have ``_`` for ``-``."""
    sent: list[MutableMapping[str, Any]] = []
    arriving = [{"type": "http.request", "body": body}]

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return arriving.pop() if arriving else await asyncio.Future[MutableMapping[str, Any]]()

    given = {"content_length": str(len(body)), **headers}
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in given.items()]
    scope: dict[str, Any] = {
        "type": "http", "method": method, "raw_path": path.encode(), "query_string": b"",
        "http_version": "1.1", "scheme": "http", "server": None, "client": None,
        "headers": named,
    }  # fmt: skip
    await front(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode()
