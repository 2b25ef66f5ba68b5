"""The forms of /v1/docs, which call the service with a test key."""

import asyncio
import html
import json
import re
from threading import Event
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from app.services import accounts
from app.store import database, models
from tests.support.asgi_calls import call, front_of
from tests.support.integration import SQLITE, Feed

EXAMPLE = json.dumps({"keywords": ["cold brew"]})


@pytest.fixture
def keys(feed: Feed) -> tuple[str, str]:
    """A test key and a live key."""
    test = accounts.create_key(feed.context, feed.account_id, sandbox=True)
    return test.secret, accounts.create_key(feed.context, feed.account_id).secret


def send(client: FlaskClient, operation: str, headers: Any = None, **fields: str) -> Any:
    browser = client.application.test_client()
    return browser.post(f"/v1/docs/try/{operation}", data=fields, headers=headers)


def shown(page: str) -> Any:
    """The body of the response on a page."""
    found = re.search(r"<h2>Response</h2>.*?<pre[^>]*><code>(.*?)</code>", page, re.DOTALL)
    assert found, page
    return json.loads(html.unescape(found[1]))


def test_each_call_with_a_key_can_be_tried_as_the_page_offers_it(
    client: FlaskClient, keys: tuple[str, str]
) -> None:
    page = client.application.test_client().get("/v1/docs").text
    assert set(re.findall(r'action="/v1/docs/try/(\w+)"', page)) == {
        "generate",
        "check",
        "createJob",
        "getJob",
        "getUsage",
    }
    bodies = re.findall(r'<textarea id="(\w+)-body"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    offered = {name: html.unescape(text).replace("\n", "\r\n") for name, text in bodies}
    post = send(client, "generate", key=keys[0], body=offered["generate"])
    assert (post.status_code, post.headers["Cache-Control"]) == (200, "no-store")
    assert shown(post.text)["post"]["title"]
    assert keys[0] not in post.text
    job = shown(send(client, "createJob", key=keys[0], body=offered["createJob"]).text)
    assert (
        shown(send(client, "getJob", key=keys[0], jobId=job["jobId"]).text)["jobId"] == job["jobId"]
    )
    assert shown(send(client, "check", key=keys[0], body=offered["check"]).text)["score"] <= 70
    assert shown(send(client, "getUsage", key=keys[0]).text)["consumed"]["words"] == 0


def test_a_live_key_is_refused_with_a_sentence(
    client: FlaskClient, keys: tuple[str, str], feed: Feed
) -> None:
    for key in (keys[1], "", "cd_live_x", feed.token):
        answer = send(client, "createJob", key=key, body=EXAMPLE)
        assert answer.status_code == 400
        assert "Only test keys work here" in answer.text
        assert "Response" not in answer.text
        assert not key or key not in answer.text
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.Job)) == 0


@SQLITE
def test_the_form_for_checks_is_no_way_around_one_text_at_a_time(
    client: FlaskClient, keys: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One text at a time in a process"""
    may_end, running, most = Event(), [0], [0]

    def check(*_: object) -> dict[str, int]:
        running[0] += 1
        most[0] = max(most[0], running[0])
        may_end.wait(10)
        running[0] -= 1
        return {"score": 70}

    monkeypatch.setattr("app.api.views.check_text", check)
    front = front_of(client.application, per_account=3)
    form = urlencode({"key": keys[0], "body": json.dumps({"text": "Tea."})}).encode()
    sent = {"method": "POST", "content_type": "application/x-www-form-urlencoded"}

    async def forms() -> list[tuple[int, str]]:
        path = "/v1/docs/try/check"
        first = [asyncio.ensure_future(call(front, path, form, **sent)) for _ in range(4)]
        # The one that is too many for the account does not wait.
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        assert (await call(front, "/v1/openapi.json"))[0] == 200
        may_end.set()
        return list(await asyncio.gather(*first))

    pages = asyncio.run(forms())
    assert [status for status, _ in pages] == [200] * 4
    answers = [shown(page) for _, page in pages]
    assert [answer for answer in answers if "score" in answer] == [{"score": 70}] * 3
    [refused] = [answer["error"] for answer in answers if "error" in answer]
    assert refused["details"]["limitType"] == "callsInFlight"
    assert most == [1]


@SQLITE
def test_errors_of_the_call_are_shown_as_a_program_gets_them(
    client: FlaskClient, keys: tuple[str, str]
) -> None:
    for key, body, code in (
        (keys[0], "{", "VALIDATION_ERROR"),
        (keys[0], "{}", "VALIDATION_ERROR"),
        (keys[0][:-1] + "x", EXAMPLE, "UNAUTHORIZED"),
        ("cd_test_x", EXAMPLE, "UNAUTHORIZED"),
    ):
        answer = send(client, "generate", key=key, body=body)
        assert answer.status_code == 200
        assert shown(answer.text)["error"]["code"] == code
    for wrong in ("cd_test_ä", "cd_test_\0", "cd_test_\n", "cd_test_\r\nX: y"):
        assert send(client, "getUsage", key=wrong).status_code in {200, 400}
    for job in ("../usage", "\0", "ä", "%00", "a" * 5000):
        answer = send(client, "getJob", key=keys[0], jobId=job)
        assert "NOT_FOUND" in answer.text, job
    assert send(client, "getJob", key=keys[0]).status_code == 400
    assert send(client, "pullLatest", key=keys[0]).status_code == 404


@SQLITE
def test_what_is_typed_stays_text(client: FlaskClient, keys: tuple[str, str]) -> None:
    evil = '"></textarea><script>alert(1)</script>'
    for answer in (
        send(client, "generate", key=keys[0], body=json.dumps({"keywords": [evil], "topic": 1})),
        send(client, "generate", key=evil, body=evil),
        send(client, "getJob", key=keys[0], jobId=evil),
    ):
        assert "<script" not in answer.text
        assert "script" not in answer.headers["Content-Security-Policy"]


@SQLITE
def test_other_sites_and_crowds_are_kept_out(client: FlaskClient, keys: tuple[str, str]) -> None:
    for origin in ("https://evil.example", "http://["):
        answer = send(client, "getUsage", headers={"Origin": origin}, key=keys[0])
        assert answer.status_code == 400
        assert "another site" in answer.text
    own = {"Origin": "http://localhost"}
    answers = [send(client, "getUsage", headers=own, key=keys[0]).status_code for _ in range(30)]
    assert answers == [200] * 28 + [429] * 2


@SQLITE
def test_a_form_that_is_too_large_is_refused(client: FlaskClient, keys: tuple[str, str]) -> None:
    answer = send(client, "generate", key=keys[0], body="a" * 70_000)
    assert answer.status_code == 400
    assert "at most 65536 bytes" in answer.text
