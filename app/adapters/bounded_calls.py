"""Limits on the wall-clock time of an HTTP call and on the bytes of its answer.

httpx2 only limits each read, so an endpoint that sends a byte from time to time can block a call
forever. Everything that a call sends and receives passes through httpcore2's network backend; the
limits apply there, to connecting, TLS, headers and body alike.
"""

import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2
import openai

from app.deadline import Deadline

# The longest answer has some 10,000 tokens, thoughts included: half a megabyte if every character
# is escaped. Lists of models, which a ping reads, are about as long.
MAX_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 10.0
# How soon a call notices that its deadline was cancelled.
_LOOK_SECONDS = 0.25
# Writes are split into pieces: each byte that a slow endpoint accepts would restart the timeout.
_WRITE_BYTES = 16 * 1024


class CallTimeout(openai.OpenAIError):
    """The call took too long; the client does not repeat it."""


class AnswerTooLong(openai.OpenAIError):
    """The answer has more than MAX_BYTES; the client does not repeat the call."""


class AnswerEncoded(openai.OpenAIError):
    """The answer is compressed, which was not requested and can hide any length."""


class _Limits:
    """The remaining limits of one call."""

    def __init__(self, deadline: Deadline, seconds: float) -> None:
        self._deadline = deadline
        self._until = time.monotonic() + seconds
        self._bytes = MAX_BYTES

    def seconds(self) -> float:
        """Return the seconds that are left, more than 0, or raise."""
        left = self._deadline.left()
        own = self._until - time.monotonic()
        if own <= 0:
            raise CallTimeout
        return min(left, own)

    def count(self, received: int) -> None:
        self._bytes -= received
        if self._bytes < 0:
            raise AnswerTooLong


_limits: ContextVar[_Limits] = ContextVar("limits of the model call in this thread")


@contextmanager
def limited(deadline: Deadline, seconds: float) -> Iterator[None]:
    """Limit the calls of a bounded client in the block to ``seconds`` and MAX_BYTES in total.

    The block raises CallTimeout, AnswerTooLong, or the deadline's own error, and closes the
    connection. A cancelled deadline ends a read within a quarter of a second.
    """
    token = _limits.set(_Limits(deadline, seconds))
    try:
        yield
    finally:
        _limits.reset(token)


def bound(client: httpx2.Client) -> None:
    """Make a client keep the limits; from then on it works only inside ``limited()``."""
    # httpx2 has no option for the network backend. All of its transports, proxies included, have
    # one of httpcore2's pools, which has one.
    for transport in (client._transport, *client._mounts.values()):
        if transport is not None:
            assert isinstance(transport, httpx2.HTTPTransport)  # noqa: S101 - the client made them
            pool = transport._pool
            pool._network_backend = _Backend(pool._network_backend)
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks["response"].append(_refuse_encoded)


def _refuse_encoded(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise AnswerEncoded


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        limits = _limits.get()
        # Given the name, the backend would use the whole time-out for each of its addresses.
        until = time.monotonic() + min(_CONNECT_SECONDS, limits.seconds())
        problem: httpcore2.NetworkError | httpcore2.TimeoutException = httpcore2.ConnectError()
        for address in _addresses(host, port):
            left = min(until - time.monotonic(), limits.seconds())
            if left <= 0:
                raise httpcore2.ConnectTimeout
            try:
                return _Stream(
                    self._backend.connect_tcp(address, port, left, local_address, socket_options)
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                problem = error
        raise problem


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limits = _limits.get()
        while True:
            try:
                received = self._stream.read(max_bytes, min(limits.seconds(), _LOOK_SECONDS))
            except httpcore2.ReadTimeout:
                continue
            limits.count(len(received))
            return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        limits = _limits.get()
        for start in range(0, len(buffer), _WRITE_BYTES):
            try:
                self._stream.write(buffer[start : start + _WRITE_BYTES], limits.seconds())
            except httpcore2.WriteTimeout:
                limits.seconds()
                raise

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = min(_CONNECT_SECONDS, _limits.get().seconds())
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
