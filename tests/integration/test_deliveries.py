"""Webhook deliveries on the real databases: nothing is lost, every attempt is the same one, and
what the root secret of an account signs."""

from datetime import timedelta
from pathlib import Path

import pytest

from app.ports import WebhookAnswer
from app.services import accounts, webhooks
from app.store import models
from copydesk import WebhookVerificationError
from copydesk import webhooks as receiving
from tests.support import concurrent_processes as processes
from tests.support.service_harness import ServiceHarness

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
DOWN = WebhookAnswer(problem="no connection")


@pytest.fixture
def desk(harness: ServiceHarness) -> ServiceHarness:
    """A harness with one delivery to make."""
    harness.create(webhook=WEBHOOK)
    assert harness.work()
    return harness


def delivery(desk: ServiceHarness) -> models.WebhookDelivery:
    (row,) = desk.rows(models.WebhookDelivery)
    assert isinstance(row, models.WebhookDelivery)
    return row


def test_a_replay_of_a_replay_repeats_the_first_delivery(desk: ServiceHarness) -> None:
    """A delivered one stays delivered; whichever of them is named, the newest one counts."""
    assert desk.deliver()
    first = delivery(desk)
    for named in (first.id, first.job_id):
        (made,) = webhooks.replay(desk.context, named)
        # Asked for twice before it is sent: once is enough.
        assert webhooks.replay(desk.context, first.id) == [made]
        assert webhooks.replay(desk.context, made) == [made]
        assert desk.deliver()
        assert not desk.deliver()
    rows = desk.rows(models.WebhookDelivery)[::-1]
    assert [row.status for row in rows] == ["delivered"] * 3
    assert [row.replay_of for row in rows] == [first.id, first.id, None]
    assert {row.body for row in rows} == {first.body}
    ids = {headers["webhook-id"] for _, headers, _ in desk.receiver.received}
    assert ids == {first.id}


def test_a_replay_before_the_next_attempt_sends_at_once(desk: ServiceHarness) -> None:
    desk.receiver.answers = [DOWN]
    assert desk.deliver()
    assert not desk.deliver()
    assert webhooks.replay(desk.context, delivery(desk).id) == [delivery(desk).id]
    assert desk.deliver()
    assert (delivery(desk).status, delivery(desk).attempts) == ("delivered", 2)


def test_a_delivery_that_is_being_sent_is_not_sent_twice(desk: ServiceHarness) -> None:
    assert webhooks.claim(desk.context)
    assert webhooks.replay(desk.context, delivery(desk).id) == []
    assert delivery(desk).status == "sending"


def test_a_worker_that_dies_over_a_delivery_leaves_it_to_the_next(
    desk: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: object) -> WebhookAnswer:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(desk.receiver, "send", dies)
        with pytest.raises(Killed):
            desk.deliver()
    assert not desk.deliver()
    desk.clock.move(timedelta(seconds=61))
    assert desk.deliver()
    assert (delivery(desk).status, delivery(desk).attempts) == ("delivered", 2)


# --- the root secret, and its rotation


def root(harness: ServiceHarness) -> str:
    return accounts.webhook_root(harness.account_id)


def rotate(harness: ServiceHarness) -> str:
    made, replaced = accounts.replace_webhook_root(harness.account_id)
    assert made != replaced
    return made


def last_event(harness: ServiceHarness, *secrets: str) -> receiving.WebhookEvent:
    """What a receiver that knows these secrets reads from the last delivery.

    Raises:
        WebhookVerificationError: none of them signed it.
    """
    _, headers, body = harness.receiver.received[-1]
    now = harness.clock.now().timestamp()
    return receiving.parse(body, headers, " ".join(secrets), now=now)


def test_of_rotations_at_once_each_says_which_root_it_replaced(
    harness: ServiceHarness, migrated_url: str, tmp_path: Path
) -> None:
    first = root(harness)
    with processes.ConcurrentProcesses(
        tmp_path / "rotations", 4, processes.rotates, migrated_url, harness.account_id
    ) as rotating:
        follower = {replaced: made for ((made, replaced),) in rotating.join()}
    chain = [first]
    while chain[-1] in follower:
        chain.append(follower.pop(chain[-1]))
    assert (len(chain), chain[-1]) == (5, root(harness))


def test_a_rotation_applies_to_new_jobs_and_those_in_flight_keep_their_secrets(
    harness: ServiceHarness,
) -> None:
    """A delivery that is in flight, and a job that is queued, during the rotation."""
    delivering = harness.create(webhook=WEBHOOK)
    assert harness.work(delivering["jobId"])
    harness.receiver.answers = [DOWN]
    assert harness.deliver()
    queued = harness.create(webhook=WEBHOOK)
    old, new = root(harness), rotate(harness)
    created = harness.create(webhook=WEBHOOK)
    for job, known, other in ((queued, old, new), (created, new, old)):
        assert harness.work(job["jobId"])
        assert harness.deliver()
        assert last_event(harness, known).job_id == job["jobId"]
        assert last_event(harness, new, old).job_id == job["jobId"]
        with pytest.raises(WebhookVerificationError):
            last_event(harness, other)
    (waiting,) = (row for row in harness.rows(models.WebhookDelivery) if row.status == "queued")
    harness.clock.at = waiting.not_before
    assert harness.deliver()
    assert last_event(harness, old).job_id == delivering["jobId"]


def test_a_repeated_creation_and_a_replay_have_the_same_secret_after_a_rotation(
    harness: ServiceHarness,
) -> None:
    created = harness.create(harness.key("k"), webhook=WEBHOOK)
    assert harness.work()
    assert harness.deliver()
    rotate(harness)
    assert harness.create_or_replay(harness.key("k"), webhook=WEBHOOK) == (created, True)
    assert webhooks.replay(harness.context, created["jobId"])
    assert harness.deliver()
    assert last_event(harness, created["webhookSigningSecret"]).job_id == created["jobId"]
