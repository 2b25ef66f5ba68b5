"""The feed's four endpoints over HTTP; calls with unknown tokens: told and looked up alike whatever
they look like, and not for ever; and old feed URLs."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.errors import Conflict
from app.services import accounts, overview, removal, retention, rules
from app.services import feed as feeds
from app.services.feed import MISSES_PER_MINUTE
from app.store import database, models
from tests.support.databases import statements
from tests.support.integration import NEVER, Feed, another_feed
from tests.support.response_schemas import ERROR_BODY, matches


def path(feed: Feed, rest: str) -> str:
    return f"/v1/content-tokens/{feed.token}/{rest}"


def refused(response: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The error object of an answer that must be this error."""
    assert response.status_code == status
    body = response.get_json()
    matches(body, ERROR_BODY)
    assert body["error"]["code"] == code
    assert body["error"]["message"]
    return dict(body["error"])


def pulled_ids(client: FlaskClient, feed: Feed, rest: str = "items") -> list[str]:
    return [item["id"] for item in client.get(path(feed, rest)).get_json()["items"]]


def test_a_rule_is_found_however_its_name_is_spelled(client: FlaskClient, feed: Feed) -> None:
    """Composed or decomposed, with whatever white space."""
    request = {"keywords": ["tea"]}
    hour = timedelta(hours=1)
    new = rules.NewRule(" E\u0301te\u0301\u00a0\n tea ", request, hour)
    rules.create_rule(feed.context, feed.token_id, new)
    for name in ("Été tea", "e\u0301te\u0301 TEA", "  été  tea\n"):
        assert pulled_ids(client, feed, f"items?rule={quote(name)}") == []
    with pytest.raises(Conflict):
        rules.create_rule(feed.context, feed.token_id, replace(new, name="ÉTÉ tea"))


def test_a_rule_named_like_the_id_of_another_does_not_hide_it(
    client: FlaskClient, feed: Feed
) -> None:
    namesake = feed.rules["Tea"]
    feed.add_rule(namesake, due=NEVER)
    (tea,) = feed.add_items("Tea")
    feed.add_items(namesake)
    assert pulled_ids(client, feed, f"items?rule={feed.rules['Tea']}") == [tea]


def test_an_unknown_rule_is_an_error_and_claims_nothing(client: FlaskClient, feed: Feed) -> None:
    feed.add_items("Coffee")
    other = another_feed(feed.url)
    for rule in ("Cocoa", "%25", "Cof", other.rules["Coffee"]):
        error = refused(client.get(path(feed, f"items?rule={rule}")), 404, "NOT_FOUND")
        assert error["details"] == {"field": "rule"}
    assert feed.states() == ["pending"]


@pytest.mark.parametrize(
    ("body", "told", "ignored"),
    [
        (b"{not json", None, "body"),
        (b"url=https%3A%2F%2Fblog.example%2Fpost", None, "body"),
        (b"", None, None),
        (b"[1]", None, "body"),
        (b"{}", None, None),
        (b'{"url": null, "more": 1}', None, "more"),
        (b'{"url": "https://blog.example/post"}', "https://blog.example/post", None),
        (b'{"url": "http://blog.example/a", "x": 1}', "http://blog.example/a", "x"),
        (b'{"url": "javascript:alert(1)"}', None, "url"),
        (b'{"url": "https://blog.example/\\u0000"}', None, "url"),
        (b'{"url": "https://blog.example/%s"}' % (b"a" * 2048), None, "url"),
        (b'{"url": "https://blog.example/", "x": "%s"}' % (b"a" * 70_000), None, "body"),
    ],
    ids=range(12),
)
def test_confirm_takes_whatever_body_a_client_sends(
    client: FlaskClient, feed: Feed, body: bytes, told: str | None, ignored: str | None
) -> None:
    """“No Authorization header, no body.” A client library may send one all the same. What it takes
    of one is where the post appeared, in JSON whatever its type: curl calls it a form."""
    (item,) = feed.add_items("Coffee")
    client.get(path(feed, "latest"))
    url, headers = path(feed, f"items/{item}/confirm"), {"Authorization": "Bearer nonsense"}
    for kind in ("application/x-www-form-urlencoded", "text/plain", None, "application/json"):
        response = client.post(url, data=body, headers=headers, content_type=kind)
        assert response.status_code == 200
        assert response.headers.get("Copydesk-Ignored") == ignored
    assert overview.item(item)[0].published_url == told


