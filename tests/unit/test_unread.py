"""Connections whose client reads nothing are closed, and no other sockets."""

import socket
import sys
from collections.abc import Iterator

import pytest

from app.runtime import look_for_unread

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing happens elsewhere")

SECONDS = range(0, 120, 5)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        yield listening


def connect(listener: socket.socket) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(listener.getsockname())
    client.settimeout(5)
    return client


def test_who_reads_nothing_is_closed(listener: socket.socket) -> None:
    with connect(listener) as client, listener.accept()[0] as connection:
        connection.sendall(b"x" * 200_000)
        seen: dict[int, tuple[int, float]] = {}
        for now in SECONDS:
            seen = look_for_unread(seen, now)
        with pytest.raises(BrokenPipeError):
            connection.sendall(b"x")
        connection.close()
        with pytest.raises(OSError, match="not connected"):
            client.getpeername()


def test_who_reads_each_small_answer_stays_however_far_it_is(listener: socket.socket) -> None:
    """Whenever the server looks, an answer is on its way."""
    with connect(listener) as client, listener.accept()[0] as connection:
        answers = client.makefile("rb")
        connection.sendall(b"x" * 12_000)
        seen: dict[int, tuple[int, float]] = {}
        for now in SECONDS:
            seen = look_for_unread(seen, now)
            assert seen, "some of it waits"
            connection.sendall(b"x" * 2400)
            assert len(answers.read(2400)) == 2400


def test_a_listener_with_connections_in_line_goes_on_listening(listener: socket.socket) -> None:
    with connect(listener), connect(listener):
        seen: dict[int, tuple[int, float]] = {}
        for now in SECONDS:
            seen = look_for_unread(seen, now)
        connect(listener).close()
