"""Send one HTTP request to an untrusted server, with limits on everything that comes back.

HTTP clients bring features that a guard would have to switch off: redirects, proxies, netrc,
cookies, their own resolver, log lines with the whole URL. Here, httpcore2 speaks HTTP on one
guarded connection, and one deadline covers connecting, TLS, sending and reading. Bytes are counted
as they arrive and again as they are decompressed.

The host is resolved once, every address is checked, and the connection goes to a checked address,
while certificate, SNI and Host header use the name. So DNS rebinding has no effect.
"""

import math
import socket
import ssl
import time
import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import Empty, SimpleQueue
from threading import Thread

import httpcore2
from werkzeug.http import parse_options_header

from app.adapters.bounded_network import BoundedBackend, Limits, TooLarge
from app.core.addresses import WebTarget, is_public

ROBOT = "CopydeskBot"
VERSION = version("copydesk-server")
_OK, _TOO_MANY_REQUESTS = 200, 429
# httpcore2 refuses a head of 100 KiB, once it has read up to 64 KiB more.
_MAX_HEAD_BYTES = 192 * 1024
# Tells zlib to accept both gzip and zlib headers.
_EITHER_HEADER = 47
_ENCODINGS = frozenset({"identity", "gzip", "x-gzip", "deflate"})
_LATE = (TimeoutError, httpcore2.TimeoutException)
_BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, zlib.error)


@dataclass(frozen=True)
class Request:
    """A request: a GET, or a POST of its body. Headers can hold a key and the body anything, so
    neither is in the repr.

    Args:
        headers: their names are in lower case.
        types: the media types that a body may have, in lower case; any if empty.
        discard: read and drop the body of the answer: the server can finish undisturbed, and a body
            that breaks off or is too long is not an error.
    """

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
        media_type, options = parse_options_header(self.headers.get("content-type"))
        return media_type.lower(), options.get("charset", "").lower()

    @property
    def is_momentary(self) -> bool:
        """Whether the site may answer otherwise in a moment: its status is 429 or a 5xx."""
        return self.status == _TOO_MANY_REQUESTS or self.status >= 500


class Unreachable(Exception):
    """Why there is no answer: a sentence that repeats only scheme and host of the URL."""


class Unusable(Unreachable):
    """Why an answer is of no use: it is too large, or has another form than was asked for."""


_Address = IPv4Address | IPv6Address


def exchange(target: WebTarget, request: Request, *, deadline: float, max_bytes: int) -> Answer:
    """Send one request and return its answer. Only the body of a 200 is read.

    Args:
        deadline: for all of it, on the monotonic clock.
        max_bytes: of the body, compressed and decompressed.

    Raises:
        TimeoutError: no complete answer by the deadline.
        Unreachable: no answer; Unusable if one came.
    """
    url = httpcore2.URL(
        scheme=target.scheme, host=target.host, port=target.port, target=target.path
    )
    trust = _system_trust() if target.scheme == "https" else None
    limits = Limits(deadline, max_bytes + _MAX_HEAD_BYTES, math.inf)
    problem = ""
    try:
        addresses = _checked_addresses(target, deadline)
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            limits.connect_seconds = limits.left() / left
            backend = BoundedBackend(lambda: limits, httpcore2.SyncBackend(), str(address))
            try:
                with (
                    httpcore2.HTTPConnection(url.origin, trust, network_backend=backend) as http,
                    http.stream(
                        "POST" if request.body else "GET",
                        url,
                        headers=_headers(target, request),
                        content=request.body or None,
                    ) as response,
                ):
                    return _answer(target, request, max_bytes, response)
            except httpcore2.ConnectTimeout:
                if left == 1:
                    raise
            except httpcore2.ConnectError as failed:
                problem = _why_not_connected(target, failed.__cause__)
    except _LATE:
        raise TimeoutError from None
    except (httpcore2.LocalProtocolError, UnicodeEncodeError):
        problem = f"A header for {target.site} has a forbidden character."
    except TooLarge:
        raise Unusable(f"{target.site} sent more than {max_bytes:,} bytes.") from None
    except _BROKEN:
        problem = f"{target.site} ended the connection or answered something that is not HTTP."
    raise Unreachable(problem)


def _headers(target: WebTarget, request: Request) -> list[tuple[bytes, bytes]]:
    headers = {
        "user-agent": f"{ROBOT}/{VERSION}",
        "accept-encoding": "gzip",
        **request.headers,
        "host": target.authority,
        "connection": "close",
    }
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]


def _why_not_connected(target: WebTarget, cause: BaseException | None) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        why = f"The certificate of {target.site} was not accepted: {cause.verify_message}"
    elif isinstance(cause, ssl.SSLError):
        why = f"{target.site} does not speak TLS as it should ({cause.reason})"
    else:
        why = f"{target.scheme}://{target.authority} cannot be connected to"
    return f"{why.rstrip('.')}."


def _answer(
    target: WebTarget, request: Request, max_bytes: int, response: httpcore2.Response
) -> Answer:
    """Return the answer; only the body of a 200 is read."""
    headers: dict[str, str] = {}
    for name, value in response.headers:
        headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    answer = Answer(response.status, headers)
    if request.discard:
        with suppress(TooLarge, *_LATE, *_BROKEN):
            for _ in response.iter_stream():
                pass
    if request.discard or answer.status != _OK:
        return answer
    if request.types and answer.content_type[0] not in request.types:
        types = " or ".join(sorted(request.types))
        raise Unusable(f"{target.site} sent something other than {types}.")
    encoding = headers.get("content-encoding", "").strip().lower() or "identity"
    if encoding not in _ENCODINGS:
        raise Unusable(f"{target.site} answered in an encoding that was not asked for.")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > max_bytes:
        raise TooLarge
    packed, body = zlib.decompressobj(wbits=_EITHER_HEADER), bytearray()
    for part in response.iter_stream():
        body += part if encoding == "identity" else packed.decompress(part, max_bytes + 1)
        if len(body) > max_bytes:
            raise TooLarge
    return replace(answer, body=bytes(body))


@cache
def _system_trust() -> ssl.SSLContext:
    return ssl.create_default_context()


def _checked_addresses(target: WebTarget, deadline: float) -> list[_Address]:
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
        if not target.allow_private and not is_public(address):
            problem = f"The host of {target.site} resolves to an address that is not public."
            raise Unreachable(problem)
    return addresses
