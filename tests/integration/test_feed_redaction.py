"""“it must be kept private like a webhook URL or API key”: the token is in no log, whatever its
level, and in no answer, whatever goes wrong."""

from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from sqlalchemy import text

from app.core.credentials import fingerprint
from app.store import database
from tests.support.crashes.programs import web_server
from tests.support.integration import Feed
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup

UNKNOWN = "ct_0123456789abcdefghijABCDEFGHIJ42"


def calls(item: str) -> Iterator[tuple[str, str]]:
    for rest in ("latest", "latest?next=true", "latest?next=perhaps", "items", "items?rule=Cocoa"):
        yield "GET", rest
        yield "HEAD", rest
        yield "OPTIONS", rest
    for verb in ("confirm", "reject"):
        yield "POST", f"items/{item}/{verb}"
        yield "POST", f"items/unknown/{verb}"
        yield "GET", f"items/{item}/{verb}"
    for method in ("DELETE", "PUT", "PATCH", "POST", "NONSENSE"):
        yield method, "latest"
    yield "GET", ""
    yield "GET", "nothing"
    yield "GET", "items/%00/confirm"


class Caller:
    """Calls a server with several tokens and keeps all that it answers."""

    def __init__(self, port: int, tokens: list[str]) -> None:
        self._port, self._tokens = port, tokens
        self.answers: list[str] = []

    def ask(self, method: str, path: str) -> int:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read().decode()
        self.answers.append(f"{response.getheaders()} {body}")
        connection.close()
        return response.status

    def ask_all(self, item: str) -> set[int]:
        """The statuses of every call with every token, and of /readyz."""
        statuses = {
            self.ask(method, f"/v1/content-tokens/{token}/{rest}")
            for method, rest in calls(item)
            for token in self._tokens
        }
        self.ask("GET", "/readyz")
        return statuses


def break_rows(feed: Feed) -> None:
    """Simulate a server bug: the stored rows do not fit the code."""
    with database.writing() as session:
        if database.engine().dialect.name == "sqlite":
            session.execute(text("UPDATE feed_items SET post = '{'"))
        else:
            session.execute(text("ALTER TABLE feed_items RENAME COLUMN markdown TO gone"))


def test_the_token_is_in_no_log_and_in_no_answer(
    feed: Feed, backend: str, group: ProcessGroup, request: pytest.FixtureRequest
) -> None:
    (item, *_) = feed.add_items("Coffee", 50)
    with web_server(group, feed.url, COPYDESK_LOG_LEVEL="debug") as (port, log):
        caller = Caller(port, [feed.token, UNKNOWN])
        assert caller.ask_all(item) >= {200, 400, 404, 405, 409}
        break_rows(feed)
        assert 500 in caller.ask_all(item)
        if backend == "sqlite":
            with database.writing() as session:
                session.execute(text("ALTER TABLE tokens RENAME TO gone"))
            statuses = caller.ask_all(item)
        else:
            server: PostgresServer = request.getfixturevalue("postgres")
            server.stop()
            try:
                statuses = caller.ask_all(item)
            finally:
                server.start()
        assert 503 in statuses
    said = log.read_text()
    # The log was written, and of everything that went wrong.
    assert "unexpected error in GET" in said
    assert "the database did not answer" in said
    for secret in (feed.token, UNKNOWN, *map(fingerprint, (feed.token, UNKNOWN))):
        assert secret not in said
        assert not any(secret in answer for answer in caller.answers)
