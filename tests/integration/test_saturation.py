"""A rule writes as many posts as it has something to say, and then costs nothing."""

import json
import logging
import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, count, repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
from alembic import command
from click.testing import CliRunner
from sqlalchemy import delete, select, update

from app.adapters.openai_model import OpenAIModel
from app.cli import main
from app.core.checks import TITLE_TAKEN
from app.core.errors import ContentQualityFailed
from app.core.feed.rule import MAX_REPEATS
from app.core.planning import angles
from app.core.planning.angles import ANGLES
from app.core.planning.intent import read_intent
from app.core.schemas.post import Outline, SEOPost
from app.core.writing.completion import Completion, Prompt
from app.deadline import Deadline
from app.ports import Model
from app.services import rules, runs, saturation
from app.services.context import Context
from app.services.leased_work import perform
from app.store import database, models
from app.store import feed as feed_store
from tests.support.integration import BEGIN, Feed
from tests.support.query_plans import noted
from tests.support.scripted_model.server import ScriptedServer
from tests.support.scripted_worker import POST, Worker, distinct_post

HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)


def due_rule(feed: Feed, *keywords: str, name: str = "Cocoa", **request: Any) -> str:
    """A rule that is due every hour from now on."""
    rule_id = feed.add_rule(name, due=BEGIN)
    change(feed, name, request={"keywords": list(keywords), **request})
    return rule_id


def change(feed: Feed, name: str = "Cocoa", **columns: Any) -> None:
    with database.writing() as session:
        where = models.Rule.id == feed.rules[name]
        session.execute(update(models.Rule).where(where).values(**columns))


def tick(feed: Feed, worker: Worker, times: int = 1) -> int:
    """Let an hour pass and everything happen that is due, so often; return how many runs began."""
    begun = 0
    for _ in range(times):
        begun += rules.tick(feed.context)
        while worker.run_next():
            pass
        feed.clock.move(HOUR)
    return begun


def items(feed: Feed) -> list[models.FeedItem]:
    with database.reading() as session:
        query = select(models.FeedItem).where(models.FeedItem.token_id == feed.token_id)
        return list(session.scalars(query.order_by(models.FeedItem.generated_at)))


def listed(feed: Feed, name: str = "Cocoa") -> rules.ListedRule:
    of_feed = rules.list_rules(feed.context, feed.token)
    return next(rule for rule in of_feed if rule.row.name == name)


def delete_item(item_id: str) -> None:
    with database.writing() as session:
        session.execute(delete(models.FeedItem).where(models.FeedItem.id == item_id))


# --- a model that has nothing new to say


