"""Runs: what they leave in the feed and at their rule, whether they end well or badly; and who
holds them: one worker at a time, through kills, late returns and long work."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.exc import OperationalError

from app.core.errors import ContentQualityFailed, ModelUnavailable, ServiceError
from app.services import lease_keeping, rule_lists, rules, runs, schedule
from app.services.leased_work import MAX_ATTEMPTS, ClaimedWork
from app.store import database, models
from app.store import leases as lease_rows
from tests.support import concurrent_processes as processes
from tests.support.integration import BEGIN, Feed
from tests.support.scripted_worker import LAPSED, Worker
from tests.support.startup import wait_until

HOUR = timedelta(hours=1)


def raising(error: ServiceError) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def test_an_absent_model_is_asked_again_later_and_blocks_no_other_rule(
    feed: Feed, worker: Worker
) -> None:
    worker.queue("Coffee")
    worker.meanwhile = raising(ModelUnavailable("The model endpoint does not answer."))
    assert worker.run_next()
    (run,) = feed.runs()
    assert (run.status, run.not_before) == ("queued", BEGIN + timedelta(minutes=1))
    assert "does not answer" in str(feed.rule("Coffee").last_error)
    worker.meanwhile = lambda: None
    worker.queue("Tea")
    assert worker.run_next()
    assert [rule for _, rule, _, _ in feed.rows()] == ["Tea"]
    assert not worker.run_next()
    feed.clock.move(timedelta(minutes=1))
    assert worker.run_next()
    assert sorted(rule for _, rule, _, _ in feed.rows()) == ["Coffee", "Tea"]


def test_a_rule_that_fails_waits_longer_each_time_and_says_so(feed: Feed, worker: Worker) -> None:
    """“failed generations back off, are visible, and never block other rules”"""
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    feed.add_rule("Other", due=BEGIN, every=HOUR)
    worker.meanwhile = raising(ContentQualityFailed("The post still fails."))
    waits, other = [], 0
    for failures in range(1, 7):
        feed.clock.at = at = feed.rule("Due").next_due_at
        schedule.tick(feed.context)
        while run := runs.claim(feed.context):
            fails = run.rule.name == "Due"
            worker.meanwhile = raising(ContentQualityFailed("It fails.")) if fails else lambda: None
            with suppress(ContentQualityFailed):
                worker.execute(run)
            other += not fails
        rule = feed.rule("Due")
        assert (rule.failures, rule.run_id) == (failures, None)
        assert (rule.next_due_at - BEGIN) % HOUR == timedelta()
        waits.append((rule.next_due_at - at) / HOUR)
    assert waits == [1, 2, 4, 8, 16, 24]
    assert other == 6
    every = rule_lists.list_rules(feed.context, feed.token_id)
    (listed,) = [rule for rule in every if rule.row.name == "Due"]
    assert listed.status == "failing: 6 times"
    assert "CONTENT_QUALITY_FAILED" in str(listed.row.last_error)


def fail_often(feed: Feed, worker: Worker) -> None:
    """Leave the rule Due with six failures, a day from its next slot."""
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    worker.meanwhile = raising(ContentQualityFailed("It fails."))
    for _ in range(6):
        feed.clock.at = feed.rule("Due").next_due_at
        schedule.tick(feed.context)
        assert worker.run_next()
    feed.clock.move(timedelta(minutes=20))
    worker.meanwhile = lambda: None
    assert feed.rule("Due").next_due_at > feed.clock.now() + 23 * HOUR


@pytest.mark.parametrize("what", ["run", "update", "resume"])
def test_an_operator_ends_the_wait_of_a_rule_that_failed(
    feed: Feed, worker: Worker, what: str
) -> None:
    fail_often(feed, worker)
    due = feed.rules["Due"]
    if what == "run":
        assert worker.execute(runs.start_now(feed.context, due)) is not None
    elif what == "update":
        rules.update_rule(feed.context, due, rules.RuleChanges(request={"tone": "bold"}))
    else:
        rules.pause_rule(feed.context, due, paused=True)
        rules.pause_rule(feed.context, due, paused=False)
    rule = feed.rule("Due")
    assert rule.failures == 0
    # 20 minutes after a slot: the next one of its grid.
    assert rule.next_due_at == feed.clock.now() + timedelta(minutes=40)


def test_a_success_ends_the_wait_of_a_rule_that_failed(feed: Feed, worker: Worker) -> None:
    fail_often(feed, worker)
    feed.clock.at = feed.rule("Due").next_due_at
    schedule.tick(feed.context)
    assert worker.run_next()
    rule = feed.rule("Due")
    assert (rule.failures, rule.last_error) == (0, None)
    assert rule.next_due_at == feed.clock.now() + HOUR


def test_a_run_over_which_three_workers_died_backs_off_as_well(feed: Feed, worker: Worker) -> None:
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    schedule.tick(feed.context)
    for _ in range(MAX_ATTEMPTS):
        worker.take()
        feed.clock.move(LAPSED)
    assert worker.run_next()
    rule = feed.rule("Due")
    assert (rule.failures, rule.run_id) == (1, None)
    assert rule.next_due_at == BEGIN + 2 * HOUR
    (run,) = feed.runs()
    assert (run.status, (run.error or {})["code"]) == ("failed", "INTERNAL_ERROR")
    assert "INTERNAL_ERROR" in str(rule.last_error)


def test_a_stored_request_that_is_no_longer_valid_blocks_no_other_rule(
    feed: Feed, worker: Worker
) -> None:
    """A later version may allow less than the one that stored the rule."""
    with database.writing() as session:
        session.execute(
            update(models.Rule)
            .where(models.Rule.id == feed.rules["Coffee"])
            .values(request={"keywords": ["coffee"], "tone": "grim"})
        )
        session.execute(
            update(models.Rule)
            .where(models.Rule.id == feed.rules["Tea"])
            .values(offers=[{"name": "Acme", "url": "gopher://acme.example"}])
        )
    worker.queue("Coffee")
    worker.queue("Tea")
    assert worker.run_next()
    assert worker.run_next()
    assert not worker.run_next()
    assert [run.status for run in feed.runs()] == ["failed", "failed"]
    assert "tone must be one of" in str(feed.rule("Coffee").last_error)
    assert "url must be" in str(feed.rule("Tea").last_error)


def test_run_now_works_while_a_scheduled_run_is_open(feed: Feed, worker: Worker) -> None:
    """At any moment; the scheduled run stays the rule's own."""
    feed.add_rule("Due", due=BEGIN - HOUR, every=HOUR)
    schedule.tick(feed.context)
    scheduled = worker.take()
    by_hand = runs.start_now(feed.context, feed.rules["Due"])
    assert worker.execute(by_hand) is not None
    assert feed.rule("Due").run_id == scheduled.id
    assert worker.execute(scheduled) is not None
    assert feed.rule("Due").run_id is None
    assert len(feed.states()) == 2


