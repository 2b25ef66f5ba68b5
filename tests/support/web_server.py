"""The service's own web server, as an operator starts it, on a free port of loopback."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from tests.support.startup import wait_until


@contextmanager
def web_server(database_url: str, log: Path, *, processes: int, **more: str) -> Iterator[int]:
    """The port that it answers on; ``more`` are further settings. Its processes are ended with the
    block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COPYDESK_")}
    # An endpoint that nobody asks, so that no local model is looked for.
    settings = {"COPYDESK_DATABASE_URL": database_url, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    command = ["-m", "app.cli", "web", "--port", str(port), "--processes", str(processes)]
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, *command],
            env=kept | settings | more, stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    try:
        wait_until(lambda: _answers(port) or server.poll() is not None)
        assert server.poll() is None, log.read_text()
        yield port
    finally:
        # The server's own processes are in the group that began with it.
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
