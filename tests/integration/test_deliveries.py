"""Webhook deliveries on the real databases: nothing is lost, and every attempt is the same one."""

from datetime import timedelta

import pytest

from app.ports import WebhookAnswer
from app.services import overview, webhooks
from app.store import models
from app.store.overview import WorkFilter
from tests.support.service_harness import ServiceHarness

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
DOWN = WebhookAnswer(problem="no connection")


@pytest.fixture
def harness(harness: ServiceHarness) -> ServiceHarness:
    """A harness with one delivery to make."""
    harness.create(webhook=WEBHOOK)
    assert harness.work()
    return harness


def delivery(harness: ServiceHarness) -> models.WebhookDelivery:
    (row,) = harness.rows(models.WebhookDelivery)
    assert isinstance(row, models.WebhookDelivery)
    return row


def test_after_the_last_pause_it_is_given_up_and_can_be_replayed(harness: ServiceHarness) -> None:
    harness.receiver.answers = [DOWN] * 8
    for _ in range(8):
        assert harness.deliver()
        harness.clock.at = delivery(harness).not_before
    assert delivery(harness).status == "failed"
    harness.clock.move(timedelta(days=2))
    assert not harness.deliver()
    given_up = delivery(harness)
    (replayed,) = webhooks.replay(harness.context, given_up.job_id)
    assert harness.deliver()
    assert not harness.deliver()
    (again, _), (old, _) = overview.deliveries(WorkFilter())
    assert (old.id, old.status, old.attempts) == (given_up.id, "replayed", 8)
    assert (again.id, again.status, again.attempts) == (replayed, "delivered", 1)
    assert again.replay_of == old.id
    assert again.account_id == old.account_id == harness.account_id
    first, *_, last = harness.receiver.received
    assert first[1]["webhook-id"] == last[1]["webhook-id"]
    assert first[2] == last[2]


def test_a_replay_of_a_replay_repeats_the_first_delivery(harness: ServiceHarness) -> None:
    """A delivered one stays delivered; whichever of them is named, the newest one counts."""
    assert harness.deliver()
    first = delivery(harness)
    for named in (first.id, first.job_id):
        (made,) = webhooks.replay(harness.context, named)
        # Asked for twice before it is sent: once is enough.
        assert webhooks.replay(harness.context, first.id) == [made]
        assert webhooks.replay(harness.context, made) == [made]
        assert harness.deliver()
        assert not harness.deliver()
    rows = harness.rows(models.WebhookDelivery)[::-1]
    assert [row.status for row in rows] == ["delivered"] * 3
    assert [row.replay_of for row in rows] == [first.id, first.id, None]
    assert {row.body for row in rows} == {first.body}
    ids = {headers["webhook-id"] for _, headers, _ in harness.receiver.received}
    assert ids == {first.id}


def test_a_replay_before_the_next_attempt_sends_at_once(harness: ServiceHarness) -> None:
    harness.receiver.answers = [DOWN]
    assert harness.deliver()
    assert not harness.deliver()
    assert webhooks.replay(harness.context, delivery(harness).id) == [delivery(harness).id]
    assert harness.deliver()
    assert (delivery(harness).status, delivery(harness).attempts) == ("delivered", 2)


def test_a_delivery_that_is_being_sent_is_not_sent_twice(harness: ServiceHarness) -> None:
    assert webhooks.claim(harness.context)
    assert webhooks.replay(harness.context, delivery(harness).id) == []
    assert delivery(harness).status == "sending"


def test_a_worker_that_dies_over_a_delivery_leaves_it_to_the_next(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: object) -> WebhookAnswer:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(harness.receiver, "send", dies)
        with pytest.raises(Killed):
            harness.deliver()
    assert not harness.deliver()
    harness.clock.move(timedelta(seconds=61))
    assert harness.deliver()
    assert (delivery(harness).status, delivery(harness).attempts) == ("delivered", 2)
