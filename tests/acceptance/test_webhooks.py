"""Events: what a receiver gets, how it is signed, and that it gets it in the end."""

import hashlib
import hmac
import json
import re
import time
from typing import Any

import pytest

from copydesk import JobSucceeded, WebhookVerificationError, webhooks
from tests.conformance.interface import clause
from tests.support.customers import Customer
from tests.support.response_schemas import (
    CREATED_JOB,
    CREATED_JOB_WITH_WEBHOOK,
    POST,
    QUALITY,
    RENDERED,
    STRING,
    matches,
    obj,
)
from tests.support.service import CopydeskService
from tests.support.webhook_jobs import (
    BOTH,
    TOO_LONG,
    arrived,
    deliveries,
    order,
)
from tests.support.webhook_receiver import Receiver


@clause("delivered to a webhook.")
@clause(
    "Webhooks are sent for jobs created via POST /v1/jobs that configured webhook.url and"
    " webhook.events. They can be used instead of, or together with, polling."
)
@clause("| job.succeeded | Job finished and result is ready | job reaching succeeded |")
@clause("event (string, job.succeeded), jobId, requestId, post (SEOPost), rendered, quality.")
@clause("job.succeeded sent if subscribed")
def test_a_job_that_succeeds_is_told(customer: Customer, receiver: Receiver) -> None:
    created = order(customer, receiver.url(), BOTH)
    told = json.loads(arrived(receiver)[0].body)
    shape = obj(event={"const": "job.succeeded"}, jobId=STRING, requestId=STRING, post=POST,
                rendered=RENDERED, quality=QUALITY)  # fmt: skip
    matches(told, shape)
    # Who is told may read at once, and reads the same.
    job = customer.job(created["jobId"]).json()
    assert job["status"] == "succeeded"
    assert (told["jobId"], told["requestId"]) == (job["jobId"], created["requestId"])
    assert told["post"] == job["result"]
    assert (told["rendered"], told["quality"]) == (job["rendered"], job["quality"])


@clause("Only events listed in webhook.events are delivered.")
def test_only_subscribed_events_are_delivered(
    service: CopydeskService, customer: Customer, receiver: Receiver
) -> None:
    quiet = [
        order(customer, receiver.url(), ["job.failed"])["jobId"],
        order(customer, receiver.url(), ["job.succeeded"], TOO_LONG)["jobId"],
        customer.create_job(generateRequest={"keywords": ["tea"]}).json()["jobId"],
    ]
    assert [customer.finished_job(job)["status"] for job in quiet] == [
        "succeeded", "failed", "succeeded",
    ]  # fmt: skip
    told = order(customer, receiver.url(), ["job.failed"], TOO_LONG)["jobId"]
    assert [json.loads(one.body)["jobId"] for one in arrived(receiver)] == [told]
    for job in quiet:
        assert deliveries(service, job) == []


@clause(
    "Header: x-svc-signature with the value t=<unix timestamp>,v1=<HMAC-SHA256 hex"
    " digest>, both parts in one header."
)
@clause("Parse the timestamp and digest from the header;")
@clause("Signed payload is the timestamp, then a period, then the raw request body.")
@clause("Compute HMAC-SHA256 (hex) with the webhook signing secret")
@clause("| Webhook deliveries | Signed with the job's webhookSigningSecret; see Events. |")
@clause("The webhook signature scheme tag is v1 inside the x-svc-signature header.")
def test_a_delivery_is_signed(customer: Customer, receiver: Receiver) -> None:
    secret = order(customer, receiver.url(), BOTH)["webhookSigningSecret"]
    request = arrived(receiver)[0]
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", request.headers["x-svc-signature"])
    assert found
    signed = found[1].encode() + b"." + request.body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(digest, found[2])
    assert abs(time.time() - int(found[1])) < 60
    assert request.headers["content-type"] == "application/json"
    assert {"webhook-id", "webhook-timestamp", "webhook-signature"} <= set(request.headers)


@clause("and compare with the provided digest using constant-time comparison.")
def test_digests_are_compared_in_constant_time(
    customer: Customer, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = order(customer, receiver.url(), BOTH)["webhookSigningSecret"]
    request = arrived(receiver)[0]
    header = request.headers["x-svc-signature"]
    compared: list[set[str]] = []
    compare = hmac.compare_digest

    def watched(one: Any, other: Any) -> bool:
        compared.append({one, other})
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", watched)
    webhooks.verify(request.body, header, secret)
    digest = header.partition(",v1=")[2]
    wrong = ("0" if digest[0] != "0" else "1") + digest[1:]
    with pytest.raises(WebhookVerificationError):
        webhooks.verify(request.body, header.replace(digest, wrong), secret)
    assert compared == [{digest}, {digest, wrong}]


@clause("a header not matching the pattern is invalid.")
@clause("Reject when the timestamp differs from the current time by more than 5 minutes.")
@clause("Webhook timestamp tolerance: 5 minutes.")
def test_the_sdk_verifies_as_the_interface_says(customer: Customer, receiver: Receiver) -> None:
    secret = order(customer, receiver.url(), BOTH)["webhookSigningSecret"]
    request = arrived(receiver)[0]
    header = request.headers["x-svc-signature"]
    signed_at = int(header.split(",")[0].removeprefix("t="))
    assert isinstance(webhooks.parse(request.body, request.headers, secret), JobSucceeded)
    for away in (-300, 300):
        webhooks.verify(request.body, header, secret, now=signed_at + away)
    wrong: list[tuple[bytes, str, str, float, str]] = [
        (request.body, header, secret, signed_at + 301, "timestamp"),
        (request.body, header, secret, signed_at - 301, "timestamp"),
        (request.body + b" ", header, secret, signed_at, "signature"),
        (request.body, header, f"whsec_{secret[-2:5:-1]}=", signed_at, "signature"),
        (request.body, header[:-1] + ("0" if header[-1] != "0" else "1"), secret, signed_at,
         "signature"),
        (request.body, header.replace("v1=", "v0="), secret, signed_at, "header"),
        (request.body, "", secret, signed_at, "header"),
    ]  # fmt: skip
    for body, given, key, now, reason in wrong:
        with pytest.raises(WebhookVerificationError) as caught:
            webhooks.verify(body, given, key, now=now)
        assert caught.value.reason == reason


@clause(
    "| webhookSigningSecret | string | Returned in the creation response when a webhook"
    " is configured; value is a secret, <SIGNING_SECRET>. Returned when no webhook is"
    " configured: not shown."
)
@clause(" webhookSigningSecret.", under="POST /v1/jobs")
def test_the_secret_is_told_once(
    service: CopydeskService, customer: Customer, receiver: Receiver
) -> None:
    first = order(customer, receiver.url(), BOTH)
    second = order(customer, receiver.url(), BOTH)
    without = customer.create_job(generateRequest={"keywords": ["tea"]}).json()
    matches(first, CREATED_JOB_WITH_WEBHOOK)
    matches(without, CREATED_JOB)
    secret = first["webhookSigningSecret"]
    assert secret != second["webhookSigningSecret"]
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    assert secret not in json.dumps(customer.finished_job(first["jobId"]))
    assert secret not in service.log_text()
    assert secret.encode() not in arrived(receiver)[0].body
