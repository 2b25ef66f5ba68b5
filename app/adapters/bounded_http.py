"""One HTTP request to a stranger's server, with a bound on everything that comes back.

As with webhooks, asyncio opens the one guarded connection and h11 speaks HTTP on it: no redirect is
followed, no cookie kept, no proxy taken from the environment, and one deadline ends it all. Bytes
are counted as they arrive and again as they are unpacked.
"""

import asyncio
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version

import h11

from app.adapters.guarded_connection import Unreachable, check, connect, resolve
from app.core.addresses import WebTarget

ROBOT = "CopydeskBot"
USER_AGENT = f"{ROBOT}/{version('copydesk-server')}"
_MAX_HEAD_BYTES = 64 * 1024
_READ_BYTES = 64 * 1024
# zlib's own sign for "gzip or zlib, as the data says".
_EITHER_HEADER = 47


@dataclass(frozen=True)
class Request:
    """What is asked; ``headers`` may hold a key and ``body`` anything, so neither is shown."""

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Answer:
    """Names of headers are in lower case; of a repeated one the first counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Bounds:
    """How long an answer may take, and how large its body may be, packed as well as unpacked.

    ``head_deadline`` and ``deadline`` are on the monotonic clock: until the first the headers must
    be there, until the second everything.
    """

    deadline: float
    head_deadline: float
    max_bytes: int


class SlowHead(TimeoutError):
    """No headers until the head's deadline: it may be worth asking again."""


# Whether a body is wanted, given status and headers; it may raise Unreachable.
Wanted = Callable[[int, Mapping[str, str]], bool]


def exchange(
    target: WebTarget,
    request: Request,
    bounds: Bounds,
    *,
    allow_private: bool,
    what: str,
    wanted: Wanted = lambda status, headers: True,
    ssl_context: ssl.SSLContext | None = None,
) -> Answer:
    """Ask once. The body is empty where it is not wanted.

    Args:
        what: what goes to public addresses only, with its verb, such as "pages are read".

    Raises:
        SlowHead: there were no headers by ``bounds.head_deadline``.
        TimeoutError: the body was not there by ``bounds.deadline``.
        Unreachable: a sentence that holds nothing of the URL but scheme and host.
    """
    try:
        addresses = resolve(target, bounds.head_deadline)
    except TimeoutError:
        raise SlowHead from None
    check(target, addresses, allow_private, what)
    context = (ssl_context or _system_trust()) if target.scheme == "https" else None

    async def converse() -> Answer:
        loop = asyncio.get_running_loop()
        offset = loop.time() - time.monotonic()
        head_ends, ends = bounds.head_deadline + offset, bounds.deadline + offset
        conversation = _Conversation(target, request, bounds.max_bytes)
        try:
            reader, writer = await connect(target, addresses, context, head_ends, _READ_BYTES)
        except TimeoutError:
            raise SlowHead from None
        try:
            writer.write(conversation.request)
            try:
                async with asyncio.timeout_at(head_ends):
                    head = await conversation.head(reader)
            except TimeoutError:
                raise SlowHead from None
            status, headers = head
            if not wanted(status, headers):
                return Answer(status, headers, b"")
            async with asyncio.timeout_at(ends):
                return Answer(status, headers, await conversation.body(reader, headers))
        except (OSError, EOFError, h11.RemoteProtocolError, zlib.error) as broken:
            if isinstance(broken, TimeoutError):
                raise
            raise Unreachable(
                f"{target.site} ended the connection or answered something that is not HTTP."
            ) from None
        finally:
            writer.close()
            writer.transport.abort()

    return asyncio.run(converse())


@cache
def _system_trust() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Conversation:
    def __init__(self, target: WebTarget, request: Request, max_bytes: int) -> None:
        self._site = target.site
        self._max_bytes = max_bytes
        self._left = max_bytes + _MAX_HEAD_BYTES
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD_BYTES)
        sent = {name.lower(): value for name, value in request.headers.items()} | {
            "host": target.authority,
            "user-agent": USER_AGENT,
            "accept-encoding": "gzip",
            "connection": "close",
        }
        if request.body:
            sent["content-length"] = str(len(request.body))
        events: list[h11.Event] = [
            h11.Request(method=request.method, target=target.path, headers=list(sent.items()))
        ]
        if request.body:
            events.append(h11.Data(data=request.body))
        events.append(h11.EndOfMessage())
        self.request = b"".join(self._http.send(event) or b"" for event in events)

    async def head(self, reader: asyncio.StreamReader) -> tuple[int, Mapping[str, str]]:
        while not isinstance(event := await self._next(reader), h11.Response):
            if isinstance(event, h11.ConnectionClosed):
                raise EOFError
        headers: dict[str, str] = {}
        for name, value in event.headers:
            headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
        return event.status_code, headers

    async def body(self, reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._max_bytes:
            raise self._too_large()
        unpack = self._unpacker(headers.get("content-encoding", "identity").strip().lower())
        parts: list[bytes] = []
        left = self._max_bytes
        while isinstance(event := await self._next(reader), h11.Data):
            part = unpack(bytes(event.data), left + 1)
            left -= len(part)
            if left < 0:
                raise self._too_large()
            parts.append(part)
        return b"".join(parts)

    def _unpacker(self, encoding: str) -> Callable[[bytes, int], bytes]:
        if encoding in {"", "identity"}:
            return lambda data, most: data
        if encoding not in {"gzip", "x-gzip", "deflate"}:
            raise Unreachable(f"{self._site} answered in an encoding that was not asked for.")
        # Never unpacks more than it is asked for; what is left of the input then is too much.
        packed = zlib.decompressobj(wbits=_EITHER_HEADER)
        return lambda data, most: packed.decompress(data, most)

    def _too_large(self) -> Unreachable:
        return Unreachable(f"{self._site} sent more than {self._max_bytes:,} bytes.")

    async def _next(self, reader: asyncio.StreamReader) -> h11.Event:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._left <= 0:
                raise self._too_large()
            received = await reader.read(min(self._left, _READ_BYTES))
            self._left -= len(received)
            self._http.receive_data(received)
        if not isinstance(event, h11.Event):  # h11.PAUSED: there is nothing more to come
            raise EOFError
        return event
