"""Sending again, against a real server that breaks off, stays silent or refuses."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    Copydesk,
    CopydeskError,
    Feed,
    Generation,
    Progress,
    RateLimitError,
    ServerError,
)

PASSING = {
    "connection cut": "cut",
    "answer cut in half": "half",
    "408": (408, {}, {}),
    "in progress": (
        409,
        {"error": {"code": "IDEMPOTENCY_IN_PROGRESS", "message": "Wait."}},
        {"Retry-After": "0"},
    ),
    "429 with Retry-After": (429, {"error": {"code": "RATE_LIMITED"}}, {"Retry-After": "0"}),
    "500": (500, {"error": {"code": "INTERNAL_ERROR", "message": "Oops."}}, {}),
    "proxy's 502": (502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"}),
    "503": (503, {"error": {"code": "SERVICE_UNAVAILABLE", "message": "Model down."}}, {}),
}
FINAL = {
    "400": (400, {"error": {"code": "VALIDATION_ERROR", "message": "No."}}, {}),
    "401": (401, {"error": {"code": "UNAUTHORIZED", "message": "No."}}, {}),
    "409 conflict": (409, {"error": {"code": "CONFLICT", "message": "No."}}, {}),
    "422": (422, {"error": {"code": "CONTENT_QUALITY_FAILED", "message": "No."}}, {}),
    "429 without Retry-After": (429, {"error": {"code": "RATE_LIMITED", "message": "No."}}, {}),
    "quota": (
        429,
        {"error": {"code": "QUOTA_EXCEEDED", "message": "No."}},
        {"Retry-After": "0", "x-should-retry": "false"},
    ),
    "quota behind a proxy that drops headers": (
        429,
        {"error": {"code": "QUOTA_EXCEEDED", "message": "No."}},
        {"Retry-After": "0"},
    ),
    "generation time-out behind a proxy that drops headers": (
        504,
        {"error": {"code": "GENERATION_TIMEOUT", "message": "No."}},
        {},
    ),
    "advised against": (503, {}, {"x-should-retry": "false"}),
    "a wait of an hour": (503, {}, {"Retry-After": "3600"}),
    "in progress, advised against": (
        409,
        {"error": {"code": "IDEMPOTENCY_IN_PROGRESS", "message": "No."}},
        {"x-should-retry": "false"},
    ),
    "no JSON": (200, b"<html>Log in</html>", {"Content-Type": "text/html"}),
}


@pytest.fixture
def client(service: Any, api_key: str) -> Copydesk:
    return Copydesk(api_key, service.url)


@pytest.mark.parametrize("failure", PASSING.values(), ids=PASSING)
def test_generate_is_sent_again_with_the_same_idempotency_key(
    service: Any, client: Copydesk, failure: Any
) -> None:
    """ "same key … with same body returns the original response; generation runs once, so retries
    cannot double-bill." """
    service.replies.extend([failure, failure])
    assert isinstance(client.generate(keywords=["cold brew"]), Generation)
    assert len(service.seen) == 3
    assert len({seen.headers["Idempotency-Key"] for seen in service.seen}) == 1
    assert [seen.body for seen in service.seen] == [{"keywords": ["cold brew"]}] * 3