# --- who holds a run


def count_beats(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Grows by one with each heartbeat that is over."""
    beats: list[None] = []
    extend = ClaimedWork.extend

    def counted(*arguments: Any) -> bool:
        kept = extend(*arguments)
        beats.append(None)
        return kept

    monkeypatch.setattr("app.services.leased_work.ClaimedWork.extend", counted)
    return beats


def test_8_workers_never_take_the_same_run(feed: Feed, tmp_path: Path) -> None:
    for number in range(60):
        feed.add_rule(f"Rule {number}", due=BEGIN)
    assert schedule.tick(feed.context) == 60
    with processes.ConcurrentProcesses(
        tmp_path / "claims", 8, processes.claims, feed.url, BEGIN.isoformat()
    ) as claiming:
        taken = claiming.join()
    ids = [run_id for each in taken for run_id in each]
    assert sorted(ids) == sorted(run.id for run in feed.runs())
    assert {run.attempts for run in feed.runs()} == {1}


def test_the_run_of_a_killed_worker_is_taken_again_when_its_lease_lapses(
    feed: Feed, worker: Worker, tmp_path: Path
) -> None:
    worker.queue()
    with processes.ConcurrentProcesses(
        tmp_path / "killed", 1, processes.takes_a_run_and_hangs, feed.url, BEGIN.isoformat()
    ) as working:
        working.wait_for_lines(1)
        working.kill(0)
        ((taken,),) = working.join()
    feed.clock.move(lease_keeping.LEASE - timedelta(seconds=1))
    assert not worker.run_next()
    feed.clock.move(timedelta(seconds=2))
    assert worker.run_next()
    (run,) = feed.runs()
    assert [run.id, 1] == taken
    assert (run.status, run.attempts) == ("succeeded", 2)
    assert feed.states() == ["pending"]


def test_a_run_that_was_left_behind_is_taken_before_new_work(feed: Feed, worker: Worker) -> None:
    """Or a service with more work than workers would never come back to it."""
    worker.queue("Coffee")
    left = worker.take()
    feed.clock.move(LAPSED)
    worker.queue("Tea")
    assert (worker.take().id, worker.take().rule.name) == (left.id, "Tea")


def test_a_worker_that_comes_back_late_leaves_the_run_to_the_one_that_has_it(
    feed: Feed, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its end nor its heartbeat touches a run that another is working on."""
    monkeypatch.setattr(lease_keeping, "_BEAT_SECONDS", 0.01)
    beats = count_beats(monkeypatch)
    worker.queue()
    late = worker.take()
    taken_at = BEGIN + LAPSED

    def another_takes_it() -> None:
        with database.writing() as session:  # No heartbeat comes between these three.
            session.execute(select(models.Run.id).with_for_update())
            feed.clock.at = taken_at
            assert (
                lease_rows.take(session, models.Run, taken_at, taken_at + lease_keeping.LEASE)
                is not None
            )
        feed.clock.move(timedelta(seconds=1))
        seen = len(beats)
        wait_until(lambda: len(beats) >= seen + 2)

    worker.meanwhile = another_takes_it
    assert worker.execute(late) is None
    (run,) = feed.runs()
    assert (run.status, run.attempts) == ("running", 2)
    assert run.not_before == taken_at + lease_keeping.LEASE
    assert feed.states() == []


def test_the_failure_of_a_worker_that_comes_back_late_is_not_recorded(
    feed: Feed, worker: Worker
) -> None:
    worker.queue()
    late = worker.take()

    def another_is_quicker() -> None:
        worker.meanwhile = lambda: None
        feed.clock.move(LAPSED)
        assert worker.run_next()
        raise ModelUnavailable("gone")

    worker.meanwhile = another_is_quicker
    with pytest.raises(ModelUnavailable):
        worker.execute(late)
    (run,) = feed.runs()
    assert (run.status, run.error) == ("succeeded", None)
    assert feed.rule("Coffee").last_error is None


def test_a_heartbeat_keeps_a_run_that_takes_long(
    feed: Feed, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_keeping, "_BEAT_SECONDS", 0.01)
    worker.queue()
    run = worker.take()

    def work_for_longer_than_the_lease() -> None:
        feed.clock.move(LAPSED)
        until = feed.clock.now() + lease_keeping.LEASE
        wait_until(lambda: feed.runs()[0].not_before == until)
        assert not worker.run_next()

    worker.meanwhile = work_for_longer_than_the_lease
    assert worker.execute(run) is not None
    assert feed.runs()[0].attempts == 1


def test_a_heartbeat_outlives_a_database_that_is_busy(
    feed: Feed, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_keeping, "_BEAT_SECONDS", 0.01)
    failed = Event()
    extend = ClaimedWork.extend

    def fails_once(*arguments: Any) -> bool:
        if not failed.is_set():
            failed.set()
            raise OperationalError("UPDATE", {}, Exception("database is locked"))
        return extend(*arguments)

    monkeypatch.setattr("app.services.leased_work.ClaimedWork.extend", fails_once)
    worker.queue()
    run = worker.take()

    def work() -> None:
        assert failed.wait(30)
        feed.clock.move(timedelta(seconds=60))
        until = feed.clock.now() + lease_keeping.LEASE
        wait_until(lambda: feed.runs()[0].not_before == until)

    worker.meanwhile = work
    assert worker.execute(run) is not None


def test_a_worker_without_work_takes_no_lock(feed: Feed, worker: Worker) -> None:
    """Neither an empty queue nor the run of a paused rule makes idle workers stop the pulls."""
    worker.queue()
    rules.pause_rule(feed.context, feed.rules["Coffee"], paused=True)
    sent: list[str] = []
    engine = database.engine()
    if on_sqlite := engine.dialect.name == "sqlite":

        @event.listens_for(engine, "checkout")
        def trace(dbapi_connection: Any, *_: object) -> None:
            # The driver's own, which also sees how transactions begin and end.
            dbapi_connection.set_trace_callback(sent.append)

    else:

        @event.listens_for(engine, "before_cursor_execute")
        def note(connection: object, cursor: object, statement: str, *_: object) -> None:
            sent.append(statement)

    assert runs.claim(feed.context) is None
    others = [statement for statement in sent if "SELECT" not in statement]
    assert set(others) - {"COMMIT", "ROLLBACK"} == ({"BEGIN DEFERRED"} if on_sqlite else set())
    assert not [statement for statement in sent if "FOR " in statement or "IMMEDIATE" in statement]
