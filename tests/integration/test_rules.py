"""Rules: making them, and what the scheduler queues, on a real database."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from app.core.errors import Conflict, NotFound
from app.core.feed.rule import SchedulePolicy
from app.services import accounts, rule_lists, rules, runs, schedule
from app.services import feed as feed_service
from app.settings import Settings
from app.store import database, due, models
from app.store import rules as store
from app.store.leases import may_begin
from tests.support import concurrent_processes as processes
from tests.support.databases import statements
from tests.support.integration import BEGIN, NEVER, POSTGRESQL, Feed

HOUR = timedelta(hours=1)


def create(feed: Feed, name: str = "Cocoa", **given: Any) -> str:
    new = rules.NewRule(name, **{"request": {"keywords": ["hot cocoa"]}, "every": HOUR, **given})
    return rules.create_rule(feed.context, feed.token_id, new)


def test_a_rule_whose_first_run_cannot_be_queued_is_not_made(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule and run are of one transaction: no crash can part them."""

    def crash(*_: object) -> None:
        raise RuntimeError("power failure")

    monkeypatch.setattr(store, "add_run", crash)
    with pytest.raises(RuntimeError, match="power failure"):
        create(feed)
    with database.reading() as session:
        assert len(list(session.scalars(select(models.Rule.id)))) == 2
    assert feed.runs() == []


def test_the_names_of_a_token_differ_in_more_than_case(feed: Feed) -> None:
    """ruleName is “matched case-insensitively in queries”, so that two could not be told apart."""
    create(feed, "Straße")
    with pytest.raises(Conflict):
        create(feed, "STRASSE")
    with pytest.raises(Conflict):
        rules.update_rule(feed.context, feed.rules["Tea"], rules.RuleChanges(name="COFFEE"))
    rules.update_rule(feed.context, feed.rules["Tea"], rules.RuleChanges(name="TEA"))
    assert feed.rule("Tea").name == "TEA"


def test_a_shorter_frequency_counts_from_now(feed: Feed) -> None:
    feed.rules["Cocoa"] = create(feed, every=timedelta(days=30))
    rules.update_rule(feed.context, feed.rules["Cocoa"], rules.RuleChanges(every=HOUR))
    assert feed.rule("Cocoa").next_due_at == BEGIN + HOUR
    rules.update_rule(feed.context, feed.rules["Cocoa"], rules.RuleChanges(every=timedelta(days=7)))
    assert feed.rule("Cocoa").next_due_at == BEGIN + HOUR


def test_4_processes_that_tick_at_once_queue_each_due_rule_once(feed: Feed, tmp_path: Path) -> None:
    for number in range(60):
        feed.add_rule(f"Due {number}", due=BEGIN - timedelta(minutes=number % 7))
    with processes.ConcurrentProcesses(
        tmp_path / "ticks", 4, processes.ticks, feed.url, BEGIN.isoformat()
    ) as ticking:
        triggered = ticking.join()
    assert sum(sum(values) for values in triggered) == 60
    slots = [(run.rule_id, run.slot) for run in feed.runs()]
    assert len(slots) == len(set(slots)) == 60
    # Each rule knows its run, so that it gets no other before that has ended.
    with database.reading() as session:
        runs_known = select(models.Rule.id, models.Rule.run_id).where(
            models.Rule.next_due_at < NEVER
        )
        known = [tuple(row) for row in session.execute(runs_known)]
    assert sorted(known) == sorted((run.rule_id, run.id) for run in feed.runs())
    assert schedule.tick(feed.context) == 0


@POSTGRESQL
def test_a_rule_that_another_process_is_moving_on_is_left_to_it(feed: Feed) -> None:
    """Who ticks at the same time neither waits for it nor moves it on a second time."""
    held, free = (feed.add_rule(name, due=BEGIN) for name in ("Held", "Free"))
    with database.engine().begin() as other:
        other.execute(
            select(models.Rule.id).where(models.Rule.id == held).with_for_update(key_share=True)
        )
        assert schedule.tick(feed.context) == 1
    assert [run.rule_id for run in feed.runs()] == [free]
    assert schedule.tick(feed.context) == 1
    assert {run.rule_id for run in feed.runs()} == {held, free}


