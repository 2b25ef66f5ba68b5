"""Send one HTTP request to an untrusted server, with limits on everything that comes back.

HTTP clients bring features that a guard would have to switch off: redirects, proxies, netrc,
cookies, their own resolver, log lines with the whole URL. Here, asyncio opens one guarded
connection, h11 speaks HTTP on it, and one deadline covers connecting, TLS, sending and reading.
Bytes are counted as they arrive and again as they are decompressed.

The host is resolved once, every address is checked, and the connection goes to a checked address,
while certificate, SNI and Host header use the name. So DNS rebinding has no effect.
"""

import asyncio
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from email.message import Message
from functools import cache
from importlib.metadata import version
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import Empty, SimpleQueue
from threading import Thread

import h11

from app.core.addresses import WebTarget, refusal

ROBOT = "CopydeskBot"
VERSION = version("copydesk-server")
_OK = 200
_MEDIA_TYPE = re.compile(r"\s*[\w.+-]+/[\w.+-]+\s*(?:;|\Z)")
_MAX_HEAD_BYTES = 64 * 1024
_READ_BYTES = 64 * 1024
# Tells zlib to accept both gzip and zlib headers.
_EITHER_HEADER = 47
_BROKEN = (OSError, EOFError, h11.RemoteProtocolError, zlib.error)


@dataclass(frozen=True)
class Request:
    """A request. Headers can hold a key and the body anything, so neither is in the repr.

    Args:
        types: the media types that a body may have, in lower case; any if empty.
        discard: read and drop the body of the answer: the server can finish undisturbed, and a body
            that breaks off or is too long is not an error.
    """

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    types: Collection[str] = ()
    discard: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer. Header names are in lower case; the first of a repeated header counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)

    @property
    def content_type(self) -> tuple[str, str]:
        """The media type and charset in lower case; "" if missing."""
        if not _MEDIA_TYPE.match(self.headers.get("content-type", "")):
            return "", ""  # the parser would say text/plain
        message = Message()
        message["content-type"] = self.headers["content-type"]
        return message.get_content_type(), (message.get_content_charset() or "")


@dataclass(frozen=True)
class Bounds:
    """Limits on the duration of an answer and on the size of its body, compressed and decompressed.

    ``head_deadline`` (headers) and ``deadline`` (everything) are on the monotonic clock.
    """

    deadline: float
    head_deadline: float
    max_bytes: int


@dataclass(frozen=True)
class Guard:
    """Which addresses may be reached, and which certificates are trusted.

    Args:
        what: what goes to public addresses only, with its verb, such as "pages are read".
        allow_private: also connect to private addresses.
        ssl_context: the trusted authorities; the system's if None.
    """

    what: str
    allow_private: bool = False
    ssl_context: ssl.SSLContext | None = None


class Unreachable(Exception):
    """Why there is no answer: a sentence that repeats only scheme and host of the URL."""


class SlowHead(TimeoutError):
    """No headers by the head's deadline; a retry may succeed."""


_Address = IPv4Address | IPv6Address


def exchange(target: WebTarget, request: Request, bounds: Bounds, guard: Guard) -> Answer:
    """Send one request and return its answer. Only the body of a 200 is read.

    Raises:
        SlowHead: no headers by ``bounds.head_deadline``.
        TimeoutError: no complete body by ``bounds.deadline``.
        Unreachable: no usable answer.
    """
    conversation = _Conversation(target, request, bounds.max_bytes)
    context = (guard.ssl_context or _system_trust()) if target.scheme == "https" else None

    async def converse() -> Answer:
        offset = asyncio.get_running_loop().time() - time.monotonic()
        head_ends, ends = bounds.head_deadline + offset, bounds.deadline + offset
        reader, writer = await _connected(target, addresses, context, head_ends)
        try:
            # Not drained: a server may answer before it has read everything.
            writer.write(conversation.request)
            async with asyncio.timeout_at(head_ends):
                answer = await conversation.head(reader)
            if request.discard:
                with suppress(Unreachable, *_BROKEN):
                    async with asyncio.timeout_at(ends):
                        await conversation.discard(reader)
            elif answer.status == _OK:
                if request.types and answer.content_type[0] not in request.types:
                    types = " or ".join(sorted(request.types))
                    raise Unreachable(f"{target.site} sent something other than {types}.")
                async with asyncio.timeout_at(ends):
                    return replace(answer, body=await conversation.body(reader, answer.headers))
            return answer
        except TimeoutError:
            raise
        except _BROKEN:
            raise Unreachable(
                f"{target.site} ended the connection or answered something that is not HTTP."
            ) from None
        finally:
            writer.close()  # sends TLS's close_notify without waiting for the reply
            writer.transport.abort()

    try:
        addresses = _checked_addresses(target, guard, bounds.head_deadline)
        return asyncio.run(converse())
    except TimeoutError:
        if conversation.has_head:
            raise
        raise SlowHead from None


