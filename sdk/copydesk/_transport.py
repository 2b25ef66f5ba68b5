"""HTTP: connections, proxies, certificates, and what their failures mean.

Exceptions of the HTTP library hold the URL, which contains the token of a feed. They are never
chained: ours are returned, and raised where no request is left in ``__context__`` or in a variable
of the traceback. For the same reason requests go to the library's transports and not to its
clients, which log the URL of each request.

The library is imported by the first client: it takes longer to import than all of this package, and
a webhook receiver does not need it.
"""

import os
import socket
import time
import weakref
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from copydesk._address import Address, proxy_address
from copydesk._calls import Answer, Call, call_blocking, perform
from copydesk._log import logger
from copydesk._version import __version__
from copydesk.errors import APIConnectionError, APITimeoutError, ConfigurationError, CopydeskError

if TYPE_CHECKING:
    import ssl

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


class _TooLarge(Exception):
    """The body of a response is larger than any of the service's can be."""


class _Connections:
    """What both transports share: options of the HTTP library, requests, meanings of failures."""

    _kind = _method = ""

    def __init__(
        self,
        address: Address,
        proxy: str | None,
        transport: Any = None,
        headers: Mapping[str, str] | None = None,
        api_key: str = "",
    ) -> None:
        import httpx2

        if transport is not None and not hasattr(transport, self._method):
            raise ConfigurationError(
                f"transport must be a transport of httpx2, such as httpx2.{self._kind}; it is"
                f" {type(transport).__name__}"
            )
        self.address = address
        self._headers = {
            "User-Agent": f"copydesk-python/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
            **(headers or {}),
        }
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        if transport is None:
            given = os.environ.get("COPYDESK_PROXY", "") if proxy is None else proxy
            transport = getattr(httpx2, self._kind)(
                verify=_certificates(),
                trust_env=False,
                proxy=proxy_address(given) or None,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
                socket_options=_KEEPALIVE,
            )
            if self._kind == "HTTPTransport":
                # Close the connections of a client that is dropped without being closed.
                weakref.finalize(self, transport.close)
        self._http = transport

    def _request(self, call: Call[Any], content: bytes, timeout: float) -> "httpx2.Request":
        import httpx2

        timeout = min(timeout, _LONGEST_S)
        limits = dict.fromkeys(("read", "write", "pool"), timeout)
        json_type = {"Content-Type": "application/json"} if content else {}
        try:
            # The idna of a host that cannot exist is found out only here.
            return httpx2.Request(
                call.method,
                self.address.url + call.path,
                params=dict(call.params) or None,
                headers={**self._headers, **call.headers, **json_type},
                content=content,
                extensions={"timeout": {**limits, "connect": min(CONNECT_TIMEOUT_S, timeout)}},
            )
        except (httpx2.InvalidURL, UnicodeError):
            pass
        raise ConfigurationError(f"{self.address.host} is not a valid host")

    def _answer(self, call: Call[Any], response: Any, body: "_Body", begin: float) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        shown = f"{call.method} {self.address.shown}{call.path}"
        seconds, request_id = time.monotonic() - begin, headers.get("x-request-id", "none")
        logger.debug(
            "%s: %d in %.2f s (request %s)", shown, response.status_code, seconds, request_id
        )
        return Answer(response.status_code, headers, b"".join(body.parts))

    def _failure(self, error: Exception, timeout: float) -> CopydeskError:
        """Return our error for one of the HTTP library."""
        import httpx2

        host = self.address.host
        if isinstance(error, (UnicodeError, httpx2.InvalidURL, httpx2.UnsupportedProtocol)):
            return ConfigurationError(f"{host} is not a valid host")
        if isinstance(error, httpx2.ConnectTimeout):
            seconds = _shown(min(CONNECT_TIMEOUT_S, timeout))
            return APITimeoutError(f"cannot reach {host}: no connection within {seconds} s")
        if isinstance(error, httpx2.ProxyError):
            return APIConnectionError(f"cannot reach {host}: the proxy did not forward the call")
        if isinstance(error, httpx2.ConnectError):
            why = _cause(error)
            if "WRONG_VERSION_NUMBER" in why:  # OpenSSL's word for an answer that is not TLS
                why = "it does not speak TLS there; its address may begin with http://"
            return APIConnectionError(f"cannot reach {host}: {why}")
        kind, problem = APIConnectionError, f"no response from {host}: {_cause(error)}"
        if isinstance(error, (httpx2.TimeoutException, TimeoutError)):
            kind, problem = APITimeoutError, f"no response from {host} within {_shown(timeout)} s"
        elif isinstance(error, _TooLarge):
            problem = f"the response of {host} is larger than {_LARGEST_ANSWER:,} bytes"
        elif isinstance(error, httpx2.RemoteProtocolError) and "without sending" in str(error):
            problem = f"no response from {host}: it closed the connection"
        elif isinstance(error, (httpx2.RemoteProtocolError, httpx2.DecodingError)):
            problem = f"no complete response from {host}: it was cut off"
        found = kind(problem)
        found.was_sent = True
        return found


