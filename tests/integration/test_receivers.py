"""Receivers of webhooks that fail or are slow: they hold up nobody, and lose nothing."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest

from app.core.webhooks.receiver import ALL
from app.ports import WebhookAnswer
from app.services import state, webhooks
from app.store import database, models
from app.store.overview import WorkFilter
from tests.support.integration import POSTGRESQL
from tests.support.service_harness import Receiver, ServiceHarness

EVENTS = ["job.succeeded"]
BROKEN, WORKING = "https://broken.example.com", "https://working.example.com"


class ByHost(Receiver):
    """Fails for one host while it is ``down``."""

    down = True

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        super().send(url, headers, body)
        is_down = self.down and url.startswith(BROKEN)
        return WebhookAnswer(status=500 if is_down else 200)


@pytest.fixture
def harness(harness: ServiceHarness) -> ServiceHarness:
    harness.receiver = ByHost()
    return harness


def jobs_with_webhooks(harness: ServiceHarness, site: str, number: int) -> None:
    for each in range(number):
        harness.create(webhook={"url": f"{site}/hook?{each}", "events": EVENTS})
        assert harness.work()


def deliver_all_due(harness: ServiceHarness) -> list[str]:
    """Return the URLs that were called."""
    harness.receiver.received.clear()
    while harness.deliver():
        pass
    return [url for url, _, _ in harness.receiver.received]


def states(harness: ServiceHarness) -> list[str]:
    return [row.status for row in harness.rows(models.WebhookDelivery)]


def test_a_receiver_that_fails_rests_and_its_webhooks_lose_no_attempt(
    harness: ServiceHarness,
) -> None:
    """per-host limits: one that fails does not hold up the others"""
    jobs_with_webhooks(harness, BROKEN, 10)
    jobs_with_webhooks(harness, WORKING, 2)
    called = deliver_all_due(harness)
    assert [url for url in called if url.startswith(BROKEN)] == called[:3]
    assert sum(url.startswith(WORKING) for url in called) == 2
    waiting = [row for row in harness.rows(models.WebhookDelivery) if row.status == "queued"]
    assert sorted(row.failures for row in waiting) == [0] * 7 + [1] * 3
    assert not deliver_all_due(harness)

    # After its rest, one attempt says whether it is back; it rests longer each time.
    harness.clock.move(timedelta(minutes=2))
    assert len(deliver_all_due(harness)) == 1
    harness.clock.move(timedelta(seconds=59))
    assert not deliver_all_due(harness)

    harness.receiver.down = False
    for _ in range(20):
        harness.clock.move(timedelta(minutes=2))
        deliver_all_due(harness)
    assert set(states(harness)) == {"delivered"}
    with database.reading() as session:
        assert session.get(models.WebhookReceiver, (harness.account_id, BROKEN)) is None


def test_a_receiver_that_asks_for_time_gets_it(harness: ServiceHarness) -> None:
    harness.receiver = Receiver([WebhookAnswer(status=429, retry_after=40.0)])
    jobs_with_webhooks(harness, WORKING, 3)
    assert len(deliver_all_due(harness)) == 1
    harness.clock.move(timedelta(seconds=39))
    assert not deliver_all_due(harness)
    harness.clock.move(timedelta(minutes=6))
    assert len(deliver_all_due(harness)) == 3


def test_a_slow_receiver_rests_as_long_as_it_took(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(0, 1000, 7))
    monkeypatch.setattr(webhooks.time, "monotonic", lambda: next(seconds))
    jobs_with_webhooks(harness, WORKING, 2)
    assert len(deliver_all_due(harness)) == 1
    harness.clock.move(timedelta(seconds=6))
    assert not deliver_all_due(harness)
    harness.clock.move(timedelta(seconds=9))
    assert len(deliver_all_due(harness)) == 1


def test_an_account_gets_no_more_of_the_sender_by_many_receivers_that_hang(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“a receiver that fails or is slow holds up nobody else's”"""
    seconds = iter(range(0, 1000, 15))
    for each in range(5):
        jobs_with_webhooks(harness, f"https://hangs-{each}.example.com", 1)
    monkeypatch.setattr(webhooks.time, "monotonic", lambda: next(seconds))
    assert len(deliver_all_due(harness)) == 1
    harness.clock.move(timedelta(seconds=14))
    assert not deliver_all_due(harness)
    # An operator who sends one again does not wait.
    waiting = next(row for row in harness.rows(models.WebhookDelivery) if row.status == "queued")
    webhooks.replay(harness.context, waiting.id)
    assert len(deliver_all_due(harness)) == 1
    harness.clock.move(timedelta(seconds=31))
    assert len(deliver_all_due(harness)) == 1
    # Once an answer comes in time, none of them waits for another.
    monkeypatch.undo()
    harness.clock.move(timedelta(minutes=1))
    deliver_all_due(harness)
    harness.clock.move(timedelta(minutes=1))
    deliver_all_due(harness)
    assert set(states(harness)) == {"delivered"}
    with database.reading() as session:
        assert session.get(models.WebhookReceiver, (harness.account_id, ALL)) is None


