"""Webhooks: what is taken for the service's, and what is not."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

from copydesk import (
    ConfigurationError,
    JobFailed,
    JobSucceeded,
    WebhookEvent,
    WebhookVerificationError,
    webhooks,
)

NOW = 1_772_366_400
BODY = b'{"event":"job.failed","jobId":"job_1","requestId":"req_1","error":{"code":"X"}}'


def sign(body: bytes, secret: str, at: int | str = NOW) -> str:
    """As the interface has it: the timestamp, a period, the raw body."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def refused(
    reason: str, body: bytes, header: str | None, secret: str, now: float = NOW, **options: Any
) -> str:
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.verify(body, header, secret, now=now, **options)
    assert caught.value.reason == reason
    assert secret not in str(caught.value) + repr(caught.value)
    return str(caught.value)


def test_what_the_service_signed_is_its_own(secret: str) -> None:
    """ "Signed payload is the timestamp, then a period, then the raw request body." """
    webhooks.verify(BODY, sign(BODY, secret), secret, now=NOW)


def test_a_known_signature(secret: str) -> None:
    """Worked out by hand: printf 't.body' | openssl dgst -sha256 -hmac SECRET"""
    digest = "d0bd0f6aabc85c9823ad5357374e232e74c3390e8a4bae398fa5019ea93ae543"
    header = f"t=1772366400,v1={digest}"
    webhooks.verify(b'{"event":"job.failed"}', header, "whsec_c2VjcmV0", now=NOW)


@pytest.mark.parametrize("position", range(0, len(BODY), 7))
def test_a_changed_byte_is_noticed(secret: str, position: int) -> None:
    """ "compare with the provided digest" """
    changed = bytearray(BODY)
    changed[position] ^= 1
    refused("signature", bytes(changed), sign(BODY, secret), secret)


@pytest.mark.parametrize("body", [BODY + b"\n", BODY[:-1], b"", b" " + BODY])
def test_so_is_one_more_or_less(secret: str, body: bytes) -> None:
    refused("signature", body, sign(BODY, secret), secret)


@pytest.mark.parametrize("other", ["whsec_x", "WHSEC_c2VjcmV0", " whsec_c2VjcmV0"])
def test_another_secret_is_another_sender(other: str) -> None:
    """ "Compute HMAC-SHA256 (hex) with the webhook signing secret" """
    refused("signature", BODY, sign(BODY, "whsec_c2VjcmV0"), other)


@pytest.mark.parametrize("position", range(64))
def test_every_digit_of_the_digest_counts(secret: str, position: int) -> None:
    time, digest = sign(BODY, secret).split(",v1=")
    wrong = "0" if digest[position] != "0" else "1"
    header = f"{time},v1={digest[:position]}{wrong}{digest[position + 1 :]}"
    refused("signature", BODY, header, secret)


def test_the_time_is_signed_too(secret: str) -> None:
    header = sign(BODY, secret).replace(f"t={NOW}", f"t={NOW + 1}")
    refused("signature", BODY, header, secret)


@pytest.mark.parametrize("seconds", [0, 1, 299, 300])
@pytest.mark.parametrize("sign_of", [-1, 1])
def test_five_minutes_either_way_are_borne(secret: str, seconds: int, sign_of: int) -> None:
    """ "Reject when the timestamp differs from the current time by more than 5 minutes." """
    webhooks.verify(BODY, sign(BODY, secret), secret, now=NOW + sign_of * seconds)


@pytest.mark.parametrize(
    ("now", "told"),
    [(NOW + 301, "signed 301 s ago"), (NOW - 301, "signed 301 s ahead"), (0, "ahead")],
)
def test_more_is_not(secret: str, now: float, told: str) -> None:
    """ "Reject when the timestamp differs from the current time by more than 5 minutes." """
    problem = refused("timestamp", BODY, sign(BODY, secret), secret, now)
    assert told in problem
    assert "300 s are allowed" in problem


def test_the_tolerance_can_be_chosen(secret: str) -> None:
    header = sign(BODY, secret)
    webhooks.verify(BODY, header, secret, tolerance=0, now=NOW)
    webhooks.verify(BODY, header, secret, tolerance=10_000, now=NOW + 10_000)
    refused("timestamp", BODY, header, secret, NOW + 11, tolerance=10)


