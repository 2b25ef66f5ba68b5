"""What the console shows of all accounts: pages of rows, and what needs an operator.

Each statement reads as many rows as it shows, or up to a bound: its cost does not grow with what is
stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session
from ulid import ULID

from app.core.credentials import sandbox_of
from app.store.jobs import DeliveryStatus
from app.store.models import (
    Account,
    Feed,
    FeedItem,
    Job,
    Leased,
    Rule,
    Run,
    UsageMonth,
    WebhookDelivery,
)

MOST_COUNTED = 10_000
"""Counts end at this number."""


@dataclass(frozen=True)
class Waiting:
    """Work of one kind that waits: since when the oldest could have begun, None if none waits."""

    count: int
    since: datetime | None


def newest_first(
    session: Session,
    query: Select[*tuple[Any, ...]],
    key: InstrumentedAttribute[str],
    before: str,
    limit: int,
) -> Sequence[Any]:
    """Return rows of a query, newest first, from before an id ("": from the newest)."""
    if before:
        query = query.where(key < before)
    rows = session.execute(query.order_by(key.desc()).limit(limit)).all()
    return [row[0] if len(row) == 1 else row for row in rows]


def accounts(session: Session, period: date, before: str, limit: int) -> Sequence[Any]:
    """Return accounts, each with its words and posts of a billing period."""
    month = UsageMonth
    # Sandboxes come behind all accounts, in the order of ids.
    query = (
        select(Account, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .outerjoin(month, (month.account_id == Account.id) & (month.period_start == period))
        .where(Account.id < sandbox_of(""))
    )
    return newest_first(session, query, Account.id, before, limit)


def feeds(session: Session, before: str, limit: int) -> Sequence[Any]:
    """Return feeds, each with the name of its account."""
    query = select(Feed, Account.name).join(Account, Account.id == Feed.account_id)
    return newest_first(session, query, Feed.id, before, limit)


_ITEM = (
    FeedItem.id,
    FeedItem.title,
    FeedItem.status,
    FeedItem.delivery_count,
    FeedItem.generated_at,
    FeedItem.token_id,
    FeedItem.rule_id,
    Rule.name,
)


def items(session: Session, before: str, limit: int) -> Sequence[Any]:
    """Return the items of all feeds without their posts, each with the name of its rule."""
    query = select(*_ITEM).join(Rule, Rule.id == FeedItem.rule_id)
    return newest_first(session, query, FeedItem.id, before, limit)


def items_of_rule(session: Session, rule_id: str, limit: int) -> Sequence[Any]:
    """Return the newest items of a rule without their posts."""
    newest = FeedItem.generated_at.desc()
    query = select(*_ITEM).join(Rule, Rule.id == FeedItem.rule_id)
    return session.execute(
        query.where(FeedItem.rule_id == rule_id).order_by(newest).limit(limit)
    ).all()


def jobs(session: Session, before: str, limit: int) -> Sequence[Any]:
    """Return jobs, each with the name of its account."""
    query = select(Job, Account.name).join(Account, Account.id == Job.account_id)
    return newest_first(session, query, Job.id, before, limit)


def waiting(session: Session, kind: type[Leased]) -> Waiting:
    """Return how much work of a kind waits, and since when."""
    queued = kind.status == kind.WAITING
    bounded = select(kind.not_before).where(queued).limit(MOST_COUNTED).subquery()
    count, since = session.execute(
        select(func.count(), func.min(bounded.c.not_before)).select_from(bounded)
    ).one()
    return Waiting(count, since)


def failed_deliveries(session: Session) -> int:
    """Return how many webhooks were given up."""
    failed = WebhookDelivery.status == DeliveryStatus.FAILED.value
    return _count(session, select(WebhookDelivery.id).where(failed))


def failing_rules(session: Session, limit: int) -> Sequence[Rule]:
    """Return rules whose last runs failed, those with most failures first."""
    failing = select(Rule).where(Rule.failures > 0)
    return list(session.scalars(failing.order_by(Rule.failures.desc()).limit(limit)))


def saturated_rules(session: Session, limit: int) -> Sequence[Rule]:
    """Return rules that have nothing new to write, the latest first."""
    saturated = select(Rule).where(Rule.saturated_since.is_not(None))
    return list(session.scalars(saturated.order_by(Rule.saturated_since.desc()).limit(limit)))


def items_between(session: Session, begin: datetime, end: datetime) -> int:
    """Return how many items were generated in a time."""
    first, last = (f"itm_{ULID.from_datetime(time)}"[: 4 + 10] for time in (begin, end))
    return _count(session, select(FeedItem.id).where(FeedItem.id >= first, FeedItem.id < last))


def _count(session: Session, query: Select[Any]) -> int:
    bounded = query.limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(bounded)) or 0


WORK: tuple[tuple[str, type[Leased]], ...] = (
    ("jobs", Job),
    ("runs of rules", Run),
    ("webhooks", WebhookDelivery),
)
"""The kinds of work that wait."""
