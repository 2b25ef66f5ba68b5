"""What the client sends, and what it makes of the answers."""

import socket
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from copydesk import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    ConfigurationError,
    Copydesk,
    CopydeskError,
    Feed,
    GenerateRequest,
    PermissionDeniedError,
    ServerError,
    ValidationError,
)

BASE = "https://copydesk.example.com"


class Web:
    """Answers by address, in place of a network."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], httpx2.Response] = {}
        self.seen: list[str] = []
        self.transport = httpx2.MockTransport(self._answer)

    def get(self, url: str, status: int = 200, **content: Any) -> None:
        self._answers["GET", url] = httpx2.Response(status, **content)

    def post(self, url: str, status: int = 200, **content: Any) -> None:
        self._answers["POST", url] = httpx2.Response(status, **content)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(str(request.url))
        return self._answers[request.method, str(request.url)]


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def client(api_key: str, web: Web) -> Copydesk:
    return Copydesk(api_key, BASE, max_retries=0, transport=web.transport)


def test_a_generation_is_asked_for_with_the_key(service: Any, api_key: str, samples: Any) -> None:
    """How each argument is called in the interface, tests/contract/test_sdk_calls.py compares."""
    client = Copydesk(api_key, service.url)
    generation = client.generate(keywords=["beans"], include_faqs=False, idempotency_key="key-1")
    (seen,) = service.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/v1/generate", "")
    assert seen.headers["Authorization"] == f"Bearer {api_key}"
    assert seen.headers["Idempotency-Key"] == "key-1"
    assert seen.headers["User-Agent"].startswith("copydesk-python/")
    assert seen.body == {"keywords": ["beans"], "constraints": {"includeFAQs": False}}
    assert generation.request_id == "req_1"
    assert generation.raw == samples["generation"]


def test_key_and_address_come_from_the_environment(
    service: Any, api_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_API_KEY", f"{api_key}\n")
    monkeypatch.setenv("COPYDESK_BASE_URL", service.url)
    Copydesk().usage()
    assert service.seen[0].headers["Authorization"] == f"Bearer {api_key}"


def test_the_default_address_is_this_machine(api_key: str) -> None:
    assert repr(Copydesk(api_key)) == "Copydesk(base_url='http://127.0.0.1:8000')"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/"])
@pytest.mark.parametrize("path", ["", "/behind/a/path"])
def test_a_trailing_slash_or_version_makes_no_difference(
    api_key: str, web: Web, path: str, tail: str, samples: Any
) -> None:
    web.get(f"{BASE}{path}/v1/usage", json=samples["usage"])
    Copydesk(api_key, f"{BASE}{path}{tail}", transport=web.transport).usage()


@pytest.mark.parametrize("where", ["NETRC", "HOME"])
def test_no_netrc_and_no_proxy_of_the_environment_reach_a_call(
    service: Any, api_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """No feed call reads netrc or a proxy that was not configured, nor does any other"""
    monkeypatch.setenv("COPYDESK_API_KEY", api_key)
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.delenv("NETRC", raising=False)
    monkeypatch.setenv(where, str(tmp_path if where == "HOME" else netrc))
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            for variable in (name, name.lower()):
                monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        Copydesk(api_key, service.url).usage()
        feed = Feed(service.pull_url)
        feed.latest()
        feed.items()
        feed.confirm("itm_1")
        for secure in (
            Copydesk(api_key, service.url.replace("http", "https", 1), max_retries=0).usage,
            Feed(service.pull_url.replace("http", "https", 1)).latest,
        ):
            with pytest.raises(APIConnectionError):
                secure()
        with pytest.raises(BlockingIOError):
            proxy.accept()
    sent = [seen.headers.get("Authorization") for seen in service.seen]
    assert sent == [f"Bearer {api_key}", None, None, None]


@pytest.mark.parametrize("by", ["argument", "COPYDESK_PROXY"])
def test_a_proxy_that_is_given_is_used(
    service: Any, api_key: str, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    # The service stands for a proxy, which is asked for whole addresses.
    given = service.url.replace("//", "//me:hunter2@")
    if by == "COPYDESK_PROXY":
        monkeypatch.setenv(by, given)
    client = Copydesk(
        api_key, "http://copydesk.invalid", proxy=given if by == "argument" else None, max_retries=0
    )
    with suppress(CopydeskError):
        client.usage()
    (seen,) = service.seen
    login = b64encode(b"me:hunter2").decode()
    assert seen.headers["Host"] == "copydesk.invalid"
    assert seen.headers["Proxy-Authorization"] == f"Basic {login}"
    assert "hunter2" not in repr(client)


def test_no_key_is_said_at_once() -> None:
    with pytest.raises(ConfigurationError, match="set COPYDESK_API_KEY"):
        Copydesk()


@pytest.mark.parametrize("key", ["secret\nInjected: yes", "se cret", "secr\u00e9t", "secret\x00"])
def test_a_malformed_key_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(
        ConfigurationError, match="api_key has a character that no key has"
    ) as caught:
        Copydesk(key)
    assert "secr" not in str(caught.value)


def test_the_example_of_a_key_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_API_KEY", "cd_test_\u2026")
    with pytest.raises(ConfigurationError, match=r"^COPYDESK_API_KEY .* was the example copied\?"):
        Copydesk()


@pytest.mark.parametrize(
    "url",
    ["copydesk.example.com", "ftp://host", "https://", "https://h:99999", "http://[", "/v1"],
)
def test_a_malformed_address_is_refused(api_key: str, url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url must be a complete URL, such as https"):
        Copydesk(api_key, url)


def test_a_password_in_the_address_is_refused_and_not_shown(api_key: str) -> None:
    with pytest.raises(ConfigurationError, match="without user name, password") as caught:
        Copydesk(api_key, "https://someone:hunter2@host")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0},
        {"timeout": -1.5},
        {"timeout": "60"},
        {"max_retries": -1},
        {"transport": httpx2.AsyncHTTPTransport()},
    ],
)
def test_an_impossible_option_is_refused(api_key: str, options: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"{next(iter(options))} must be"):
        Copydesk(api_key, **options)


def test_a_job_in_place_of_its_id_is_explained(service: Any, api_key: str) -> None:
    with Copydesk(api_key, service.url) as client:
        job = client.jobs.create(keywords=["tea"])
        with pytest.raises(ConfigurationError, match="job_id must be a string, not Job"):
            client.jobs.wait(job)  # type: ignore[arg-type]


@pytest.mark.parametrize("timeout", [float("inf"), 1e12])
def test_a_timeout_without_end_is_taken(service: Any, api_key: str, timeout: float) -> None:
    assert Copydesk(api_key, service.url, timeout=timeout).usage().plan.id == "starter"


@pytest.mark.parametrize("host", ["a" * 70 + ".example", "a..b.example"])
def test_a_name_that_no_host_can_have_is_said_and_not_tried_again(api_key: str, host: str) -> None:
    """ "``CopydeskError`` is the base of all of them"; "ConfigurationError means that nothing was
    sent" """
    client = Copydesk(api_key, f"http://{host}")
    with pytest.raises(ConfigurationError, match="is not a valid host") as caught:
        client.usage()
    assert host in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "proxy", ["http://:80", "proxy.example", "socks5://h:1", "http://u:hunter2@"]
)
def test_a_malformed_proxy_is_said(
    api_key: str, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    with pytest.raises(ConfigurationError, match="proxy must be the address of a proxy") as caught:
        Copydesk(api_key, proxy=proxy)
    assert "hunter2" not in str(caught.value)
    monkeypatch.setenv("COPYDESK_PROXY", proxy)
    with pytest.raises(ConfigurationError, match="proxy must be the address of a proxy"):
        Feed("https://copydesk.example.com/v1/content-tokens/abc")
    Feed("https://copydesk.example.com/v1/content-tokens/abc", proxy="").close()


def test_a_number_that_json_does_not_have_is_not_sent(service: Any, api_key: str) -> None:
    odd: Any = float("nan")
    with pytest.raises(ConfigurationError, match="a number that JSON does not have"):
        Copydesk(api_key, service.url).generate(keywords=["a"], max_words=odd)
    assert service.seen == []


def test_a_lone_string_is_not_taken_for_a_list_of_letters(client: Copydesk) -> None:
    with pytest.raises(ConfigurationError, match=r"keywords must be a list .*\['cold brew'\]"):
        client.generate(keywords="cold brew")


def test_a_misspelt_argument_is_named(service: Any, client: Copydesk) -> None:
    wrong: Any = {"keyword": ["cold brew"]}
    for call in (client.generate, client.jobs.create):
        with pytest.raises(TypeError, match=r"no argument 'keyword'; did you mean keywords\?"):
            call(**wrong)
        with pytest.raises(TypeError, match=r"did you mean keywords or .*max_words"):
            call(words=900)  # type: ignore[call-arg]
        with pytest.raises(
            TypeError, match=r"no argument 'pages'; there are keywords, topic.* idempotency_key"
        ):
            call(pages=2)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="keywords are missing"):
            call(topic="cold brew")  # type: ignore[call-arg]
    assert service.seen == []