def test_the_clock_is_this_machines(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refused_now = sign(BODY, secret)
    with pytest.raises(WebhookVerificationError, match=r"s ago|s ahead"):
        webhooks.verify(BODY, refused_now, secret)
    monkeypatch.setattr("time.time", lambda: NOW + 299.9)
    webhooks.verify(BODY, refused_now, secret)


DIGEST = "0" * 64
MALFORMED = [
    None,
    "",
    "nonsense",
    DIGEST,
    f"t={NOW}",
    f"v1={DIGEST}",
    f"t={NOW},v1=",
    f"t={NOW},v1={DIGEST[1:]}",
    f"t={NOW},v1={DIGEST}0",
    f"t={NOW},v1={DIGEST[1:]}g",
    f"t={NOW},v1={'A' * 64}",
    f"t={NOW},v0={DIGEST}",
    f"t={NOW}.0,v1={DIGEST}",
    f"t=-{NOW},v1={DIGEST}",
    f"t=,v1={DIGEST}",
    f"t=١٧٧,v1={DIGEST}",
    f"t={'9' * 5000},v1={DIGEST}",
    f"v1={DIGEST},t={NOW}",
    f"t={NOW}, v1={DIGEST}",
    f" t={NOW},v1={DIGEST}",
    f"t={NOW},v1={DIGEST}\n",
    f"t={NOW},t={NOW},v1={DIGEST}",
    f"t={NOW},v1={DIGEST},v1={DIGEST}",
    f"t={NOW},v1={DIGEST},v2={DIGEST}",
]


@pytest.mark.parametrize("header", MALFORMED)
def test_a_header_of_another_pattern_is_invalid(secret: str, header: str | None) -> None:
    """ "a header not matching the pattern is invalid" """
    problem = refused("header", BODY, header, secret)
    assert problem == "x-svc-signature must be t=<seconds>,v1=<64 hexadecimal digits>"


def test_two_digests_are_not_two_chances(secret: str) -> None:
    """ "t=<unix timestamp>,v1=<HMAC-SHA256 hex digest>, both parts in one header" """
    right = sign(BODY, secret)
    refused("header", BODY, f"{right},v1={DIGEST}", secret)
    refused("header", BODY, f"{right},{right}", secret)


def test_digests_are_compared_in_constant_time(
    secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "compare with the provided digest using constant-time comparison" """
    compared: list[tuple[Any, ...]] = []

    def compare(*digests: Any) -> bool:
        compared.append(digests)
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)
    refused("signature", BODY, sign(BODY, secret), secret)
    assert compared == [(sign(BODY, secret)[-64:],) * 2]


@pytest.mark.parametrize("body", ["text", None, {"event": "job.failed"}, bytearray(BODY)])
def test_a_body_that_is_not_the_bytes_is_the_callers_mistake(secret: str, body: Any) -> None:
    with pytest.raises(ConfigurationError, match="body must be the bytes of the request"):
        webhooks.verify(body, sign(BODY, secret), secret, now=NOW)
    with pytest.raises(ConfigurationError, match="body must be the bytes of the request"):
        webhooks.parse(body, {"x-svc-signature": sign(BODY, secret)}, lambda _: secret, now=NOW)


@pytest.mark.parametrize("nothing", ["", None])
def test_so_is_a_missing_secret(nothing: Any) -> None:
    with pytest.raises(ConfigurationError, match="secret must be the job's webhook_signing_secret"):
        webhooks.verify(BODY, sign(BODY, "x"), nothing, now=NOW)
    with pytest.raises(ConfigurationError, match="secret must be the job's webhook_signing_secret"):
        webhooks.parse(BODY, {"x-svc-signature": sign(BODY, "x")}, nothing, now=NOW)


@pytest.mark.parametrize("tolerance", [-1, float("nan")])
def test_so_is_a_tolerance_below_zero(secret: str, tolerance: float) -> None:
    with pytest.raises(ConfigurationError, match="tolerance must be 0 seconds or more"):
        webhooks.verify(BODY, sign(BODY, secret), secret, tolerance=tolerance, now=NOW)


def event(kind: str, **members: Any) -> bytes:
    return json.dumps({"event": kind, "jobId": "job_1", "requestId": "req_1", **members}).encode()


def parsed(body: bytes, secret: str) -> WebhookEvent:
    return webhooks.parse(body, {"x-svc-signature": sign(body, secret)}, secret, now=NOW)


def test_a_success_holds_the_post(secret: str, samples: Any) -> None:
    """ "Payload job.succeeded: event …, jobId, requestId, post (SEOPost), rendered, quality." """
    members = {name: samples["generation"][name] for name in ("post", "rendered", "quality")}
    told = parsed(event("job.succeeded", **members), secret)
    assert isinstance(told, JobSucceeded)
    assert (told.event, told.job_id, told.request_id) == ("job.succeeded", "job_1", "req_1")
    assert told.post.title == "Cold brew at home"
    assert told.rendered.html == "<p>Cold brew needs time.</p>\n"
    assert told.quality.revision_count == 1


def test_a_failure_holds_the_error(secret: str, samples: Any) -> None:
    """ "Payload job.failed: event …, jobId, requestId, error {code, message, details}." """
    told = parsed(event("job.failed", error=samples["failed"]["error"]), secret)
    assert isinstance(told, JobFailed)
    assert (told.error.code, told.error.details) == (
        "CONTENT_QUALITY_FAILED",
        {"findings": ["too_short"]},
    )


def test_an_event_that_is_newer_than_this_package(secret: str) -> None:
    told = parsed(event("job.delayed", seconds=7), secret)
    assert type(told) is WebhookEvent
    assert (told.event, told.job_id, told.raw["seconds"]) == ("job.delayed", "job_1", 7)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b'"job.failed"',
        b"{}",
        b'{"event": "job.failed"}',
        b'{"event": ["job.failed"], "jobId": "job_1"}',
        event("job.succeeded"),
        event("job.failed", error="no"),
    ],
)
def test_a_signed_body_that_is_no_event(secret: str, body: bytes) -> None:
    with pytest.raises(WebhookVerificationError, match="the body is no event: it ") as caught:
        parsed(body, secret)
    assert caught.value.reason == "body"


def _message(name: str, value: str) -> Message:
    message = Message()
    message[name] = value
    return message


class _Pairs:
    """Headers as werkzeug and Starlette have them: no Mapping, and a name may occur twice."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = pairs

    def items(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)


HEADERS: dict[str, Callable[[str, str], Any]] = {
    "dict": lambda name, value: {"Host": "x", name: value},
    "http.server": _message,
    "requests": lambda name, value: CaseInsensitiveDict({name: value}),
    "pairs": lambda name, value: _Pairs(("host", "x"), (name, value)),
}


@pytest.mark.parametrize("name", ["x-svc-signature", "X-Svc-Signature", "X-SVC-SIGNATURE"])
@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_headers_of_every_framework_are_read_in_any_case(
    secret: str, headers: Callable[[str, str], Any], name: str
) -> None:
    told = webhooks.parse(BODY, headers(name, sign(BODY, secret)), secret, now=NOW)
    assert told.job_id == "job_1"


@pytest.mark.parametrize(
    "headers", [{}, {"x-signature": "t=1"}, {"x-svc-signature": DIGEST}], ids=str
)
def test_a_request_without_a_signature_is_none(secret: str, headers: Any) -> None:
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.parse(BODY, headers, secret, now=NOW)
    assert caught.value.reason == "header"


def test_one_with_two_signatures_is_none(secret: str) -> None:
    pair = ("x-svc-signature", sign(BODY, secret))
    with pytest.raises(WebhookVerificationError, match="one header x-svc-signature; there are 2"):
        webhooks.parse(BODY, _Pairs(pair, pair), secret, now=NOW)


def test_the_secret_can_be_found_by_the_jobs_id(secret: str) -> None:
    headers = {"x-svc-signature": sign(BODY, secret)}
    secrets = {"job_1": secret, "job_2": "whsec_other"}
    assert webhooks.parse(BODY, headers, secrets.get, now=NOW).job_id == "job_1"
    with pytest.raises(WebhookVerificationError, match="no secret for the job") as caught:
        webhooks.parse(BODY, headers, {"job_2": secret}.get, now=NOW)
    assert caught.value.reason == "secret"


def test_another_jobs_secret_proves_nothing(secret: str) -> None:
    headers = {"x-svc-signature": sign(BODY, secret)}
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.parse(BODY, headers, {"job_1": "whsec_other"}.get, now=NOW)
    assert caught.value.reason == "signature"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[" * 100_000, "body"),
        (b"\xff\xfe", "body"),
        (b"[]", "body"),
        (b"{}", "secret"),
        (b'{"jobId": ["job_1"]}', "secret"),
    ],
    ids=["nested", "no text", "no object", "no id", "a list"],
)
def test_what_is_not_proven_yet_cannot_break_anything(
    secret: str, body: bytes, reason: str
) -> None:
    secrets: dict[str, str] = {}
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.parse(body, {"x-svc-signature": sign(body, secret)}, secrets.get, now=NOW)
    assert caught.value.reason == reason