def test_a_long_query_is_refused_before_it_is_read(client: FlaskClient) -> None:
    refused(client.get(f"/healthz?{'a&' * 2049}"), 400, "VALIDATION_ERROR")
    assert client.get(f"/healthz?{'a&' * 2048}").status_code == 200


def test_a_nul_character_is_refused_whatever_the_database(client: FlaskClient, feed: Feed) -> None:
    """PostgreSQL takes none in a text, not even to compare with."""
    (item,) = feed.add_items("Coffee")
    refused(client.get(path(feed, "items?rule=%00")), 400, "VALIDATION_ERROR")
    refused(client.get(path(feed, "latest?next=%00")), 400, "VALIDATION_ERROR")
    refused(client.get("/v1/content-tokens/%00/latest"), 404, "NOT_FOUND")
    for verb in ("confirm", "reject"):
        refused(client.post(path(feed, f"items/{item}%00/{verb}")), 404, "NOT_FOUND")
    assert feed.states() == ["pending"]


# --- unknown tokens


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


def test_an_unknown_token_costs_one_look_up_and_no_lock(client: FlaskClient, feed: Feed) -> None:
    """The same for each, among the feed URLs and the old ones, whatever the token looks like."""
    for number, (method, rest) in enumerate(calls("itm_1")):
        seen = set()
        for other, token in enumerate(UNKNOWN):
            # An address for each, so that none is throttled.
            address = f"198.51.{number}.{other}"
            with statements() as sent:
                response = ask(client, token, method, rest, address)
            assert response.status_code == 404
            if method != "HEAD":
                error = {"code": "NOT_FOUND", "message": "Unknown content token."}
                assert response.get_json()["error"] == error
            seen.add(tuple(sent))
        ((statement,),) = seen
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


# --- a feed URL that is replaced can work for some time: sites change without downtime


DAY = timedelta(days=1)


def works(feed: Feed, token: str) -> bool:
    try:
        feeds.require_feed(feed.context, token)
    except feeds.UnknownToken:
        return False
    return True


def test_an_old_feed_url_works_as_long_as_it_is_kept(feed: Feed) -> None:
    """feed secrets rotated without downtime"""
    (item,) = feed.add_items("Coffee")
    first = feed.token
    second = accounts.rotate_token(feed.context, feed.token_id, keep=DAY).secret
    assert (works(feed, first), works(feed, second)) == (True, True)
    pulled = feeds.pull_latest(feed.context, first, next_item=False)
    assert pulled
    assert pulled.id == item
    feed.clock.move(DAY - timedelta(seconds=1))
    assert works(feed, first)
    feed.clock.move(timedelta(seconds=1))
    assert (works(feed, first), works(feed, second)) == (False, True)
    assert feeds.confirm(feed.context, second, item) == "used"


def test_one_that_leaked_ends_those_before_it_too(feed: Feed) -> None:
    first = feed.token
    second = accounts.rotate_token(feed.context, feed.token_id, keep=DAY).secret
    third = accounts.rotate_token(feed.context, feed.token_id).secret
    assert [works(feed, token) for token in (first, second, third)] == [False, False, True]


def test_old_feed_urls_are_deleted_with_their_feed_and_when_they_end(feed: Feed) -> None:
    accounts.rotate_token(feed.context, feed.token_id, keep=DAY)
    assert "feed URLs" not in retention.delete_old(feed.context, pause=lambda _: False)
    feed.clock.move(2 * DAY)
    assert retention.delete_old(feed.context, pause=lambda _: False)["feed URLs"] == 1
    accounts.rotate_token(feed.context, feed.token_id, keep=DAY)
    for rule_id in feed.rules.values():
        removal.delete_rule(rule_id, discard=True)
    removal.delete_feed(feed.token_id)
    with database.reading() as session:
        assert session.query(models.OldFeedUrl).count() == 0
