"""The promises of the Moderator port, against a server that answers as endpoints document it."""

import json
import logging
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from app.adapters.openai_client import Connection
from app.adapters.openai_moderation import SECONDS, flagged
from app.core.errors import ModelUnavailable
from app.deadline import Deadline
from app.ports import Moderator
from tests.support.endpoints import operator_told
from tests.support.source_site import Reply, SourceSite

KEY = "sk-secret-1234567890"
PATH = "/v1/moderations"
NAMES = (
    "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit",
    "illicit/violent", "self-harm", "self-harm/instructions", "self-harm/intent", "sexual",
    "sexual/minors", "violence", "violence/graphic",
)  # fmt: skip


@pytest.fixture
def site() -> Iterator[SourceSite]:
    with SourceSite() as running:
        yield running


def result(*flagged: str) -> dict[str, Any]:
    """What OpenAI documents for one text."""
    return {
        "flagged": bool(flagged),
        "categories": {name: name in flagged for name in NAMES},
        "category_scores": {name: 0.97 if name in flagged else 0.0001 for name in NAMES},
        "category_applied_input_types": {name: ["text"] for name in NAMES},
    }


def answers(*results: object) -> Reply:
    return reply({"id": "modr-1", "model": "omni-moderation-2024-09-26", "results": results})


def reply(body: object, status: int = 200) -> Reply:
    # The client pauses as long as it is told to before it asks again.
    headers = {"Retry-After": "0.01"}
    return Reply(json.dumps(body).encode(), "application/json", status, headers)


def refused(status: int, message: str) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return reply({"error": error}, status)


def moderator(site: SourceSite, key: str = KEY, timeout_seconds: float = SECONDS) -> Moderator:
    connection = Connection(site.url("/v1"), key, timeout_seconds)
    return partial(flagged, connection, "omni-moderation-latest")


def test_each_text_is_looked_at_in_one_call(site: SourceSite) -> None:
    """«() is fine»; the model is the one that was set, and the key goes with it."""
    site.pages[PATH] = answers(result(), result())
    assert moderator(site)(["cold brew", "for baristas"], Deadline(60)) == ()
    ((path, headers, body),) = site.requests
    assert path == PATH
    assert headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(body) == {
        "model": "omni-moderation-latest",
        "input": ["cold brew", "for baristas"],
    }


def test_the_categories_of_all_texts_are_named_once(site: SourceSite) -> None:
    """«The categories, by the endpoint's names, that any of the texts falls under»."""
    site.pages[PATH] = answers(
        result("violence", "illicit/violent"), result(), result("violence", "self-harm")
    )
    assert moderator(site)(["a", "b", "c"], Deadline(60)) == (
        "illicit/violent",
        "self-harm",
        "violence",
    )


@pytest.mark.parametrize(
    ("of_one_text", "categories"),
    [
        ({"categories": {"dangerous_content": True, "pii": False}}, ("dangerous_content",)),
        ({"categories": {"pii": False}}, ()),
        ({"flagged": True}, ("unnamed",)),
        ({"flagged": True, "categories": {"hate": False}}, ("unnamed",)),
        ({"flagged": False, "categories": {"hate": True}}, ()),
        ({"flagged": True, "categories": {"hate": True, "illicit": None}}, ("hate",)),
    ],
)
def test_endpoints_that_say_less(
    site: SourceSite, of_one_text: dict[str, Any], categories: tuple[str, ...]
) -> None:
    """Without ``flagged`` the categories tell (Mistral); without a name it is flagged all the same;
    older models leave categories null."""
    site.pages[PATH] = answers(of_one_text)
    assert moderator(site)(["a"], Deadline(60)) == categories


def test_nothing_is_asked_about_nothing(site: SourceSite) -> None:
    assert moderator(site)([], Deadline(60)) == ()
    assert site.requests == []


@pytest.mark.parametrize(
    ("answer", "sentence", "calls"),
    [
        (refused(401, f"Incorrect API key provided: {KEY}"), "Check OPENAI_API_KEY", 1),
        (refused(403, "No."), "Check OPENAI_API_KEY", 1),
        (refused(429, "Slow down."), "limits the rate of calls", 3),
        (refused(500, "Oops."), "status 500. Try again later. It said: Oops.", 3),
        (refused(400, "Invalid value for 'model'."), "It said: Invalid value for 'model'.", 1),
        (refused(404, "Not here."), "Correct COPYDESK_MODERATION_MODEL, or unset it", 1),
        (Reply(b"<html>", "text/html", 405), "COPYDESK_MODERATION_MODEL, or unset it", 1),
    ],
    ids=["401", "403", "429", "500", "400", "404", "405"],
)
def test_a_refusal_says_what_to_do(
    site: SourceSite, answer: Reply, sentence: str, calls: int
) -> None:
    """«ModelUnavailable: no usable answer after the retries, bad credentials, or an endpoint that
    has no such call»."""
    site.pages[PATH] = answer
    with operator_told(ModelUnavailable, re.escape(sentence)) as error:
        moderator(site)(["my private text"], Deadline(60))
    assert len(site.requests) == calls
    assert KEY not in error.value.operator
    assert "my private text" not in error.value.operator


@pytest.mark.parametrize(
    "answer",
    [
        Reply(b"<!doctype html><title>Welcome</title>"),
        Reply(b'{"results": [', "application/json"),
        Reply(b"\xff\xfe", "application/json"),
        Reply(b"", "application/json"),
        reply([]),
        reply({"choices": []}),
        reply({"results": "fine"}),
        answers(),
        answers(result()),
        answers(result(), result(), result()),
        answers(result(), {}),
        answers(result(), {"categories": {}}),
        answers(result(), {"flagged": False, "categories": {"hate": "perhaps"}}),
    ],
)
def test_junk_is_no_all_clear(site: SourceSite, answer: Reply) -> None:
    """«no usable answer»: a text that nothing is said about counts as not looked at."""
    site.pages[PATH] = answer
    with operator_told(ModelUnavailable, "gave no verdict on each text"):
        moderator(site)(["a", "b"], Deadline(60))
    assert len(site.requests) == 1


def test_a_late_answer_is_none(site: SourceSite) -> None:
    """«or in time»: it is not asked for again, and is no GenerationTimeout, as nothing has been
    written yet."""

    def never(_: BaseHTTPRequestHandler, stop: threading.Event) -> None:
        stop.wait()

    site.script(PATH, never)
    with operator_told(ModelUnavailable, r"no answer within 0\.2 seconds"):
        moderator(site, timeout_seconds=0.2)(["a"], Deadline(60))
    assert len(site.requests) <= 1


def test_no_secret_and_no_text_leaks(site: SourceSite, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    site.pages[PATH] = answers(result("hate"))
    asked = moderator(site)
    asked(["my private text"], Deadline(60))
    for shown in (repr(asked), caplog.text):
        assert KEY not in shown
        assert "my private text" not in shown
