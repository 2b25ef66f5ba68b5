"""A TCP connection that can be cut: a proxy on loopback before one server, or before several."""

import contextlib
import select
import socket
import struct
from itertools import count
from threading import Lock, Thread

_LINGER = struct.pack("ii", 1, 0)  # a close is a reset


class Wire:
    """A proxy to these ports of loopback, in turn; it skips one that refuses the connection. A
    client is cut off if none accepts. It ends with this process."""

    def __init__(self, *ports: int) -> None:
        self._ports = ports
        self._turn = count()
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        Thread(target=self._listen, name=f"wire-{self.port}", daemon=True).start()

    def cut(self) -> int:
        """Reset all connections; return how many there were."""
        with self._lock:
            ends = list(self._open)
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
                end.shutdown(socket.SHUT_RDWR)
        return len(ends) // 2

    def _listen(self) -> None:
        while True:
            client, _ = self._listener.accept()
            Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            server = self._connect()
            if server is None:
                return
            with server:
                self._pump(client, server)

    def _connect(self) -> socket.socket | None:
        first = next(self._turn)
        for number in range(len(self._ports)):
            port = self._ports[(first + number) % len(self._ports)]
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", port), timeout=5)
        return None

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        server.settimeout(None)
        with self._lock:
            self._open |= other.keys()
        try:
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65_536)
                    if not data:
                        return
                    other[end].sendall(data)
        except OSError:
            pass
        finally:
            with self._lock:
                self._open -= other.keys()


def port_of(url: str) -> int:
    """Return the port of an address on loopback."""
    return int(url.removeprefix("http://").partition("/")[0].rpartition(":")[2])
