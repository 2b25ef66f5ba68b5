"""What is forgotten, when, and that nobody waits for it: “jobs and attempts 30 days; bodies of
used, rejected, abandoned items 90 days, their ids and states for good; pending and reserved never
dropped”."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text, update

from app.core.errors import Conflict, NotFound
from app.core.feed.item import Status
from app.ports import WebhookAnswer
from app.services import feed as service
from app.services import retention
from app.services.context import Context
from app.store import database, models
from tests.support import concurrent_processes as processes
from tests.support.databases import another_connection
from tests.support.integration import BEGIN, POSTGRESQL, Feed
from tests.support.service_harness import ServiceHarness
from tests.support.startup import wait_until

A_LITTLE = timedelta(hours=2, minutes=24)
FINAL = (Status.USED, Status.REJECTED, Status.ABANDONED)
ITEMS, JOBS = 1_200, 1_200


def forget(context: Context) -> dict[str, int]:
    return dict(retention.delete_old(context, pause=lambda _: False))


def count(table: Any, *where: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table).where(*where)) or 0


def emptied() -> int:
    return count(models.FeedItem, models.FeedItem.emptied_at.is_not(None))


def stored_items() -> dict[str, dict[str, Any]]:
    with database.reading() as session:
        return {
            row.id: dict(row)
            for row in session.execute(select(models.FeedItem.__table__)).mappings()
        }


def put(feed: Feed, item_id: str, status: Status, since: datetime) -> None:
    with database.writing() as session:
        session.execute(
            update(models.FeedItem)
            .where(models.FeedItem.id == item_id)
            .values(status=status.value, updated_at=since)
        )


def test_bodies_of_finished_items_are_kept_for_90_days(feed: Feed) -> None:
    """“bodies of used, rejected, abandoned items 90 days, their ids and states for good; pending
    and reserved never dropped”."""
    now = feed.clock.now()
    young, old = now - timedelta(days=90) + A_LITTLE, now - timedelta(days=90) - A_LITTLE
    ids = feed.add_items("Coffee", 2 * len(Status))
    expected = set()
    for number, item_id in enumerate(ids):
        status, since = list(Status)[number // 2], (young, old)[number % 2]
        put(feed, item_id, status, since)
        if status in FINAL and since == old:
            expected.add(item_id)
        with database.writing() as session:
            session.add(models.Signature(post_id=item_id, scope=feed.token_id, signature=b"\0"))
            session.flush()
            session.add(models.Band(scope=feed.token_id, band=number, post_id=item_id))
    before = stored_items()
    assert forget(feed.context) == {"bodies": 3}
    empty = {"post": {}, "markdown": "", "html": "", "emptied_at": now}
    assert len(expected) == 3
    assert stored_items() == {
        item_id: {**row, **(empty if item_id in expected else {})}
        for item_id, row in before.items()
    }
    assert (count(models.Signature), count(models.Band)) == (len(ids), len(ids))
    assert forget(feed.context) == {}


def test_an_emptied_item_answers_as_before(feed: Feed) -> None:
    """“used | confirm | repeated | used | 200 (idempotent)”, and the same of the distinct_posts."""
    since = feed.clock.now() - timedelta(days=91)
    used, rejected, abandoned = feed.add_items("Coffee", 3)
    for item_id, status in zip((used, rejected, abandoned), FINAL, strict=True):
        put(feed, item_id, status, since)
    assert forget(feed.context) == {"bodies": 3}
    assert service.confirm(feed.context, feed.token, used) is Status.USED
    assert service.reject(feed.context, feed.token, rejected) is Status.REJECTED
    for change, item_id in (
        (service.reject, used), (service.confirm, rejected),
        (service.confirm, abandoned), (service.reject, abandoned),
    ):  # fmt: skip
        with pytest.raises(Conflict):
            change(feed.context, feed.token, item_id)
    assert service.pull_items(feed.context, feed.token, rule=None) == []


def test_jobs_are_kept_for_30_days_with_their_deliveries(harness: ServiceHarness) -> None:
    """“jobs and attempts 30 days”; a job that is gone is one that is unknown."""
    hook = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
    created = harness.create(harness.key("k"), webhook=hook)
    waiting = harness.create()
    assert harness.work(created["jobId"])
    assert harness.deliver()
    harness.clock.at = BEGIN + timedelta(days=30) - A_LITTLE
    assert forget(harness.context) == {}
    assert harness.job(created)["status"] == "succeeded"
    assert harness.create_or_replay(harness.key("k"), webhook=hook) == (created, True)
    harness.clock.at = BEGIN + timedelta(days=30) + A_LITTLE
    assert forget(harness.context) == {"keys": 1, "jobs": 1, "journals": 1}
    with pytest.raises(NotFound):
        harness.job(created)
    assert (count(models.Job), count(models.WebhookDelivery)) == (1, 0)
    # One that has not ended is not forgotten, however long it waits.
    assert harness.job(waiting)["status"] == "queued"
    assert harness.work()
    assert forget(harness.context) == {"jobs": 1}


@pytest.mark.parametrize("answer", [WebhookAnswer(status=200), WebhookAnswer(status=410)])
def test_a_job_whose_delivery_is_open_waits_for_it(
    harness: ServiceHarness, answer: WebhookAnswer
) -> None:
    harness.create(webhook={"url": "https://example.com/hook", "events": ["job.succeeded"]})
    assert harness.work()
    harness.receiver.answers = [WebhookAnswer(status=500), answer]
    harness.clock.at = BEGIN + timedelta(days=31)
    assert forget(harness.context) == {"journals": 1}
    assert harness.deliver()
    assert forget(harness.context) == {}, "it is to be sent again"
    harness.clock.move(timedelta(minutes=1))
    assert harness.deliver()
    assert forget(harness.context) == {"jobs": 1}
    assert count(models.WebhookDelivery) == 0


def test_jobs_that_wait_for_their_deliveries_keep_no_others_from_going(
    harness: ServiceHarness,
) -> None:
    hook = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
    webhooks: tuple[dict[str, Any], ...] = ({"webhook": hook}, {})
    for members in webhooks:
        harness.create(None, **members)
        assert harness.work()
        harness.clock.move(timedelta(seconds=1))
    before = harness.clock.now()
    for expected in (1, 0):
        with database.writing() as session:
            assert retention.delete_jobs(session, before, limit=1) == expected
    assert (count(models.Job), count(models.WebhookDelivery)) == (1, 1)


@POSTGRESQL
def test_a_delivery_that_is_begun_anew_meanwhile_keeps_its_job(harness: ServiceHarness) -> None:
    """An operator replays it while its job is being forgotten: neither is lost."""
    harness.create(webhook={"url": "https://example.com/hook", "events": ["job.succeeded"]})
    assert harness.work()
    assert harness.deliver()
    harness.clock.at = BEGIN + timedelta(days=31)
    before = harness.clock.now() - retention.JOBS_KEPT
    engine = database.engine()
    with engine.connect() as operator:
        operator.execute(update(models.WebhookDelivery).values(status="queued"))
        with ThreadPoolExecutor(1) as pool:

            def batch() -> int:
                with another_connection(engine.url), database.writing() as session:
                    return retention.delete_jobs(session, before, 10)

            forgetting = pool.submit(batch)
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")

            def waiting() -> bool:
                with database.reading() as session:
                    return bool(session.scalar(waits))

            wait_until(waiting)
            operator.commit()
            assert forgetting.result(processes.DEADLINE_SECONDS) == 0
    assert (count(models.Job), count(models.WebhookDelivery)) == (1, 1)


def test_runs_are_kept_for_30_days_and_one_that_is_awaited_longer(feed: Feed) -> None:
    now = feed.clock.now()
    limit = now - timedelta(days=30)
    ends = {"young": limit + A_LITTLE, "old": limit - A_LITTLE, "awaited": limit - A_LITTLE,
            "running": None}  # fmt: skip
    with database.writing() as session:
        session.execute(
            insert(models.Run),
            [
                {"id": name, "rule_id": feed.rules["Coffee"], "attempts": 1, "not_before": limit,
                 "slot": limit - timedelta(minutes=slot), "status": "succeeded",
                 "finished_at": end}
                for slot, (name, end) in enumerate(ends.items())
            ],
        )  # fmt: skip
        session.execute(
            update(models.Rule)
            .where(models.Rule.id == feed.rules["Coffee"])
            .values(run_id="awaited")
        )
    assert forget(feed.context) == {"runs": 1}
    assert {run.id for run in feed.runs()} == {"young", "awaited", "running"}


def test_days_of_usage_are_kept_for_400_days(harness: ServiceHarness) -> None:
    harness.create()
    harness.clock.at = BEGIN + timedelta(days=400)
    assert forget(harness.context) == {}
    harness.clock.move(timedelta(days=1))
    assert forget(harness.context) == {"days": 1}
    assert count(models.UsageDay) == 0


def test_pages_are_kept_for_7_days(harness: ServiceHarness) -> None:
    now = harness.clock.now()
    with database.writing() as session:
        for name, age in (("young", timedelta(days=6)), ("old", timedelta(days=7, seconds=1))):
            session.add(models.SourcePage(hash=name, url=name, fetched_at=now - age))
    assert forget(harness.context) == {"pages": 1}
    assert count(models.SourcePage, models.SourcePage.hash == "young") == 1


def _old_archive(feed: Feed) -> None:
    """Items and jobs of long ago, a delivery with each job, and one item that is pending."""
    long_ago = BEGIN - timedelta(days=100)
    with database.writing() as session:
        session.execute(
            insert(models.FeedItem),
            [
                {"id": f"itm_old_{number}", "token_id": feed.token_id,
                 "rule_id": feed.rules["Tea"], "status": FINAL[number % 3].value,
                 "delivery_count": 1, "title": "Tea", "post": {"title": "Tea"},
                 "markdown": "Tea" * 2_000, "html": "Tea" * 2_000, "generated_at": long_ago,
                 "updated_at": long_ago + timedelta(seconds=number)}
                for number in range(ITEMS)
            ],
        )  # fmt: skip
        session.execute(
            insert(models.Job),
            [
                {"id": f"job_{number}", "account_id": feed.account_id, "request_id": "req_1",
                 "status": "failed", "not_before": BEGIN, "attempts": 1, "rank": 0,
                 "request": {"keywords": ["tea"]}, "response_types": [], "input_summary": {},
                 "billing_period": BEGIN.date(), "created_at": long_ago, "updated_at": long_ago}
                for number in range(JOBS)
            ],
        )  # fmt: skip
        session.execute(
            insert(models.WebhookDelivery),
            [
                {"id": f"msg_{number}", "job_id": f"job_{number}", "event": "job.failed",
                 "status": "delivered", "not_before": BEGIN, "attempts": 1, "failures": 0,
                 "body": "{}", "created_at": long_ago}
                for number in range(JOBS)
            ],
        )  # fmt: skip
    feed.add_items("Coffee", 1)


def test_between_two_batches_the_feed_has_its_turn(feed: Feed) -> None:
    """“in batches that never lock the feed”: in each pause no transaction is open, and what was
    done since the last one is one batch."""
    _old_archive(feed)
    done: list[Counter[str]] = []

    def pause(seconds: float) -> bool:
        # As long as the longest time that SQLite lets a writer wait before it looks again.
        assert seconds >= 0.1
        assert service.pull_latest(feed.context, feed.token, next_item=False)
        put(feed, feed.items[0], Status.PENDING, BEGIN)
        done.append(Counter({
            "bodies": emptied(), "jobs": JOBS - count(models.Job)
        }))  # fmt: skip
        return False

    assert retention.delete_old(feed.context, pause) == {"bodies": ITEMS, "jobs": JOBS}
    steps = [after - before for before, after in zip([Counter(), *done], done, strict=False)]
    assert max(sum(step.values()) for step in steps) == 500
    assert max(step["bodies"] for step in steps) == 50
    assert sum(steps, Counter()) == {"bodies": ITEMS, "jobs": JOBS}
    assert done[1]["jobs"] == 0 < done[2]["jobs"], "one batch of each kind in turn"


def test_it_stops_at_its_budget_and_when_it_is_told_to(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    _old_archive(feed)
    with monkeypatch.context() as patched:
        patched.setattr(retention, "_BUDGET_SECONDS", 0.0)
        assert forget(feed.context) == {"bodies": 50}
    assert retention.delete_old(feed.context, lambda _: True) == {"bodies": 50}
    assert forget(feed.context) == {"bodies": ITEMS - 100, "jobs": JOBS}


@POSTGRESQL
def test_on_postgresql_nobody_waits_even_for_a_batch(feed: Feed) -> None:
    """While a batch is open, pulls and confirms go on, and another process takes another batch."""
    _old_archive(feed)
    before = BEGIN - retention.BODIES_KEPT
    with ThreadPoolExecutor(1) as pool, database.writing() as session:
        assert retention.empty_bodies(session, before, 100, BEGIN) == 100
        assert retention.delete_jobs(session, before, 100) == 100

        def meanwhile() -> tuple[int, int]:
            item = service.pull_latest(feed.context, feed.token, next_item=False)
            assert item is not None
            service.confirm(feed.context, feed.token, item.id)
            service.confirm(feed.context, feed.token, "itm_old_0")
            with database.writing() as other:
                other.execute(text("SET LOCAL lock_timeout = '1ms'"))
                return (
                    retention.empty_bodies(other, before, ITEMS, BEGIN),
                    retention.delete_jobs(other, before, JOBS),
                )

        assert pool.submit(meanwhile).result(10) == (ITEMS - 100, JOBS - 100)


def _consistent(session: Any) -> None:
    """Each item is whole or empty, each job has its delivery, and the file is sound."""
    for row in session.scalars(select(models.FeedItem)):
        whole = (bool(row.post), bool(row.markdown), bool(row.html), row.emptied_at is None)
        assert whole in {(True,) * 4, (False,) * 4}, row.id
    jobs, deliveries = (set(session.scalars(select(column))) for column in (models.Job.id, _JOB_ID))
    assert jobs == deliveries
    if database.engine().dialect.name == "sqlite":
        assert session.scalar(text("PRAGMA integrity_check")) == "ok"
        assert session.execute(text("PRAGMA foreign_key_check")).all() == []


_JOB_ID = models.WebhookDelivery.job_id


def test_a_kill_leaves_nothing_halfway_and_the_next_round_goes_on(
    feed: Feed, tmp_path: Path
) -> None:
    _old_archive(feed)
    until = time.monotonic() + processes.DEADLINE_SECONDS
    for kill in range(3):
        done = emptied()
        with processes.ConcurrentProcesses(
            tmp_path / str(kill), 1, processes.forgets, feed.url, BEGIN.isoformat(), 0.0
        ) as forgetting:
            while emptied() == done:
                assert time.monotonic() < until, "nothing was emptied in time"
            forgetting.kill(0)
        with database.reading() as session:
            _consistent(session)
        assert emptied() < ITEMS, "it had ended: the kill proved nothing"
    forget(feed.context)
    assert (emptied(), count(models.FeedItem)) == (ITEMS, ITEMS + 1)
    assert (count(models.Job), count(models.WebhookDelivery)) == (0, 0)
    assert forget(feed.context) == {}


def test_the_scheduler_forgets_every_hour_and_soon_after_its_start(feed: Feed) -> None:
    from app.container import build
    from app.settings import Settings
    from scheduler import start_in_background

    _old_archive(feed)
    scheduler = start_in_background(build(Settings(database_url=feed.url)))
    try:
        [job] = [job for job in scheduler.get_jobs() if job.trigger.interval_length == 3600]
        assert timedelta() < job.next_run_time - datetime.now(UTC) < timedelta(minutes=5)
        scheduler.shutdown(wait=True)
        # It has ended: what runs on ends after one batch.
        job.func()
        assert emptied() == 50
    finally:
        database.dispose()