WORK: dict[str, Callable[[Copydesk], object]] = {
    "generate": lambda client: client.generate(keywords=["cold brew"]),
    "jobs.create": lambda client: client.jobs.create(keywords=["cold brew"]),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
@pytest.mark.parametrize("failure", FINAL.values(), ids=FINAL)
def test_what_will_not_pass_is_sent_once(
    service: Any, client: Copydesk, failure: Any, work: Callable[[Copydesk], object]
) -> None:
    service.replies.append(failure)
    with pytest.raises(APIError) as caught:
        work(client)
    assert len(service.seen) == 1
    assert not caught.value.transient


@pytest.mark.parametrize(("retries", "calls"), [(0, 1), (1, 2), (2, 3)])
def test_max_retries_is_the_number_of_further_attempts(
    service: Any, api_key: str, retries: int, calls: int
) -> None:
    service.replies.extend([PASSING["503"]] * 5)
    with pytest.raises(ServerError, match=r"Model down \(HTTP 503 SERVICE_UNAVAILABLE\)"):
        Copydesk(api_key, service.url, max_retries=retries).usage()
    assert len(service.seen) == calls


def test_two_calls_have_two_keys_and_a_given_key_is_kept(service: Any, client: Copydesk) -> None:
    client.generate(keywords=["a"])
    client.generate(keywords=["a"])
    client.generate(keywords=["a"], idempotency_key="order-7")
    first, second, third = (seen.headers["Idempotency-Key"] for seen in service.seen)
    assert first != second
    assert third == "order-7"


@pytest.mark.parametrize("failure", ["cut", PASSING["500"], FINAL["409 conflict"]])
def test_a_failed_generation_can_be_continued_by_its_key(
    service: Any, client: Copydesk, failure: Any
) -> None:
    service.replies.extend([failure] * 500)
    with pytest.raises(CopydeskError) as caught:
        client.generate(keywords=["cold brew"], timeout=0.5)
    assert caught.value.idempotency_key == service.seen[0].headers["Idempotency-Key"]


PROXY_GAVE_UP = {
    "connection cut": "cut",
    "answer cut in half": "half",
    "JSON cut in half": (200, b'{"requestId": "req', {}),
    "502": (502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"}),
    "503": (503, b"", {}),
    "504": (504, b"<html>Time-out</html>", {"Content-Type": "text/html"}),
    "in progress": PASSING["in progress"],
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
@pytest.mark.parametrize("failure", PROXY_GAVE_UP.values(), ids=PROXY_GAVE_UP)
def test_a_proxy_that_gave_up_is_no_failure_while_the_key_holds(
    service: Any, client: Copydesk, failure: Any, work: Callable[[Copydesk], object]
) -> None:
    """ "with the idempotency key in force 502, 503, 504 and cut connections within it mean "still
    being written" " """
    service.replies.extend([failure] * 12)
    work(client)
    assert len(service.seen) == 13


def test_without_retries_a_key_changes_nothing(service: Any, api_key: str) -> None:
    service.replies.append("cut")
    with pytest.raises(APIConnectionError):
        Copydesk(api_key, service.url, max_retries=0).generate(keywords=["a"])
    assert len(service.seen) == 1


def test_progress_says_why_a_call_is_sent_again(service: Any, client: Copydesk) -> None:
    seen: list[Progress] = []
    service.replies.extend(["cut", PROXY_GAVE_UP["504"]])
    client.generate(keywords=["cold brew"], on_progress=seen.append)
    assert [each.status for each in seen] == ["waiting", "waiting"]
    assert "closed the connection" in seen[0].reason
    assert "HTTP 504" in seen[1].reason
    assert 0 <= seen[0].elapsed <= seen[1].elapsed


def test_retry_after_is_waited_for(service: Any, client: Copydesk) -> None:
    service.reply(429, {"error": {"code": "RATE_LIMITED"}}, Retry_After="1")
    start = time.monotonic()
    client.usage()
    assert time.monotonic() - start >= 1


@pytest.mark.parametrize("value", ["soon", "9" * 5000, "Wed, 21 Oct 99999 07:28:00 GMT"])
def test_a_retry_after_that_cannot_be_read_counts_as_absent(
    service: Any, client: Copydesk, value: str
) -> None:
    service.refuse(429, "RATE_LIMITED", Retry_After=value)
    with pytest.raises(RateLimitError) as caught:
        client.usage()
    assert caught.value.retry_after is None


def test_waits_grow_and_have_jitter(
    service: Any, client: Copydesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("copydesk._transport.sleep", waits.append)
    monkeypatch.setattr("copydesk._calls.FIRST_WAIT_S", 0.5)
    monkeypatch.setattr("copydesk._calls.LONGEST_WAIT_S", 8.0)
    for _ in range(20):
        service.replies.extend([PASSING["503"]] * 2)
        client.usage()
    first, second = waits[::2], waits[1::2]
    assert all(0.25 <= wait <= 0.5 for wait in first)
    assert all(0.5 <= wait <= 1.0 for wait in second)
    assert len(set(first)) > 10


def test_a_silent_service_is_a_timeout(service: Any, api_key: str) -> None:
    service.replies.append("silent")
    with pytest.raises(APITimeoutError, match=r"^no response from .+ within 0\.2 s"):
        Copydesk(api_key, service.url, timeout=0.2, max_retries=0).generate(keywords=["a"])


def test_generate_may_take_minutes_and_the_rest_may_not(api_key: str, samples: Any) -> None:
    timeouts: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        timeouts.append(request.extensions["timeout"])
        name = request.url.path.rpartition("/")[2]
        return httpx2.Response(200, json=samples["usage" if name == "usage" else "generation"])

    client = Copydesk(api_key, transport=httpx2.MockTransport(answer))
    client.generate(keywords=["a"])
    client.usage()
    assert [(each["connect"], round(each["read"])) for each in timeouts] == [(10, 600), (10, 30)]


PULLS: list[Callable[[Feed], object]] = [
    Feed.latest,
    lambda feed: feed.latest(next=True),
    Feed.items,
]


@pytest.mark.parametrize("pull", PULLS, ids=["latest", "next", "items"])
@pytest.mark.parametrize("failure", ["silent", *PASSING.values()], ids=["silent", *PASSING])
def test_a_pull_is_never_sent_again(service: Any, pull: Any, failure: Any) -> None:
    """ "Number of times this exact item has been handed out so far … reaches 3 just before
    auto-abandon." A pull that is repeated unasked would use the sends up."""
    service.replies.append(failure)
    timeout = 0.3 if failure == "silent" else 30.0
    with pytest.raises(CopydeskError):
        pull(Feed(service.pull_url, timeout=timeout, max_retries=5))
    # A busy machine may read what was sent after its sender gave up.
    until = time.monotonic() + 30
    while not service.seen and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert len(service.seen) == 1


def test_a_pull_does_not_even_connect_twice() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1/content-tokens/abc"
        with pytest.raises(APITimeoutError):
            Feed(url, timeout=0.2).latest()
        listener.accept()[0].close()
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("verb", ["confirm", "reject"])
@pytest.mark.parametrize("failure", ["cut", "half", PASSING["500"], PASSING["proxy's 502"]])
def test_confirm_and_reject_are_sent_again(service: Any, verb: str, failure: Any) -> None:
    """ "Repeat on an already-confirmed item: 200." """
    service.replies.extend([failure, failure])
    assert getattr(Feed(service.pull_url), verb)("itm_1").status in {"used", "rejected"}
    assert len(service.seen) == 3


def test_no_service_at_all(api_key: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(APIConnectionError, match=f"^cannot reach http://127.0.0.1:{port}: "):
        Copydesk(api_key, f"http://127.0.0.1:{port}").usage()


def test_an_address_with_the_wrong_scheme_is_named(api_key: str, service: Any) -> None:
    address = service.url.replace("http://", "https://")
    with pytest.raises(APIConnectionError, match="its address may begin with http://"):
        Copydesk(api_key, address, max_retries=0).usage()


def test_a_response_without_an_end_is_not_read_to_its_end(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text of strangers is bounded before anything looks at it"""
    monkeypatch.setattr("copydesk._transport._LARGEST_ANSWER", 1_000)
    service.replies.append((200, b"x" * 1_001, {"Content-Type": "application/json"}))
    with (
        Feed(service.pull_url) as feed,
        pytest.raises(APIConnectionError, match=r"is larger than 1,000 bytes$") as caught,
    ):
        feed.latest()
    assert caught.value.was_sent
