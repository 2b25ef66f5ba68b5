"""Limits on the time of an HTTP call and on the bytes of its answer.

A client's own time-outs limit each read, so an endpoint that sends a byte from time to time could
hold a call forever. Everything passes through httpcore2's network backend, so the limits are there.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore2
import httpx2
import openai

from app.adapters.openai_errors import CallTimeout, NoCompletion
from app.deadline import Deadline

# A post of 200,000 characters, each of them escaped, with thoughts before it.
MAX_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 10.0
# How soon a call notices that its deadline was cancelled.
_LOOK_SECONDS = 0.25
# Each byte that a slow endpoint accepts would restart the time-out of a write.
_WRITE_BYTES = 16 * 1024


class _Limits:
    """The remaining limits of one call."""

    def __init__(self, deadline: Deadline, seconds: float) -> None:
        self._deadline, self._until, self._bytes = deadline, time.monotonic() + seconds, MAX_BYTES

    def left(self, most: float) -> float:
        """Return the seconds that are left, more than 0 and at most ``most``, or raise."""
        left, own = self._deadline.left(), self._until - time.monotonic()
        if own <= 0:
            raise CallTimeout
        return min(left, own, most)

    def count(self, received: int) -> None:
        self._bytes -= received
        if self._bytes < 0:
            raise NoCompletion(f"sent an answer of more than {MAX_BYTES:,} bytes.", is_final=True)


_limits: ContextVar[_Limits] = ContextVar("limits of the model call in this thread")


@contextmanager
def limited(deadline: Deadline, seconds: float) -> Iterator[None]:
    """Limit the calls of a bounded client in the block to ``seconds`` and MAX_BYTES in total.

    The block raises CallTimeout, NoCompletion for too many bytes, or the deadline's own error.
    """
    limits = _Limits(deadline, seconds)
    token = _limits.set(limits)
    try:
        yield
    except openai.APIConnectionError:
        limits.left(0)  # raises if the time is the cause
        raise
    finally:
        _limits.reset(token)


def bound(client: httpx2.Client) -> None:
    """Make a client keep the limits; from then on it works only inside ``limited()``."""
    # httpx2 has no option for the network backend. All of its transports, proxies included, have
    # one of httpcore2's pools, which has one.
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            transport._pool._network_backend = _Backend(transport._pool._network_backend)
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks["response"].append(_refuse_encoded)


def _refuse_encoded(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        # A few bytes can stand for any number of them.
        why = "sent a compressed answer, although none was requested."
        raise NoCompletion(why, is_final=True)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **named: Any) -> httpcore2.NetworkStream:
        named["timeout"] = _limits.get().left(_CONNECT_SECONDS)
        return _Stream(self._backend.connect_tcp(*args, **named))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limits = _limits.get()
        while True:
            try:
                received = self._stream.read(max_bytes, limits.left(_LOOK_SECONDS))
            except httpcore2.ReadTimeout:
                continue
            limits.count(len(received))
            return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        limits = _limits.get()
        for start in range(0, len(buffer), _WRITE_BYTES):
            self._stream.write(buffer[start : start + _WRITE_BYTES], limits.left(float("inf")))

    def start_tls(self, *args: Any, **named: Any) -> httpcore2.NetworkStream:
        named["timeout"] = _limits.get().left(_CONNECT_SECONDS)
        return _Stream(self._stream.start_tls(*args, **named))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