def test_100_ticks_of_a_model_that_repeats_itself_make_one_post_and_then_cost_nothing(
    feed: Feed, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    """“no two posts of one intent in the feed, then `saturated`, and no model call after it”"""
    due_rule(feed, "hot cocoa")
    worker.posts = repeat(POST)
    with caplog.at_level(logging.WARNING, "app.services.runs"):
        assert tick(feed, worker, 100) == 2
    assert len(items(feed)) == 1
    assert len(worker.briefs) == 1 + MAX_REPEATS
    rule = listed(feed)
    assert rule.status == "saturated"
    assert rule.saturation is not None
    assert rule.saturation.since == BEGIN + HOUR
    assert rule.saturation.until == BEGIN + HOUR + WEEK
    assert items(feed)[0].id in rule.saturation.reason
    assert (rule.row.failures, rule.row.run_id) == (0, None)
    said = [line for line in caplog.messages if " is saturated: " in line]
    assert len(said) == 1
    assert "nothing new to say" in said[0]


def test_a_model_that_goes_on_repeating_itself_is_asked_more_and_more_seldom(
    feed: Feed, worker: Worker
) -> None:
    """“with a cool-down that grows, instead of paying again at each tick”; each angle once."""
    due_rule(feed, "hot cocoa")
    worker.posts = repeat(POST)
    rests, angles_tried = [], []
    for _ in range(7):
        change(feed, next_due_at=feed.clock.now())
        before = len(worker.briefs)
        tick(feed, worker)
        angles_tried += [brief.angle for brief in worker.briefs[before:]]
        until = feed.rule("Cocoa").saturated_until
        if until is not None:
            rests.append((until - (feed.clock.now() - HOUR)) // timedelta(days=1))
            feed.clock.at = until
    assert rests[:5] == [7, 14, 28, 56, 90]
    assert len(angles_tried) == len(set(angles_tried)) == len(ANGLES)
    assert listed(feed).status == "saturated"
    assert listed(feed).left == 0
    calls = len(worker.briefs)
    feed.clock.move(timedelta(days=400))
    assert tick(feed, worker, 30) == 0
    assert len(worker.briefs) == calls


@pytest.mark.parametrize("way", ["update", "resume", "run", "deleted"])
def test_what_ends_the_rest_of_a_rule(feed: Feed, worker: Worker, way: str) -> None:
    rule_id = due_rule(feed, "hot cocoa")
    worker.posts = chain(repeat(POST, 4), map(distinct_post, count(1)))
    tick(feed, worker, 5)
    feed.clock.move(HOUR / 2)
    assert listed(feed).status == "saturated"
    if way == "update":
        rules.update_rule(feed.context, rule_id, rules.RuleChanges(request={"topic": "for two"}))
    elif way == "resume":
        rules.pause_rule(feed.context, rule_id, paused=False)
    elif way == "run":
        assert perform(runs.start_now(feed.context, rule_id), feed.context) is not None
    else:
        delete_item(items(feed)[0].id)
    assert listed(feed).status == "active"
    before = len(items(feed))
    assert tick(feed, worker) == 1
    assert len(items(feed)) == before + 1


def test_a_post_between_repeats_starts_their_count_anew(feed: Feed, worker: Worker) -> None:
    due_rule(feed, "hot cocoa")
    worker.posts = iter([POST, POST, POST, distinct_post(1), POST, POST, distinct_post(2)])
    tick(feed, worker, 3)
    assert len(items(feed)) == 3
    assert listed(feed).status == "active"
    # The angles of the drafts that repeated a post are not paid for again.
    tried = [brief.angle for brief in worker.briefs]
    assert len(set(tried)) == len(tried) == 7


def test_a_title_that_asks_the_same_question_is_a_repeat(feed: Feed, worker: Worker) -> None:
    """“or a title/heading set of the same intent as an earlier post”"""
    due_rule(feed, "hot cocoa")
    titles = ["What hot cocoa costs", "Hot cocoa: the price", "Chocolate myths"]
    worker.posts = iter(
        distinct_post(number).model_copy(update={"title": title})
        for number, title in enumerate(titles)
    )
    tick(feed, worker, 2)
    assert [item.title for item in items(feed)] == [titles[0], titles[2]]


def test_a_model_that_plans_the_same_title_again_and_again_is_given_a_rest(
    feed: Feed, worker: Worker
) -> None:
    """The pipeline refuses such a plan before the post is written: one plan in each run."""

    def same_title() -> None:
        if len(worker.briefs) > 1:
            finding = TITLE_TAKEN.found("title", f"A post “{POST.title}” exists.")
            raise ContentQualityFailed("no title", {"findings": [finding.to_wire()]})

    due_rule(feed, "hot cocoa")
    worker.meanwhile = same_title
    tick(feed, worker, 100)
    assert len(items(feed)) == 1
    assert len(worker.briefs) == 1 + MAX_REPEATS
    assert len({brief.angle for brief in worker.briefs}) == 1 + MAX_REPEATS
    rule = listed(feed)
    assert rule.status == "saturated"
    assert rule.row.repeated_item == items(feed)[0].id


def test_another_failure_is_no_repeat(feed: Feed, worker: Worker) -> None:
    def fails() -> None:
        raise ContentQualityFailed("too short", {"findings": [{"check": "length", "reason": "…"}]})

    due_rule(feed, "hot cocoa")
    worker.meanwhile = fails
    tick(feed, worker, 40)
    assert listed(feed).status.startswith("failing")
    assert (feed.rule("Cocoa").repeats, listed(feed).left) == (0, 16)


def test_headings_that_ask_the_same_questions_are_a_repeat(feed: Feed, worker: Worker) -> None:
    due_rule(feed, "hot cocoa")
    outlines = [
        ("The milk", "A pan for the stove", "Serving it"),
        ("Serving", "Your milk", "Pans for stoves"),
        ("The milk", "A pan for the stove"),
    ]
    worker.posts = iter(
        distinct_post(number).model_copy(update={"outline": Outline(h1="Cocoa", h2=headings)})
        for number, headings in enumerate(outlines)
    )
    tick(feed, worker, 2)
    kept = [SEOPost.model_validate(item.post).outline.h2 for item in items(feed)]
    assert kept == [outlines[0], outlines[2]]


# --- a model that always has something new to say


def test_100_ticks_of_a_model_that_writes_something_new_make_one_post_for_each_intent(
    feed: Feed, worker: Worker
) -> None:
    """“as many posts as there are distinct intents”: two of the keywords are one."""
    due_rule(feed, "best cocoa mug", "top cocoa mugs", "cocoa powder")
    assert tick(feed, worker, 100) == 2 * len(ANGLES)
    made = items(feed)
    assert len(made) == len(worker.briefs) == 2 * len(ANGLES)
    asked = [(brief.primary_keyword, brief.angle and brief.angle.key) for brief in worker.briefs]
    assert len(set(asked)) == len(asked)
    assert [keyword for keyword, _ in asked] == ["best cocoa mug"] * 16 + ["cocoa powder"] * 16
    rule = listed(feed)
    assert (rule.status, rule.left) == ("saturated", 0)
    assert rule.saturation is not None
    assert (rule.saturation.since, rule.saturation.until) == (made[-1].generated_at, None)


def test_a_rule_with_one_keyword_is_saturated_with_its_last_post_and_says_so_once(
    feed: Feed, worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    due_rule(feed, "hot cocoa")
    with caplog.at_level(logging.INFO, "app.services"):
        assert tick(feed, worker, 16) == 16
        assert listed(feed).status == "saturated"
        assert tick(feed, worker, 20) == 0
    assert len([line for line in caplog.messages if "saturated" in line]) == 1
    assert feed.runs()[-1].status == "succeeded"


def test_rules_of_one_feed_share_its_intents_and_those_of_another_do_not(
    feed: Feed, worker: Worker
) -> None:
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 16)
    due_rule(feed, "Hot Cocoas", name="Copy")
    change(feed, "Copy", next_due_at=feed.clock.now())
    calls = len(worker.briefs)
    assert listed(feed, "Copy").status == "saturated"
    # Its own first run finds nothing, and spends nothing.
    tick(feed, worker, 20)
    assert len(worker.briefs) == calls
    assert "SATURATED" in str(feed.rule("Copy").last_error)
    assert feed.rule("Copy").failures == 0
    with database.writing() as session:
        session.add(
            models.Feed(
                id="tkn_other", account_id=feed.account_id, name="Other", hash="0", hint="",
                created_at=BEGIN,
            )
        )  # fmt: skip
        session.flush()
        rule = session.get_one(models.Rule, feed.rules["Copy"])
        rule.token_id = "tkn_other"
    assert tick(feed, worker) == 1
    assert len(worker.briefs) == calls + 1


def test_an_earlier_post_whose_title_answers_an_intent_spares_the_rule_that_angle(
    feed: Feed, worker: Worker
) -> None:
    """“from what is known before writing (… the titles … of earlier posts of the same feed)”"""
    worker.posts = chain(
        [POST.model_copy(update={"title": "How much does hot cocoa cost?"})],
        map(distinct_post, count(1)),
    )
    assert perform(runs.start_now(feed.context, feed.rules["Tea"]), feed.context) is not None
    feed.clock.move(HOUR)
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 30)
    of_rule = [item for item in items(feed) if item.rule_id == feed.rules["Cocoa"]]
    assert len(of_rule) == len(ANGLES) - 1
    assert "costs" not in {item.angle for item in of_rule}


@pytest.mark.parametrize(
    "request_", [{"current_event": True}, {"request": {"keywords": ["cocoa news today"]}}]
)
def test_a_rule_on_current_events_has_no_number_of_posts(
    feed: Feed, worker: Worker, request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.post_writer.prepare", lambda *_: ())
    due_rule(feed, "hot cocoa")
    change(feed, **request_)
    assert tick(feed, worker, 40) == 40
    assert len(items(feed)) == 40
    assert (listed(feed).status, listed(feed).left) == ("active", None)


# --- what wakes a rule


@pytest.mark.parametrize("way", ["keyword", "topic", "deleted", "current event"])
def test_a_saturated_rule_writes_again_once_something_changed_that_helps(
    feed: Feed, worker: Worker, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“by computing it, not by a flag that goes stale”: the rows are changed behind its back."""
    monkeypatch.setattr("app.services.post_writer.prepare", lambda *_: ())
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 17)
    deleted = items(feed)[4]
    if way == "keyword":
        change(feed, request={"keywords": ["hot cocoa", "cocoa powder"]})
    elif way == "topic":
        change(feed, request={"keywords": ["hot cocoa"], "topic": "in a camp kitchen"})
    elif way == "current event":
        change(feed, current_event=True)
    else:
        delete_item(deleted.id)
    assert listed(feed).status == "active"
    assert feed.rule("Cocoa").saturated_since is not None
    assert tick(feed, worker) == 1
    assert feed.rule("Cocoa").saturated_since is None or way == "deleted"
    if way == "deleted":
        assert items(feed)[-1].angle == deleted.angle
        assert listed(feed).status == "saturated"
        assert tick(feed, worker, 5) == 0


@pytest.mark.parametrize("keyword", ["hot cocoas", "The hot cocoa"])
def test_a_change_that_does_not_help_wakes_nobody(feed: Feed, worker: Worker, keyword: str) -> None:
    rule_id = due_rule(feed, "hot cocoa")
    tick(feed, worker, 17)
    changed = rules.RuleChanges(name="Cocoa 2", request={"keywords": [keyword]})
    rules.update_rule(feed.context, rule_id, changed)
    assert tick(feed, worker, 10) == 0


def test_a_woken_rule_keeps_its_slots(feed: Feed, worker: Worker) -> None:
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 20)
    feed.clock.move(timedelta(minutes=17))
    change(feed, request={"keywords": ["hot cocoa", "cocoa powder"]})
    tick(feed, worker)
    assert feed.runs()[-1].slot == BEGIN + 20 * HOUR
    assert feed.rule("Cocoa").next_due_at == BEGIN + 21 * HOUR


def test_more_saturated_rules_than_a_batch_takes_are_looked_at(
    feed: Feed, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.store import due

    monkeypatch.setattr(rules, "BATCH", 3)
    monkeypatch.setattr(due, "_DUE", due._DUE.limit(3))
    names = [f"Cocoa {number}" for number in range(8)]
    for name in names:
        due_rule(feed, name, name=name)
        change(feed, name, saturated_since=BEGIN)
    assert rules.tick(feed.context) == 8
    assert {run.rule_id for run in feed.runs()} == {feed.rules[name] for name in names}


def test_a_look_at_saturated_rules_sends_the_same_statements_however_many_there_are(
    feed: Feed, worker: Worker
) -> None:
    """“an indexed query; cost must not grow with what is stored”"""
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 16)
    counts = []
    for number in (1, 40):
        for copy in range(number):
            due_rule(feed, "hot cocoa", name=f"Copy {number} {copy}")
            change(feed, f"Copy {number} {copy}", saturated_since=BEGIN, next_due_at=BEGIN)
        with noted() as costs:
            assert rules.tick(feed.context) == 0
        counts.append(len(costs))
        if feed.url.startswith("sqlite"):  # PostgreSQL scans tables as small as these.
            assert not any({"answered_intents", "feed_items"} & cost.scanned for cost in costs)
    assert counts[0] == counts[1] <= 7


# --- what operators see


def run_command(feed: Feed, folder: Path, *arguments: str) -> str:
    """Return what a command prints on the database of the feed."""
    env = {
        "COPYDESK_DATABASE_URL": feed.url,
        "COPYDESK_DATA_DIR": str(folder),
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    }
    done = CliRunner().invoke(main, list(arguments), env=env)
    assert done.exit_code == 0, done.output
    database.bind(feed.url)
    return done.output


def test_a_list_and_a_plan_say_why_a_rule_writes_nothing_and_what_would_help(
    feed: Feed, worker: Worker, tmp_path: Path
) -> None:
    """“visible (with since when, why, and what would help …) in `rule list`, in `rule plan`, in
    JSON output”"""

    def call(*arguments: str) -> str:
        return run_command(feed, tmp_path, *arguments)

    rule_id = due_rule(feed, "hot cocoa")
    tick(feed, worker, 14)
    before = call("rule", "plan", rule_id)
    assert before.startswith("“Cocoa” is active.\n")
    assert "After these 2 posts, the rule stops: every editorial angle of its keyword" in before
    plan = json.loads(call("rule", "plan", rule_id, "--json"))
    assert plan["postsLeft"] == len(plan["posts"]) == 2
    assert {post["keyword"] for post in plan["posts"]} == {"hot cocoa"}
    assert plan["saturation"] is None
    assert plan["shortfall"]["help"]
    assert [entry["itemId"] for entry in plan["answered"]]
    assert len(plan["answered"]) == 14
    assert json.loads(call("rule", "plan", rule_id, "--count", "2", "--json"))["shortfall"] is None

    tick(feed, worker, 3)
    shown = call("rule", "list", feed.token_id)
    assert "“Cocoa” is saturated. Every editorial angle of its keyword has a post" in shown
    assert "It has been saturated since 2026-02-01T03:00:00.000Z." in shown
    assert f"Add keywords or set another topic with `copydesk-server rule update {rule_id}" in shown
    assert f"run `copydesk-server rule update {rule_id} --current-event`" in shown
    of_feed = {
        rule["name"]: rule for rule in json.loads(call("rule", "list", feed.token_id, "--json"))
    }
    assert of_feed["Tea"]["saturation"] is None
    assert (of_feed["Tea"]["status"], of_feed["Tea"]["postsLeft"]) == ("active", 16)
    assert of_feed["Cocoa"]["saturation"]["since"] == "2026-02-01T03:00:00.000Z"
    assert of_feed["Cocoa"]["nextDueAt"] is None
    plan = json.loads(call("rule", "plan", rule_id, "--json"))
    assert (plan["status"], plan["posts"], len(plan["answered"])) == ("saturated", [], 16)
    assert call("rule", "plan", rule_id).startswith("“Cocoa” is saturated.\nEvery editorial angle")
    assert feed.runs()[-1].status == "succeeded"


def test_a_rule_that_rests_is_not_shown_like_one_whose_angles_are_used_up(
    feed: Feed, worker: Worker, tmp_path: Path
) -> None:
    """“say why and what would help”; “names the RULE_ID in the command it recommends”"""
    rule_id = due_rule(feed, "hot cocoa")
    worker.posts = repeat(POST)
    tick(feed, worker, 3)
    # The command reads the clock of the machine.
    change(feed, saturated_until=datetime(2199, 2, 7, 15, tzinfo=UTC))
    shown = run_command(feed, tmp_path, "rule", "list", feed.token_id)
    (line,) = (line for line in shown.splitlines() if line.startswith(rule_id))
    assert "  saturated until 2" in line
    assert "It tries again after 2199-02-07T15:00:00.000Z." in shown
    assert "“Cocoa” is saturated. The model has nothing new to say" in shown
    assert f"run `copydesk-server rule resume {rule_id}`" in shown
    whole = json.loads(run_command(feed, tmp_path, "rule", "list", feed.token_id, "--json"))
    (found,) = (rule for rule in whole if rule["ruleId"] == rule_id)
    assert (found["status"], found["keywords"]) == ("saturated", ["hot cocoa"])
    assert found["saturation"]["until"] is not None
    plan = run_command(feed, tmp_path, "rule", "plan", rule_id)
    assert plan.startswith("“Cocoa” is saturated.\nThe model has nothing new to say")


def test_the_plan_of_a_rule_that_rests_begins_after_its_rest(feed: Feed, worker: Worker) -> None:
    rule_id = due_rule(feed, "hot cocoa")
    worker.posts = repeat(POST)
    tick(feed, worker, 3)
    plan = rules.plan_rule(feed.context, rule_id, 20)
    assert plan.rule.saturation is not None
    assert plan.rule.saturation.until is not None
    assert plan.posts[0].slot == plan.rule.saturation.until == BEGIN + HOUR + WEEK
    assert len(plan.posts) == plan.rule.left == len(ANGLES) - 1 - MAX_REPEATS
    assert plan.shortfall is not None


# --- deployments that exist


def test_rules_and_posts_of_an_earlier_version_go_on(feed: Feed, worker: Worker) -> None:
    """“rules without the state go on”"""
    due_rule(feed, "hot cocoa")
    tick(feed, worker, 20)
    command.downgrade(database.bound().migrations(), "0008")
    database.bound().migrate()
    rule = listed(feed)
    assert (rule.status, rule.left, rule.row.repeats, rule.row.rests) == ("active", 16, 0, 0)
    # The angle that was used longest ago comes first, as before.
    angles_before = [item.angle for item in items(feed)]
    assert tick(feed, worker) == 1
    assert items(feed)[-1].angle == angles_before[0]


# --- every order of events


class Events:
    """Random events of a rule, and what has to hold after each."""

    def __init__(self, feed: Feed, worker: Worker, seed: int) -> None:
        self.feed, self.worker, self.random = feed, worker, Random(seed)
        self.numbers = count()
        self.keywords = 1
        self.repeats = False
        worker.posts = iter(self._post, None)
        self.rule_id = due_rule(feed, "cocoa 0")

    def _post(self) -> SEOPost:
        return POST if self.repeats else distinct_post(next(self.numbers))

    def happen(self) -> None:
        event = self.random.choice(
            [self.tick, self.tick, self.tick, self.turn, self.add, self.delete, self.resume,
             self.pause_long]
        )  # fmt: skip
        event()
        self.check()

    def tick(self) -> None:
        before = listed(self.feed)
        calls, made = len(self.worker.briefs), len(items(self.feed))
        begun = tick(self.feed, self.worker)
        is_due = before.row.next_due_at <= self.feed.clock.now() - HOUR
        assert begun == (is_due and before.saturation is None)
        if before.saturation is not None:
            assert len(self.worker.briefs) == calls
        drafts, new = len(self.worker.briefs) - calls, len(items(self.feed)) - made
        assert (new, drafts <= 3) in {(0, True), (1, True)}
        assert new or drafts or not begun

    def turn(self) -> None:
        self.repeats = not self.repeats

    def add(self) -> None:
        self.keywords += 1
        keywords = [f"cocoa {number}" for number in range(self.keywords)]
        changes = rules.RuleChanges(request={"keywords": keywords})
        rules.update_rule(self.feed.context, self.rule_id, changes)
        assert listed(self.feed).saturation is None

    def delete(self) -> None:
        if made := items(self.feed):
            gone = self.random.choice(made).id
            with database.writing() as session:
                session.execute(delete(models.FeedItem).where(models.FeedItem.id == gone))
                session.execute(delete(models.Band).where(models.Band.post_id == gone))
                session.execute(delete(models.Signature).where(models.Signature.post_id == gone))

    def resume(self) -> None:
        rules.pause_rule(self.feed.context, self.rule_id, paused=False)

    def pause_long(self) -> None:
        self.feed.clock.move(timedelta(days=10))

    def check(self) -> None:
        made = [(item.angle, item.post["meta"]["primaryKeyword"], item.id)
                for item in items(self.feed)]  # fmt: skip
        rule = listed(self.feed)
        with database.reading() as session:
            outlook = saturation.look(session, rule.row)
            rows = session.execute(
                select(models.AnsweredIntent.intent, models.AnsweredIntent.item_id)
            ).all()
        # Each intent is answered by one item, and each item answers one of its own.
        assert len({row.intent for row in rows}) == len(rows)
        assert {row.item_id for row in rows} == {item_id for *_, item_id in made}
        assert len(outlook.left) + len(outlook.answered) == 3 * self.keywords
        waits = rule.saturation is not None and rule.saturation.until is not None
        assert (rule.status == "saturated") == (waits or not outlook.left)
        assert (rule.saturation is not None) == (waits or not outlook.left)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_in_whatever_order_no_intent_is_written_twice_or_paid_for_in_vain(
    feed: Feed, worker: Worker, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (angles, saturation, feed_store):
        monkeypatch.setattr(module, "ANGLES", ANGLES[:3])
    events = Events(feed, worker, seed)
    for _ in range(25):
        events.happen()


# --- the whole pipeline


class CountedModel(Model):
    """A model, and how many calls it got."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.concurrency = model.name, model.concurrency
        self.calls = 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.calls += 1
        return self._model.complete(prompt, deadline)

    def ping(self) -> None:
        self._model.ping()


@contextmanager
def scripted(feed: Feed, behaviour: str) -> Iterator[tuple[Context, CountedModel]]:
    with ScriptedServer(behaviour=behaviour) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        model = OpenAIModel(server.base_url, "none", "scripted", timeout_seconds=30, concurrency=2)
        counted = CountedModel(model)
        try:
            yield replace(feed.context, model=lambda: counted), counted
        finally:
            server.shutdown()


# The good writer draws its headings: those of two angles may say the same, which is a repeat.
@pytest.mark.parametrize(
    ("behaviour", "posts"), [("repeats", {1}), ("good", range(12, len(ANGLES) + 1))]
)
def test_the_whole_pipeline_stops_when_the_rule_is_saturated(
    feed: Feed, behaviour: str, posts: Container[int]
) -> None:
    """“100 due ticks of one rule”, with the scripted model over HTTP."""
    due_rule(feed, "cold brew", language="en")
    change(feed, request={"keywords": ["cold brew"], "constraints": {"maxWords": 300}})
    with scripted(feed, behaviour) as (context, model):
        calls_when_saturated = None
        for _ in range(100):
            rules.tick(context)
            while runs.run_next(context):
                pass
            if calls_when_saturated is None and listed(feed).saturation is not None:
                calls_when_saturated = model.calls
            feed.clock.move(HOUR)
    assert model.calls == calls_when_saturated
    made = items(feed)
    assert len(made) in posts
    intents = [read_intent(item.title, "en") for item in made]
    specific = [intent for intent in intents if intent.sides]
    assert len(set(specific)) == len(specific)
    assert len({item.angle for item in made}) == len(made)
