"""Calls to the ASGI front in this process."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from flask import Flask

from app.api.admission import Admission
from app.api.front import Front


def front_of(app: Flask, per_account: int) -> Front:
    """Return the front around an application in which one call can wait for the model."""
    shared = Admission(places=1, per_account=per_account, key_seconds=1)
    return Front(app, shared, lambda *_: None, lambda: None, lambda: None)


async def call(
    front: Front,
    path: str,
    body: bytes = b"",
    method: str = "GET",
    late: asyncio.Event | None = None,
    **headers: str,
) -> tuple[int, str]:
    """Return the status and the body of the response; headers have ``_`` for ``-``. The second half
    of the body waits for ``late``."""
    sent: list[MutableMapping[str, Any]] = []
    half = len(body) // 2 if late else len(body)
    arriving = [
        {"type": "http.request", "body": body[:half], "more_body": late is not None},
        {"type": "http.request", "body": body[half:]},
    ]

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        if len(arriving) == 1 and late is not None:
            await late.wait()
        return arriving.pop(0) if arriving else await asyncio.Future[MutableMapping[str, Any]]()

    given = {"content_length": str(len(body)), **headers}
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in given.items()]
    scope: dict[str, Any] = {
        "type": "http", "method": method, "raw_path": path.encode(), "query_string": b"",
        "http_version": "1.1", "scheme": "http", "server": None, "client": None,
        "headers": named,
    }  # fmt: skip
    await front(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode()
