"""“it must be kept private like a webhook URL or API key”: the token is in no log, whatever its
level, and in no answer, whatever goes wrong."""

from collections.abc import Iterator

import pytest
import requests
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
    answers: list[str] = []
    with web_server(group, feed.url, COPYDESK_LOG_LEVEL="debug") as (port, log):

        def ask_all() -> set[int]:
            """The statuses of every call with each token; what else is answered is kept."""
            paths = [
                (method, f"/v1/content-tokens/{token}/{rest}")
                for method, rest in calls(item)
                for token in (feed.token, UNKNOWN)
            ]
            statuses = set()
            for method, path in [*paths, ("GET", "/readyz")]:
                answer = requests.request(method, f"http://127.0.0.1:{port}{path}", timeout=60)
                answers.append(f"{answer.headers} {answer.text}")
                statuses.add(answer.status_code)
            return statuses

        assert ask_all() >= {200, 400, 404, 405, 409}
        break_rows(feed)
        assert 500 in ask_all()
        if backend == "sqlite":
            with database.writing() as session:
                session.execute(text("ALTER TABLE tokens RENAME TO gone"))
            statuses = ask_all()
        else:
            server: PostgresServer = request.getfixturevalue("postgres")
            server.stop()
            try:
                statuses = ask_all()
            finally:
                server.start()
        assert 503 in statuses
    said = log.read_text()
    # The log was written, and of everything that went wrong.
    assert "unexpected error in GET" in said
    assert "the database did not answer" in said
    for secret in (feed.token, UNKNOWN, *map(fingerprint, (feed.token, UNKNOWN))):
        assert secret not in said
        assert not any(secret in answer for answer in answers)
