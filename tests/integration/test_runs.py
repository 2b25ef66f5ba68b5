"""Runs: what they leave in the feed and at their rule, whether they end well or badly."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.core.errors import ContentQualityFailed, ModelUnavailable, ServiceError
from app.services import rule_lists, rules, runs, schedule
from app.services.leased_work import MAX_ATTEMPTS
from app.store import database, models
from tests.support.integration import BEGIN, Feed
from tests.support.scripted_worker import LAPSED, Worker

HOUR = timedelta(hours=1)


def nothing() -> None:
    """What happens as a post is written that is good."""


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
            worker.meanwhile = raising(ContentQualityFailed("It fails.")) if fails else nothing
            with suppress(ContentQualityFailed):
                worker.execute(run)
            other += not fails
        rule = feed.rule("Due")
        assert (rule.failures, rule.run_id) == (failures, None)
        assert (rule.next_due_at - BEGIN) % HOUR == timedelta()
        waits.append((rule.next_due_at - at) / HOUR)
    assert waits == [1, 2, 4, 8, 16, 24]
    assert other == 6
    every = rule_lists.list_rules(feed.context, feed.token)
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
    worker.meanwhile = nothing
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
