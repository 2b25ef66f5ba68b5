"""Calls to the ASGI front in this process."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
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
    of the body waits for ``late``. It has a length unless a header says that it is chunked."""

    async def halves() -> AsyncIterator[bytes]:
        half = len(body) // 2 if late else len(body)
        yield body[:half]
        if late:
            await late.wait()
        yield body[half:]

    transport = httpx2.ASGITransport(front)
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    if "transfer-encoding" not in named:
        named.setdefault("content-length", str(len(body)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.request(method, path, content=halves(), headers=named)
    return answer.status_code, answer.text