def test_none_is_the_same_as_absent(service: Any, api_key: str) -> None:
    absent: dict[str, Any] = dict.fromkeys(GenerateRequest.__optional_keys__)
    Copydesk(api_key, service.url).generate(keywords=["a"], **absent)
    assert service.seen[0].body == {"keywords": ["a"]}


def test_one_request_fits_both_ways_of_delivery(service: Any, api_key: str) -> None:
    request: GenerateRequest = {"keywords": ["cold brew"], "max_words": 900}
    client = Copydesk(api_key, service.url)
    client.generate(**request)
    client.jobs.create(**request)
    generated, job = service.seen
    assert job.body["generateRequest"] == generated.body


@pytest.mark.parametrize("key", ["a\r\nX: y", "\u00e9", ""])
def test_an_idempotency_key_must_fit_a_header(client: Copydesk, key: str) -> None:
    with pytest.raises(ConfigurationError, match=r"idempotency_key must be .*visible ASCII"):
        client.generate(keywords=["a"], idempotency_key=key)


def test_a_plan_limit_breach_has_its_details(client: Copydesk, web: Web) -> None:
    """ "VALIDATION_ERROR … a plan-limit breach (details: field, maxAllowed, received)" """
    details = {"field": "constraints.maxWords", "maxAllowed": 1500, "received": 9000}
    link = f"{BASE}/v1/docs#VALIDATION_ERROR"
    error = {"code": "VALIDATION_ERROR", "message": "Too long.", "details": details}
    body = {"error": error, "documentation": link}
    web.post(f"{BASE}/v1/generate", status=400, json=body, headers={"X-Request-ID": "req_9"})
    with pytest.raises(ValidationError) as caught:
        client.generate(keywords=["a"], max_words=9000)
    refused = caught.value
    assert (refused.status, refused.code, refused.message) == (400, "VALIDATION_ERROR", "Too long.")
    assert refused.details == details
    assert (refused.request_id, refused.documentation) == ("req_9", link)
    assert str(refused) == "Too long (HTTP 400 VALIDATION_ERROR, request req_9)"


