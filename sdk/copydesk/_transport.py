"""Runs calls over HTTP, blocking or with ``await``.

Exceptions of the HTTP library hold the URL, which may hold a secret. They are therefore replaced,
never chained: ours are raised after the ``except`` block has ended, so that nothing of theirs is
left in ``__context__``. For the same reason requests go to the library's transports and not to its
clients, which log the URL of each request.

The library is imported by the first client: it takes longer to import than all of this package, and
a webhook receiver does not need it.
"""

import os
import socket
import ssl
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from copydesk._address import Address, proxy_address
from copydesk._calls import Answer, Call, Pause, Send, Steps, perform, require_no_awaitable
from copydesk._log import logger
from copydesk._version import __version__
from copydesk.errors import (
    APIConnectionError,
    APITimeoutError,
    ConfigurationError,
    CopydeskError,
)

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT_S = 10.0
# A client waits at most this long for one answer, whatever its time-out: a day.
_LONGEST_S = 86_400.0
_LARGEST_ANSWER = 64_000_000
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
# Routers drop connections that are silent for some minutes; a post may take longer.
_KEEPALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)] + [
    (socket.IPPROTO_TCP, getattr(socket, name), seconds)
    for name, seconds in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 30))
    if hasattr(socket, name)
]

T = TypeVar("T")
sleep = time.sleep


class HTTPTransport(Protocol):
    """What sends the requests of ``Copydesk`` and ``Feed``: any blocking transport of httpx2."""

    def handle_request(self, request: Any, /) -> Any:
        """Return the ``httpx2.Response`` to an ``httpx2.Request``."""

    def close(self) -> None:
        """Close the connections."""


class AsyncHTTPTransport(Protocol):
    """What sends the requests of ``AsyncCopydesk`` and ``AsyncFeed``: any async transport of
    httpx2.
    """

    async def handle_async_request(self, request: Any, /) -> Any:
        """Return the ``httpx2.Response`` to an ``httpx2.Request``."""

    async def aclose(self) -> None:
        """Close the connections."""


async def async_sleep(seconds: float) -> None:
    """Wait on asyncio or trio."""
    import anyio

    await anyio.sleep(seconds)


def _options(proxy: str | None) -> dict[str, Any]:
    """Return the arguments of a transport: no proxy of the environment, no limit of connections."""
    import httpx2

    given = os.environ.get("COPYDESK_PROXY", "") if proxy is None else proxy
    through = proxy_address(given) or None
    return {
        "verify": _certificates(),
        "trust_env": False,
        "proxy": through,
        "limits": httpx2.Limits(max_connections=None, max_keepalive_connections=100),
        "socket_options": _KEEPALIVE,
    }


def _require_method(transport: object, name: str, example: str) -> None:
    if transport is not None and not hasattr(transport, name):
        kind = type(transport).__name__
        raise ConfigurationError(
            f"transport must be a transport of httpx2, such as httpx2.{example}; it is {kind}"
        )


def _certificates() -> ssl.SSLContext | bool:
    """Return the certificates that the environment names, else True for the default ones."""
    bundle = next(filter(None, map(os.environ.get, _CERTIFICATES)), "")
    if not bundle:
        return True
    try:
        if Path(bundle).is_dir():
            return ssl.create_default_context(capath=bundle)
        return ssl.create_default_context(cafile=bundle)
    except OSError:
        raise ConfigurationError(f"there are no certificates at {bundle}") from None


def _parser(url: str) -> "Callable[[str], httpx2.URL]":
    """Return a function that returns the URL of a path."""
    import httpx2

    return lambda path: httpx2.URL(url + path)