class _Body:
    """The body of a response, collected until its end, the deadline or the largest size."""

    def __init__(self, deadline: float) -> None:
        self.parts: list[bytes] = []
        self._deadline = deadline
        self._size = 0

    def add(self, part: bytes) -> None:
        self.parts.append(part)
        self._size += len(part)
        if self._size > _LARGEST_ANSWER:
            raise _TooLarge
        if time.monotonic() > self._deadline:
            raise TimeoutError


def _failures() -> tuple[type[Exception], ...]:
    import httpx2

    return (httpx2.HTTPError, httpx2.InvalidURL, _TooLarge, OSError, UnicodeError)


def _certificates() -> "ssl.SSLContext | bool":
    """Return the certificates that the environment names, else True for the default ones."""
    bundle = next(filter(None, map(os.environ.get, _CERTIFICATES)), "")
    if not bundle:
        return True
    import ssl

    folder = Path(bundle).is_dir()
    try:
        return ssl.create_default_context(
            cafile=None if folder else bundle, capath=bundle if folder else None
        )
    except OSError:
        raise ConfigurationError(f"there are no certificates at {bundle}") from None


def _shown(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def _cause(error: BaseException) -> str:
    """Return what the operating system said, without the URL."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return f"the connection failed ({type(error).__name__})"


class Transport(_Connections):
    """Makes blocking calls to one address. Safe to use from several threads."""

    _kind, _method = "HTTPTransport", "handle_request"

    def run(self, call: Call[T]) -> T:
        """Make the call and return its result."""
        return self.drive(perform(call, self))

    def drive(self, steps: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine that awaits nothing but this transport, and return its result."""
        try:
            steps.send(None)
        except StopIteration as end:
            result: T = end.value
            return result
        raise RuntimeError("a blocking call was suspended")

    async def send(self, call: Call[Any], content: bytes, timeout: float) -> Answer | CopydeskError:
        request = self._request(call, content, timeout)
        begin = time.monotonic()
        try:
            response = self._http.handle_request(request)
            response.request = request
            body = _Body(begin + timeout)
            try:
                for part in response.iter_bytes():
                    body.add(part)
            finally:
                response.close()
        except _failures() as error:
            return self._failure(error, timeout)
        return self._answer(call, response, body, begin)

    async def sleep(self, seconds: float) -> None:
        sleep(seconds)

    async def ask(self, function: Callable[[T], Any], value: T) -> Any:
        return call_blocking(function, value)

    def close(self) -> None:
        self._http.close()


class AsyncTransport(_Connections):
    """Makes calls to one address with ``await``. For one event loop."""

    _kind, _method = "AsyncHTTPTransport", "handle_async_request"

    async def run(self, call: Call[T]) -> T:
        """Make the call and return its result."""
        return await perform(call, self)

    async def send(self, call: Call[Any], content: bytes, timeout: float) -> Answer | CopydeskError:
        request = self._request(call, content, timeout)
        begin = time.monotonic()
        try:
            response = await self._http.handle_async_request(request)
            response.request = request
            body = _Body(begin + timeout)
            try:
                async for part in response.aiter_bytes():
                    body.add(part)
            finally:
                await response.aclose()
        except _failures() as error:
            return self._failure(error, timeout)
        return self._answer(call, response, body, begin)

    async def sleep(self, seconds: float) -> None:
        """Wait on asyncio or trio."""
        import anyio

        await anyio.sleep(seconds)

    async def ask(self, function: Callable[[T], Any], value: T) -> Any:
        result = function(value)
        return await result if hasattr(result, "__await__") else result

    async def close(self) -> None:
        await self._http.aclose()


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
