"""The pull feed, and that its token stays a secret."""

import copy
import json
import logging
import pickle
import socket
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    ConfigurationError,
    CopydeskError,
    Feed,
    NotFoundError,
)

HOST = "https://copydesk.example.com"


@pytest.mark.parametrize("tail", ["", "/", "/latest", "/items", "/latest/", "\n"])
@pytest.mark.parametrize("base", ["", "/behind/a/path"])
def test_the_pull_url_is_taken_with_and_without_its_end(token: str, base: str, tail: str) -> None:
    feed = Feed(f"{HOST}{base}/v1/content-tokens/{token}{tail}")
    assert repr(feed) == f"Feed('{HOST}{base}/v1/content-tokens/[redacted]')"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "copydesk.example.com/v1/content-tokens/{token}",
        "ftp://copydesk.example.com/v1/content-tokens/{token}",
        "https://copydesk.example.com/{token}",
        "https://copydesk.example.com/v1/content-tokens/",
        "https://copydesk.example.com/v1/content-tokens/{token}/items/itm_1/confirm",
        "https://copydesk.example.com/v1/content-tokens/{token}/latest?next=true",
        "https://me:{token}@copydesk.example.com/v1/content-tokens/{token}",
    ],
)
def test_what_is_no_pull_url_is_refused_and_not_shown(token: str, url: str) -> None:
    with pytest.raises(ConfigurationError, match="pull_url must") as caught:
        Feed(url.format(token=token))
    assert token not in "".join(traceback.format_exception(caught.value))


def test_ready_asks_without_reserving_anything(service: Any, token: str) -> None:
    """HEAD, OPTIONS on a pull | never claims"""
    Feed(service.pull_url).ready()
    (seen,) = service.seen
    assert (seen.method, seen.path) == ("HEAD", f"/v1/content-tokens/{token}/latest")
    assert "Authorization" not in seen.headers


def test_ready_tells_an_unknown_token_from_a_service_that_is_down(service: Any) -> None:
    """Unknown token: error body with code NOT_FOUND. (To HEAD there is no body.)"""
    with pytest.raises(NotFoundError, match=f"{service.url} does not know this URL"):
        Feed(f"{service.url}/v1/content-tokens/nobodys").ready()
    service.reply(503, Retry_After="7")
    with pytest.raises(APIError, match="HTTP 503") as caught:
        Feed(service.pull_url).ready()
    assert (caught.value.transient, caught.value.retry_after) == (True, 7)
    with pytest.raises(APIConnectionError):
        _nothing_listens(Feed, service).ready()
    service.reply(405)
    Feed(service.pull_url).ready()


def test_items_have_their_rule(service: Any, token: str) -> None:
    (item,) = Feed(service.pull_url).items(rule="Café & more")
    (seen,) = service.seen
    assert seen.path == f"/v1/content-tokens/{token}/items"
    assert seen.query == "rule=Caf%C3%A9+%26+more"
    assert (item.rule_id, item.rule_name) == ("rul_1", "Coffee")


def test_an_item_id_stays_one_segment_of_the_path(service: Any) -> None:
    Feed(service.pull_url).confirm("a/../b?c#d e")
    assert service.seen[0].path.endswith("/items/a%2F..%2Fb%3Fc%23d%20e/confirm")


@pytest.mark.parametrize("item_id", ["", ".", ".."])
def test_an_item_id_that_leads_elsewhere_is_refused(service: Any, item_id: str) -> None:
    with pytest.raises(ConfigurationError, match="item_id must be"):
        Feed(service.pull_url).confirm(item_id)
    assert not service.seen


@pytest.mark.parametrize("body", [{}, {"available": "yes"}, {"available": True}, {"items": []}, []])
def test_an_answer_of_another_form_is_no_empty_feed(service: Any, body: Any) -> None:
    service.reply(200, body)
    with pytest.raises(APIError, match="not in the documented form"):
        Feed(service.pull_url).latest()


@pytest.mark.parametrize("missing", ["post", "rendered", "generatedAt", "deliveryCount"])
def test_one_incomplete_item_does_not_lose_the_others(
    service: Any, samples: Any, missing: str
) -> None:
    """ "Each returned item is reserved and must be confirmed or rejected individually" """
    whole, broken = dict(samples["item"]), copy.deepcopy(samples["item"])
    del broken[missing]
    broken["id"] = "itm_2"
    service.waiting[:] = [broken, whole]
    assert [item.id for item in Feed(service.pull_url).items()] == ["itm_2", "itm_1"]


