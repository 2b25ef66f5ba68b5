"""Who may pull a feed, how often, and what must not leave it, over real HTTP."""

import json

import pytest
import requests
from sqlalchemy import select

from app.store import models
from tests.conformance.interface import clause
from tests.support.customers import another_key
from tests.support.feeds import RunningFeed, new_feed
from tests.support.service import ITEM_SECONDS, CopydeskService
from tests.support.startup import wait_until
from tests.support.webhook_receiver import Receiver


@clause("No Authorization header; token_id is the secret.")
@clause("No Authorization header.", under="GET /v1/content-tokens/{token_id}/items")
@clause(
    "No Authorization header, no body.",
    under="POST /v1/content-tokens/{token_id}/items/{item_id}/confirm",
)
@clause(
    "No Authorization header, no body.",
    under="POST /v1/content-tokens/{token_id}/items/{item_id}/reject",
)
@clause(
    "| All /v1/content-tokens/... endpoints | No Authorization header.",
    "The token_id in the path is itself the secret;",
)
@clause("Token: identified by token_id (a secret path segment).")
@pytest.mark.parametrize("header", [None, "Bearer nonsense", "Basic bmFtZTp3b3Jk"])
def test_the_token_alone_opens_the_feed(feed: RunningFeed, header: str | None) -> None:
    one, two = feed.add_items(feed.add_rule(), 2)
    sent = {"headers": {"Authorization": header} if header else {}}
    answers = [
        feed.call("GET", "latest", **sent),
        feed.call("GET", "items", **sent),
        feed.call("POST", f"items/{one}/confirm", **sent),
        feed.call("POST", f"items/{two}/reject", **sent),
    ]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert feed.states() == [("used", 2), ("rejected", 1)]


@clause("The token_id in the path is itself the secret;")
def test_an_api_key_opens_no_feed(feed: RunningFeed) -> None:
    feed.add_items(feed.add_rule())
    key = another_key(feed.service, feed.account_id).api_key
    for name in (key, feed.token_id, "latest"):
        url = f"{feed.service.url}/v1/content-tokens/{name}/latest"
        answer = requests.get(url, headers={"Authorization": f"Bearer {key}"}, timeout=30)
        assert answer.status_code == 404
    assert feed.states() == [("pending", 0)]


@clause("one token_id", "one pull URL")
def test_a_feed_is_closed_to_other_tokens(service: CopydeskService) -> None:
    feed, other = new_feed(service), new_feed(service)
    (item,) = feed.add_items(feed.add_rule())
    assert other.latest() == {"available": False}
    assert feed.latest()["item"]["id"] == item
    assert [other.confirm(item).status_code, other.reject(item).status_code] == [404, 404]
    assert feed.states() == [("reserved", 1)]


@clause("it must be kept private like a webhook URL or API key.")
def test_a_token_is_in_no_log_and_no_error(feed: RunningFeed) -> None:
    (item,) = feed.add_items(feed.add_rule())
    calls = [
        ("GET", "latest"),
        ("GET", "latest?next=maybe"),
        ("GET", "items?rule=unknown"),
        ("DELETE", "latest"),
        ("GET", "nothing"),
        ("POST", f"items/{item}/confirm"),
        ("POST", f"items/{item}/reject"),
        ("POST", "items/unknown/reject"),
    ]
    answers = [feed.call(method, path) for method, path in calls]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [200, 400, 404, 405, 404, 200, 409, 404]
    for answer in answers:
        assert feed.token not in answer.text
        assert feed.token not in str(answer.headers)
    assert feed.token not in feed.service.log_text()


@clause("Tokens and rules are configured internally; no public endpoint creates or modifies them.")
@clause("No public operation changes this.")
def test_nothing_of_a_feed_can_be_configured_over_http(feed: RunningFeed) -> None:
    rule = feed.add_rule()
    feed.add_items(rule)
    key = another_key(feed.service, feed.account_id)
    tokens = "/v1/content-tokens"
    places = [
        tokens, f"{tokens}/{feed.token}", f"{tokens}/{feed.token}/rules",
        f"{tokens}/{feed.token}/rules/{rule}", f"{tokens}/{feed.token}/pause",
        f"{tokens}/{feed.token}/latest", f"{tokens}/{feed.token}/items", "/v1/rules",
    ]  # fmt: skip
    for place in places:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = key.call(method, place, json={"paused": True, "name": "Mine"})
            assert answer.status_code in {404, 405}, f"{method} {place}"
    assert feed.states() == [("pending", 0)]


@clause("Feed has no rate limit tied to a customer plan;")
def test_polling_is_not_limited_by_the_plan(service: CopydeskService) -> None:
    feed = new_feed(service, requests_per_minute=1, requests_per_day=1)
    with requests.Session() as session:
        for _ in range(60):
            answer = session.get(f"{feed.url}/latest", timeout=30)
            assert (answer.status_code, answer.json()) == (200, {"available": False})
            assert "RateLimit" not in answer.headers
    # Nor does a pull use up what the plan allows.
    usage = another_key(service, feed.account_id).usage()
    assert usage["consumed"] == {"words": 0, "posts": 0, "requests": 0}


@clause("The pull feed emits no webhooks.")
def test_a_feed_emits_no_webhooks(service: CopydeskService) -> None:
    with Receiver() as receiver:
        feed = new_feed(service)
        offer = {"name": "Acme Kettle Club", "url": receiver.url("/offer")}
        rule = feed.add_due_rule(offers=[offer])
        feed.latest()
        wait_until(lambda: feed.runs(rule) == ["succeeded"], ITEM_SECONDS, "the rule's item")
        item = feed.latest()["item"]
        assert offer["url"] in item["rendered"]["html"]
        feed.confirm(item["id"])
        # A job of the same account that begins and fails after all that has its webhook sent.
        webhook = {"url": receiver.url("/job"), "events": ["job.succeeded", "job.failed"]}
        too_long = {"keywords": ["tea"], "constraints": {"maxWords": 9_999}}
        made = another_key(service, feed.account_id).create_job(
            generateRequest=too_long, webhook=webhook
        )
        assert made.status_code == 202, made.text
        wait_until(lambda: bool(receiver.received("/job")), ITEM_SECONDS, "the job's webhook")
        (sent,) = receiver.received("/job")
        assert json.loads(sent.body)["jobId"] == made.json()["jobId"]
        assert receiver.received("/offer") == []
    # Whatever is to be sent is a row, and there is none but the job's.
    ours = (
        select(models.WebhookDelivery.job_id)
        .join(models.Job)
        .where(models.Job.account_id == feed.account_id)
    )
    with service.engine.connect() as database:
        assert list(database.scalars(ours)) == [made.json()["jobId"]]
