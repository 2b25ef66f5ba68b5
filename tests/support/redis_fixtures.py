"""What the contract suites of Redis' adapters share: imported as fixtures."""

from collections.abc import Iterator

import pytest

from app.adapters import redis_connection
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer

SECONDS = 40.0
TIMEOUT_SECONDS = redis_connection._TIMEOUT_SECONDS
"""How long the service itself waits for Redis."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine can take longer than the service waits for Redis."""
    monkeypatch.setattr(redis_connection, "_TIMEOUT_SECONDS", SECONDS)


@pytest.fixture(scope="module")
def server(group: ProcessGroup) -> RedisServer:
    return RedisServer(group, durable=True)


@pytest.fixture
def redis(server: RedisServer) -> Iterator[RedisServer]:
    """Empty, and running again after the test."""
    server.flush()
    yield server
    if server.process.poll() is not None:
        server.start()
