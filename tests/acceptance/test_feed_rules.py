"""Rules: what fills a feed, when, and what a pause stops, over real HTTP and the real commands."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from app.container import build
from app.settings import Settings
from app.store import database
from scheduler import start_in_background
from tests.conformance.interface import clause
from tests.support.feeds import RunningFeed, new_feed, ordered_feed
from tests.support.process_group import ProcessGroup
from tests.support.service import ITEM_SECONDS, CopydeskService, ScriptedModel
from tests.support.startup import wait_until


def wait_for_runs(feed: RunningFeed, rule: str, *states: str) -> None:
    """Until a rule's runs have these states, the first slot first."""
    wait_until(lambda: feed.runs(rule) == [*states], ITEM_SECONDS, f"the rule's runs are {states}")


@clause("a content token is one pre-configured destination feed", "one pull URL")
@clause("A new rule generates its first item immediately in the background.")
@clause("queue generated items into the same feed.")
def test_a_new_rule_generates_its_first_item_at_once(service: CopydeskService) -> None:
    # As an operator does it; the command comes back before the item is there.
    made = ordered_feed(
        service, "--keyword", "cold brew ratio", "--every", "1h", "--max-words", "350",
        "--offer", "Acme Kettle Club=https://kettles.example/",
    )  # fmt: skip
    made.wait_for_item()
    assert made.states() == [("pending", 0)]
    with made.sdk() as sdk:
        item = sdk.latest()
        assert item is not None
        assert item.post.meta is not None
        assert item.post.meta.primary_keyword == "cold brew ratio"
        assert sdk.confirm(item.id).status == "used"


@clause("each with its own keywords and generation frequency,")
@clause("its own keywords, its own generation frequency,")
@clause("Holds one or more keyword rules.")
def test_each_rule_has_its_own_keywords_and_frequency(feed: RunningFeed) -> None:
    ago = datetime.now(UTC) - timedelta(minutes=20)
    often = feed.add_rule("Tea", every_seconds=900, next_due_at=ago + timedelta(minutes=15))
    seldom = feed.add_rule("Bread", every_seconds=3600, next_due_at=ago + timedelta(minutes=60))
    assert feed.latest() == {"available": False}
    wait_for_runs(feed, often, "succeeded")
    assert feed.runs(seldom) == []
    feed.change_rule(seldom, next_due_at=datetime.now(UTC))
    feed.latest()
    wait_for_runs(feed, seldom, "succeeded")
    with feed.sdk() as sdk:
        keywords = {
            item.rule_name: item.post.meta.primary_keyword for item in sdk.items() if item.post.meta
        }
    assert keywords == {"Tea": "tea notes", "Bread": "bread notes"}
    assert feed.runs(often) == ["succeeded"]


@clause("rules are checked every 15 minutes")
def test_rules_are_checked_every_15_minutes(tmp_path: Path) -> None:
    # By the scheduler's own plan, with the default settings: nobody waits so long here.
    ports = build(Settings(data_dir=tmp_path, database_url=f"sqlite:///{tmp_path}/copydesk.db"))
    background = start_in_background(ports)
    try:
        tick = background.get_job("tick")
        wait_until(lambda: tick.next_run_time > datetime.now(UTC), 30, "it has checked once")
        run = tick.next_run_time
        assert run - datetime.now(UTC) <= timedelta(minutes=15)
        for _ in range(3):
            following = tick.trigger.get_next_fire_time(run, run)
            assert following - run == timedelta(minutes=15)
            run = following
    finally:
        background.shutdown(wait=True)
        database.dispose()


@clause("on a deployment tier with frequent scheduled runs,")
@clause("generate as soon as the frequency has elapsed;")
def test_the_scheduler_runs_what_falls_due_while_it_is_there(
    group: ProcessGroup, model: ScriptedModel
) -> None:
    service = CopydeskService(group, model.url, "ticking", COPYDESK_TICK_SECONDS="1")
    feed = new_feed(service)
    wait_until(
        lambda: "tick: 0 runs" in service.log_text(), 60, "it has checked for the first time"
    )
    # Nobody pulls.
    due = feed.add_rule("Tea", next_due_at=datetime.now(UTC) + timedelta(seconds=2))
    not_due = feed.add_rule("Bread", next_due_at=datetime.now(UTC) + timedelta(hours=1))
    wait_for_runs(feed, due, "succeeded")
    assert feed.runs(not_due) == []
    feed.change_rule(not_due, next_due_at=datetime.now(UTC))
    wait_for_runs(feed, not_due, "succeeded")
    assert feed.runs(due) == ["succeeded"]
    assert feed.states() == [("pending", 0)] * 2
    service.kill()


