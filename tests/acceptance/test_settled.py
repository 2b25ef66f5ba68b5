"""What the specification leaves open, as docs/specification.md settles it at its end."""

import json
import re

import requests

from app.api.errors import STATUS
from tests.conformance.interface import clause, interface
from tests.support.customers import SHORT, Customer
from tests.support.feeds import RunningFeed
from tests.support.response_schemas import error_of

CORS = "Access-Control-"


@clause(
    "| Statuses | 400 VALIDATION_ERROR, 401 UNAUTHORIZED, 403 FORBIDDEN, 404 NOT_FOUND,"
    " 405 METHOD_NOT_ALLOWED, 408 REQUEST_TIMEOUT, 409 CONFLICT and"
    " IDEMPOTENCY_IN_PROGRESS, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE, 422"
    " CONTENT_QUALITY_FAILED and PROHIBITED_INPUT, 429 RATE_LIMITED and QUOTA_EXCEEDED,"
    " 500 INTERNAL_ERROR, 503 SERVICE_UNAVAILABLE, 504 GENERATION_TIMEOUT |"
)
def test_each_code_has_the_status_that_is_written_down(customer: Customer) -> None:
    (row,) = re.findall(r"\| Statuses \| (.*) \|", interface().text)
    listed = {
        code: int(status)
        for status, codes in re.findall(r"(\d{3}) ([A-Z_]+(?: and [A-Z_]+)?)", row)
        for code in codes.split(" and ")
    }
    assert listed == STATUS
    error_of(customer.call("PUT", "/v1/usage"), listed["METHOD_NOT_ALLOWED"], "METHOD_NOT_ALLOWED")


@clause(
    "| Texts | A run of white space, line breaks included, counts as one space; bidi"
    " controls and other invisible format characters are refused, but joiners where a"
    " script needs them |"
)
def test_a_text_is_one_line_without_hidden_characters(customer: Customer) -> None:
    made = customer.generate(**{**SHORT, "keywords": ["\u00a0oat\r\n\t \u2028\u3000milk\n"]})
    assert made.json()["post"]["meta"]["primaryKeyword"] == "oat milk"
    for field, hidden in (("keywords", "\u202e"), ("topic", "\u2066"), ("brandVoice", "\u00ad")):
        text = f"oat{hidden}milk"
        answer = customer.generate(**{**SHORT, field: [text] if field == "keywords" else text})
        error = error_of(answer, 400, "VALIDATION_ERROR")
        assert error["details"]["field"].startswith(field)
        assert f"U+{ord(hidden):04X}" in error["details"]["problem"]
    persian = customer.create_job(generateRequest={"keywords": ["می\u200cخواهم"], "language": "fa"})
    assert persian.json()["inputSummary"]["keywords"] == ["می\u200cخواهم"]


@clause("| Query parameters | An empty rule is VALIDATION_ERROR; an empty next counts as false |")
def test_an_empty_parameter_never_moves_more_items_than_its_absence(
    feed: RunningFeed,
) -> None:
    feed.add_items(feed.add_rule(), 2)
    error = error_of(feed.call("GET", "items?rule="), 400, "VALIDATION_ERROR")
    assert error["details"]["field"] == "rule"
    assert [status for status, _ in feed.states()] == ["pending", "pending"]
    first = feed.latest()["item"]["id"]
    assert feed.call("GET", "latest?next=").json()["item"]["id"] == first


@clause(
    "| Cross-origin requests | No CORS headers, except on GET /v1/openapi.json: call the"
    " service from a server, where its keys are safe |"
)
def test_no_page_of_another_origin_may_read_an_answer(customer: Customer) -> None:
    origin = {"Origin": "https://app.example"}
    preflight = {**origin, "Access-Control-Request-Method": "POST"}
    for answer in (
        customer.call("GET", "/v1/usage", headers=origin),
        customer.call("OPTIONS", "/v1/generate", headers=preflight),
        customer.call("GET", "/v1/docs", headers=origin),
    ):
        assert answer.status_code == 200
        assert not [name for name in answer.headers if name.startswith(CORS)]
    document = customer.call("GET", "/v1/openapi.json", headers=origin)
    assert document.headers["Access-Control-Allow-Origin"] == "*"


@clause("| OPTIONS | 200 with the header Allow and no body |")
def test_options_tells_the_methods_of_a_path(customer: Customer) -> None:
    for path, method in (("/v1/generate", "POST"), ("/v1/usage", "GET")):
        answer = customer.call("OPTIONS", path)
        assert (answer.status_code, answer.content) == (200, b"")
        assert method in answer.headers["Allow"].split(", ")


@clause("| Compression | Answers are not compressed, whatever Accept-Encoding says |")
def test_answers_are_sent_as_they_are(customer: Customer) -> None:
    for coding in ("gzip", "br, zstd", "identity;q=0, gzip"):
        headers = {"Accept-Encoding": coding}
        url = f"{customer.service.url}/v1/openapi.json"
        with requests.get(url, headers=headers, timeout=30, stream=True) as answer:
            assert "Content-Encoding" not in answer.headers
            assert json.loads(answer.raw.read(decode_content=False))["openapi"]
