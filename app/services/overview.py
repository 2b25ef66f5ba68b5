"""What the console and the commands list of the whole installation. Nothing here changes anything.

Each statement reads as many rows as it shows, or up to a bound: its cost does not grow with what is
stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, defer

from app.core.billing.metering import Consumed, period_start
from app.core.billing.plan import Plan
from app.core.credentials import sandbox_of
from app.services import usage
from app.services.context import Context
from app.services.lookups import require, require_account
from app.store import accounts as account_store
from app.store import overview as store
from app.store.database import reading
from app.store.models import (
    Account,
    ApiKey,
    Feed,
    FeedItem,
    FeedMonth,
    Job,
    JournalCall,
    Rule,
    UsageDay,
    UsageMonth,
    WebhookDelivery,
)
from app.store.overview import LOOKED_AT, MOST_COUNTED, WorkFilter, newest_first, newest_work
from app.writing.completion import PURPOSES

PAGE = 50
"""How many rows a page of a list has."""
_MONTHS = 12
_CALLS_SHOWN = 200


@dataclass(frozen=True)
class AccountPage:
    """An account with its plan and its usage: ``months`` are billing periods with the words of
    each, the oldest first."""

    row: Account
    plan: Plan
    consumed: Consumed
    months: Sequence[tuple[date, int]]


def accounts(
    context: Context, before: str = "", limit: int = PAGE, text: str = ""
) -> Sequence[Any]:
    """Return a page of accounts with a text in their name (of the newest 10,000; "": of all),
    newest first, each with its words and posts of the month."""
    month, period = UsageMonth, period_start(context.clock.now())
    # Sandboxes come behind all accounts, in the order of ids.
    query = (
        select(Account, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .outerjoin(month, (month.account_id == Account.id) & (month.period_start == period))
        .where(Account.id < sandbox_of(""))
    )
    with reading() as session:
        return newest_first(session, _named(query, Account, text), Account.id, before, limit)


def _named(query: Select[*tuple[Any, ...]], kind: Any, text: str) -> Select[*tuple[Any, ...]]:
    """Narrow a query to the newest 10,000 of a kind that have a text in their name; "" does not."""
    if not text:
        return query
    newest = select(kind.id).order_by(kind.id.desc()).limit(LOOKED_AT)
    if kind is Account:
        newest = newest.where(Account.id < sandbox_of(""))
    return query.where(kind.id.in_(newest), kind.name.icontains(text, autoescape=True))


def account(context: Context, account_id: str) -> AccountPage:
    """Return an account with its plan and usage.

    Raises:
        NotFound: unknown account.
    """
    period, month = period_start(context.clock.now()), UsageMonth
    latest = select(month.period_start, month.words).where(month.account_id == account_id)
    latest = latest.order_by(month.period_start.desc()).limit(_MONTHS)
    with reading() as session:
        row = require_account(session, account_id)
        plan = account_store.plan_of_account(session, account_id)
        consumed = usage.consumed(session, account_id, period)
        months = [(begin, words) for begin, words in session.execute(latest)]
    return AccountPage(row, plan, consumed, months[::-1])


def feeds(
    context: Context, account_id: str = "", before: str = "", limit: int = PAGE, text: str = ""
) -> Sequence[Any]:
    """Return a page of feeds, of an account or of all, with a text in their name as ``accounts``,
    newest first: each with the name of its account, and its words and posts of the month.

    Raises:
        NotFound: unknown account.
    """
    month, period = FeedMonth, period_start(context.clock.now())
    query = (
        select(Feed, Account.name, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .join(Account)
        .outerjoin(month, (month.token_id == Feed.id) & (month.period_start == period))
    )
    if account_id:
        query = query.where(Feed.account_id == account_id)
    with reading() as session:
        _require_account(session, account_id)
        return newest_first(session, _named(query, Feed, text), Feed.id, before, limit)


def keys(
    context: Context, account_id: str = "", before: str = "", limit: int = PAGE
) -> Sequence[Any]:
    """Return a page of API keys, of an account with its sandbox or of all, newest first: each with
    the name of its account, and its requests of today.

    Raises:
        NotFound: unknown account.
    """
    day, today = UsageDay, context.clock.now().date()
    query = (
        select(ApiKey, Account.name, func.coalesce(day.used, 0))
        .join(Account)
        .outerjoin(day, (day.key_id == ApiKey.id) & (day.day == today))
    )
    # Apart, as the index has them.
    parts = [query]
    if account_id:
        parts = [
            query.where(ApiKey.account_id == each) for each in (account_id, sandbox_of(account_id))
        ]
    with reading() as session:
        _require_account(session, account_id)
        found = [
            row for part in parts for row in newest_first(session, part, ApiKey.id, before, limit)
        ]
    return sorted(found, key=lambda row: row[0].id, reverse=True)[:limit]


def _require_account(session: Session, account_id: str) -> None:
    if account_id:
        require(session, Account, account_id)


def feed(feed_id: str) -> tuple[Feed, str]:
    """Return a feed and the name of its account.

    Raises:
        NotFound: unknown feed.
    """
    with reading() as session:
        found = require(session, Feed, feed_id)
        return found, session.get_one(Account, found.account_id).name


def rule(rule_id: str) -> tuple[Rule, str]:
    """Return a rule and the name of its feed.

    Raises:
        NotFound: unknown rule.
    """
    with reading() as session:
        found = require(session, Rule, rule_id)
        return found, session.get_one(Feed, found.token_id).name


def item(item_id: str) -> tuple[FeedItem, str, str]:
    """Return an item with its post, and the names of its feed and its rule.

    Raises:
        NotFound: unknown item.
    """
    with reading() as session:
        found = require(session, FeedItem, item_id)
        rule = session.get_one(Rule, found.rule_id)
        return found, session.get_one(Feed, found.token_id).name, rule.name


def jobs(wanted: WorkFilter, before: str = "", limit: int = PAGE) -> Sequence[Any]:
    """Return a page of jobs, newest first, each with the name of its account.

    Raises:
        NotFound: unknown account.
    """
    with reading() as session:
        _require_account(session, wanted.account)
        return store.jobs(session, wanted, before, limit)


def deliveries(
    wanted: WorkFilter, before: str = "", limit: int = PAGE
) -> Sequence[tuple[WebhookDelivery, str]]:
    """Return a page of webhooks without their bodies, newest first, each with the name of its
    account.

    Raises:
        NotFound: unknown account or job.
    """
    newest = newest_work(WebhookDelivery, wanted, before, limit)
    query = (
        select(WebhookDelivery, Account.name)
        .join(Job, Job.id == WebhookDelivery.job_id)
        .join(Account, Account.id == Job.account_id)
        .options(defer(WebhookDelivery.body))
        .order_by(WebhookDelivery.id.desc())
    )
    with reading() as session:
        _require_account(session, wanted.account)
        if wanted.job:
            require(session, Job, wanted.job)
        ids = list(session.scalars(newest))
        rows = session.execute(query.where(WebhookDelivery.id.in_(ids)))
        return [(delivery, account) for delivery, account in rows]


def count_deliveries(wanted: WorkFilter) -> int:
    """Return how many webhooks match, counting at most 1,000."""
    with reading() as session:
        return store.count(session, newest_work(WebhookDelivery, wanted, "", MOST_COUNTED))


def job(job_id: str) -> tuple[Job, str, Sequence[str]]:
    """Return a job, the name of its account, and what its calls to the model were for so far, in
    the order of the pipeline.

    Raises:
        NotFound: unknown job.
    """
    calls = select(JournalCall.stage).where(JournalCall.work_id == job_id).limit(_CALLS_SHOWN)
    with reading() as session:
        found = require(session, Job, job_id)
        account = session.get_one(Account, found.account_id).name
        stages = [stage.split() for stage in session.scalars(calls)]
    order = {purpose: number for number, purpose in enumerate(PURPOSES)}
    stages.sort(key=lambda stage: (int(stage[0]), order.get(stage[1], 0), int(stage[2])))
    return found, account, [purpose for _, purpose, _ in stages]
