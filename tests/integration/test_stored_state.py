"""What the metrics say of the database, on real ones."""

import logging
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, update

from app.services import stored_state
from app.services.stored_state import StateReader, read_state
from app.store import database, models
from tests.support.integration import BEGIN, Feed
from tests.support.service_harness import ServiceHarness

TICK = 900.0
WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


def test_an_empty_database_has_nothing_that_waits(harness: ServiceHarness) -> None:
    state = read_state(harness.context, TICK)
    kinds = {"job", "run", "webhook"}
    assert state.waiting == state.in_progress == state.oldest_seconds == dict.fromkeys(kinds, 0)
    assert (state.given_up_webhooks, state.late_rules) == (0, 0)
    assert (state.failing_rules, state.saturated_rules) == (0, 0)


def test_work_is_counted_by_kind_with_the_age_of_the_oldest(harness: ServiceHarness) -> None:
    for _ in range(3):
        harness.create(webhook=WEBHOOK)
        harness.clock.move(timedelta(minutes=2))
    state = read_state(harness.context, TICK)
    assert (state.waiting["job"], state.oldest_seconds["job"]) == (3, 360)
    assert harness.work()
    state = read_state(harness.context, TICK)
    assert (state.waiting["job"], state.oldest_seconds["job"]) == (2, 240)
    assert (state.waiting["webhook"], state.waiting["run"]) == (1, 0)
    with database.writing() as session:
        session.execute(update(models.Job).where(models.Job.status == "queued").values(
            status="processing"
        ))  # fmt: skip
        session.execute(update(models.WebhookDelivery).values(status="failed"))
    state = read_state(harness.context, TICK)
    assert (state.waiting["job"], state.in_progress["job"]) == (0, 2)
    assert (state.waiting["webhook"], state.given_up_webhooks) == (0, 1)


def test_work_whose_time_has_not_come_is_not_old(harness: ServiceHarness) -> None:
    harness.create()
    with database.writing() as session:
        later = harness.clock.now() + timedelta(hours=1)
        session.execute(update(models.Job).values(not_before=later))
    state = read_state(harness.context, TICK)
    assert (state.waiting["job"], state.oldest_seconds["job"]) == (1, 0)


def test_rules_are_late_when_no_scheduler_can_be_running(feed: Feed) -> None:
    feed.add_rule("Cocoa", due=BEGIN)
    feed.clock.move(timedelta(minutes=29))
    assert read_state(feed.context, TICK).late_rules == 0
    feed.clock.move(timedelta(minutes=2))
    assert read_state(feed.context, TICK).late_rules == 1
    # A scheduler that looks each hour may be an hour late twice.
    assert read_state(feed.context, 3600.0).late_rules == 0


def test_rules_that_fail_or_are_saturated_are_counted(feed: Feed) -> None:
    with database.writing() as session:
        rules = update(models.Rule)
        session.execute(rules.where(models.Rule.name == "Coffee").values(failures=3))
        session.execute(rules.where(models.Rule.name == "Tea").values(saturated_since=BEGIN))
    state = read_state(feed.context, TICK)
    assert (state.failing_rules, state.saturated_rules) == (1, 1)


def test_the_age_of_the_newest_backup_is_read(harness: ServiceHarness, tmp_path: Path) -> None:
    assert read_state(harness.context, TICK).backup_seconds is None
    folder = tmp_path / "backups"
    for _ in ("a missing folder", "one without a complete backup"):
        assert read_state(harness.context, TICK, folder).backup_seconds == float("inf")
        folder.mkdir(exist_ok=True)
        (folder / "copydesk-20260101T000000Z.backup.unfinished").touch()
    for name, hours in (("copydesk-1.backup", 30), ("copydesk-2.backup", 2)):
        (folder / name).touch()
        at = time.time() - hours * 3600
        os.utime(folder / name, (at, at))
    seconds = read_state(harness.context, TICK, folder).backup_seconds
    assert seconds == pytest.approx(7200, abs=60)


def test_a_storm_of_readers_costs_the_database_nothing(
    harness: ServiceHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    engine = database.engine()
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    reader = StateReader(harness.context, TICK)
    assert reader.read() is not None
    sent = len(statements)
    assert sent
    for _ in range(1000):
        reader.read()
    assert len(statements) == sent
    monkeypatch.setattr(stored_state, "CACHE_SECONDS", 0)
    reader.read()
    assert len(statements) == 2 * sent


def test_a_database_that_is_down_is_noticed_and_so_is_its_return(
    harness: ServiceHarness,
    migrated_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(stored_state, "CACHE_SECONDS", 0)
    reader = StateReader(harness.context, TICK)
    away = "postgresql+psycopg://copydesk:hunter2@127.0.0.1:1/copydesk"
    if migrated_url.startswith("sqlite"):
        away = f"sqlite:///{tmp_path / 'away' / 'copydesk.db'}"
    database.bind(away)
    with caplog.at_level(logging.WARNING, "app"):
        assert reader.read() is None
    assert "did not answer" in caplog.text
    assert "hunter2" not in caplog.text
    database.bind(migrated_url)
    assert reader.read() is not None
