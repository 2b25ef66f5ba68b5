"""Sends webhooks over the public internet, and nowhere else.

A receiver's URL is a stranger's wish to have us connect somewhere; ``guarded_connection`` decides
whether we do.

Every HTTP client brings what a guard must switch off again: redirects, proxies, netrc, cookies, a
resolver of its own, a log line with the whole URL. So asyncio opens the one connection, h11 speaks
HTTP on it, and one deadline ends connecting, TLS, sending and reading alike.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version

import h11

from app.adapters.guarded_connection import Address, Unreachable, check, connect, resolve
from app.core.addresses import WebTarget, webhook_target
from app.ports import WebhookAnswer

MAX_RESPONSE_BYTES = 64 * 1024
_USER_AGENT = f"Copydesk-Webhooks/{version('copydesk-server')}"
_SECONDS = re.compile(r"[0-9]{1,9}")


class HttpWebhookSender:
    """The WebhookSender for the internet. Safe to call from several threads.

    Args:
        allow_private: also send over http and to private addresses, for development and tests.
        timeout_seconds: for all of one attempt, from resolving the name to the end of the answer.
        ssl_context: whom to trust; the system's certificate authorities where it is None.
    """

    def __init__(
        self,
        allow_private: bool,
        timeout_seconds: float = 15.0,
        *,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._timeout_seconds = timeout_seconds
        self._ssl_context = ssl_context or ssl.create_default_context()

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        """POST the body once and follow no redirect. Never raises: it answers what went wrong.

        The status counts as soon as it is there, even if the rest of the answer never comes: the
        receiver has decided, and would get the same webhook twice.
        """
        deadline = time.monotonic() + self._timeout_seconds
        try:
            target = webhook_target(url, self._allow_private)
        except ValueError as problem:
            return WebhookAnswer(problem=f"The webhook's URL {problem}.")
        try:
            exchange = _Exchange(target, headers, body)
            addresses = resolve(target, deadline)
            check(target, addresses, self._allow_private, "webhooks are sent")
            return asyncio.run(self._post(target, addresses, exchange, deadline))
        except TimeoutError:
            return WebhookAnswer(
                problem=f"{target.site} gave no answer within {self._timeout_seconds:g} seconds."
            )
        except Unreachable as problem:
            return WebhookAnswer(problem=str(problem))

    async def _post(
        self,
        target: WebTarget,
        addresses: list[Address],
        exchange: "_Exchange",
        deadline: float,
    ) -> WebhookAnswer:
        ends = asyncio.get_running_loop().time() + deadline - time.monotonic()
        context = self._ssl_context if target.scheme == "https" else None
        # Half of it, as asyncio reads twice as much ahead.
        limit = MAX_RESPONSE_BYTES // 2
        reader, writer = await connect(target, addresses, context, ends, limit)
        try:
            # Not drained: a receiver may answer before it has read everything.
            writer.write(exchange.request)
            async with asyncio.timeout_at(ends):
                answer = await exchange.answer(reader)
            with suppress(OSError, EOFError, h11.RemoteProtocolError):
                async with asyncio.timeout_at(ends):
                    await exchange.finish(reader)
        finally:
            writer.close()  # which says goodbye in TLS; nobody waits for the reply
            writer.transport.abort()
        return answer


class _Exchange:
    """One request and its answer, in HTTP/1.1."""

    def __init__(self, target: WebTarget, headers: Mapping[str, str], body: bytes) -> None:
        self._site = target.site
        self._left = MAX_RESPONSE_BYTES
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_RESPONSE_BYTES)
        sent = {name.lower(): value for name, value in headers.items()} | {
            "host": target.authority,
            "user-agent": _USER_AGENT,
            "content-type": "application/json",
            "content-length": str(len(body)),
            "accept-encoding": "identity",
            "connection": "close",
        }
        try:
            parts: list[h11.Event] = [
                h11.Request(
                    method="POST",
                    target=target.path,
                    headers=[(name.encode(), value.encode()) for name, value in sent.items()],
                ),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ]
        except (h11.LocalProtocolError, UnicodeEncodeError):
            raise Unreachable(f"A header for {target.site} has a forbidden character.") from None
        self.request = b"".join(self._http.send(part) or b"" for part in parts)

    async def answer(self, reader: asyncio.StreamReader) -> WebhookAnswer:
        """The status, and when the receiver wants to be asked again."""
        try:
            while not isinstance(event := await self._next(reader), h11.Response):
                if isinstance(event, h11.ConnectionClosed):
                    raise EOFError
        except TimeoutError:
            raise
        except (OSError, EOFError, h11.RemoteProtocolError):
            raise Unreachable(
                f"{self._site} ended the connection or answered something that is not HTTP."
            ) from None
        return WebhookAnswer(event.status_code, _retry_after(list(event.headers)))

    async def finish(self, reader: asyncio.StreamReader) -> None:
        """Let the receiver say the rest, of which nothing is kept."""
        while isinstance(await self._next(reader), h11.Data):
            pass

    async def _next(self, reader: asyncio.StreamReader) -> h11.Event:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            received = await reader.read(self._left)  # nothing is left: as if the receiver ended
            self._left -= len(received)
            self._http.receive_data(received)
        if not isinstance(event, h11.Event):  # h11.PAUSED: there is nothing more to come
            raise EOFError
        return event


def _retry_after(headers: list[tuple[bytes, bytes]]) -> float | None:
    """Seconds from now, from the first Retry-After; None where there is none to be understood."""
    value = next((value for name, value in headers if name.lower() == b"retry-after"), b"")
    text = value.decode("ascii", "replace").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
