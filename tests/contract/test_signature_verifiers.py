"""Other people's verifiers accept what we sign, and refuse what was changed on the way.

`stripe` reads the same `t=…,v1=…` header with the same key, the secret as it is written; the
`standardwebhooks` package is the reference verifier of the webhook-… headers. Both run on a clock
that stands still, so that the edges of their tolerance are hit to the second.
"""

import datetime as dates
import importlib
import time
from collections.abc import Callable

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from app.core.webhooks.signature import new_secret, signed_headers

NOW = 1_700_000_000
TOLERANCE_SECONDS = 300
SECRET = new_secret(b"\xfe" + bytes(range(31)))
OTHER_SECRET = new_secret(b"\xfd" + bytes(range(31)))
MESSAGE_ID = "msg_01hzy7"
BODY = '{"event":"job.succeeded","jobId":"job_1","post":{"title":"Käse – 5 €"}}'.encode()


class _StandingDatetime(dates.datetime):
    @classmethod
    def now(cls, tz: dates.tzinfo | None = None) -> dates.datetime:
        return dates.datetime.fromtimestamp(NOW, tz)


@pytest.fixture
def stripe_accepts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    stripe = importlib.import_module("stripe")  # here: it takes a second to load
    monkeypatch.setattr(time, "time", lambda: float(NOW))

    def accepts(headers: dict[str, str], body: bytes = BODY, secret: str = SECRET) -> bool:
        try:
            return bool(
                stripe.WebhookSignature.verify_header(
                    body, headers["x-svc-signature"], secret, TOLERANCE_SECONDS
                )
            )
        except stripe.SignatureVerificationError:
            return False

    return accepts


@pytest.fixture
def standard_accepts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    monkeypatch.setattr("standardwebhooks.webhooks.datetime", _StandingDatetime)

    def accepts(headers: dict[str, str], body: bytes = BODY, secret: str = SECRET) -> bool:
        try:
            Webhook(secret).verify(body, headers, json_parse=False)
        except WebhookVerificationError:
            return False
        return True

    return accepts


@pytest.fixture(params=["stripe_accepts", "standard_accepts"])
def accepts(request: pytest.FixtureRequest) -> Callable[..., bool]:
    verifier: Callable[..., bool] = request.getfixturevalue(request.param)
    return verifier


def signed(timestamp: int = NOW, message_id: str = MESSAGE_ID) -> dict[str, str]:
    return signed_headers(SECRET, message_id, timestamp, BODY)


def test_what_we_sign_is_accepted(accepts: Callable[..., bool]) -> None:
    assert accepts(signed())


def test_every_changed_byte_of_the_body_is_refused(accepts: Callable[..., bool]) -> None:
    headers = signed()
    for place in range(len(BODY)):
        # One bit of an ASCII byte leaves the text valid UTF-8, which both verifiers ask for.
        if BODY[place] < 0x80:
            changed = BODY[:place] + bytes([BODY[place] ^ 1]) + BODY[place + 1 :]
            assert not accepts(headers, changed), place
    assert not accepts(headers, BODY[:-1])
    assert not accepts(headers, BODY + b" ")


def test_another_secret_is_refused(accepts: Callable[..., bool]) -> None:
    assert not accepts(signed(), BODY, OTHER_SECRET)


def test_a_changed_time_is_refused(accepts: Callable[..., bool]) -> None:
    """Within the tolerance as well: the time is part of what is signed."""
    headers, later = signed(), signed(NOW + 1)
    moved = {
        "webhook-id": MESSAGE_ID,
        "webhook-timestamp": later["webhook-timestamp"],
        "webhook-signature": headers["webhook-signature"],
        "x-svc-signature": headers["x-svc-signature"].replace(f"t={NOW}", f"t={NOW + 1}"),
    }
    assert not accepts(moved)


def test_the_time_may_differ_by_300_seconds_and_not_by_301(accepts: Callable[..., bool]) -> None:
    """ "Reject when the timestamp differs from the current time by more than 5 minutes." """
    assert accepts(signed(NOW - 300))
    assert accepts(signed(NOW + 300))
    assert not accepts(signed(NOW - 301))


def test_the_standard_verifier_refuses_the_future_and_another_id(
    standard_accepts: Callable[..., bool],
) -> None:
    """`stripe` looks only for times that are past, and knows no id."""
    assert not standard_accepts(signed(NOW + 301))
    assert not standard_accepts(signed() | {"webhook-id": "msg_other"})


def test_our_header_is_the_one_that_stripe_would_write() -> None:
    stripe = importlib.import_module("stripe")
    theirs = stripe.WebhookSignature.generate_signature_header(BODY.decode(), SECRET, NOW)
    assert signed()["x-svc-signature"] == theirs


def test_our_signature_is_the_one_that_the_standard_package_would_write() -> None:
    at = dates.datetime.fromtimestamp(NOW, dates.UTC)
    theirs = Webhook(SECRET).sign(MESSAGE_ID, at, BODY.decode())
    assert signed()["webhook-signature"] == theirs
