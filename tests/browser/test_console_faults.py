"""From any red light of the console's first page to what to do in at most one click."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update

from app import create_app
from app.services import accounts, needs, operators
from app.services.context import Context
from app.settings import Settings
from app.store import database, models
from app.store.rows import new_id
from app.writing.angles import ANGLES
from tests.support.chromium import Browser
from tests.support.consoles import PASSWORD, add_given_up, add_job, served, sign_in
from tests.support.integration import Feed, another_feed

pytestmark = pytest.mark.browser
MOST_CLICKS = 1
HOUR = timedelta(hours=1)


class Fault:
    """What a light says, a text of what to do, and the link beside the light to click, if any."""

    def __init__(self, light: str, cause: str, *clicks: str) -> None:
        self.light, self.cause, self.clicks = light, cause, clicks


def model_is_down(context: Context, feed: Feed) -> Fault:
    return Fault("Model none set", "name an OpenAI-compatible endpoint")


def queue_is_down(context: Context, feed: Feed) -> Fault:
    return Fault("Queue unreachable", "Redis")


def tables_are_old(context: Context, feed: Feed) -> Fault:
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0024'"))
    return Fault("an earlier version of Copydesk", "copydesk-server migrate")


def no_worker(context: Context, feed: Feed) -> Fault:
    at = context.clock.now() - 2 * HOUR
    add_job(feed.account_id, at=at, status="queued")
    return Fault("1 waiting, the oldest for 2 hours", "No worker is writing or sending")


def too_few_workers(context: Context, feed: Feed) -> Fault:
    now = context.clock.now()
    with database.writing() as session:
        for name, status, at in (("Tea", "running", now), ("Coffee", "queued", now - 3 * HOUR)):
            run = {"id": new_id("run"), "rule_id": feed.rules[name], "status": status}
            session.add(models.Run(**run, slot=at, not_before=at))
    return Fault(
        "1 waiting, the oldest for 3 hours, some in progress",
        "The workers cannot keep up: start more",
    )


def no_scheduler(context: Context, feed: Feed) -> Fault:
    _change(feed, "Tea", next_due_at=context.clock.now() - 3 * HOUR)
    return Fault("A rule has been due for too long", "copydesk-server scheduler")


def rule_fails(context: Context, feed: Feed) -> Fault:
    error = {"code": "SERVICE_UNAVAILABLE", "message": "no source answered", "isForOperator": True}
    _change(feed, "Coffee", failures=3, last_error=error)
    return Fault("failed 3 times in a row", "no source answered")


def rule_is_too_short(context: Context, feed: Feed) -> Fault:
    finding = {
        "check": "too_short",
        "section": "post",
        "reason": "The post has 482 words; it needs at least 600. Add at least 118 words.",
    }
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "x", "details": {"findings": [finding]}}
    feed.add_rule("Cocoa", due=context.clock.now() + HOUR)
    _add_failed_run(context, feed, error)
    _change(feed, "Cocoa", failures=2, last_error=error)
    return Fault(
        "it needs at least 600. Lower “Words, at least”",
        "default: half of the maximum",
        "Change the rule",
    )


def rule_is_saturated(context: Context, feed: Feed) -> Fault:
    now = context.clock.now()
    _change(feed, "Tea", saturated_since=now)
    written = {"keyword": "Tea", "status": "used"}
    items = feed.add_items("Tea", len(ANGLES))
    with database.writing() as session:
        for item_id, angle in zip(items, ANGLES, strict=True):
            mine = update(models.FeedItem).where(models.FeedItem.id == item_id)
            session.execute(mine.values(angle=angle.key, **written))
    return Fault(
        "Tea of “Front page” has had nothing new to write since", "one per line", "Add keywords"
    )


def feed_is_unread(context: Context, feed: Feed) -> Fault:
    feed.add_items("Tea", 3)
    return Fault("3 waiting posts", "paste the feed URL", "Connect a site")


def webhook_is_dead(context: Context, feed: Feed) -> Fault:
    now = context.clock.now()
    job_id = add_job(feed.account_id, at=now, webhook_url="https://example.com/hook")
    add_given_up(job_id, now, last_answer="HTTP 410")
    return Fault("1 webhook", "HTTP 410", "Send again")


def quota_is_near_its_end(context: Context, feed: Feed) -> Fault:
    period = context.clock.now().date().replace(day=1)
    spent = {"words": 19_000, "posts": 20, "requests": 20, "reserved_words": 0}
    with database.writing() as session:
        month = {"account_id": feed.account_id, "period_start": period}
        session.add(models.UsageMonth(**month, **spent))
    return Fault("19,000 of 20,000 words", "Plan Starter", "Change the plan")


def spend_cap_is_reached(context: Context, feed: Feed) -> Fault:
    account = accounts.create_account(context, "Capped", "starter")
    month = context.clock.now().date().replace(day=1)
    spent = {"calls": 1, "prompt_tokens": 10, "answer_tokens": 10, "micros": 2_000_000}
    with database.writing() as session:
        session.get_one(models.Account, account).spend_cap = 2_000_000
        cost = {"scope": account, "period_start": month, "kind": "account"}
        session.add(models.Cost(**cost, **spent))
    return Fault(
        "$2.00 of $2.00 this month. It writes nothing until next month",
        "Cap $2.00 a month reached",
        "Change the cap",
    )


def check_stops_a_post(context: Context, feed: Feed) -> Fault:
    finding = {"check": "wrong_conversion", "section": "post", "reason": "5 km is 3.1 miles."}
    details = {"details": {"findings": [finding]}}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "Checks failed.", **details}
    now = context.clock.now()
    add_job(feed.account_id, at=now, status="failed", error=error)
    return Fault("A job of Blog The model made a mistake", "use a larger model")


def job_was_refused(context: Context, feed: Feed) -> Fault:
    now, error = context.clock.now(), {"code": "PROHIBITED_INPUT", "message": "Declined."}
    add_job(feed.account_id, at=now, status="failed", error=error)
    return Fault("The model declined these keywords. Change them", "one per line", "Try again")


def post_is_held(context: Context, feed: Feed) -> Fault:
    (item_id,) = feed.add_items("Tea", 1)
    _set_state(item_id, "held")
    return Fault("holds 1 post for review", "Title or id", "Review")


def site_never_confirms(context: Context, feed: Feed) -> Fault:
    (item_id,) = feed.add_items("Tea", 1)
    _set_state(item_id, "abandoned")
    return Fault("pulled 3 times and never confirmed", f"copydesk-server item requeue {item_id}")


def disk_is_full(context: Context, feed: Feed) -> Fault:
    return Fault("The disk of", "Free at least 500 MB.")


def local_model_has_no_sources(context: Context, feed: Feed) -> Fault:
    return Fault("The local model writes only from sources", "Name them in the console")


def _set_state(item_id: str, status: str) -> None:
    now = datetime.now(UTC)
    changed = update(models.FeedItem).where(models.FeedItem.id == item_id)
    with database.writing() as session:
        session.execute(changed.values(status=status, generated_at=now))


def _change(feed: Feed, rule: str, **columns: Any) -> None:
    changed = update(models.Rule).where(models.Rule.id == feed.rules[rule])
    with database.writing() as session:
        session.execute(changed.values(**columns))


def _add_failed_run(context: Context, feed: Feed, error: dict[str, Any]) -> None:
    now = context.clock.now()
    times = {"slot": now, "not_before": now, "finished_at": now}
    run = {"id": new_id("run"), "rule_id": feed.rules["Cocoa"], "status": "failed", "attempts": 1}
    with database.writing() as session:
        session.add(models.Run(**run, **times, error=error))


FAULTS: tuple[Callable[[Context, Feed], Fault], ...] = (
    model_is_down, queue_is_down, tables_are_old, no_worker, too_few_workers, no_scheduler,
    rule_fails, rule_is_too_short, rule_is_saturated, feed_is_unread, webhook_is_dead,
    quota_is_near_its_end, spend_cap_is_reached, check_stops_a_post, job_was_refused, post_is_held,
    site_never_confirms, disk_is_full, local_model_has_no_sources,
)  # fmt: skip


@pytest.fixture
def installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Context, Feed]]:
    """The address of a service without a model, whose Redis does not answer and whose disk is full,
    and a feed of it."""
    url = f"sqlite:///{tmp_path / 'copydesk.db'}"
    app = create_app(Settings(database_url=url, redis_url="redis://127.0.0.1:1/0"))
    database.migrate()
    held = app.extensions["copydesk"]
    held.context = replace(held.context, options=replace(held.context.options, is_local=True))
    context = held.context
    monkeypatch.setattr(needs, "FREE_BYTES", 10**18)
    operators.create_operator(context, "Ada", PASSWORD)
    feed = another_feed(url)
    with served(app) as address:
        yield address, context, feed


def words(browser: Browser) -> str:
    return " ".join(browser.text("main").split())


def follow(browser: Browser, link: str, beside: str) -> None:
    """Click a link or a button in the innermost block that has a text."""
    script = """((link, beside) => {
        const words = node => node.innerText.replace(/\\s+/g, " ");
        const blocks = [...document.querySelectorAll("main li, main p, main .notice")];
        const lit = blocks.filter(block => words(block).includes(beside)).pop();
        return [...lit.querySelectorAll("a, button")].find(a => words(a) === link);
    })(%s, %s)"""
    browser.click(script % (json.dumps(link), json.dumps(beside)))


def test_one_click_leads_from_each_red_light_to_what_to_do(
    installation: tuple[str, Context, Feed], browser: Browser
) -> None:
    """“from any red light to the sentence that says what to do in at most one click”: all are there
    at once"""
    address, context, feed = installation
    sign_in(browser, address)
    healthy = words(browser)
    faults = {plant.__name__: plant(context, feed) for plant in FAULTS}
    for name, fault in faults.items():
        browser.open(address)
        assert fault.light in words(browser), name
        for link in fault.clicks:
            assert fault.cause not in words(browser), f"{name} needs fewer clicks"
            follow(browser, link, fault.light)
        assert fault.cause in words(browser), name
        assert len(fault.clicks) <= MOST_CLICKS
    browser.open(address)
    for width, dark in ((1440, False), (390, True)):
        browser.look("console/faults", width, dark)
    assert browser.complaints == []
    assert len(faults) >= 15
    lit = {name for name, fault in faults.items() if fault.light in healthy}
    planted_before = {"model_is_down", "queue_is_down", "disk_is_full"}
    assert lit == {*planted_before, "local_model_has_no_sources"}