@clause("generate as soon as the frequency has elapsed;")
def test_the_scheduler_runs_what_fell_due_while_it_was_away(service: CopydeskService) -> None:
    feed = new_feed(service)
    due, not_due = feed.add_due_rule("Tea"), feed.add_rule("Bread")
    name = "scheduler" if "scheduler" in service.commands() else "run"
    service.kill(name)
    wait_until(lambda: name == "scheduler" or not service.answers(), 90, "it has ended")
    service.start(name)
    wait_for_runs(feed, due, "succeeded")
    assert feed.runs(not_due) == []
    assert feed.states() == [("pending", 0)]


@clause("pausing a rule stops only that keyword group;")
@clause("already-queued items remain pullable.")
def test_a_paused_rule_stops_alone(feed: RunningFeed) -> None:
    paused, other = feed.add_rule("Tea"), feed.add_rule("Bread")
    (queued,) = feed.add_items(paused)
    feed.change_rule(paused, paused=True)
    for rule in (paused, other):
        feed.change_rule(rule, next_due_at=datetime.now(UTC))
    with feed.sdk() as sdk:
        item = sdk.latest()
        assert item is not None
        assert item.id == queued
        wait_for_runs(feed, other, "succeeded")
        assert [item.rule_name for item in sdk.items()] == ["Tea", "Bread"]
    assert feed.runs(paused) == []


@clause("pausing a token stops all its rules;", "already-queued items remain pullable.")
def test_a_paused_token_stops_all_its_rules(service: CopydeskService) -> None:
    feed, other = new_feed(service), new_feed(service)
    rules = [feed.add_due_rule("Tea"), feed.add_due_rule("Bread")]
    items = feed.add_items(rules[0], 2)
    feed.pause()
    for item in items:
        assert feed.latest()["item"]["id"] == item
        assert feed.confirm(item).status_code == 200
    assert feed.latest() == {"available": False}
    # A feed that asks later is served: the paused one would have been before.
    active = other.add_due_rule()
    other.latest()
    wait_for_runs(other, active, "succeeded")
    assert [feed.runs(rule) for rule in rules] == [[], []]


@clause("Feed items are produced by the same pipeline as /v1/generate:")
@clause("no-link checks,")
@clause("the model generation step,")
@clause("and final quality validation.")
@pytest.mark.parametrize(
    ("behaviour", "code", "why"),
    [
        ("link", "CONTENT_QUALITY_FAILED", "is a link or an address"),
        ("refusal", "PROHIBITED_INPUT", ""),
        ("truncated", "CONTENT_QUALITY_FAILED", ""),
    ],
)
def test_an_item_has_to_pass_the_same_checks(
    feed: RunningFeed, model: ScriptedModel, behaviour: str, code: str, why: str
) -> None:
    rule = feed.add_due_rule()
    with model.behaving(behaviour):
        feed.latest()
        feed.wait_for_end(rule)
    assert feed.runs(rule) == ["failed"]
    assert feed.latest() == {"available": False}
    assert feed.states() == []
    error = str(feed.rule_column(rule, "last_error"))
    assert code in error
    assert why in error


@clause("originality")
@pytest.mark.usefixtures("idle")
def test_an_item_that_repeats_another_of_its_feed_is_not_made(
    feed: RunningFeed, model: ScriptedModel
) -> None:
    rule = feed.add_due_rule()
    with model.behaving("repeats"):
        feed.latest()
        feed.wait_for_end(rule)
        assert feed.runs(rule) == ["succeeded"]
        item_id = feed.latest()["item"]["id"]
        feed.change_rule(rule, next_due_at=datetime.now(UTC))
        feed.latest()
        feed.wait_for_end(rule, 2)
    assert feed.runs(rule) == ["succeeded", "failed"]
    assert f"still repeats {item_id}" in str(feed.rule_column(rule, "last_error"))
    # Its model had nothing new to say, so the rule waits for a day. Then it makes a different post.
    feed.change_rule(rule, next_due_at=datetime.now(UTC))
    feed.latest()
    feed.wait_for_end(rule, 3)
    assert feed.runs(rule) == ["succeeded", "failed", "succeeded"]
    assert len(feed.states()) == 2


@clause("nothing new was generated or is due.")
def test_a_pull_has_generated_what_is_due(feed: RunningFeed) -> None:
    rule = feed.add_due_rule()
    pulled: list[Any] = []

    def available() -> bool:
        body = requests.get(f"{feed.url}/latest", timeout=60).json()
        pulled.append(body.get("item"))
        return bool(body["available"])

    wait_until(available, ITEM_SECONDS, "what was due is available")
    assert pulled[-1]["deliveryCount"] == 1
    # However often it was asked for, it was generated once.
    assert feed.runs(rule) == ["succeeded"]
