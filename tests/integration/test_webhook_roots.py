"""Root secrets of webhooks on the real databases: which root signs a job, and rotations."""

import logging
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import Conflict, NotFound
from app.ports import WebhookAnswer
from app.services import webhook_roots, webhooks
from app.store import models
from copydesk import WebhookVerificationError
from copydesk import webhooks as receiving
from tests.support import concurrent_processes as processes
from tests.support.service_harness import ServiceHarness

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
DOWN = WebhookAnswer(problem="no connection")


def roots(harness: ServiceHarness) -> list[models.WebhookRoot]:
    return [root for root, _ in webhook_roots.list_roots(harness.account_id)]


def open_jobs(harness: ServiceHarness) -> list[tuple[int, int]]:
    """Each root by its number, with its open jobs, the newest first."""
    return [(root.number, jobs) for root, jobs in webhook_roots.list_roots(harness.account_id)]


def rotate(harness: ServiceHarness) -> models.WebhookRoot:
    return webhook_roots.rotate(harness.context, harness.account_id)


def last_event(harness: ServiceHarness, *secrets: str) -> receiving.WebhookEvent:
    """What a receiver that knows these secrets reads from the last delivery.

    Raises:
        WebhookVerificationError: none of them signed it.
    """
    _, headers, body = harness.receiver.received[-1]
    now = harness.clock.now().timestamp()
    return receiving.parse(body, headers, " ".join(secrets), now=now)


def test_a_job_without_a_webhook_has_no_root(harness: ServiceHarness) -> None:
    assert "webhookSigningSecret" not in harness.create()
    assert [row.webhook_root for row in harness.rows(models.Job)] == [None]


def test_rotations_at_once_are_as_many_roots(
    harness: ServiceHarness, migrated_url: str, tmp_path: Path
) -> None:
    with processes.ConcurrentProcesses(
        tmp_path / "rotations", 4, processes.rotates, migrated_url, harness.account_id
    ) as rotating:
        rotated = sorted(lines[0] for lines in rotating.join())
    assert [number for number, _ in rotated] == [2, 3, 4, 5]
    assert [[root.number, root.secret] for root in roots(harness)[-2::-1]] == rotated


def test_a_rotation_applies_to_new_jobs_and_those_in_flight_keep_their_root(
    harness: ServiceHarness,
) -> None:
    """A delivery that is in flight, and a job that is queued, during the rotation."""
    delivering = harness.create(webhook=WEBHOOK)
    assert harness.work(delivering["jobId"])
    harness.receiver.answers = [DOWN]
    assert harness.deliver()
    queued = harness.create(webhook=WEBHOOK)
    old = roots(harness)[0].secret
    new = rotate(harness).secret
    created = harness.create(webhook=WEBHOOK)
    assert open_jobs(harness) == [(2, 1), (1, 2)]
    for job, root, other in ((queued, old, new), (created, new, old)):
        assert harness.work(job["jobId"])
        assert harness.deliver()
        assert last_event(harness, root).job_id == job["jobId"]
        assert last_event(harness, new, old).job_id == job["jobId"]
        with pytest.raises(WebhookVerificationError):
            last_event(harness, other)
    (waiting,) = (row for row in harness.rows(models.WebhookDelivery) if row.status == "queued")
    harness.clock.at = waiting.not_before
    assert harness.deliver()
    assert last_event(harness, old).job_id == delivering["jobId"]
    assert open_jobs(harness) == [(2, 0), (1, 0)]


def test_a_repeated_creation_returns_the_same_secret_after_a_rotation_and_a_retirement(
    harness: ServiceHarness,
) -> None:
    created = harness.create(harness.key("k"), webhook=WEBHOOK)
    assert harness.create_or_replay(harness.key("k"), webhook=WEBHOOK) == (created, True)
    rotate(harness)
    assert harness.create_or_replay(harness.key("k"), webhook=WEBHOOK) == (created, True)
    assert harness.work()
    assert harness.deliver()
    webhook_roots.retire(harness.account_id, 1)
    assert harness.create_or_replay(harness.key("k"), webhook=WEBHOOK) == (created, True)


def test_a_root_is_retired_only_if_no_webhook_needs_it(harness: ServiceHarness) -> None:
    created = harness.create(webhook=WEBHOOK)
    other = ServiceHarness()
    other.create(webhook=WEBHOOK)
    with pytest.raises(Conflict, match=r"^New jobs use root 1\."):
        webhook_roots.retire(harness.account_id, 1)
    rotate(harness)
    with pytest.raises(Conflict, match=r"its openJobs is 1\."):
        webhook_roots.retire(harness.account_id, 1)
    assert harness.work(created["jobId"])
    with pytest.raises(Conflict, match=r"its openJobs is 1\."):
        webhook_roots.retire(harness.account_id, 1)
    assert harness.deliver()
    webhook_roots.retire(harness.account_id, 1)
    assert [root.number for root in roots(harness)] == [2]
    with pytest.raises(NotFound, match=r"^There is no root 1 "):
        webhook_roots.retire(harness.account_id, 1)
    assert rotate(harness).number == 3


def test_a_delivery_replayed_after_its_root_was_retired_has_the_same_secret(
    harness: ServiceHarness,
) -> None:
    created = harness.create(webhook=WEBHOOK)
    assert harness.work()
    assert harness.deliver()
    rotate(harness)
    webhook_roots.retire(harness.account_id, 1)
    assert webhooks.replay(harness.context, created["jobId"])
    assert harness.deliver()
    assert last_event(harness, created["webhookSigningSecret"]).job_id == created["jobId"]


def test_no_root_is_logged_or_shown_in_a_repr(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    harness.create(webhook=WEBHOOK)
    rotated = rotate(harness)
    assert harness.work()
    assert harness.deliver()
    shown: list[Any] = [rotated, roots(harness)]
    for root in roots(harness):
        assert root.secret not in caplog.text
        assert root.secret not in repr(shown)
