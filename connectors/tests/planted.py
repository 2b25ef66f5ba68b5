"""What must not reach a request: a netrc and proxies of the environment, and a server that notes
what did."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from .loopback import served

NETRC = "machine 127.0.0.1 login joe password of-netrc\ndefault login joe password of-netrc\n"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@dataclass
class Seen:
    """A server on loopback that answers ``status`` and ``body``, and what it was sent."""

    url: str = ""
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def sent(self, name: str) -> set[str | None]:
        """What all of the requests had as a header; None where one had none."""
        return {headers.get(name) for _, _, headers in self.requests}


@contextmanager
def seeing(status: int = 200, body: bytes = b"{}", **headers: str) -> Iterator[Seen]:
    """A server until the block ends."""
    seen = Seen(status=status, body=body, headers=headers)

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            self.close_connection = True
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                return
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.title(): value for name, value in self.headers.items()}
            seen.requests.append((self.command, self.path, headers))
            self.send_response_only(seen.status)
            for name, value in seen.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(seen.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(seen.body)

        def log_message(self, *args: object) -> None:
            """Stay silent."""

    with served(Handler) as seen.url:
        yield seen


@dataclass
class Door:
    """A listening socket that closes each connection at once. ``opened`` says how many it had."""

    url: str
    opened: int = 0


@contextmanager
def planted(patch: pytest.MonkeyPatch, home: Path, where: str) -> Iterator[Door]:
    """A netrc at ``where`` ("NETRC" or "HOME"), and a proxy in every variable; the proxy's door."""
    home.mkdir(exist_ok=True)
    netrc = home / (".netrc" if where == "HOME" else "netrc")
    netrc.write_text(NETRC)
    netrc.chmod(0o600)
    patch.delenv("NETRC", raising=False)
    patch.setenv(where, str(home if where == "HOME" else netrc))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        door = Door(f"http://127.0.0.1:{listener.getsockname()[1]}")

        def close() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    door.opened += 1
                    connection.close()

        thread = threading.Thread(target=close)
        thread.start()
        for name in VARIABLES:
            patch.setenv(name, door.url)
            patch.setenv(name.lower(), door.url)
        for name in ("NO_PROXY", "no_proxy"):
            patch.delenv(name, raising=False)
        try:
            yield door
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
