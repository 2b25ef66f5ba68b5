"""A rule writes a post for each angle of each of its keywords, and then costs nothing."""

import json
import logging
from datetime import timedelta
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from app.services import rule_lists, rules, schedule
from app.services.rule_lists import plan_rule
from app.store import database, due, models
from app.writing.angles import ANGLES
from tests.support.commands import Commands
from tests.support.integration import BEGIN, Feed
from tests.support.scripted_worker import POST, Worker, distinct_post

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)


def due_rule(feed: Feed, *keywords: str, name: str = "Cocoa") -> str:
    """A rule that is due every hour from now on."""
    rule_id = feed.add_rule(name, due=feed.clock.now())
    change(feed, name, request={"keywords": list(keywords)})
    return rule_id


def change(feed: Feed, name: str = "Cocoa", **columns: Any) -> None:
    with database.writing() as session:
        where = models.Rule.id == feed.rules[name]
        session.execute(update(models.Rule).where(where).values(**columns))


def tick(feed: Feed, worker: Worker, times: int = 1) -> int:
    """Let an hour pass and everything happen that is due, so often; return how many runs began."""
    begun = 0
    for _ in range(times):
        begun += schedule.tick(feed.context)
        while worker.run_next():
            pass
        feed.clock.move(HOUR)
    return begun


def items(feed: Feed, name: str = "Cocoa") -> list[models.FeedItem]:
    with database.reading() as session:
        query = select(models.FeedItem).where(models.FeedItem.rule_id == feed.rules[name])
        return list(session.scalars(query.order_by(models.FeedItem.generated_at)))


def listed(feed: Feed, name: str = "Cocoa") -> rule_lists.ListedRule:
    of_feed = rule_lists.list_rules(feed.context, feed.token_id)
    return next(rule for rule in of_feed if rule.row.name == name)


# --- a post for each angle of each keyword


