"""A network backend for httpcore2 that limits the time and the bytes of a whole exchange.

The time-outs of HTTP clients limit each read and each write, so a server that sends a byte from
time to time could hold an exchange forever. Everything passes through the backend, so the limits
are there.
"""

import logging
import math
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpcore2

# How soon an exchange notices that its deadline was cancelled.
_LOOK_SECONDS = 0.25
# Each byte that a slow server accepts would restart the time-out of a write.
_WRITE_BYTES = 16 * 1024
# It logs the headers of answers, which can repeat a secret of the URL.
logging.getLogger("httpcore2").setLevel(logging.INFO)


class TooLarge(Exception):
    """More bytes than allowed were received."""


class Limits:
    """The remaining time and bytes of one exchange.

    Args:
        until: the end of the exchange, on the monotonic clock.
        max_bytes: the most that may be received.
        connect_seconds: the most for a TCP connection, and for TLS on it.
    """

    def __init__(self, until: float, max_bytes: int, connect_seconds: float) -> None:
        self.until, self.connect_seconds, self._bytes = until, connect_seconds, max_bytes

    def left(self, most: float = math.inf) -> float:
        """Return the seconds that are left, more than 0 and at most ``most``.

        Raises:
            TimeoutError: none are left.
        """
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, most)

    def count(self, received: int) -> None:
        """Count received bytes, or raise TooLarge."""
        self._bytes -= received
        if self._bytes < 0:
            raise TooLarge


class BoundedBackend(httpcore2.NetworkBackend):
    """A backend that keeps the limits.

    Args:
        limits: returns those of the present exchange.
        backend: opens the connections.
        address: where each connection goes, whatever the name of the host; None to resolve it.
    """

    def __init__(
        self,
        limits: Callable[[], Limits],
        backend: httpcore2.NetworkBackend,
        address: str | None = None,
    ) -> None:
        self._limits, self._backend, self._address = limits, backend, address

    def connect_tcp(self, host: str, *args: Any, **named: Any) -> httpcore2.NetworkStream:
        limits = self._limits()
        named["timeout"] = limits.left(limits.connect_seconds)
        stream = self._backend.connect_tcp(self._address or host, *args, **named)
        return _Stream(self._limits, stream)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, limits: Callable[[], Limits], stream: httpcore2.NetworkStream) -> None:
        self._limits, self._stream = limits, stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limits = self._limits()
        while True:
            try:
                received = self._stream.read(max_bytes, limits.left(_LOOK_SECONDS))
            except httpcore2.ReadTimeout:
                continue
            limits.count(len(received))
            return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        limits = self._limits()
        for start in range(0, len(buffer), _WRITE_BYTES):
            self._stream.write(buffer[start : start + _WRITE_BYTES], limits.left())

    def start_tls(self, *args: Any, **named: Any) -> httpcore2.NetworkStream:
        limits = self._limits()
        named["timeout"] = limits.left(limits.connect_seconds)
        return _Stream(self._limits, self._stream.start_tls(*args, **named))

    def close(self) -> None:
        connection = self._stream.get_extra_info("socket")
        if isinstance(connection, ssl.SSLSocket):
            # Sends close_notify, and does not wait for the reply.
            with suppress(OSError, ValueError):
                connection.settimeout(0)
                connection.unwrap()
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