@cache
def _system_trust() -> ssl.SSLContext:
    return ssl.create_default_context()


def _checked_addresses(target: WebTarget, guard: Guard, deadline: float) -> list[_Address]:
    """Return all addresses of a host. One that is not public refuses all: public servers have none.

    A thread waits for the resolver, which cannot be interrupted. A stuck one is abandoned and ends
    with the resolver's own time-out.

    Raises:
        TimeoutError: the resolver did not answer by the deadline, on the monotonic clock.
        Unreachable: the host has no address, or one that is not public.
    """
    answers: SimpleQueue[list[_Address]] = SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            # Without duplicates, in the resolver's order.
            answers.put(list(dict.fromkeys(ip_address(str(entry[4][0])) for entry in found)))
        except (OSError, ValueError):
            answers.put([])

    Thread(target=ask, name="resolver", daemon=True).start()
    try:
        addresses = answers.get(timeout=max(0.0, deadline - time.monotonic()))
    except Empty:
        raise TimeoutError from None
    if not addresses:
        raise Unreachable(f"The host of {target.site} cannot be resolved.")
    for address in addresses:
        kind = refusal(address)
        if kind is not None and not guard.allow_private:
            raise Unreachable(
                f"The host of {target.site} resolves to {kind};"
                f" {guard.what} to public addresses only."
            )
    return addresses


async def _connected(
    target: WebTarget, addresses: list[_Address], context: ssl.SSLContext | None, ends: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers; each gets its share of the time left.

    With a context, the certificate must be for the name.

    Raises:
        TimeoutError: the last address did not answer by ``ends``, on the event loop's clock.
        Unreachable: no address accepts a connection.
    """
    problem = ""
    for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(now + (ends - now) / left):
                return await asyncio.open_connection(
                    str(address),
                    target.port,
                    ssl=context,
                    server_hostname=target.host if context else None,
                    limit=_READ_BYTES,
                )
        except TimeoutError:
            if left == 1:
                raise
        except ssl.SSLCertVerificationError as refused:
            problem = f"The certificate of {target.site} was not accepted: {refused.verify_message}"
        except ssl.SSLError as failed:
            problem = f"{target.site} does not speak TLS as it should ({failed.reason})"
        except OSError:
            problem = f"{target.site} cannot be connected to"
    raise Unreachable(f"{problem.rstrip('.')}.")


class _Conversation:
    """One request and its answer in HTTP/1.1.

    Raises:
        Unreachable: a header has a character that HTTP forbids.
    """

    def __init__(self, target: WebTarget, request: Request, max_bytes: int) -> None:
        self.has_head = False
        self._site = target.site
        self._max_bytes = max_bytes
        # One byte beyond the largest head, which h11 refuses.
        self._left = max_bytes + _MAX_HEAD_BYTES + 1
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD_BYTES)
        headers = {
            "user-agent": f"{ROBOT}/{VERSION}",
            "accept-encoding": "gzip",
            **{name.lower(): value for name, value in request.headers.items()},
            "host": target.authority,
            "connection": "close",
        }
        events: list[h11.Event] = [h11.EndOfMessage()]
        if request.body:
            headers["content-length"] = str(len(request.body))
            events.insert(0, h11.Data(data=request.body))
        try:
            head = h11.Request(
                method=request.method, target=target.path, headers=list(headers.items())
            )
        except (h11.LocalProtocolError, UnicodeEncodeError):
            raise Unreachable(f"A header for {target.site} has a forbidden character.") from None
        self.request = b"".join(self._http.send(event) or b"" for event in [head, *events])

    async def head(self, reader: asyncio.StreamReader) -> Answer:
        """Return the answer without its body."""
        while not isinstance(event := await self._next(reader), h11.Response):
            if isinstance(event, h11.ConnectionClosed):
                raise EOFError
        self.has_head = True
        headers: dict[str, str] = {}
        for name, value in event.headers:
            headers.setdefault(name.decode("latin-1"), value.decode("latin-1"))
        return Answer(event.status_code, headers)

    async def body(self, reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
        """Return the decompressed body."""
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

    async def discard(self, reader: asyncio.StreamReader) -> None:
        """Read the body and drop it."""
        while isinstance(await self._next(reader), h11.Data):
            pass

    def _unpacker(self, encoding: str) -> Callable[[bytes, int], bytes]:
        """Return a function that decompresses data, up to a number of bytes."""
        if encoding in {"", "identity"}:
            return lambda data, most: data
        if encoding not in {"gzip", "x-gzip", "deflate"}:
            raise Unreachable(f"{self._site} answered in an encoding that was not asked for.")
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
        if not isinstance(event, h11.Event):  # h11.PAUSED: nothing more will come
            raise EOFError
        return event
