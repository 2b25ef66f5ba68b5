"""Calls with unknown tokens: told and looked up alike whatever they look like, and not for ever."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Engine, event

from app.services.feed import MISSES_PER_MINUTE
from app.store import database
from tests.support.databases import every_statement_by_sqlalchemy
from tests.support.integration import Feed

UNKNOWN = ["ct_unknown", "ct_" + "0" * 32, "x", "ü", "%FF", "a" * 5_000, "' OR 1=1 --"]
HERE, ELSEWHERE = "203.0.113.7", "203.0.113.8"


def calls(item: str) -> list[tuple[str, str]]:
    """Every way to name a token."""
    pulls = ["latest", "latest?next=true", "items", "items?rule=Coffee"]
    settled = [("POST", f"items/{item}/{verb}") for verb in ("confirm", "reject")]
    return [(method, pull) for method in ("GET", "HEAD") for pull in pulls] + settled


def ask(client: FlaskClient, token: str, method: str, rest: str, address: str, **sent: Any) -> Any:
    return client.open(
        f"/v1/content-tokens/{token}/{rest}",
        method=method,
        environ_overrides={"REMOTE_ADDR": address},
        **sent,
    )


@contextmanager
def noted(engine: Engine) -> Iterator[list[str]]:
    """The statements that are sent within the block."""
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        with every_statement_by_sqlalchemy():
            yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_an_unknown_token_costs_one_look_up_and_no_lock(client: FlaskClient, feed: Feed) -> None:
    """The same for each, among the feed URLs and the old ones, whatever the token looks like."""
    engine = database.engine()
    for number, (method, rest) in enumerate(calls("itm_1")):
        seen = set()
        for other, token in enumerate(UNKNOWN):
            # An address for each, so that none is throttled.
            address = f"198.51.{number}.{other}"
            with noted(engine) as statements:
                response = ask(client, token, method, rest, address)
            assert response.status_code == 404
            if method != "HEAD":
                error = {"code": "NOT_FOUND", "message": "Unknown content token."}
                assert response.get_json()["error"] == error
            seen.add(tuple(statements))
        (sent,) = seen
        (statement,) = sent
        assert statement.startswith("SELECT tokens.id")
        assert "FOR " not in statement
        assert "tokens.hash = " in statement
        assert "old_feed_urls.hash = " in statement


def test_an_unknown_token_does_not_wait_for_a_writer(client: FlaskClient, feed: Feed) -> None:
    with database.engine().begin():
        for method, rest in calls("itm_1"):
            assert ask(client, "ct_unknown", method, rest, HERE).status_code == 404


def test_more_than_60_misses_a_minute_from_one_address_are_throttled(
    client: FlaskClient, feed: Feed
) -> None:
    for number in range(MISSES_PER_MINUTE):
        assert ask(client, f"ct_{number}", "GET", "latest", HERE).status_code == 404
    (item,) = feed.add_items("Coffee")
    for method, rest in calls(item):
        response = ask(client, "ct_more", method, rest, HERE)
        assert response.status_code == 429
        assert response.headers["Cache-Control"] == "no-store"
        assert 1 <= int(response.headers["Retry-After"]) <= 60
        if method != "HEAD":
            error = response.get_json()["error"]
            assert error["code"] == "RATE_LIMITED"
            assert "unknown content tokens" in error["message"]
            assert sorted(error["details"]) == ["limit", "limitType", "resetAt", "used"]
            assert error["details"]["limitType"] == "unknownTokensPerMinute"
            assert error["details"]["limit"] == error["details"]["used"] == 60
    # A known token goes on, and so does another address.
    assert ask(client, feed.token, "GET", "latest", HERE).get_json()["item"]["id"] == item
    assert ask(client, feed.token, "POST", f"items/{item}/confirm", HERE).status_code == 200
    assert ask(client, "ct_more", "GET", "latest", ELSEWHERE).status_code == 404


def test_calls_with_a_known_token_are_never_counted(client: FlaskClient, feed: Feed) -> None:
    (item,) = feed.add_items("Coffee")
    for _ in range(MISSES_PER_MINUTE + 1):
        assert ask(client, feed.token, "HEAD", "latest", HERE).status_code == 200
        # Unknown items and rules are errors of somebody who has a token.
        assert ask(client, feed.token, "POST", "items/itm_0/reject", HERE).status_code == 404
        assert ask(client, feed.token, "GET", "items?rule=Cocoa", HERE).status_code == 404
    assert ask(client, "ct_unknown", "GET", "latest", HERE).status_code == 404
    assert feed.rows()[0][0] == item
