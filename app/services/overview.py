"""What the console shows of the whole installation. Nothing here changes anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from app.core.billing.metering import period_start
from app.core.errors import NotFound
from app.services.context import Context
from app.store import models
from app.store import overview as store
from app.store.database import reading

PAGE = 50
"""How many rows a page of a list has."""
_DAYS = 14
_SHOWN = 10


@dataclass(frozen=True)
class Backlog:
    """Work of one kind that waits. ``seconds`` is how long ago the oldest could have begun."""

    name: str
    count: int
    seconds: int


@dataclass(frozen=True)
class Day:
    """The posts that rules generated on a day (UTC)."""

    day: date
    posts: int


@dataclass(frozen=True)
class Home:
    """What the first page shows: what waits, what needs an operator, and the posts of two weeks."""

    backlogs: Sequence[Backlog]
    failing: Sequence[models.Rule]
    saturated: Sequence[models.Rule]
    failed_webhooks: int
    days: Sequence[Day]
    is_new: bool


@dataclass(frozen=True)
class Item:
    """A feed item with its post, and the names of its feed and rule."""

    row: models.FeedItem
    feed: str
    rule: str


def home(context: Context) -> Home:
    """Return what the first page shows."""
    now = context.clock.now()
    with reading() as session:
        backlogs = []
        for name, kind in store.WORK:
            waits = store.waiting(session, kind)
            age = int((now - waits.since).total_seconds()) if waits.since else 0
            backlogs.append(Backlog(name, waits.count, max(0, age)))
        begin = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
        begins = [begin - timedelta(days=back) for back in range(_DAYS - 1, -1, -1)]
        days = [
            Day(each.date(), store.items_between(session, each, each + timedelta(days=1)))
            for each in begins
        ]
        return Home(
            backlogs,
            store.failing_rules(session, _SHOWN),
            store.saturated_rules(session, _SHOWN),
            store.failed_deliveries(session),
            days,
            is_new=not store.accounts(session, period_start(now), "", 1),
        )


def accounts(context: Context, before: str) -> Sequence[Any]:
    """Return a page of accounts, each with its words and posts of the month."""
    with reading() as session:
        return store.accounts(session, period_start(context.clock.now()), before, PAGE)


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
            raise NotFound(f"There is no feed {feed_id}.")
        return found, session.get_one(models.Account, found.account_id).name


def items(before: str) -> Sequence[Any]:
    """Return a page of the items of all feeds, each with the name of its rule."""
    with reading() as session:
        return store.items(session, before, PAGE)


def items_of_rule(rule_id: str) -> Sequence[Any]:
    """Return the newest items of a rule."""
    with reading() as session:
        return store.items_of_rule(session, rule_id, PAGE)


def item(item_id: str) -> Item:
    """Return an item with its post.

    Raises:
        NotFound: unknown item.
    """
    with reading() as session:
        found = session.get(models.FeedItem, item_id)
        if found is None:
            raise NotFound(f"There is no item {item_id}.")
        rule = session.get_one(models.Rule, found.rule_id)
        return Item(found, session.get_one(models.Feed, found.token_id).name, rule.name)


def jobs(before: str) -> Sequence[Any]:
    """Return a page of jobs, each with the name of its account."""
    with reading() as session:
        return store.jobs(session, before, PAGE)


def job(job_id: str) -> models.Job:
    """Return a job.

    Raises:
        NotFound: unknown job.
    """
    with reading() as session:
        found = session.get(models.Job, job_id)
    if found is None:
        raise NotFound(f"There is no job {job_id}.")
    return found