def test_after_five_days_of_failures_it_is_off_until_a_replay(
    harness: ServiceHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """automatic disabling with notice, replay of a range"""
    jobs_with_webhooks(harness, BROKEN, 1)
    for _ in range(3):
        deliver_all_due(harness)
        assert not state.read(harness.context).needs["failingReceivers"]
        harness.clock.move(timedelta(minutes=30))
    [failing] = state.read(harness.context).needs["failingReceivers"]
    assert str(failing).startswith(f"{BROKEN} does not take the webhooks of “A customer”")
    for _ in range(6):
        jobs_with_webhooks(harness, BROKEN, 2)
        for _ in range(24):
            deliver_all_due(harness)
            harness.clock.move(timedelta(hours=1))
    [off] = state.read(harness.context).needs["failingReceivers"]
    assert str(off).startswith(f"{BROKEN} gets no webhooks of “A customer”")
    assert "HTTP 500." in str(off)
    assert f"webhooks of account {harness.account_id} to {BROKEN} are off: HTTP 500" in caplog.text

    jobs_with_webhooks(harness, BROKEN, 1)
    jobs_with_webhooks(harness, WORKING, 1)
    called = deliver_all_due(harness)
    assert not any(url.startswith(BROKEN) for url in called), "nothing is sent while it is off"
    assert states(harness)[-1] == "delivered"
    given_up = [row for row in harness.rows(models.WebhookDelivery) if row.status == "failed"]
    assert given_up[-1].last_answer.startswith(f"Not sent: {BROKEN} has failed since ")

    harness.receiver.down = False
    assert webhooks.replay_given_up(harness.context, WorkFilter()) == len(given_up)
    assert len(deliver_all_due(harness)) >= len(given_up)
    assert not state.read(harness.context).needs["failingReceivers"]
    assert set(states(harness)) <= {"delivered", "replayed", "queued"}


@POSTGRESQL
@pytest.mark.parametrize("site", [BROKEN, WORKING])
def test_a_replay_and_a_delivery_never_wait_for_each_other(
    harness: ServiceHarness, site: str
) -> None:
    """A delivery locks its receiver, then all of the account."""
    harness.receiver = Receiver([WebhookAnswer(status=410)] * 2)
    jobs_with_webhooks(harness, BROKEN, 1)
    jobs_with_webhooks(harness, WORKING, 1)
    deliver_all_due(harness)
    account, now = harness.account_id, harness.clock.now()
    with database.writing() as session:
        for each in (BROKEN, WORKING, ALL):
            webhooks.lock_or_add_receiver(session, account, each, now)
    with ThreadPoolExecutor() as pool, database.writing() as session:
        webhooks.lock_or_add_receiver(session, account, site, now)
        replay = pool.submit(webhooks.replay_given_up, harness.context, WorkFilter())
        # By then it waits for the receiver.
        assert not wait([replay], 1).done
        webhooks.lock_or_add_receiver(session, account, ALL, now)
    assert replay.result() == 2


def test_a_clock_that_was_days_fast_leaves_no_receiver_off(harness: ServiceHarness) -> None:
    for _ in range(10):
        jobs_with_webhooks(harness, BROKEN, 1)
        deliver_all_due(harness)
        harness.clock.move(timedelta(minutes=30))
    harness.clock.move(timedelta(days=6))
    deliver_all_due(harness)
    with database.reading() as session:
        assert session.query(models.WebhookReceiver).one().off_since is not None
    harness.clock.move(-timedelta(days=6))

    jobs_with_webhooks(harness, BROKEN, 1)
    assert any(url.startswith(BROKEN) for url in deliver_all_due(harness))