@pytest.mark.parametrize(
    ("status", "expected"), [(200, APIError), (404, APIError), (502, ServerError)]
)
def test_a_page_in_place_of_json_is_explained(
    client: Copydesk, web: Web, status: int, expected: type[APIError]
) -> None:
    web.get(f"{BASE}/v1/usage", status=status, html="<html>Hi</html>")
    sentence = f"the response of {BASE} is text/html instead of JSON; check the address"
    with pytest.raises(expected, match=sentence) as caught:
        client.usage()
    assert caught.value.status == status
    assert caught.value.code is None


@pytest.mark.parametrize("body", ["", "{", "nonsense", pytest.param("[" * 100_000, id="nested")])
def test_broken_json_is_an_api_error(client: Copydesk, web: Web, body: str) -> None:
    web.get(f"{BASE}/v1/usage", text=body, headers={"Content-Type": "application/json"})
    with pytest.raises(APIError, match="instead of JSON"):
        client.usage()


@pytest.mark.parametrize("body", ["[]", '"text"', "7", "null", "{}", '{"plan": "starter"}'])
def test_json_of_another_kind_is_an_api_error(client: Copydesk, web: Web, body: str) -> None:
    web.get(f"{BASE}/v1/usage", text=body)
    with pytest.raises(
        APIError, match=r"not in the documented form: it (is not a JSON object|has no)"
    ):
        client.usage()


def test_a_generation_without_a_post_is_no_success(client: Copydesk, web: Web) -> None:
    web.post(f"{BASE}/v1/generate", json={"requestId": "req_1", "post": None})
    with pytest.raises(APIError, match="not in the documented form: it has no post"):
        client.generate(keywords=["cold brew"])


@pytest.mark.parametrize("error", [None, [], "no", {"code": ["x"]}, {"code": 7, "message": {}}])
def test_an_error_of_another_form_still_has_its_status(
    client: Copydesk, web: Web, error: Any
) -> None:
    web.get(f"{BASE}/v1/usage", status=403, json={"error": error})
    with pytest.raises(PermissionDeniedError, match=r"does not say what is wrong \(HTTP 403"):
        client.usage()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(client: Copydesk, web: Web, status: int) -> None:
    web.get("https://elsewhere.example.com/v1/usage", json={})
    web.get(
        f"{BASE}/v1/usage",
        status=status,
        headers={"Location": "https://elsewhere.example.com/v1/usage"},
    )
    with pytest.raises(APIError, match=f"{BASE} redirects to another address; use that one"):
        client.usage()
    assert web.seen == [f"{BASE}/v1/usage"]


def test_the_key_is_in_no_repr_and_no_error(client: Copydesk, web: Web, api_key: str) -> None:
    body = {"error": {"code": "UNAUTHORIZED", "message": f"Unknown key {api_key}."}}
    web.get(f"{BASE}/v1/usage", status=401, json=body)
    with pytest.raises(AuthenticationError, match=r"Unknown key \[redacted\]") as caught:
        client.usage()
    assert api_key not in repr(client) + str(caught.value) + repr(vars(caught.value))