@pytest.mark.parametrize("item_id", [None, "", 7, ["itm_1"]])
def test_an_item_without_an_id_does_not_lose_the_others(
    service: Any, samples: Any, item_id: Any
) -> None:
    service.waiting[:] = [samples["item"] | {"id": item_id}, samples["item"]]
    feed = Feed(service.pull_url)
    assert [item.id for item in feed.items()] == ["", "itm_1"]
    with pytest.raises(ConfigurationError):
        feed.confirm("")


def test_a_number_of_any_length_does_not_lose_the_others(service: Any, samples: Any) -> None:
    answer = json.dumps({"items": [samples["item"] | {"deliveryCount": "?"}, samples["item"]]})
    service.reply(200, answer.replace('"?"', "7" * 5000).encode())
    assert [item.delivery_count for item in Feed(service.pull_url).items()] == [None, 1]


def test_an_answer_without_the_item_is_no_confirmation(service: Any) -> None:
    service.reply(200, {"ok": True})
    with pytest.raises(APIError, match="not in the documented form: it has no id"):
        Feed(service.pull_url).confirm("itm_1")


def test_a_feed_may_be_shared_by_threads(service: Any) -> None:
    feed = Feed(service.pull_url)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(feed.confirm, map(str, range(100))))
    assert [result.id for result in results] == [str(number) for number in range(100)]


def _nothing_listens(feed: Callable[[str], Feed], service: Any) -> Feed:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return feed(service.pull_url.replace(service.url, f"http://127.0.0.1:{port}"))


def _fails_with(reply: Any) -> Callable[[Callable[[str], Feed], Any], Feed]:
    def prepare(feed: Callable[[str], Feed], service: Any) -> Feed:
        service.replies.extend([reply] * 3)
        return feed(service.pull_url)

    return prepare


def _unknown_host(feed: Callable[[str], Feed], service: Any) -> Feed:
    return feed(service.pull_url.replace(service.url, "http://copydesk.invalid"))


def _tls_to_a_plain_port(feed: Callable[[str], Feed], service: Any) -> Feed:
    return feed(service.pull_url.replace("http://", "https://"))


def _echoed(text: str) -> tuple[int, Any, dict[str, str]]:
    return 404, {"error": {"code": "NOT_FOUND", "message": text, "details": {"url": text}}}, {}


WAYS_TO_FAIL: dict[str, Any] = {
    "nothing listens": _nothing_listens,
    "unknown host": _unknown_host,
    "TLS to a plain port": _tls_to_a_plain_port,
    "cut": _fails_with("cut"),
    "half": _fails_with("half"),
    "silent": _fails_with("silent"),
    "500": _fails_with((500, {}, {})),
    "echo": _fails_with(_echoed("No feed at /v1/content-tokens/tok_Zm9vYmFyYmF6cXV4MTIz.")),
    "page": _fails_with((404, b"<p>tok_Zm9vYmFyYmF6cXV4MTIz</p>", {})),
    "redirect": _fails_with(
        (302, {}, {"Location": "/v1/content-tokens/tok_Zm9vYmFyYmF6cXV4MTIz/latest"})
    ),
    "malformed header": _fails_with((500, {}, {"no header": "at all"})),
    "not gzip": _fails_with((200, b"plain", {"Content-Encoding": "gzip"})),
}


@pytest.mark.parametrize("call", ["ready", "latest", "items", "confirm", "reject"])
@pytest.mark.parametrize("name", WAYS_TO_FAIL)
def test_the_token_is_in_no_exception_and_no_log(
    service: Any, token: str, call: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """ "The token_id in the path is itself the secret; it must be kept private" """
    if call == "ready" and name in {"half", "not gzip"}:
        return  # the answer to HEAD has no body
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpcore2")
    feed = WAYS_TO_FAIL[name](lambda url: Feed(url, timeout=0.3), service)
    arguments = ("itm_1",) if call in {"confirm", "reject"} else ()
    with pytest.raises(CopydeskError) as caught:
        getattr(feed, call)(*arguments)
    error = caught.value
    assert error.__context__ is None
    # The first frame is this test's own, which holds the token on purpose.
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    assert frames is not None
    report = traceback.TracebackException(type(error), error, frames, capture_locals=True)
    shown = "".join(report.format()) + repr(error) + repr(vars(error)) + repr(feed)
    assert token not in shown
    assert token.encode() not in pickle.dumps(error)
    assert "httpcore2" in {record.name.partition(".")[0] for record in caplog.records}
    assert token not in caplog.text


def test_a_token_is_in_no_log_of_a_successful_call(
    service: Any, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    Feed(service.pull_url).latest()
    assert "/v1/content-tokens/[redacted]/latest: 200" in caplog.text
    assert token not in caplog.text
