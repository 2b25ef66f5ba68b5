"""Free ports, processes that run, and waiting for a condition."""

import socket
import time
from collections.abc import Callable
from pathlib import Path


def free_port() -> int:
    """Return a free port on loopback. Another process may take it first."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(
    condition: Callable[[], bool], seconds: float = 60, what: str = "it comes about"
) -> None:
    """Return as soon as ``condition`` holds.

    Raises:
        AssertionError: it does not within ``seconds``; says what was waited for.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether the process runs; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
