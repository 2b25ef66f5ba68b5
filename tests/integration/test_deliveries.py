"""Webhook deliveries on the real databases: nothing is lost, and every attempt is the same one."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from app.ports import WebhookAnswer
from app.services import webhooks
from app.store.tables import DeliveryRow
from tests.integration.office import Office, opened

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
DOWN = WebhookAnswer(problem="no connection")


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """An office with one delivery to make."""
    with opened(migrated_url, monkeypatch) as made:
        made.create(webhook=WEBHOOK)
        assert made.work()
        yield made


def delivery(office: Office) -> DeliveryRow:
    (row,) = office.rows(DeliveryRow)
    assert isinstance(row, DeliveryRow)
    return row


def wait_for_the_next(office: Office) -> None:
    office.clock.at = delivery(office).not_before


def test_a_receiver_that_is_down_for_hours_gets_the_event(office: Office) -> None:
    begun = office.clock.now()
    office.receiver.answers = [DOWN] * 5
    for _ in range(5):
        assert office.deliver()
        assert not office.deliver()
        wait_for_the_next(office)
    assert office.clock.now() - begun > timedelta(hours=7)
    assert office.deliver()
    assert delivery(office).status == "delivered"
    assert not office.deliver()
    ids = {headers["webhook-id"] for _, headers, _ in office.receiver.received}
    bodies = {body for _, _, body in office.receiver.received}
    times = {headers["webhook-timestamp"] for _, headers, _ in office.receiver.received}
    assert (len(ids), len(bodies), len(times)) == (1, 1, 6)
    assert ids == {delivery(office).id}


def test_after_the_last_pause_it_is_given_up_and_can_be_replayed(office: Office) -> None:
    office.receiver.answers = [DOWN] * 8
    for _ in range(8):
        assert office.deliver()
        wait_for_the_next(office)
    assert delivery(office).status == "failed"
    office.clock.move(timedelta(days=2))
    assert not office.deliver()
    (replayed,) = webhooks.replay(delivery(office).job_id, office.clock, office.queue)
    assert replayed == delivery(office).id
    assert office.deliver()
    assert delivery(office).status == "delivered"
    first, *_, last = office.receiver.received
    assert first[1]["webhook-id"] == last[1]["webhook-id"]
    assert first[2] == last[2]


def test_410_stops(office: Office) -> None:
    office.receiver.answers = [WebhookAnswer(status=410)]
    assert office.deliver()
    assert (delivery(office).status, delivery(office).last_answer) == ("failed", "HTTP 410")


@pytest.mark.parametrize("status", [301, 400, 404, 429, 500])
def test_every_other_answer_is_tried_again(office: Office, status: int) -> None:
    office.receiver.answers = [WebhookAnswer(status=status, retry_after=100.0)]
    assert office.deliver()
    row = delivery(office)
    assert row.status == "queued"
    assert row.not_before - office.clock.now() >= timedelta(seconds=100)


def test_a_worker_that_dies_over_a_delivery_leaves_it_to_the_next(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: object) -> WebhookAnswer:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(office.receiver, "send", dies)
        with pytest.raises(Killed):
            office.deliver()
    assert not office.deliver()
    office.clock.move(timedelta(seconds=61))
    assert office.deliver()
    assert (delivery(office).status, delivery(office).attempts) == ("delivered", 2)


def test_no_secret_is_in_the_repr_of_what_is_sent(office: Office) -> None:
    claimed = webhooks._claim(office.clock, None)
    assert claimed is not None
    assert claimed.secret not in repr(claimed)
    assert claimed.secret.startswith("whsec_")
