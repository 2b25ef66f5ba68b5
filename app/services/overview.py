"""What the console lists of the whole installation. Nothing here changes anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy.orm import Session

from app.core.billing.metering import Consumed, period_start
from app.core.billing.plan import Plan
from app.core.credentials import sandbox_of
from app.services.context import Context
from app.services.lookups import require, require_account
from app.store import accounts as account_store
from app.store import models, post_list
from app.store import overview as store
from app.store import usage as usage_store
from app.store.database import reading
from app.store.overview import WorkFilter
from app.store.post_list import Beside, Post, PostFilter

PAGE = 50
"""How many rows a page of a list has."""
_MONTHS = 12
_CALLS_SHOWN = 200


@dataclass(frozen=True)
class AccountPage:
    """An account with its plan and its usage: ``months`` are billing periods with the words of
    each, the oldest first."""

    row: models.Account
    plan: Plan
    consumed: Consumed
    months: Sequence[tuple[date, int]]


def accounts(
    context: Context, before: str = "", limit: int = PAGE, text: str = ""
) -> Sequence[Any]:
    """Return a page of accounts with a text in their name (of the newest 10,000; "": of all),
    newest first, each with its words and posts of the month."""
    with reading() as session:
        return store.accounts(session, period_start(context.clock.now()), before, limit, text)


def account(context: Context, account_id: str) -> AccountPage:
    """Return an account with its plan and usage.

    Raises:
        NotFound: unknown account.
    """
    period = period_start(context.clock.now())
    with reading() as session:
        row = require_account(session, account_id)
        plan = account_store.plan_of_account(session, account_id)
        months = store.months(session, account_id, _MONTHS)
        return AccountPage(
            row,
            plan,
            usage_store.consumed(session, account_id, period),
            [(month.period_start, month.words) for month in reversed(months)],
        )


def feeds(
    context: Context, account_id: str = "", before: str = "", limit: int = PAGE, text: str = ""
) -> Sequence[Any]:
    """Return a page of feeds, of an account or of all, with a text in their name as ``accounts``,
    newest first: each with the name of its account, and its words and posts of the month.

    Raises:
        NotFound: unknown account.
    """
    with reading() as session:
        _require_account(session, account_id)
        period = period_start(context.clock.now())
        return store.feeds(session, account_id, period, before, limit, text)


def keys(
    context: Context, account_id: str = "", before: str = "", limit: int = PAGE
) -> Sequence[Any]:
    """Return a page of API keys, of an account with its sandbox or of all, newest first: each with
    the name of its account, and its requests of today.

    Raises:
        NotFound: unknown account.
    """
    today = context.clock.now().date()
    owners = (account_id, sandbox_of(account_id)) if account_id else ("",)
    with reading() as session:
        _require_account(session, account_id)
        found = [
            row for owner in owners for row in store.keys(session, owner, today, before, limit)
        ]
    return sorted(found, key=lambda row: row[0].id, reverse=True)[:limit]


def _require_account(session: Session, account_id: str) -> None:
    if account_id:
        require(session, models.Account, account_id)


def feed(feed_id: str) -> tuple[models.Feed, str]:
    """Return a feed and the name of its account.

    Raises:
        NotFound: unknown feed.
    """
    with reading() as session:
        found = require(session, models.Feed, feed_id)
        return found, session.get_one(models.Account, found.account_id).name


def rule(rule_id: str) -> tuple[models.Rule, str]:
    """Return a rule and the name of its feed.

    Raises:
        NotFound: unknown rule.
    """
    with reading() as session:
        found = require(session, models.Rule, rule_id)
        return found, session.get_one(models.Feed, found.token_id).name


def items(wanted: PostFilter, before: str = "", limit: int = PAGE) -> Sequence[Any]:
    """Return a page of items, newest first, each with the name of its rule.

    Raises:
        NotFound: unknown rule.
    """
    with reading() as session:
        if wanted.rule:
            require(session, models.Rule, wanted.rule)
        return post_list.items(session, wanted, before, limit)


def posts(wanted: PostFilter, before: str = "") -> Sequence[Post]:
    """Return a page of posts of rules and jobs, and of those that failed, newest first. A text is
    looked for in the newest 10,000 of each kind."""
    with reading() as session:
        return post_list.posts(session, wanted, before, PAGE)


def item(item_id: str) -> tuple[models.FeedItem, str, str]:
    """Return an item with its post, and the names of its feed and its rule.

    Raises:
        NotFound: unknown item.
    """
    with reading() as session:
        found = require(session, models.FeedItem, item_id)
        rule = session.get_one(models.Rule, found.rule_id)
        return found, session.get_one(models.Feed, found.token_id).name, rule.name


def held_beside(item: models.FeedItem, feed_id: str = "") -> Beside:
    """Return the next held items, of a feed or ("") of all."""
    with reading() as session:
        return post_list.held_beside(session, feed_id, item)


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
) -> Sequence[tuple[models.WebhookDelivery, str]]:
    """Return a page of webhooks without their bodies, newest first, each with the name of its
    account.

    Raises:
        NotFound: unknown account or job.
    """
    with reading() as session:
        _require_account(session, wanted.account)
        if wanted.job:
            require(session, models.Job, wanted.job)
        return store.deliveries(session, wanted, before, limit)


def job(job_id: str) -> tuple[models.Job, str, Sequence[str]]:
    """Return a job, the name of its account, and what its calls to the model were for so far.

    Raises:
        NotFound: unknown job.
    """
    with reading() as session:
        found = require(session, models.Job, job_id)
        account = session.get_one(models.Account, found.account_id).name
        return found, account, store.calls_of(session, job_id, _CALLS_SHOWN)


def count_deliveries(wanted: WorkFilter) -> int:
    """Return how many webhooks match, counting at most 1,000."""
    with reading() as session:
        return store.count_deliveries(session, wanted)
