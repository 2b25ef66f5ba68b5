"""What we sign is what the packages of other people sign, so their verifiers accept it.

`stripe` writes the same `t=…,v1=…` header with the same key, the secret as it is written; the
`standardwebhooks` package is the reference of the webhook-… headers.
"""

import datetime as dates
import importlib

from standardwebhooks import Webhook

from app.core.webhooks.signature import new_secret, signed_headers

NOW = 1_700_000_000
SECRET = new_secret(b"\xfe" + bytes(range(31)))
MESSAGE_ID = "msg_01hzy7"
BODY = '{"event":"job.succeeded","jobId":"job_1","post":{"title":"Käse – 5 €"}}'.encode()
SIGNED = signed_headers(SECRET, MESSAGE_ID, NOW, BODY)


def test_our_header_is_the_one_that_stripe_would_write() -> None:
    stripe = importlib.import_module("stripe")
    theirs = stripe.WebhookSignature.generate_signature_header(BODY.decode(), SECRET, NOW)
    assert SIGNED["x-svc-signature"] == theirs


def test_our_signature_is_the_one_that_the_standard_package_would_write() -> None:
    at = dates.datetime.fromtimestamp(NOW, dates.UTC)
    theirs = Webhook(SECRET).sign(MESSAGE_ID, at, BODY.decode())
    assert SIGNED["webhook-signature"] == theirs