class Requests:
    """What blocking and awaiting transports share: requests, and what failures mean."""

    def __init__(self, address: Address, headers: Mapping[str, str], api_key: str) -> None:
        self.address = address
        own = {
            "User-Agent": f"copydesk-python/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        self._headers = {**own, **headers}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        # To parse a URL takes a twentieth of a short call.
        self._url = lru_cache(maxsize=64)(_parser(address.url))

    def request(self, send: Send) -> "httpx2.Request | ConfigurationError":
        """Return the request of an attempt."""
        import httpx2

        headers = {**self._headers, **send.headers}
        if send.content:
            headers["Content-Type"] = "application/json"
        timeout = min(send.timeout, _LONGEST_S)
        limits = {"connect": min(CONNECT_TIMEOUT_S, timeout), "read": timeout}
        limits |= {"write": timeout, "pool": timeout}
        try:
            # The idna of a host that cannot exist is found out only here.
            return httpx2.Request(
                send.method,
                self._url(send.path),
                params=dict(send.params) or None,
                headers=headers,
                content=send.content,
                extensions={"timeout": limits},
            )
        except (httpx2.InvalidURL, UnicodeError):
            return self.impossible_host()

    def impossible_host(self) -> ConfigurationError:
        """Return the error for a host that cannot exist."""
        return ConfigurationError(f"{self.address.host} is not a valid host")

    def answered(self, send: Send, answer: Answer, seconds: float) -> Answer:
        """Log an answer and return it."""
        request_id = answer.headers.get("x-request-id", "none")
        shown = f"{send.method} {self.address.shown}{send.path}"
        logger.debug("%s: %d in %.2f s (request %s)", shown, answer.status, seconds, request_id)
        return answer

    def failure(self, send: Send, error: Exception) -> CopydeskError:
        """Return our error for one of the HTTP library."""
        import httpx2

        host = self.address.host
        if isinstance(error, (UnicodeError, httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
            return self.impossible_host()
        if isinstance(error, httpx2.ConnectTimeout):
            seconds = min(CONNECT_TIMEOUT_S, send.timeout)
            found = APITimeoutError(
                f"cannot reach {host}: no connection within {_shown(seconds)} s"
            )
        elif isinstance(error, (httpx2.TimeoutException, TimeoutError)):
            found = APITimeoutError(f"no response from {host} within {_shown(send.timeout)} s")
            found.was_sent = True
        else:
            return _connection_error(host, error)
        return found


def _shown(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def _connection_error(host: str, error: Exception) -> APIConnectionError:
    import httpx2

    if isinstance(error, httpx2.ProxyError):
        return APIConnectionError(f"cannot reach {host}: the proxy did not forward the call")
    if isinstance(error, httpx2.ConnectError):
        return APIConnectionError(f"cannot reach {host}: {_cause(error)}")
    text = str(error)
    if isinstance(error, httpx2.RemoteProtocolError) and "without sending" in text:
        found = APIConnectionError(f"no response from {host}: it closed the connection")
    elif isinstance(error, _TooLarge):
        found = APIConnectionError(f"the response of {host} {text}")
    elif isinstance(error, (httpx2.RemoteProtocolError, httpx2.DecodingError)):
        found = APIConnectionError(f"no complete response from {host}: it was cut off")
    else:
        found = APIConnectionError(f"no response from {host}: {_cause(error)}")
    found.was_sent = True
    return found


def _cause(error: BaseException) -> str:
    """Return what the operating system said, without the URL."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return f"the connection failed ({type(error).__name__})"


class _TooLarge(Exception):
    """The body of a response is larger than any of the service's can be."""

    def __init__(self) -> None:
        super().__init__(f"is larger than {_LARGEST_ANSWER:,} bytes")


class _Body:
    """The body of a response, collected until its end, the deadline or the largest size."""

    def __init__(self, response: "httpx2.Response", deadline: float) -> None:
        self._response = response
        self._deadline = deadline
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > _LARGEST_ANSWER:
            raise _TooLarge
        if time.monotonic() > self._deadline:
            raise TimeoutError("the answer takes too long")

    def answer(self) -> Answer:
        headers = {name.lower(): value for name, value in self._response.headers.items()}
        return Answer(self._response.status_code, headers, b"".join(self._parts))


class Transport:
    """Makes blocking calls to one address. Safe to use from several threads."""

    def __init__(
        self,
        address: Address,
        proxy: str | None,
        transport: HTTPTransport | None = None,
        headers: Mapping[str, str] | None = None,
        api_key: str = "",
    ) -> None:
        import httpx2

        _require_method(transport, "handle_request", "HTTPTransport")
        self.address = address
        self._requests = Requests(address, headers or {}, api_key)
        self._http = transport or httpx2.HTTPTransport(**_options(proxy))
        if transport is None:
            # Close the connections of a client that is dropped without being closed.
            weakref.finalize(self, self._http.close)

    def run(self, call: Call[T]) -> T:
        """Make the call and return its result."""
        return self.drive(perform(call, self.address))

    def drive(self, steps: Steps[T]) -> T:
        """Take the steps to their end and return their result."""
        answer: Any = None
        error: Exception | None = None
        with closing(steps):
            while True:
                try:
                    step = steps.send(answer) if error is None else steps.throw(error)
                except StopIteration as end:
                    result: T = end.value
                    return result
                answer = error = None
                if isinstance(step, Pause):
                    sleep(step.seconds)
                elif isinstance(step, Send):
                    answer = self._send(step)
                else:
                    try:
                        answer = require_no_awaitable(step.function(step.item))
                    except Exception as caught:  # noqa: BLE001 - the steps decide what it means
                        error = caught

    def close(self) -> None:
        self._http.close()

    def _send(self, send: Send) -> Answer | CopydeskError:
        request = self._requests.request(send)
        if isinstance(request, CopydeskError):
            return request
        import httpx2

        begin = time.monotonic()
        try:
            response = self._http.handle_request(request)
            response.request = request
            body = _Body(response, begin + send.timeout)
            try:
                for part in response.iter_bytes():
                    body.add(part)
            finally:
                response.close()
        except (httpx2.HTTPError, httpx2.InvalidURL, _TooLarge, OSError, UnicodeError) as error:
            return self._requests.failure(send, error)
        return self._requests.answered(send, body.answer(), time.monotonic() - begin)


class AsyncTransport:
    """Makes calls to one address with ``await``. For one event loop."""

    def __init__(
        self,
        address: Address,
        proxy: str | None,
        transport: AsyncHTTPTransport | None = None,
        headers: Mapping[str, str] | None = None,
        api_key: str = "",
    ) -> None:
        import httpx2

        _require_method(transport, "handle_async_request", "AsyncHTTPTransport")
        self.address = address
        self._requests = Requests(address, headers or {}, api_key)
        self._http = transport or httpx2.AsyncHTTPTransport(**_options(proxy))

    async def run(self, call: Call[T]) -> T:
        """Make the call and return its result."""
        return await self.drive(perform(call, self.address))

    async def drive(self, steps: Steps[T]) -> T:
        """Take the steps to their end and return their result."""
        answer: Any = None
        error: Exception | None = None
        with closing(steps):
            while True:
                try:
                    step = steps.send(answer) if error is None else steps.throw(error)
                except StopIteration as end:
                    result: T = end.value
                    return result
                answer = error = None
                if isinstance(step, Pause):
                    await async_sleep(step.seconds)
                elif isinstance(step, Send):
                    answer = await self._send(step)
                else:
                    try:
                        answer = step.function(step.item)
                        answer = await answer if hasattr(answer, "__await__") else answer
                    except Exception as caught:  # noqa: BLE001 - the steps decide what it means
                        error = caught

    async def close(self) -> None:
        await self._http.aclose()

    async def _send(self, send: Send) -> Answer | CopydeskError:
        request = self._requests.request(send)
        if isinstance(request, CopydeskError):
            return request
        import httpx2

        begin = time.monotonic()
        try:
            response = await self._http.handle_async_request(request)
            response.request = request
            body = _Body(response, begin + send.timeout)
            try:
                async for part in response.aiter_bytes():
                    body.add(part)
            finally:
                await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, _TooLarge, OSError, UnicodeError) as error:
            return self._requests.failure(send, error)
        return self._requests.answered(send, body.answer(), time.monotonic() - begin)


class Client:
    """The base of the blocking clients: closes their connections, also as a context manager."""

    _transport: Transport

    def close(self) -> None:
        """Close the connections; a call after this opens new ones."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient:
    """The base of the async clients: closes their connections, also as a context manager."""

    _transport: AsyncTransport

    async def close(self) -> None:
        """Close the connections; a call after this opens new ones."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