def test_a_clock_that_jumps_back_or_forth_doubles_nothing(feed: Feed) -> None:
    feed.add_rule("Due", due=BEGIN, every=HOUR)
    ticked = []
    for jump in (0, 60, -60, 60, 60, -120, 30):
        feed.clock.move(timedelta(minutes=jump))
        ticked.append(schedule.tick(feed.context))
        feed.end_runs()
    # 12:00, 13:00, 12:00 again, 13:00 again, 14:00, 12:00 again, 12:30.
    assert ticked == [1, 1, 0, 0, 1, 0, 0]
    assert [run.slot for run in feed.runs()] == [BEGIN, BEGIN + HOUR, BEGIN + 2 * HOUR]


def test_a_rule_whose_run_has_not_ended_waits_for_it(feed: Feed) -> None:
    """Otherwise a rule that writes more slowly than its frequency would pile up runs."""
    feed.add_rule("Due", due=BEGIN)
    assert schedule.tick(feed.context) == 1
    run = runs.claim(feed.context)
    assert run is not None
    feed.clock.move(3 * HOUR)
    assert schedule.tick(feed.context) == 0
    feed.end_runs()
    assert schedule.tick(feed.context) == 1
    assert [run.slot for run in feed.runs()] == [BEGIN, BEGIN + HOUR]
    assert feed.rule("Due").next_due_at == BEGIN + 4 * HOUR


def test_4_pulls_at_once_queue_a_due_rule_once(feed: Feed, tmp_path: Path) -> None:
    """A pull on a token with a due rule wakes its generation once."""
    feed.add_rule("Due", due=BEGIN)
    with processes.ConcurrentProcesses(
        tmp_path / "pulls", 4, processes.pulls_at, feed.url, feed.token, BEGIN.isoformat()
    ) as pulling:
        woken = pulling.join()
    assert sum(sum(values) for values in woken) >= 1
    assert [run.slot for run in feed.runs()] == [BEGIN]
    assert feed.rule("Due").next_due_at == BEGIN + HOUR


def test_the_run_of_a_paused_rule_comes_back_when_no_pause_is_left(feed: Feed) -> None:
    """“pausing a rule stops only that keyword group; pausing a token stops all its rules”: the run
    that a paused rule has queued is out of the workers' sight."""

    def in_sight() -> int:
        with database.reading() as session:
            return len(may_begin(session, models.Run, feed.clock.now()))

    def claimed() -> str:
        run = runs.claim(feed.context)
        assert run is not None
        return run.rule.id

    paused, other = (feed.add_rule(name, due=BEGIN) for name in ("Paused", "Other"))
    assert schedule.tick(feed.context) == 2
    rules.pause_rule(feed.context, paused, paused=True)
    assert in_sight() == 1
    accounts.pause_token(feed.token_id, paused=True)
    assert in_sight() == 0
    feed.clock.move(timedelta(days=400))
    assert runs.claim(feed.context) is None
    accounts.pause_token(feed.token_id, paused=False)
    assert claimed() == other
    assert runs.claim(feed.context) is None
    rules.pause_rule(feed.context, paused, paused=False)
    assert claimed() == paused
    # A run that was begun is left alone.
    begun = [(run.status, run.not_before, run.attempts) for run in feed.runs()]
    for pause in (True, False):
        rules.pause_rule(feed.context, paused, paused=pause)
        assert [(run.status, run.not_before, run.attempts) for run in feed.runs()] == begun


def test_a_pull_queues_no_rule_of_another_token(feed: Feed) -> None:
    feed.add_rule("Due", due=BEGIN)
    other = accounts.create_token(feed.context, feed.account_id, "Other")
    feed_service.pull_latest(feed.context, other.secret, next_item=False)
    assert feed.runs() == []
    assert feed.queue.wakes == 0


