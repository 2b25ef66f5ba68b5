"""Webhooks: what is taken for the service's, and what is not."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Any

import httpx2
import pytest

from copydesk import ConfigurationError, JobFailed, WebhookEvent, WebhookVerificationError, webhooks
from copydesk.webhooks import MAX_BODY_BYTES

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


@pytest.mark.parametrize("position", range(0, len(BODY), 7))
def test_a_changed_byte_is_noticed(secret: str, position: int) -> None:
    """ "compare with the provided digest" """
    changed = bytearray(BODY)
    changed[position] ^= 1
    refused("signature", bytes(changed), sign(BODY, secret), secret)


@pytest.mark.parametrize("seconds", [0, 1, 299, 300])
@pytest.mark.parametrize("sign_of", [-1, 1])
def test_five_minutes_either_way_are_borne(secret: str, seconds: int, sign_of: int) -> None:
    """ "Reject when the timestamp differs from the current time by more than 5 minutes." """
    webhooks.verify(BODY, sign(BODY, secret), secret, now=NOW + sign_of * seconds)
    refused("timestamp", BODY, sign(BODY, secret), secret, NOW + sign_of * (301 + seconds))


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


@pytest.mark.parametrize("body", ["text", None, {"event": "job.failed"}, bytearray(BODY)])
def test_a_body_that_is_not_the_bytes_is_the_callers_mistake(secret: str, body: Any) -> None:
    with pytest.raises(ConfigurationError, match="body must be the bytes of the request"):
        webhooks.verify(body, sign(BODY, secret), secret, now=NOW)
    with pytest.raises(ConfigurationError, match="body must be the bytes of the request"):
        webhooks.parse(body, {"x-svc-signature": sign(BODY, secret)}, lambda _: secret, now=NOW)


@pytest.mark.parametrize("nothing", ["", " ", None])
def test_so_is_a_missing_secret(nothing: Any) -> None:
    with pytest.raises(ConfigurationError, match="no webhook secret: pass one"):
        webhooks.verify(BODY, sign(BODY, "x"), nothing, now=NOW)
    with pytest.raises(ConfigurationError, match="no webhook secret: pass one"):
        webhooks.parse(BODY, {"x-svc-signature": sign(BODY, "x")}, nothing, now=NOW)


@pytest.mark.parametrize("tolerance", [-1, float("nan")])
def test_so_is_a_tolerance_below_zero(secret: str, tolerance: float) -> None:
    with pytest.raises(ConfigurationError, match="tolerance must be 0 seconds or more"):
        webhooks.verify(BODY, sign(BODY, secret), secret, tolerance=tolerance, now=NOW)


def event(kind: str, **members: Any) -> bytes:
    return json.dumps({"event": kind, "jobId": "job_1", "requestId": "req_1", **members}).encode()


def parsed(body: bytes, secret: str) -> WebhookEvent:
    return webhooks.parse(body, {"x-svc-signature": sign(body, secret)}, secret, now=NOW)


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
    "httpx2": lambda name, value: httpx2.Headers({name: value}),
    "pairs": lambda name, value: _Pairs(("host", "x"), (name, value)),
    "ASGI": lambda name, value: [(b"host", b"x"), (name.encode(), value.encode())],
    "WSGI": lambda name, value: {
        "wsgi.input": None,
        f"HTTP_{name.upper().replace('-', '_')}": value,
    },
}


@pytest.mark.parametrize("name", ["x-svc-signature", "X-Svc-Signature", "X-SVC-SIGNATURE"])
@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_headers_of_every_framework_are_read_in_any_case(
    secret: str, headers: Callable[[str, str], Any], name: str
) -> None:
    told = webhooks.parse(BODY, headers(name, sign(BODY, secret)), secret, now=NOW)
    assert told.job_id == "job_1"


@pytest.mark.parametrize("headers", [None, 7, ["x-svc-signature"], [(1, 2)]])
def test_what_is_no_headers_is_named(secret: str, headers: Any) -> None:
    with pytest.raises(ConfigurationError, match="headers must be those of the request"):
        webhooks.parse(BODY, headers, secret, now=NOW)


@pytest.mark.parametrize("copied", [" {0}\n", "'{0}'", '"{0}"', '"{0}" '])
def test_blanks_and_quotation_marks_around_a_secret_do_no_harm(secret: str, copied: str) -> None:
    headers = {"x-svc-signature": sign(BODY, secret)}
    webhooks.verify(BODY, headers["x-svc-signature"], copied.format(secret), now=NOW)
    assert webhooks.parse(BODY, headers, copied.format(secret), now=NOW).job_id == "job_1"


@pytest.mark.parametrize("damage", [lambda it: it[:-1], lambda it: it[6:], lambda it: f"{it}x"])
def test_a_secret_that_is_not_whole_is_named(secret: str, damage: Callable[[str], str]) -> None:
    damaged, header = damage(secret), sign(BODY, secret)
    for call in (
        lambda: webhooks.verify(BODY, header, damaged, now=NOW),
        lambda: webhooks.parse(BODY, {"x-svc-signature": header}, damaged, now=NOW),
        lambda: webhooks.parse(BODY, {"x-svc-signature": header}, lambda _: damaged, now=NOW),
    ):
        with pytest.raises(ConfigurationError, match="check that all of it was copied") as caught:
            call()
        assert secret[6:30] not in str(caught.value)


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


OTHER_ROOT = "whroot_" + base64.b64encode(b"\xfb" * 32).decode()


def derived(root: str, job_id: str) -> str:
    """As the API reference has it."""
    digest = hmac.new(root.encode(), job_id.encode(), hashlib.sha256).digest()
    return "whsec_" + base64.b64encode(digest).decode()


def body_of(job_id: str, **members: Any) -> bytes:
    body = {"event": "job.failed", "jobId": job_id, "error": {"code": "X"}, **members}
    return json.dumps(body).encode()


def opened(
    secrets: str, body: bytes, signing: str, at: int = NOW, now: float = NOW
) -> WebhookEvent:
    headers = {"x-svc-signature": sign(body, signing, at)}
    return webhooks.parse(body, headers, secrets, now=now)


def not_opened(
    reason: str, secrets: str, body: bytes, signing: str, at: int = NOW
) -> WebhookVerificationError:
    with pytest.raises(WebhookVerificationError) as caught:
        opened(secrets, body, signing, at)
    assert caught.value.reason == reason
    for secret in [*secrets.replace(",", " ").split(), signing]:
        assert secret not in str(caught.value) + repr(caught.value)
    return caught.value


@pytest.mark.parametrize("job_id", ["job_1", "job_01JD3ZR8T0V2X4Z6B8D0F2H4J6", "job_Käse-☕", "𝒿"])
def test_one_root_verifies_the_webhooks_of_every_job(root: str, job_id: str) -> None:
    for body in (
        body_of(job_id),
        json.dumps(json.loads(body_of(job_id)), ensure_ascii=False).encode(),
    ):
        assert opened(root, body, derived(root, job_id)).job_id == job_id


@pytest.mark.parametrize(
    "separated", ["{0},{1}", "{1},{0}", "{0} {1}", " {1} ,\n{0},", "{0},{1},{0}"]
)
def test_during_a_rotation_either_root_verifies(root: str, separated: str) -> None:
    both = separated.format(root, OTHER_ROOT)
    for one in (root, OTHER_ROOT):
        assert opened(both, BODY, derived(one, "job_1")).job_id == "job_1"


def test_the_secret_of_a_single_job_is_accepted_beside_roots(root: str) -> None:
    """As that of a job of a service that had no roots yet."""
    single = "whsec_" + base64.b64encode(bytes(32)).decode()
    for secrets in (single, f"{root},{single}"):
        assert opened(secrets, BODY, single).job_id == "job_1"
    not_opened("signature", single, BODY, derived(root, "job_1"))


def test_a_forged_webhook_is_refused(root: str) -> None:
    for signing in ("whsec_guess", root, derived(OTHER_ROOT, "job_1")):
        not_opened("signature", root, BODY, signing)


def test_the_secret_of_one_job_signs_for_no_other(root: str) -> None:
    """Who knows the secret of a job, such as its customer, cannot speak of another job."""
    not_opened("signature", root, body_of("job_2"), derived(root, "job_1"))
    not_opened("signature", root, body_of("job_1\x00"), derived(root, "job_1"))


def test_two_ids_in_one_body_are_read_alike_before_and_after_verification(root: str) -> None:
    body = b'{"jobId":"job_1","event":"job.failed","error":{"code":"X"},"jobId":"job_2"}'
    not_opened("signature", root, body, derived(root, "job_1"))
    assert opened(root, body, derived(root, "job_2")).job_id == "job_2"


def test_repeated_deliveries_of_an_event_have_the_same_key(root: str) -> None:
    """The service signs each attempt with its own time; other events and jobs have other keys."""
    secret = derived(root, "job_1")
    first = opened(root, BODY, secret)
    again = opened(root, BODY, secret, NOW + 5, NOW + 5)
    assert first.key == again.key == "job.failed:job_1"
    other = opened(root, body_of("job_2"), derived(root, "job_2"))
    later = opened(root, body_of("job_1", event="job.delayed"), secret)
    assert len({first.key, other.key, later.key}) == 3


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[" * 100_000, "body"),
        (b"\xff\xfe", "body"),
        (b"[]", "body"),
        (b'{"jobId": %s}' % (b"1" * 5000), "body"),
        (b"{}", "secret"),
        (b'{"jobId": ["job_1"]}', "secret"),
        (b'{"jobId": "job_\\ud800"}', "signature"),
        (b'{"jobId": ""}', "signature"),
        (b'{"jobId": "%s"}' % (b"j" * 100_000), "signature"),
    ],
    ids=[
        "nested", "no text", "no object", "a long number", "no id", "a list", "half a pair",
        "empty", "long",
    ],
)  # fmt: skip
def test_no_unverified_body_breaks_the_derivation(root: str, body: bytes, reason: str) -> None:
    not_opened(reason, root, body, derived(root, "job_1"))


def test_a_huge_body_is_refused_before_it_is_read_as_json(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = derived(root, "job_1")
    largest = BODY + b" " * (MAX_BODY_BYTES - len(BODY))
    assert opened(root, largest, secret).job_id == "job_1"
    monkeypatch.setattr("json.loads", lambda _: pytest.fail("the body was read"))
    error = not_opened("body", root, largest + b" ", secret)
    assert str(error) == "the body is no event: it is larger than 4,194,304 bytes"
    headers = {"x-svc-signature": sign(largest + b" ", secret)}
    with pytest.raises(WebhookVerificationError, match="larger than"):
        webhooks.parse(largest + b" ", headers, secret, now=NOW)


def test_a_body_without_a_timely_signature_is_not_read_as_json(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("json.loads", lambda _: pytest.fail("the body was read"))
    not_opened("timestamp", root, BODY, derived(root, "job_1"), NOW - 301)
    with pytest.raises(WebhookVerificationError, match="x-svc-signature must be"):
        webhooks.parse(BODY, {"x-svc-signature": "t=1"}, root, now=NOW)


def test_every_root_is_compared_whichever_is_right(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "compare with the provided digest using constant-time comparison" """
    compared: list[bool] = []
    compare = hmac.compare_digest

    def watched(one: Any, other: Any) -> bool:
        compared.append(compare(one, other))
        return compared[-1]

    monkeypatch.setattr("hmac.compare_digest", watched)
    both = f"{root},{OTHER_ROOT}"
    opened(both, BODY, derived(root, "job_1"))
    opened(both, BODY, derived(OTHER_ROOT, "job_1"))
    not_opened("signature", both, BODY, "whsec_x")
    assert compared == [True, False, False, True, False, False]


