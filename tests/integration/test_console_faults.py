"""From any red light of the console's first page to its cause in at most two clicks."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import text, update

from app import create_app
from app.services import accounts
from app.settings import Settings
from app.store import database, models
from app.store.rows import new_id
from tests.support.consoles import ConsoleOperator, add_given_up, add_job
from tests.support.integration import SQLITE, Feed

# What a light and the links to its cause are in; the innermost that has the text.
BLOCK = re.compile(r"<(li|p|div class=\"notice\")\b.*?</(?:li|p|div)>", re.DOTALL)
LINK = re.compile(r'<a [^>]*?href="([^"#]+)"')
MOST_CLICKS = 2
HOUR = timedelta(hours=1)


@pytest.fixture
def ada(feed: Feed) -> ConsoleOperator:
    """An operator of a service without a model, whose Redis does not answer."""
    app = create_app(Settings(database_url=feed.url, redis_url="redis://127.0.0.1:1/0"))
    return ConsoleOperator(app.test_client())


def main_of(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def clicks_to(ada: ConsoleOperator, light: str, cause: str) -> int | None:
    """How many clicks lead from a light on the first page to a page that names its cause: first on
    a link beside the light, then on any link of the pages. None if it takes more than two."""
    home = main_of(ada.page("/"))
    beside = [found[0] for found in BLOCK.finditer(home) if light in words_of(found[0])]
    assert beside, f"no light “{light}” in: {words_of(home)}"
    if any(cause in words_of(block) for block in beside):
        return 0
    ways = {unescape(link) for block in beside for link in LINK.findall(block)}
    for clicks in range(1, MOST_CLICKS + 1):
        pages = [main_of(ada.page(way)) for way in sorted(ways) if way.startswith("/")]
        if any(cause in words_of(page) for page in pages):
            return clicks
        ways = {unescape(link) for page in pages for link in LINK.findall(page)}
    return None


def model_is_down(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    return "The model cannot be reached.", "set OPENAI_API_KEY"


def queue_is_down(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    return "The queue cannot be reached.", "Redis"


def tables_are_old(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0004'"))
    return "an earlier version of Copydesk", "copydesk-server migrate"


def no_worker(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    at = ada.context.clock.now() - 2 * HOUR
    add_job(feed.account_id, at=at, status="queued")
    return "1 waiting, the oldest for 2 hours", "No worker is writing or sending"


def too_few_workers(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    now = ada.context.clock.now()
    with database.writing() as session:
        for name, status, at in (("Tea", "running", now), ("Coffee", "queued", now - 3 * HOUR)):
            run = {"id": new_id("run"), "rule_id": feed.rules[name], "status": status}
            session.add(models.Run(**run, slot=at, not_before=at))
    return "1 waiting, the oldest for 3 hours", "The workers cannot keep up: start more"


def no_scheduler(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    _change(feed, "Tea", next_due_at=ada.context.clock.now() - 3 * HOUR)
    return "A rule has been due for too long", "copydesk-server scheduler"


def rule_fails(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    reason = "SOURCES_UNREACHABLE: no source answered"
    _change(feed, "Coffee", failures=3, last_error=reason)
    return "3 failed runs in a row", reason


def rule_is_saturated(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    now = ada.context.clock.now()
    _change(feed, "Tea", saturated_since=now, saturated_until=now + timedelta(days=7))
    return "Tea since", "It tries again after"


def feed_is_full(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    feed.add_items("Coffee", ada.context.policy.queue_cap)
    _add_failed_run(ada, feed, {"code": "QUEUE_FULL", "message": "The rule has 100 unread items."})
    return "waits until a site pulls its posts", "The rule has 100 unread items."


def feed_is_unread(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    feed.add_items("Tea", 3)
    return "3 unread posts", "Connect a site"


def webhook_is_dead(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    now = ada.context.clock.now()
    job_id = add_job(feed.account_id, at=now, webhook_url="https://example.com/hook")
    add_given_up(job_id, now, last_answer="HTTP 410")
    return "1 webhook", "HTTP 410"


def webhook_is_retried(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    now = ada.context.clock.now()
    job_id = add_job(feed.account_id, at=now, webhook_url="https://example.com/hook")
    delivery = add_given_up(job_id, now, last_answer="HTTP 503")
    with database.writing() as session:
        row = session.get_one(models.WebhookDelivery, delivery)
        row.status, row.failures, row.finished_at = "queued", 4, None
        row.not_before = now + HOUR
    return "4 failed attempts", "HTTP 503"


def quota_is_near_its_end(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    period = ada.context.clock.now().date().replace(day=1)
    spent = {"words": 19_000, "posts": 20, "requests": 20, "reserved_words": 0}
    with database.writing() as session:
        month = {"account_id": feed.account_id, "period_start": period}
        session.add(models.UsageMonth(**month, **spent))
    return "19,000 of 20,000 words", "Change the plan"


def spend_cap_is_reached(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    account = accounts.create_account(ada.context, "Capped", "starter")
    month = ada.context.clock.now().date().replace(day=1)
    spent = {"calls": 1, "prompt_tokens": 10, "answer_tokens": 10, "micros": 2_000_000}
    with database.writing() as session:
        session.get_one(models.Account, account).spend_cap = 2_000_000
        cost = {"scope": account, "period_start": month, "kind": "account", "since": month}
        session.add(models.CostMonth(**cost, **spent))
    return "$2.00 of $2.00. It writes nothing until next month", "Cap $2.00 a month reached"


def check_stops_a_post(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    finding = {"check": "wrong_conversion", "section": "post", "reason": "5 km is 3.1 miles."}
    details = {"details": {"findings": [finding]}}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "Checks failed.", **details}
    now = ada.context.clock.now()
    add_job(feed.account_id, at=now, status="failed", error=error)
    return "posts in two days", "5 km is 3.1 miles."


def check_stops_a_post_of_a_rule(ada: ConsoleOperator, feed: Feed) -> tuple[str, str]:
    finding = {"check": "wrong_conversion", "section": "post", "reason": "2 kg is 4.4 lb."}
    details = {"details": {"findings": [finding]}}
    error = {"code": "CONTENT_QUALITY_FAILED", "message": "Checks failed.", **details}
    _add_failed_run(ada, feed, error)
    return "posts in two days", "2 kg is 4.4 lb."


def _change(feed: Feed, rule: str, **columns: Any) -> None:
    changed = update(models.Rule).where(models.Rule.id == feed.rules[rule])
    with database.writing() as session:
        session.execute(changed.values(**columns))


def _add_failed_run(ada: ConsoleOperator, feed: Feed, error: dict[str, Any]) -> None:
    now = ada.context.clock.now()
    times = {"slot": now, "not_before": now, "finished_at": now}
    run = {"id": new_id("run"), "rule_id": feed.rules["Coffee"], "status": "failed", "attempts": 1}
    with database.writing() as session:
        session.add(models.Run(**run, **times, error=error))


FAULTS: tuple[Callable[[ConsoleOperator, Feed], tuple[str, str]], ...] = (
    model_is_down, queue_is_down, tables_are_old, no_worker, too_few_workers, no_scheduler,
    rule_fails, rule_is_saturated, feed_is_full, feed_is_unread, webhook_is_dead,
    webhook_is_retried, quota_is_near_its_end, spend_cap_is_reached, check_stops_a_post,
    check_stops_a_post_of_a_rule,
)  # fmt: skip


@SQLITE
def test_two_clicks_lead_from_each_red_light_to_its_cause(ada: ConsoleOperator, feed: Feed) -> None:
    """“from any red light to its cause in at most two clicks, for ten planted faults”: all are
    there at once"""
    healthy = words_of(main_of(ada.page("/")))
    told = {fault.__name__: fault(ada, feed) for fault in FAULTS}
    clicks = {name: clicks_to(ada, *each) for name, each in told.items()}
    assert {name for name, number in clicks.items() if number is None} == set()
    assert len(clicks) >= 10
    lights = {name for name, (light, _) in told.items() if light in healthy}
    assert lights == {"model_is_down", "queue_is_down"}


def test_a_database_that_cannot_be_used_is_said_on_each_page(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """an old schema, which may have no sessions yet: the page names the cause, with no click"""
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0004'"))
        session.execute(text("DROP TABLE operator_sessions"))
    for path in ("/", "/console/items"):
        answer = ada.client.get(path)
        assert answer.status_code == 503
        assert "run <code>copydesk-server migrate</code>" in answer.text
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