def test_a_tick_costs_the_same_statements_however_many_rules_are_due(feed: Feed) -> None:
    """One SELECT, count, look at the spend caps, INSERT and UPDATE for each 500 rules, each batch a
    transaction."""
    counts = []
    for number in (3, 60):
        for rule in range(number):
            feed.add_rule(f"Due {number} {rule}", due=BEGIN - HOUR)
        with statements() as sent:
            assert schedule.tick(feed.context) == number
        counts.append(len([each for each in sent if not each.startswith("BEGIN")]))
    assert counts[0] == counts[1] <= 8


def test_more_rules_than_a_batch_takes_are_all_queued(
    feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "BATCH", 7)
    for number in range(21):
        feed.add_rule(f"Due {number}", due=BEGIN)
    assert schedule.tick(feed.context) == 21
    assert feed.queue.wakes == 3
    assert len(feed.runs()) == 21


def test_a_rule_with_a_full_queue_gets_no_run_until_some_are_pulled(feed: Feed) -> None:
    """“a rule with 100 unread pending items stops generating until some are pulled (operator's
    setting); it says so”"""
    feed.add_rule("Full", due=BEGIN)
    feed.add_rule("Other", due=BEGIN)
    feed.add_items("Full", 3)
    feed.add_items("Other", 2)
    policy = SchedulePolicy(queue_cap=3)
    assert schedule.tick(replace(feed.context, policy=policy)) == 1
    assert [run.rule_id for run in feed.runs()] == [feed.rules["Other"]]
    full = feed.rule("Full")
    assert (full.run_id, full.next_due_at, full.failures) == (None, BEGIN + HOUR, 0)
    context = replace(feed.context, policy=policy)
    listed = {rule.row.name: rule for rule in rule_lists.list_rules(context, feed.token_id)}
    assert (listed["Full"].status, listed["Full"].pending) == ("waiting: queue full", 3)
    assert listed["Other"].status == "active"
    feed_service.pull_latest(feed.context, feed.token, next_item=False)
    feed.end_runs()
    feed.clock.move(HOUR)
    assert schedule.tick(replace(feed.context, policy=policy)) == 2


def test_the_restricted_tier_runs_a_rule_once_a_day_whatever_polls(feed: Feed) -> None:
    """“on a restricted tier scheduled runs happen at most once per day regardless of frequency”"""
    feed.add_rule("Often", due=BEGIN, every=timedelta(minutes=15))
    feed.add_rule("Seldom", due=BEGIN, every=timedelta(days=2))
    policy, days = Settings(schedule="restricted").schedule_policy, []
    for _ in range(5 * 24):
        queued = schedule.trigger_due(replace(feed.context, policy=policy), feed.token_id)
        queued += schedule.tick(replace(feed.context, policy=policy))
        days += [feed.clock.now().date()] * queued
        feed.end_runs()
        feed.clock.move(HOUR)
    often = [run.slot for run in feed.runs() if run.rule_id == feed.rules["Often"]]
    assert often == [BEGIN + timedelta(days=day) for day in range(5)]
    seldom = [run.slot for run in feed.runs() if run.rule_id == feed.rules["Seldom"]]
    assert seldom == [BEGIN + timedelta(days=day) for day in (0, 2, 4)]
    assert len(days) == 8


def test_the_latest_runs_of_a_rule_are_listed_newest_first(feed: Feed) -> None:
    feed.add_rule("Due", due=BEGIN)
    for _ in range(4):
        schedule.tick(feed.context)
        feed.end_runs()
        feed.clock.move(HOUR)
    slots = [run.slot for run in rule_lists.list_runs(feed.rules["Due"], 3)]
    assert slots == [BEGIN + hours * HOUR for hours in (3, 2, 1)]
    assert rule_lists.list_runs(feed.rules["Tea"], 3) == []
    with pytest.raises(NotFound):
        rule_lists.list_runs("rul_0", 3)
