"""What the console lists of the whole installation. Nothing here changes anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.core.billing.metering import Consumed, period_start
from app.core.billing.plan import Plan
from app.core.credentials import is_sandbox, sandbox_of
from app.core.errors import NotFound
from app.core.feed.item import Status
from app.services.context import Context
from app.store import accounts as account_store
from app.store import models
from app.store import overview as store
from app.store import usage as usage_store
from app.store.database import reading
from app.store.overview import DeliveryFilter, ItemFilter

PAGE = 50
"""How many rows a page of a list has."""
ITEM_STATES = tuple(state.value for state in Status)
_MONTHS = 12
_CALLS_SHOWN = 200

__all__ = ["ITEM_STATES", "PAGE", "DeliveryFilter", "ItemFilter"]


@dataclass(frozen=True)
class AccountPage:
    """An account with its plan, its usage and its newest keys and feeds.

    ``keys`` have their requests of today, ``feeds`` their words and posts of this month. ``months``
    are billing periods with the words of each, the oldest first.
    """

    row: models.Account
    plan: Plan
    consumed: Consumed
    months: Sequence[tuple[date, int]]
    keys: Sequence[tuple[models.ApiKey, int]]
    feeds: Sequence[tuple[models.Feed, int, int]]


@dataclass(frozen=True)
class Item:
    """A feed item with its post, and the names of its feed and rule."""

    row: models.FeedItem
    feed: str
    rule: str


@dataclass(frozen=True)
class Job:
    """A job with the name of its account, and what its calls to the model were for so far."""

    row: models.Job
    account: str
    calls: Sequence[str]


def accounts(context: Context, before: str) -> Sequence[Any]:
    """Return a page of accounts, each with its words and posts of the month."""
    with reading() as session:
        return store.accounts(session, period_start(context.clock.now()), before, PAGE)


def account(context: Context, account_id: str) -> AccountPage:
    """Return an account with its plan, usage, keys and feeds.

    Raises:
        NotFound: unknown account.
    """
    now = context.clock.now()
    period, today = period_start(now), now.date()
    with reading() as session:
        row = None if is_sandbox(account_id) else session.get(models.Account, account_id)
        if row is None:
            raise NotFound(f"There is no account {account_id[:40]}.")
        plan = account_store.plan_of_account(session, account_id)
        assert plan is not None  # noqa: S101 - a foreign key
        sandbox = store.keys(session, sandbox_of(account_id), today, PAGE)
        months = store.months(session, account_id, _MONTHS)
        return AccountPage(
            row,
            plan,
            usage_store.consumed(session, account_id, period),
            [(month.period_start, month.words) for month in reversed(months)],
            [*store.keys(session, account_id, today, PAGE), *sandbox],
            store.feeds_of(session, account_id, period, PAGE),
        )


def feeds(before: str) -> Sequence[Any]:
    """Return a page of feeds, each with the name of its account."""
    with reading() as session:
        return store.feeds(session, before, PAGE)


def feed(feed_id: str) -> tuple[models.Feed, str]:
    """Return a feed and the name of its account.

    Raises:
        NotFound: unknown feed.
    """
    with reading() as session:
        found = session.get(models.Feed, feed_id)
        if found is None:
            raise NotFound(f"There is no feed {feed_id[:40]}.")
        return found, session.get_one(models.Account, found.account_id).name


def rule(rule_id: str) -> tuple[models.Rule, str]:
    """Return a rule and the name of its feed.

    Raises:
        NotFound: unknown rule.
    """
    with reading() as session:
        found = session.get(models.Rule, rule_id)
        if found is None:
            raise NotFound(f"There is no rule {rule_id[:40]}.")
        return found, session.get_one(models.Feed, found.token_id).name


def items(wanted: ItemFilter, before: str) -> Sequence[Any]:
    """Return a page of items, each with the name of its rule. An unknown state counts as all."""
    if wanted.status not in ITEM_STATES:
        wanted = ItemFilter(wanted.feed, wanted.rule)
    with reading() as session:
        return store.items(session, wanted, before, PAGE)


def item(item_id: str) -> Item:
    """Return an item with its post.

    Raises:
        NotFound: unknown item.
    """
    with reading() as session:
        found = session.get(models.FeedItem, item_id)
        if found is None:
            raise NotFound(f"There is no item {item_id[:40]}.")
        rule = session.get_one(models.Rule, found.rule_id)
        return Item(found, session.get_one(models.Feed, found.token_id).name, rule.name)


def jobs(before: str) -> Sequence[Any]:
    """Return a page of jobs, each with the name of its account."""
    with reading() as session:
        return store.jobs(session, before, PAGE)


def job(job_id: str) -> Job:
    """Return a job.

    Raises:
        NotFound: unknown job.
    """
    with reading() as session:
        found = session.get(models.Job, job_id)
        if found is None:
            raise NotFound(f"There is no job {job_id[:40]}.")
        account = session.get_one(models.Account, found.account_id).name
        return Job(found, account, store.calls_of(session, job_id, _CALLS_SHOWN))


def given_up(wanted: DeliveryFilter, before: str) -> Sequence[tuple[models.WebhookDelivery, str]]:
    """Return a page of the webhooks that were given up, each with the name of its account."""
    with reading() as session:
        return store.given_up(session, wanted, before, PAGE)


def count_given_up(wanted: DeliveryFilter) -> int:
    """Return how many webhooks that were given up match, counting at most 10,000."""
    with reading() as session:
        return store.count_given_up(session, wanted)
