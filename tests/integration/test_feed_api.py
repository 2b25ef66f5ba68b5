"""The feed's four endpoints over HTTP."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.errors import Conflict
from app.services import overview, rules
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
    rules.create_rule(feed.context, feed.token, new)
    for name in ("Été tea", "e\u0301te\u0301 TEA", "  été  tea\n"):
        assert pulled_ids(client, feed, f"items?rule={quote(name)}") == []
    with pytest.raises(Conflict):
        rules.create_rule(feed.context, feed.token, replace(new, name="ÉTÉ tea"))


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
        (b"null", None, "body"),
        (b"{}", None, None),
        (b'{"url": null, "more": 1}', None, "more"),
        (b'{"url": "https://blog.example/post"}', "https://blog.example/post", None),
        (b'{"url": "http://blog.example/a", "x": 1}', "http://blog.example/a", "x"),
        (b'{"link": "https://blog.example/a"}', None, "link"),
        (b'{"url": "javascript:alert(1)"}', None, "url"),
        (b'{"url": "https://blog.example/\\u0000"}', None, "url"),
        (b'{"url": "https://blog.example/%s"}' % (b"a" * 2048), None, "url"),
        (b'{"url": "https://blog.example/", "x": "%s"}' % (b"a" * 70_000), None, "body"),
    ],
    ids=range(14),
)
def test_confirm_takes_whatever_body_a_client_sends(
    client: FlaskClient, feed: Feed, body: bytes, told: str | None, ignored: str | None
) -> None:
    """“No Authorization header, no body.” A client library may send one all the same. What it takes
    of one is where the post appeared."""
    (item,) = feed.add_items("Coffee")
    client.get(path(feed, "latest"))
    headers = {"Authorization": "Bearer nonsense", "Content-Type": "application/json"}
    for _ in range(2):
        response = client.post(path(feed, f"items/{item}/confirm"), data=body, headers=headers)
        assert response.status_code == 200
        assert response.headers.get("Copydesk-Ignored") == ignored
    assert overview.item(item)[0].published_url == told


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "text/plain"])
def test_confirm_reads_json_whatever_its_content_type(
    client: FlaskClient, feed: Feed, kind: str | None
) -> None:
    """curl sends JSON as a form unless it is told otherwise: the address must not get lost."""
    (item,) = feed.add_items("Coffee")
    client.get(path(feed, "latest"))
    url = path(feed, f"items/{item}/confirm")
    answer = client.post(url, data=b'{"url": "https://blog.example/post"}', content_type=kind)
    assert answer.status_code == 200
    assert overview.item(item)[0].published_url == "https://blog.example/post"


def test_a_nul_character_is_refused_whatever_the_database(client: FlaskClient, feed: Feed) -> None:
    """PostgreSQL takes none in a text, not even to compare with."""
    (item,) = feed.add_items("Coffee")
    refused(client.get(path(feed, "items?rule=%00")), 400, "VALIDATION_ERROR")
    refused(client.get(path(feed, "latest?next=%00")), 400, "VALIDATION_ERROR")
    refused(client.get("/v1/content-tokens/%00/latest"), 404, "NOT_FOUND")
    for verb in ("confirm", "reject"):
        refused(client.post(path(feed, f"items/{item}%00/{verb}")), 404, "NOT_FOUND")
    assert feed.states() == ["pending"]