def test_unwrap_reads_the_roots_from_the_environment(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_WEBHOOK_SECRET", f"{OTHER_ROOT},{root}")
    headers = {"X-Svc-Signature": sign(BODY, derived(root, "job_1"))}
    event = webhooks.unwrap(BODY, headers, now=NOW)
    assert isinstance(event, JobFailed)
    with pytest.raises(WebhookVerificationError):
        webhooks.unwrap(BODY + b" ", headers, now=NOW)
    with pytest.raises(WebhookVerificationError):
        webhooks.unwrap(BODY, headers, tolerance=5, now=NOW + 6)


@pytest.mark.parametrize("value", [None, "", " ", ",", " ,\n"])
def test_unwrap_without_the_variable_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv("COPYDESK_WEBHOOK_SECRET", value)
    with pytest.raises(ConfigurationError, match="set COPYDESK_WEBHOOK_SECRET to the root secret"):
        webhooks.unwrap(BODY, {})


def test_of_several_secrets_the_damaged_one_is_named(root: str) -> None:
    with pytest.raises(ConfigurationError, match="webhook secret 2 of 2 must be"):
        opened(f"{OTHER_ROOT},{root[7:]}", BODY, "x")


def test_a_root_where_a_jobs_secret_belongs_is_the_callers_mistake(root: str) -> None:
    header = sign(BODY, derived(root, "job_1"))
    with pytest.raises(ConfigurationError, match="must be the secret of a job") as caught:
        webhooks.verify(BODY, header, root, now=NOW)
    assert root not in str(caught.value)
