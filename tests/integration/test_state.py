"""What the metrics say of the database, on real ones."""

import logging
import os
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from app.metrics import DATABASE_UP, GAUGES
from app.services import state
from app.services.context import Context
from app.services.state import read_gauges
from app.store import database, models
from tests.support.integration import BEGIN, Feed
from tests.support.service_harness import ServiceHarness

WEBHOOK = {"url": "https://example.com/hook", "events": ["job.succeeded"]}


def gauge(context: Context, name: str, label: str = "") -> float | None:
    return read_gauges(context).get(f"copydesk_{name}", {}).get(label)


def test_an_empty_database_has_nothing_that_waits(harness: ServiceHarness) -> None:
    found = read_gauges(replace(harness.context, backups=Path("/missing")))
    assert {*found, DATABASE_UP} == GAUGES.keys()
    work = {name for name in found if name.startswith("copydesk_work")}
    assert {tuple(found[name].items()) for name in work} == {
        (("job", 0), ("run", 0), ("webhook", 0))
    }
    others = found.keys() - work - {"copydesk_backup_age_seconds"}
    assert {value for name in others for value in found[name].values()} == {0}


def test_work_is_counted_by_kind_with_the_age_of_the_oldest(harness: ServiceHarness) -> None:
    def work(kind: str) -> tuple[float | None, ...]:
        names = ("work_waiting", "work_oldest_seconds", "work_in_progress")
        return tuple(gauge(harness.context, name, kind) for name in names)

    for _ in range(3):
        harness.create(webhook=WEBHOOK)
        harness.clock.move(timedelta(minutes=2))
    assert work("job") == (3, 360, 0)
    assert harness.work()
    assert work("job") == (2, 240, 0)
    harness.clock.move(timedelta(hours=-1))
    assert work("job") == (2, 0, 0), "what is to begin later is not old"
    harness.clock.move(timedelta(hours=1))
    assert (work("webhook")[0], work("run")[0]) == (1, 0)
    with database.writing() as session:
        session.execute(update(models.Job).where(models.Job.status == "queued").values(
            status="processing"
        ))  # fmt: skip
        session.execute(update(models.WebhookDelivery).values(status="failed"))
    assert work("job") == (0, 0, 2)
    assert (work("webhook")[0], gauge(harness.context, "webhooks_given_up")) == (0, 1)


def test_rules_that_are_late_fail_or_are_saturated_are_counted(feed: Feed) -> None:
    # As late as no scheduler that runs would leave them.
    feed.add_rule("Cocoa", due=BEGIN)
    feed.clock.move(timedelta(minutes=29))
    assert gauge(feed.context, "rules_late") == 0
    feed.clock.move(timedelta(minutes=2))
    assert gauge(feed.context, "rules_late") == 1
    # A scheduler that looks each hour may be an hour late twice.
    assert gauge(replace(feed.context, tick_seconds=3600.0), "rules_late") == 0

    with database.writing() as session:
        rules = update(models.Rule)
        session.execute(rules.where(models.Rule.name == "Coffee").values(failures=3))
        session.execute(rules.where(models.Rule.name == "Tea").values(saturated_since=BEGIN))
    assert gauge(feed.context, "rules_failing") == gauge(feed.context, "rules_saturated") == 1


def test_the_age_of_the_newest_backup_is_read(harness: ServiceHarness, tmp_path: Path) -> None:
    """One room: Home and `status` name the backup that the gauge is about."""
    folder = tmp_path / "backups"
    watching = replace(harness.context, backups=folder)
    assert gauge(harness.context, "backup_age_seconds") is None
    for _ in ("a missing folder", "one without a complete backup"):
        assert gauge(watching, "backup_age_seconds") == float("inf")
        folder.mkdir(exist_ok=True)
        (folder / "copydesk-20260101T000000Z.backup.unfinished").touch()
    (need,) = state.read(watching).needs["backupOld"]
    assert str(need) == f"No backup is in {folder}, or the folder may not be read."
    for name, hours in (("copydesk-1.backup", 30), ("copydesk-2.backup", 2)):
        (folder / name).touch()
        at = time.time() - hours * 3600
        os.utime(folder / name, (at, at))
    assert gauge(watching, "backup_age_seconds") == pytest.approx(7200, abs=60)
    assert not state.read(watching).needs["backupOld"]
    os.utime(folder / "copydesk-2.backup", (time.time() - 26 * 3600,) * 2)
    (need,) = state.read(watching).needs["backupOld"]
    assert "is 26 hours old" in str(need)


def test_a_database_that_is_down_is_noticed_and_so_is_its_return(
    harness: ServiceHarness,
    migrated_url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    away = "postgresql+psycopg://copydesk:hunter2@127.0.0.1:1/copydesk"
    if migrated_url.startswith("sqlite"):
        away = f"sqlite:///{tmp_path / 'away' / 'copydesk.db'}"
    database.bind(away)
    with caplog.at_level(logging.WARNING, "app"):
        assert state.gauges(harness.context) is None
    assert "did not answer" in caplog.text
    assert "hunter2" not in caplog.text
    database.bind(migrated_url)
    assert state.gauges(harness.context) is not None