def test_a_rule_writes_each_angle_of_each_keyword_once_and_says_once_that_nothing_is_left(
    feed: Feed, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    """“then `saturated`, and no model call after it”; two of the keywords are the same"""
    due_rule(feed, "cocoa mug", "Cocoa Mug!", "cocoa powder")
    _, plan = plan_rule(feed.context, feed.rules["Cocoa"], 100)
    with caplog.at_level(logging.INFO, "app.services"):
        assert tick(feed, worker, 100) == 2 * len(ANGLES) == len(worker.briefs)
    made = items(feed)
    pairs = [(item.keyword, item.angle) for item in made]
    assert pairs == [(post.keyword, post.angle.key) for post in plan]
    assert [brief.primary_keyword for brief in worker.briefs] == [keyword for keyword, _ in pairs]
    assert pairs[-1][0] == "cocoa powder"
    assert len(set(pairs)) == len(pairs)
    rule = listed(feed)
    assert (rule.status, rule.left, rule.row.failures) == ("saturated", 0, 0)
    assert rule.row.saturated_since == made[-1].generated_at
    assert len([line for line in caplog.messages if "saturated" in line]) == 1
    assert {run.status for run in feed.runs()} == {"succeeded"}


def test_items_of_another_rule_or_without_a_keyword_count_for_nothing(
    feed: Feed, worker: Worker
) -> None:
    due_rule(feed, "hot cocoa")
    due_rule(feed, "hot cocoa", name="Copy")
    feed.add_items("Cocoa", 3)
    assert tick(feed, worker, 20) == 2 * len(ANGLES)
    assert (listed(feed).left, listed(feed, "Copy").left) == (0, 0)


@pytest.mark.parametrize(
    "columns", [{"current_event": True}, {"request": {"keywords": ["breaking news cocoa"]}}]
)
def test_a_rule_on_current_events_has_no_number_of_posts(
    feed: Feed, worker: Worker, columns: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.post_writer.find_sources", lambda *_, **__: ())
    due_rule(feed, "hot cocoa")
    change(feed, **columns)
    assert tick(feed, worker, 40) == 40
    angles = [item.angle for item in items(feed)]
    assert angles[:16] == angles[16:32]
    assert len(set(angles)) == len(ANGLES)
    assert (listed(feed).status, listed(feed).left) == ("active", None)


# --- what wakes a rule


@pytest.mark.parametrize("way", ["keyword", "deleted", "current event"])
def test_a_saturated_rule_writes_again_once_something_changed_that_helps(
    feed: Feed, worker: Worker, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“by computing it, not by a flag that goes stale”: the rows are changed behind its back."""
    monkeypatch.setattr("app.services.post_writer.find_sources", lambda *_, **__: ())
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 17)
    deleted = items(feed)[4]
    if way == "keyword":
        change(feed, request={"keywords": ["hot cocoa", "cocoa powder"]})
    elif way == "current event":
        change(feed, current_event=True)
    else:
        with database.writing() as session:
            session.execute(delete(models.FeedItem).where(models.FeedItem.id == deleted.id))
    assert listed(feed).status == "active"
    feed.clock.move(timedelta(minutes=17))
    assert tick(feed, worker) == 1
    assert feed.runs()[-1].slot == BEGIN + 17 * HOUR
    assert feed.rule("Cocoa").next_due_at == BEGIN + 18 * HOUR
    if way == "deleted":
        assert items(feed)[-1].angle == deleted.angle
        assert tick(feed, worker, 5) == 0


def test_a_change_that_does_not_help_wakes_nobody(feed: Feed, worker: Worker) -> None:
    rule_id = due_rule(feed, "hot cocoa")
    tick(feed, worker, 17)
    request = {"keywords": ["Hot Cocoa"], "topic": "for two"}
    rules.update_rule(feed.context, rule_id, rules.RuleChanges(name="Cocoa 2", request=request))
    assert tick(feed, worker, 10) == 0


def test_more_saturated_rules_than_a_batch_takes_are_looked_at(
    feed: Feed, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "BATCH", 3)
    for number in range(8):
        due_rule(feed, f"cocoa {number}", name=f"Cocoa {number}")
        change(feed, f"Cocoa {number}", saturated_since=BEGIN)
    assert tick(feed, worker) == 8


# --- a model that has nothing new to say


def test_a_model_that_repeats_itself_is_asked_once_a_day_from_other_angles(
    feed: Feed, worker: Worker
) -> None:
    """“with a cool-down that grows, instead of paying again at each tick”"""
    due_rule(feed, "hot cocoa")
    worker.posts = repeat(POST)
    assert tick(feed, worker, 5 * 24) == 1 + 5
    rule, (item,) = listed(feed), items(feed)
    assert (rule.status, rule.left) == ("failing: 5 times", len(ANGLES) - 1)
    assert f"still repeats {item.id}" in str(rule.row.last_error)
    # One for the post; then three a day, until each has had its turn.
    assert len({brief.angle for brief in worker.briefs}) == len(worker.briefs) == len(ANGLES)


def test_a_last_post_that_repeats_another_leaves_one_to_write(
    feed: Feed, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    due_rule(feed, "hot cocoa")
    worker.posts = chain(map(distinct_post, range(1, len(ANGLES))), repeat(distinct_post(1)))
    with caplog.at_level(logging.INFO, "app.services"):
        tick(feed, worker, len(ANGLES))
    assert (listed(feed).status, listed(feed).left) == ("failing: 1 time", 1)
    assert not [line for line in caplog.messages if "saturated" in line]


def test_a_rule_whose_model_repeats_itself_runs_again_once_it_is_changed(
    feed: Feed, worker: Worker
) -> None:
    rule_id = due_rule(feed, "hot cocoa")
    worker.posts = chain(repeat(POST, 1 + 3), map(distinct_post, count(1)))
    assert tick(feed, worker, 5) == 2
    rules.update_rule(feed.context, rule_id, rules.RuleChanges(request={"topic": "for two"}))
    assert tick(feed, worker, 2) == 1
    assert (len(items(feed)), listed(feed).status) == (2, "active")


# --- what operators see


def test_a_list_and_a_plan_say_why_a_rule_writes_nothing_and_what_would_help(
    feed: Feed, worker: Worker, tmp_path: Path
) -> None:
    env = {"COPYDESK_DATABASE_URL": feed.url, "COPYDESK_DATA_DIR": str(tmp_path),
           "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}  # fmt: skip

    def call(*arguments: str) -> str:
        done = Commands(**env).run("rule", *arguments)
        database.bind(feed.url)
        return done.stdout if "--json" in arguments else done.output

    rule_id = due_rule(feed, "hot cocoa")
    tick(feed, worker, 14)
    assert "After 2 posts, the rule stops." in call("plan", rule_id)
    assert "the rule stops" not in call("plan", rule_id, "--count", "2")
    tick(feed, worker, 3)
    shown = call("list", feed.token_id)
    assert "“Cocoa” is saturated." in shown
    assert f"Add keywords with `copydesk-server rule update {rule_id}" in shown
    cocoa, tea, _ = json.loads(call("list", feed.token_id, "--json"))
    assert cocoa["saturation"]["since"] == "2026-02-01T03:00:00.000Z"
    assert (cocoa["nextDueAt"], cocoa["postsLeft"], tea["postsLeft"]) == (None, 0, 16)
    rules.pause_rule(feed.context, rule_id, paused=True)
    assert "It generates nothing until you resume it" in call("plan", rule_id)
