"""Bodies: what is read, and that whatever else is sent, one clear error is the answer."""

import json
from collections.abc import Iterator

import pytest

from tests.conformance.interface import clause
from tests.support.customers import SHORT, Customer
from tests.support.hostile_requests import HostileRequest, address_of, send
from tests.support.response_schemas import error_of

JSON = {"Content-Type": "application/json"}


BROKEN_BODIES = {
    "broken": b"{not json",
    "cut-off": b'{"keywords": ["tea"',
    "two-values": b"{} {}",
    "utf-16": '{"keywords": ["tea"]}'.encode("utf-16"),
    "latin-1": '{"keywords": ["caf\u00e9"]}'.encode("latin-1"),
    "no-utf-8": b"\xff\xfe\x00",
    "overlong": b'{"keywords": ["\xc0\xaf"]}',
    "encoded-surrogate": b'{"keywords": ["\xed\xa0\x80"]}',
    "array": b"[]",
    "string": b'"tea"',
    "number": b"7",
    "null": b"null",
    "empty": b"",
    "nan": b'{"keywords": ["tea"], "constraints": {"maxWords": NaN}}',
    "infinity": b'{"keywords": ["tea"], "constraints": {"maxWords": -Infinity}}',
    "nested-arrays": b"[" * 60_000,
    "nested-objects": b'{"a":' * 10_000,
    "nested-in-a-field": b'{"keywords": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "nested-in-an-unknown-field": b'{"keywords": ["tea"], "x": ' + b'{"a":' * 60 + b"1" + b"}" * 61,
    "endless-number": b'{"keywords": ["tea"], "constraints": {"maxWords": ' + b"9" * 5_000 + b"}}",
    "huge-number": b'{"keywords": ["tea"], "constraints": {"maxWords": 1e400}}',
    "forty-one-digits": b'{"keywords": ["tea"], "constraints": {"maxWords": ' + b"9" * 41 + b"}}",
    "negative": b'{"keywords": ["tea"], "constraints": {"maxWords": -5}}',
    "fraction": b'{"keywords": ["tea"], "constraints": {"maxWords": 300.5}}',
    "nul-in-keyword": b'{"keywords": ["tea\\u0000"]}',
    "raw-nul": b'{"keywords": ["tea\x00"]}',
    "raw-control": b'{"keywords": ["tea\x01"]}',
    "lone-surrogate": b'{"keywords": ["tea \\ud83c"]}',
    "surrogate-in-topic": b'{"keywords": ["tea"], "topic": "\\udf75"}',
    "nul-in-topic": b'{"keywords": ["tea"], "topic": "\\u0000"}',
    "surrogate-in-key": b'{"keywords": ["tea"], "idempotencyKey": "\\ud83c"}',
    "nul-in-key": b'{"keywords": ["tea"], "idempotencyKey": "a\\u0000"}',
    "wrong-types": b'{"keywords": {"0": "tea"}, "constraints": [], "format": 1}',
}


@clause("All bodies are JSON.")
@pytest.mark.parametrize("path", ["/v1/generate", "/v1/jobs"])
@pytest.mark.parametrize("data", BROKEN_BODIES.values(), ids=BROKEN_BODIES.keys())
def test_what_is_no_valid_body_is_one_clear_error(
    customer: Customer, path: str, data: bytes
) -> None:
    if path == "/v1/jobs" and data.startswith(b'{"keywords"'):
        data = b'{"format": {"responseTypes": ["html"]}, "generateRequest": ' + data + b"}"
    answer = customer.call("POST", path, data=data, headers=JSON)
    error_of(answer, 400, "VALIDATION_ERROR")
    assert customer.usage()["daily"]["used"] == 0


REPEATED = {
    "": (b'"keywords": ["tea"], "keywords": ["coffee"]', "keywords"),
    "same": (b'"keywords": ["tea"], "keywords": ["tea"]', "keywords"),
    "inside": (
        b'"keywords": ["tea"], "constraints": {"maxWords": 200, "max\\u0057ords": 300}',
        "maxWords",
    ),
    "line break": (b'"keywords": ["tea"], "\\n": 1, "\\n": 1', '"\\n"'),
    "long": (b'"keywords": ["tea"], "%b": 1, "%b": 2' % ((b"n" * 30_000,) * 2), "n" * 60 + "…"),
    "unknown": (b'"keywords": ["tea"], "x": [{"a": 1}, {"b": 1, "b": 2}]', "b"),
}


@clause("| JSON | A member that an object has twice,")
@pytest.mark.parametrize("path", ["/v1/generate", "/v1/jobs"])
@pytest.mark.parametrize(("members", "field"), REPEATED.values(), ids=REPEATED.keys())
def test_a_member_that_is_given_twice_is_refused(
    customer: Customer, path: str, members: bytes, field: str
) -> None:
    data = b"{" + members + b"}"
    if path == "/v1/jobs":
        data = b'{"format": {"responseTypes": ["html"]}, "generateRequest": ' + data + b"}"
    answer = customer.call("POST", path, data=data, headers=JSON)
    error = error_of(answer, 400, "VALIDATION_ERROR")
    assert error["details"] == {"field": field, "problem": "is given more than once"}
    assert error["message"].startswith(f"{field} is given more than once.")


@clause("and a byte order mark, are VALIDATION_ERROR |")
def test_a_byte_order_mark_is_named(customer: Customer) -> None:
    data = json.dumps(SHORT).encode("utf-8-sig")
    answer = customer.call("POST", "/v1/generate", data=data, headers=JSON)
    assert "byte order mark" in error_of(answer, 400, "VALIDATION_ERROR")["message"]


@clause("All bodies are JSON.")
@pytest.mark.parametrize(
    "extra",
    [b'"x": "\\ud83c"', b'"\\u0000": 1', b'"x": 1e400', b'"x": "\\u0000"', b'"\\ud83c": [1, null]'],
    ids=["surrogate", "nul-name", "huge", "nul", "surrogate-name"],
)
def test_what_stands_in_an_unknown_field_does_no_harm(customer: Customer, extra: bytes) -> None:
    data = b'{"keywords": ["tea"], "constraints": {"maxWords": 200}, ' + extra + b"}"
    headers = {**JSON, "Idempotency-Key": "k"}
    answer = customer.call("POST", "/v1/generate", data=data, headers=headers)
    assert answer.status_code in {200, 400}
    if answer.status_code == 400:
        error_of(answer, 400, "VALIDATION_ERROR")


@clause("All bodies are JSON.")
@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        ("text/plain", None),
        ("application/x-www-form-urlencoded", None),
        ("multipart/form-data; boundary=x", None),
        ("application/jsonx", None),
        ("", None),
        ("application/json", "gzip"),
        ("application/json", "br"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/generate", "/v1/jobs"])
def test_other_types_and_encodings_are_refused(
    customer: Customer, path: str, content_type: str, encoding: str | None
) -> None:
    headers = {"Content-Type": content_type}
    if encoding:
        headers["Content-Encoding"] = encoding
    data = json.dumps(SHORT).encode()
    answer = customer.call("POST", path, data=data, headers=headers)
    error_of(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


@clause("All bodies are JSON.")
@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", "Application/JSON", "application/vnd.acme+json"],
)
def test_json_by_other_names_is_taken(customer: Customer, content_type: str) -> None:
    data = json.dumps(SHORT).encode()
    answer = customer.call(
        "POST", "/v1/generate", data=data, headers={"Content-Type": content_type}
    )
    assert answer.status_code == 200


@clause("on request size: not shown.")
@pytest.mark.parametrize("path", ["/v1/generate", "/v1/jobs", "/v1/check"])
def test_a_body_that_is_too_large_is_refused(customer: Customer, path: str) -> None:
    large = b'{"keywords": ["' + b"x" * 70_000 + b'"]}'

    def chunks() -> Iterator[bytes]:
        yield from (large[start : start + 8_192] for start in range(0, len(large), 8_192))

    for data in (large, chunks()):
        error = error_of(
            customer.call("POST", path, data=data, headers=JSON), 413, "PAYLOAD_TOO_LARGE"
        )
        assert "65536 bytes" in error["message"]


@clause("All bodies are JSON.")
def test_a_body_in_chunks_is_read(customer: Customer) -> None:
    def chunks() -> Iterator[bytes]:
        for byte in json.dumps(SHORT).encode():
            yield bytes([byte])

    answer = customer.call("POST", "/v1/generate", data=chunks(), headers=JSON)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("framing", "sent"),
    [
        ("Content-Length: 500", b'{"keywords": ["cold'),
        ("Content-Length: 500", b""),
        ("Transfer-Encoding: chunked", b"zz\r\n"),
        ("Transfer-Encoding: chunked", b"5\r\n{"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/generate", "/v1/jobs", "/v1/check"])
def test_a_body_that_ends_early_is_a_400(
    customer: Customer, path: str, framing: str, sent: bytes
) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {customer.api_key}\r\n"
        f"Content-Type: application/json\r\n{framing}\r\n\r\n"
    )
    request = HostileRequest(b"POST", path.encode(), [], b"", mangled=head.encode() + sent)
    answer = send(address_of(customer.service.url), request)
    assert answer.status == 400, answer
    assert b"did not arrive completely" in answer.body
