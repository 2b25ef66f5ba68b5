"""The HTTP client for all requests of the connector.

It ignores the environment, except for the certificates to trust: it uses no proxy that is not
configured and no password of ~/.netrc. It follows no redirect. Every call ends in time and takes a
bounded amount of memory, whatever the other side does.
"""

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from typing import Any, Self

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util.retry import Retry

from copydesk_connectors.target.errors import ConfigError, Unavailable
from copydesk_connectors.target.secret import Secret

TIMEOUT_S = (10.0, 45.0)
"""Seconds to connect, and between two bytes of the answer."""
TOTAL_S = 120.0
"""Seconds for a whole call, as a server may send a byte now and then."""
LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes after decompression; a hundred long posts are a tenth of it."""
_USER_AGENT = "copydesk-connect"
_PART = 65_536
# ``requests`` passes some errors of urllib3 on, such as that a host cannot exist.
_NO_ANSWER = (requests.RequestException, HTTPError)
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True)
class Answer:
    """The answer to a request to ``url``."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)
    url: str = field(repr=False)

    def json(self) -> Any:
        """Return the content as JSON, or None if it is not valid JSON."""
        try:
            return loads(self.content)
        except (ValueError, RecursionError):
            return None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return Retry-After in seconds, or None if it is missing or invalid."""
    value = headers.get("Retry-After")
    if value is None:
        return None
    try:
        return Retry().parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):  # a date in no calendar, too many digits
        return None


class HttpClient:
    """Calls to one site or feed, which errors call ``who``. Safe to use from several threads."""

    def __init__(self, who: str, proxy: Secret | None = None) -> None:
        self._who = who
        self._session = requests.Session()
        self._session.trust_env = False
        # With trust_env off, requests ignores the certificates of the environment as well.
        self._session.verify = _certificates() or True
        if proxy is not None:
            self._session.proxies = dict.fromkeys(("http", "https"), proxy.reveal())
        self._session.headers["User-Agent"] = _USER_AGENT
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, _Adapter())

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        most: int | None = None,
        whole: bool = True,
        **content: Any,
    ) -> Answer:
        """Send one request and return its answer.

        Args:
            most: the largest answer in bytes.
            whole: without it, a broken or larger answer is cut off instead of an error.
            content: arguments of ``requests``.

        Raises:
            Unavailable: there was no whole answer. The message does not contain the address.
        """
        with _Deadline(TOTAL_S) as deadline:
            try:
                with self._session.request(
                    method,
                    url,
                    headers=headers,
                    timeout=TIMEOUT_S,
                    # A redirect would turn a POST into a GET, or carry a secret elsewhere.
                    allow_redirects=False,
                    stream=True,
                    **content,
                ) as answer:
                    body = self._body(answer, most or LARGEST_ANSWER, whole)
            except _NO_ANSWER as error:
                late = self._late() if deadline.is_over else None
                # Without the cause, whose text holds the address.
                raise late or Unavailable(
                    f"{self._who} sent no complete response ({type(error).__name__})"
                ) from None
            if deadline.is_over and whole:  # an answer without a length ends at the cut
                raise self._late()
        return Answer(answer.status_code, answer.headers, body, url)

    def _body(self, answer: requests.Response, most: int, whole: bool) -> bytes:
        body = bytearray()
        try:
            for part in answer.iter_content(_PART):
                body += part
                if len(body) > most:
                    break
        except _NO_ANSWER:
            if whole:
                raise
        if len(body) > most:
            if whole:
                raise Unavailable(f"{self._who} sent more than {most:,} bytes")
            del body[most:]
        return bytes(body)

    def _late(self) -> Unavailable:
        return Unavailable(f"{self._who} sent no complete response within {TOTAL_S:g} s")


def _certificates() -> str:
    """Return the file or folder of certificates that the environment names, or ""."""
    for name in _CERTIFICATES:
        if path := os.environ.get(name):
            if not Path(path).exists():
                raise ConfigError(f"{name} names a file that is not there: correct it or unset it")
            return path
    return ""


class _Deadline:
    """Ends the connection of the calling thread's call when the time is over.

    It duplicates the socket, because TLS and the end of the headers each detach the connection's
    own.
    """

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._line: socket.socket | None = None
        self._turn = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        _call.deadline = self
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._turn:
            self._let_go()

    def watch(self, line: socket.socket) -> None:
        """End this connection when the time is over."""
        with self._turn:
            self._let_go()
            self._line = socket.fromfd(line.fileno(), line.family, line.type)
            if self.is_over:
                self._hang_up()

    def _end(self) -> None:
        with self._turn:
            self.is_over = True
            self._hang_up()

    def _hang_up(self) -> None:
        if self._line is not None:
            with suppress(OSError):  # the other side was quicker
                self._line.shutdown(socket.SHUT_RDWR)

    def _let_go(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


_call = threading.local()


class _Watched(HTTPConnection):
    """A connection that the deadline can end, even in a handshake."""

    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        _call.deadline.watch(made)
        return made

    def putrequest(self, *given: Any, **options: Any) -> None:
        if self.sock is not None:  # one that was kept
            _call.deadline.watch(self.sock)
        super().putrequest(*given, **options)


class _WatchedTls(_Watched, HTTPSConnection):
    """The same with TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTls


_POOLS = {"http": _Pool, "https": _TlsPool}


class _Adapter(HTTPAdapter):
    """Keeps watched connections, with a proxy or without."""

    def init_poolmanager(self, *given: Any, **options: Any) -> None:
        super().init_poolmanager(*given, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *given: Any, **options: Any) -> Any:
        manager = super().proxy_manager_for(*given, **options)
        manager.pool_classes_by_scheme = _POOLS
        return manager
