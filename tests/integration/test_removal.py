"""Deleting rules, feeds and accounts on both databases."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from app.core.billing.costs import Figures
from app.core.credentials import sandbox_of
from app.core.errors import Conflict, NotFound
from app.core.feed.item import Status
from app.extensions import Base
from app.services import accounts, removal
from app.store import costs, database, models
from tests.support.consoles import add_given_up, add_job
from tests.support.integration import Feed

KEPT = {models.Plan, models.Signature}


def count(row: type[Base], *where: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(row).where(*where)) or 0


def left() -> dict[str, int]:
    """How many rows each table has that is not empty, but those of KEPT."""
    tables = {mapper.class_ for mapper in Base.registry.mappers} - KEPT
    counted = {table.__tablename__: count(table) for table in tables}
    return {name: number for name, number in counted.items() if number}


def store(*rows: Base) -> None:
    for row in rows:
        with database.writing() as session:
            session.add(row)


def add_traces(feed: Feed, post_id: str, scope: str, work_id: str) -> None:
    """What is stored of a post beside it."""
    now = feed.clock.now()
    known = {"post_id": post_id, "account_id": feed.account_id, "created_at": now}
    store(
        models.Signature(post_id=post_id, scope=scope, signature=b"\0"),
        models.Band(scope=scope, band=1, post_id=post_id),
        models.Evidence(id=f"evd_{post_id}", **known, sources=[], coverage=[]),
        models.Journal(work_id=work_id, inputs={}, created_at=now),
        models.JournalCall(work_id=work_id, stage="1 draft 1", answer={}),
        models.PostCost(work_id=work_id, **known),
    )
    for rule_id in (None, *feed.rules.values()):
        payer = costs.Payer(feed.account_id, rule_id)
        with database.writing() as session:
            costs.add(session, payer, now.date(), Figures(1))


def add_run(feed: Feed, item_id: str) -> None:
    now, rule_id = feed.clock.now(), feed.rules["Coffee"]
    run = {"slot": now, "not_before": now, "attempts": 1, "status": "succeeded"}
    store(models.Run(id="run_1", rule_id=rule_id, item_id=item_id, **run))


def test_a_rule_is_deleted_with_its_posts(feed: Feed) -> None:
    items, tea = feed.add_items("Coffee", 450), feed.add_items("Tea")
    with database.writing() as session:
        session.execute(update(models.FeedItem).values(status=Status.USED.value))
    add_run(feed, items[0])
    add_traces(feed, items[0], feed.token_id, "run_1")
    add_traces(feed, tea[0], feed.token_id, "run_2")
    removal.delete_rule(feed.rules["Coffee"])
    assert [row[0] for row in feed.rows()] == tea
    rows = (models.Evidence, models.Journal, models.JournalCall, models.PostCost)
    assert [count(row) for row in rows] == [1] * len(rows)
    # Its account keeps what the rule has cost.
    scopes = {"", feed.account_id, feed.rules["Tea"]}
    with database.reading() as session:
        assert set(session.scalars(select(models.Cost.scope))) == scopes
    # New posts of the feed still differ from those of the rule.
    assert count(models.Band, models.Band.scope == feed.token_id) == 2
    with pytest.raises(NotFound):
        removal.delete_rule(feed.rules["Coffee"])


@pytest.mark.parametrize("status", [Status.PENDING, Status.RESERVED])
def test_a_rule_with_posts_that_no_site_has_published_is_kept(feed: Feed, status: Status) -> None:
    feed.add_items("Coffee", 2)
    with database.writing() as session:
        session.execute(update(models.FeedItem).values(status=status.value))
    with pytest.raises(Conflict, match="“Coffee” has 2 posts that no site has published"):
        removal.delete_rule(feed.rules["Coffee"])
    assert len(feed.rows()) == 2
    assert not feed.rule("Coffee").paused
    removal.delete_rule(feed.rules["Coffee"], discard=True)
    assert feed.rows() == []


def test_a_rule_whose_post_is_being_written_is_kept(feed: Feed) -> None:
    now, rule_id = feed.clock.now(), feed.rules["Coffee"]
    run = {"id": "run_1", "rule_id": rule_id, "slot": now, "not_before": now, "attempts": 1}
    store(models.Run(**run, status="running"))
    with pytest.raises(Conflict, match="A post of the rule “Coffee” is being written"):
        removal.delete_rule(rule_id, discard=True)
    with database.writing() as session:
        session.execute(update(models.Run).values(status="failed"))
    removal.delete_rule(rule_id)
    assert feed.runs() == []


def test_nothing_of_an_account_is_left(feed: Feed) -> None:
    """“account delete”: all rows but the signatures, which contain no text"""
    context, now = feed.context, feed.clock.now()
    items = feed.add_items("Coffee", 3)
    store(models.FeedMonth(token_id=feed.token_id, period_start=now.date().replace(day=1)))
    add_run(feed, items[0])
    add_traces(feed, items[0], feed.token_id, "run_1")
    keys = [accounts.create_key(context, feed.account_id, sandbox=test) for test in (False, True)]
    store(models.UsageDay(key_id=keys[0].id, day=now.date(), used=3))
    key = {"endpoint": "jobs", "key": "a", "fingerprint": "", "status": "done", "owner": "o"}
    for owner in (feed.account_id, sandbox_of(feed.account_id)):
        job = add_job(owner, at=now)
        add_given_up(job, now - timedelta(hours=1))
        add_traces(feed, job, owner, job)
        store(
            models.UsageMonth(account_id=owner, period_start=now.date().replace(day=1)),
            models.IdempotencyKey(account_id=owner, **key, lease_until=now, created_at=now),
        )
    for name in feed.rules:
        removal.delete_rule(feed.rules[name], discard=True)
    removal.delete_feed(feed.token_id)
    assert count(models.Band, models.Band.scope == feed.token_id) == 0
    with pytest.raises(Conflict, match="has 2 working API keys"):
        removal.delete_account(feed.account_id)
    for key in keys:
        accounts.revoke_key(context, key.id)
    with database.writing() as session:
        session.execute(update(models.Job).values(status="queued"))
    with pytest.raises(Conflict, match="jobs or calls that are not finished"):
        removal.delete_account(feed.account_id)
    with database.writing() as session:
        session.execute(update(models.Job).values(status="failed"))
    removal.delete_account(feed.account_id)
    # The installation keeps the sum of what it paid.
    assert left() == {"costs": 1}
    assert count(models.Cost, models.Cost.scope == "") == 1


def test_another_account_keeps_all_that_it_has(feed: Feed) -> None:
    context, now = feed.context, feed.clock.now()
    other = accounts.create_account(context, "Other", "starter")
    job = add_job(feed.account_id, at=now)
    add_traces(feed, job, feed.account_id, job)
    accounts.create_key(context, feed.account_id)
    before = left()
    removal.delete_account(other)
    assert left() == {**before, "accounts": 1}
    with pytest.raises(NotFound):
        removal.delete_account(sandbox_of(other))
