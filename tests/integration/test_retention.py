"""What is forgotten, when, and that nobody waits for it: “jobs and attempts 30 days; bodies of
used, rejected, abandoned items 90 days, their ids and states for good; pending and reserved never
dropped”."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, func, insert, select, text, update

from app.core.errors import Conflict, NotFound
from app.core.feed_item import Status
from app.ports import WebhookAnswer
from app.services import feed as service
from app.services import retention
from app.store import database
from app.store import retention as store
from app.store.feed_tables import BandRow, ItemRow, RuleRow, RunRow, SignatureRow
from app.store.source_tables import SourcePageRow
from app.store.tables import DeliveryRow, JobRow, UsageDayRow
from tests.integration import feed_processes as processes
from tests.integration.conftest import BEGIN, POSTGRESQL, Feed, StillClock, bare_app
from tests.integration.office import Office, opened

A_LITTLE = timedelta(hours=2, minutes=24)
FINAL = (Status.USED, Status.REJECTED, Status.ABANDONED)
ITEMS, JOBS = 1_200, 1_200


@pytest.fixture
def office(migrated_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with opened(migrated_url, monkeypatch) as made:
        yield made


def forget(clock: StillClock) -> dict[str, int]:
    return dict(retention.forget_old(clock, pause=lambda _: False))


def count(table: Any, *where: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table).where(*where)) or 0


def emptied() -> int:
    return count(ItemRow, ItemRow.emptied_at.is_not(None))


def stored_items() -> dict[str, dict[str, Any]]:
    with database.reading() as session:
        return {row.id: dict(row) for row in session.execute(select(ItemRow.__table__)).mappings()}


def put(feed: Feed, item_id: str, status: Status, since: datetime) -> None:
    with database.writing() as session:
        session.execute(
            update(ItemRow)
            .where(ItemRow.id == item_id)
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
            session.add(SignatureRow(post_id=item_id, scope=feed.token_id, signature=b"\0"))
            session.flush()
            session.add(BandRow(scope=feed.token_id, band=number, post_id=item_id))
    before = stored_items()
    assert forget(feed.clock) == {"bodies": 3}
    empty = {"post": {}, "markdown": "", "html": "", "emptied_at": now}
    assert len(expected) == 3
    assert stored_items() == {
        item_id: {**row, **(empty if item_id in expected else {})}
        for item_id, row in before.items()
    }
    assert (count(SignatureRow), count(BandRow)) == (len(ids), len(ids))
    assert forget(feed.clock) == {}


def test_an_emptied_item_answers_as_before(feed: Feed) -> None:
    """“used | confirm | repeated | used | 200 (idempotent)”, and the same of the others."""
    since = feed.clock.now() - timedelta(days=91)
    used, rejected, abandoned = feed.add_items("Coffee", 3)
    for item_id, status in zip((used, rejected, abandoned), FINAL, strict=True):
        put(feed, item_id, status, since)
    assert forget(feed.clock) == {"bodies": 3}
    assert service.confirm(feed.token, used, feed.clock) is Status.USED
    assert service.reject(feed.token, rejected, feed.clock) is Status.REJECTED
    for change, item_id in (
        (service.reject, used), (service.confirm, rejected),
        (service.confirm, abandoned), (service.reject, abandoned),
    ):  # fmt: skip
        with pytest.raises(Conflict):
            change(feed.token, item_id, feed.clock)
    assert service.pull_items(feed.token, feed.clock, feed.queue, rule=None) == []


def test_jobs_are_kept_for_30_days_with_their_deliveries(office: Office) -> None:
    """“jobs and attempts 30 days”; a job that is gone is one that is unknown."""
    hook = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
    created = office.create(office.key("k"), webhook=hook)
    waiting = office.create()
    assert office.work(created["jobId"])
    assert office.deliver()
    office.clock.at = BEGIN + timedelta(days=30) - A_LITTLE
    assert forget(office.clock) == {}
    assert office.job(created)["status"] == "succeeded"
    assert office.create_or_replay(office.key("k"), webhook=hook) == (created, True)
    office.clock.at = BEGIN + timedelta(days=30) + A_LITTLE
    assert forget(office.clock) == {"keys": 1, "jobs": 1}
    with pytest.raises(NotFound):
        office.job(created)
    assert (count(JobRow), count(DeliveryRow)) == (1, 0)
    # One that has not ended is not forgotten, however long it waits.
    assert office.job(waiting)["status"] == "queued"
    assert office.work()
    assert forget(office.clock) == {"jobs": 1}


def test_a_job_goes_with_its_deliveries_or_not_at_all(office: Office) -> None:
    """Where the job cannot be deleted, what was sent of it is not, either."""
    office.create(webhook={"url": "https://example.com/hook", "events": ["job.succeeded"]})
    assert office.work()
    assert office.deliver()
    office.clock.move(timedelta(days=31))

    def fail(connection: object, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("DELETE FROM jobs"):
            raise OSError("the disk is full")

    event.listen(database.db.engine, "before_cursor_execute", fail)
    with pytest.raises(OSError, match="the disk is full"):
        forget(office.clock)
    event.remove(database.db.engine, "before_cursor_execute", fail)
    assert (count(JobRow), count(DeliveryRow)) == (1, 1)
    assert forget(office.clock)["jobs"] == 1
    assert (count(JobRow), count(DeliveryRow)) == (0, 0)


@pytest.mark.parametrize("answer", [WebhookAnswer(status=200), WebhookAnswer(status=410)])
def test_a_job_whose_delivery_is_open_waits_for_it(office: Office, answer: WebhookAnswer) -> None:
    office.create(webhook={"url": "https://example.com/hook", "events": ["job.succeeded"]})
    assert office.work()
    office.receiver.answers = [WebhookAnswer(status=500), answer]
    office.clock.at = BEGIN + timedelta(days=31)
    assert forget(office.clock) == {}
    assert office.deliver()
    assert forget(office.clock) == {}, "it is to be sent again"
    office.clock.move(timedelta(minutes=1))
    assert office.deliver()
    assert forget(office.clock) == {"jobs": 1}
    assert count(DeliveryRow) == 0


def test_jobs_that_wait_for_their_deliveries_keep_no_others_from_going(office: Office) -> None:
    hook = {"url": "https://example.com/hook", "events": ["job.succeeded"]}
    webhooks: tuple[dict[str, Any], ...] = ({"webhook": hook}, {})
    for members in webhooks:
        office.create(None, **members)
        assert office.work()
        office.clock.move(timedelta(seconds=1))
    before = office.clock.now()
    for expected in (1, 0):
        with database.writing() as session:
            assert store.delete_jobs(session, before, limit=1) == expected
    assert (count(JobRow), count(DeliveryRow)) == (1, 1)


@POSTGRESQL
def test_a_delivery_that_is_begun_anew_meanwhile_keeps_its_job(office: Office) -> None:
    """An operator replays it while its job is being forgotten: neither is lost."""
    office.create(webhook={"url": "https://example.com/hook", "events": ["job.succeeded"]})
    assert office.work()
    assert office.deliver()
    office.clock.at = BEGIN + timedelta(days=31)
    before = office.clock.now() - retention.JOBS_KEPT
    engine = database.db.engine
    with engine.connect() as operator:
        operator.execute(update(DeliveryRow).values(status="queued"))
        with ThreadPoolExecutor(1) as pool:
            app = bare_app(str(engine.url.render_as_string(False)))

            def batch() -> int:
                with app.app_context():
                    with database.writing() as session:
                        taken = store.delete_jobs(session, before, 10)
                    database.db.engine.dispose()
                    return taken

            forgetting = pool.submit(batch)
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            processes.wait_until(lambda: bool(_alone(waits)))
            operator.commit()
            assert forgetting.result(processes.DEADLINE_SECONDS) == 0
    assert (count(JobRow), count(DeliveryRow)) == (1, 1)


def _alone(query: Any) -> Any:
    with database.autocommit() as connection:
        return connection.scalar(query)


def test_runs_are_kept_for_30_days_and_one_that_is_awaited_longer(feed: Feed) -> None:
    now = feed.clock.now()
    limit = now - timedelta(days=30)
    ends = {"young": limit + A_LITTLE, "old": limit - A_LITTLE, "awaited": limit - A_LITTLE,
            "running": None}  # fmt: skip
    with database.writing() as session:
        session.execute(
            insert(RunRow),
            [
                {"id": name, "rule_id": feed.rules["Coffee"], "attempts": 1, "not_before": limit,
                 "slot": limit - timedelta(minutes=slot), "status": "succeeded",
                 "finished_at": end}
                for slot, (name, end) in enumerate(ends.items())
            ],
        )  # fmt: skip
        session.execute(
            update(RuleRow).where(RuleRow.id == feed.rules["Coffee"]).values(run_id="awaited")
        )
    assert forget(feed.clock) == {"runs": 1}
    assert {run.id for run in feed.runs()} == {"young", "awaited", "running"}


def test_days_of_usage_are_kept_for_400_days(office: Office) -> None:
    office.create()
    office.clock.at = BEGIN + timedelta(days=400)
    assert forget(office.clock) == {}
    office.clock.move(timedelta(days=1))
    assert forget(office.clock) == {"days": 1}
    assert count(UsageDayRow) == 0


def test_pages_are_kept_for_7_days_after_they_were_last_asked_for(office: Office) -> None:
    now = office.clock.now()
    with database.writing() as session:
        for name, age in (("young", timedelta(days=6)), ("old", timedelta(days=7, seconds=1))):
            session.add(SourcePageRow(hash=name, url=name, touched_at=now - age))
    assert forget(office.clock) == {"pages": 1}
    assert count(SourcePageRow, SourcePageRow.hash == "young") == 1


def _old_archive(feed: Feed) -> None:
    """Items and jobs of long ago, a delivery with each job, and one item that is pending."""
    long_ago = BEGIN - timedelta(days=100)
    with database.writing() as session:
        session.execute(
            insert(ItemRow),
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
            insert(JobRow),
            [
                {"id": f"job_{number}", "account_id": feed.account_id, "request_id": "req_1",
                 "status": "failed", "not_before": BEGIN, "attempts": 1, "rank": 0,
                 "request": {"keywords": ["tea"]}, "response_types": [], "input_summary": {},
                 "billing_period": BEGIN.date(), "created_at": long_ago, "updated_at": long_ago}
                for number in range(JOBS)
            ],
        )  # fmt: skip
        session.execute(
            insert(DeliveryRow),
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
        assert service.pull_latest(feed.token, feed.clock, feed.queue, next_item=False)
        put(feed, feed.items[0], Status.PENDING, BEGIN)
        done.append(Counter({
            "bodies": emptied(), "jobs": JOBS - count(JobRow)
        }))  # fmt: skip
        return False

    assert retention.forget_old(feed.clock, pause) == {"bodies": ITEMS, "jobs": JOBS}
    steps = [after - before for before, after in zip([Counter(), *done], done, strict=False)]
    assert max(sum(step.values()) for step in steps) == 500
    assert max(step["bodies"] for step in steps) == 50
    assert sum(steps, Counter()) == {"bodies": ITEMS, "jobs": JOBS}
    assert done[1]["jobs"] == 0 < done[2]["jobs"], "one batch of each kind in turn"


def test_it_stops_at_its_budget_and_when_it_is_told_to(feed: Feed) -> None:
    _old_archive(feed)
    assert retention.forget_old(feed.clock, lambda _: False, budget_seconds=0) == {"bodies": 50}
    assert retention.forget_old(feed.clock, lambda _: True) == {"bodies": 50}
    assert forget(feed.clock) == {"bodies": ITEMS - 100, "jobs": JOBS}


@POSTGRESQL
def test_on_postgresql_nobody_waits_even_for_a_batch(feed: Feed) -> None:
    """While a batch is open, pulls and confirms go on, and another process takes another batch."""
    _old_archive(feed)
    before = BEGIN - retention.BODIES_KEPT
    with ThreadPoolExecutor(1) as pool, database.writing() as session:
        assert store.empty_bodies(session, before, 100, BEGIN) == 100
        assert store.delete_jobs(session, before, 100) == 100

        def meanwhile() -> tuple[int, int]:
            with feed.app.app_context():
                item = service.pull_latest(feed.token, feed.clock, feed.queue, next_item=False)
                assert item is not None
                service.confirm(feed.token, item.id, feed.clock)
                service.confirm(feed.token, "itm_old_0", feed.clock)
                with database.writing() as other:
                    other.execute(text("SET LOCAL lock_timeout = '1ms'"))
                    return (
                        store.empty_bodies(other, before, ITEMS, BEGIN),
                        store.delete_jobs(other, before, JOBS),
                    )

        assert pool.submit(meanwhile).result(10) == (ITEMS - 100, JOBS - 100)


def _consistent(session: Any) -> None:
    """Each item is whole or empty, each job has its delivery, and the file is sound."""
    for row in session.scalars(select(ItemRow)):
        whole = (bool(row.post), bool(row.markdown), bool(row.html), row.emptied_at is None)
        assert whole in {(True,) * 4, (False,) * 4}, row.id
    jobs, deliveries = (set(session.scalars(select(column))) for column in (JobRow.id, _JOB_ID))
    assert jobs == deliveries
    if database.db.engine.dialect.name == "sqlite":
        assert session.scalar(text("PRAGMA integrity_check")) == "ok"
        assert session.execute(text("PRAGMA foreign_key_check")).all() == []


_JOB_ID = DeliveryRow.job_id


def test_a_kill_leaves_nothing_halfway_and_the_next_round_goes_on(
    feed: Feed, tmp_path: Path
) -> None:
    _old_archive(feed)
    until = time.monotonic() + processes.DEADLINE_SECONDS
    for kill in range(3):
        done = emptied()
        with processes.Together(
            tmp_path / str(kill), 1, processes.forgets, feed.url, BEGIN.isoformat(), 0.0
        ) as forgetting:
            while emptied() == done:
                assert time.monotonic() < until, "nothing was emptied in time"
            forgetting.kill(0)
        with database.reading() as session:
            _consistent(session)
        assert emptied() < ITEMS, "it had ended: the kill proved nothing"
    forget(feed.clock)
    assert (emptied(), count(ItemRow)) == (ITEMS, ITEMS + 1)
    assert (count(JobRow), count(DeliveryRow)) == (0, 0)
    assert forget(feed.clock) == {}


def test_several_at_once_do_each_thing_once(feed: Feed, tmp_path: Path) -> None:
    """Any number of schedulers; a feed that is pulled meanwhile waits for none of them."""
    _old_archive(feed)
    with processes.Together(
        tmp_path / "all", 3, processes.forgets, feed.url, BEGIN.isoformat(), 0.01
    ) as forgetting:
        for _ in range(20):
            assert service.pull_latest(feed.token, feed.clock, feed.queue, next_item=False)
            put(feed, feed.items[0], Status.PENDING, BEGIN)
        results = forgetting.join()
    total: Counter[str] = Counter()
    for [forgotten] in results:
        total.update(forgotten)
    # One that finds all that is left taken by another ends; the next round has the rest.
    total.update(forget(feed.clock))
    assert total == {"bodies": ITEMS, "jobs": JOBS}


def test_the_scheduler_forgets_every_hour_and_soon_after_its_start(feed: Feed) -> None:
    from app import create_app
    from app.settings import Settings
    from scheduler import start_in_background

    _old_archive(feed)
    app = create_app(Settings(database_url=feed.url))
    scheduler = start_in_background(app)
    try:
        [job] = [job for job in scheduler.get_jobs() if job.trigger.interval_length == 3600]
        assert timedelta() < job.next_run_time - datetime.now(UTC) < timedelta(minutes=5)
        scheduler.shutdown(wait=True)
        # It has ended: what runs on ends after one batch.
        job.func()
        assert emptied() == 50
    finally:
        with app.app_context():
            database.db.engine.dispose()
