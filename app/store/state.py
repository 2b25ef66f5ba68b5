"""What needs an operator: work that waits, what fails, what nobody pulls, and what runs out.

Each statement reads up to a bound: its cost does not grow with what is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, delete, func, null, select, update
from sqlalchemy.orm import Session

from app.core.credentials import sandbox_of
from app.core.feed.item import Status
from app.core.schemas.job import JobStatus
from app.core.webhooks.receiver import RESTS_AFTER
from app.store.feed import is_status
from app.store.models import (
    FAILED,
    FAILING,
    Account,
    DeliveryStatus,
    Feed,
    FeedItem,
    Job,
    Leased,
    ModelFault,
    Plan,
    Rule,
    Run,
    UsageMonth,
    WebhookDelivery,
    WebhookReceiver,
)
from app.store.overview import LOOKED_AT, count
from app.store.rows import changes, insert_if_absent

ITEMS_LOOKED_AT = 500
"""How many items are looked through for those that wait, or that were published."""
# What is counted: rules that fail or have nothing new to write, and webhooks that were given up.
FAILING_RULES = select(Rule.id).where(FAILING)
SATURATED_RULES = select(Rule.id).where(Rule.saturated_since.is_not(None))
GIVEN_UP = select(WebhookDelivery.id).where(WebhookDelivery.status == DeliveryStatus.FAILED.value)
# A receiver that answers in time has no row, so the table stays small.
SWITCHED_OFF = select(WebhookReceiver.site).where(WebhookReceiver.off_since.is_not(None))
_FAULT = select(ModelFault.model).limit(1)


def note_fault(session: Session, model: str, reason: str, now: datetime) -> None:
    """Store why the last call to a model failed."""
    fault = update(ModelFault).where(ModelFault.model == model)
    if not changes(session, fault.values(reason=reason, at=now)):
        insert_if_absent(session, ModelFault, model=model, reason=reason, at=now)


def forget_faults(session: Session) -> None:
    """Note that the last call to a model succeeded."""
    # Reading takes a tenth of the time of a deletion, and nearly always there is nothing.
    if session.connection().execute(_FAULT).first() is not None:
        session.execute(delete(ModelFault))


@dataclass(frozen=True)
class Backlog:
    """Work of one kind that waits: of how much ``count`` at most 1,000 is counted, how many
    seconds ago the oldest could have begun, and how much of this kind workers hold."""

    kind: str
    count: int
    seconds: int
    held: int


class Failure(NamedTuple):
    """Something that was not written: a run with its rule, or a job."""

    id: str
    rule_id: str | None
    name: str
    at: datetime
    error: dict[str, Any] | None


@dataclass(frozen=True)
class Steps:
    """How far a new installation is: whether there is a post that was written, a feed, a rule, and
    an item that a site pulled."""

    post: bool
    feed: bool
    rule: bool
    pulled: bool


_WORK: Mapping[str, type[Leased]] = {"job": Job, "run": Run, "webhook": WebhookDelivery}


def backlogs(session: Session, now: datetime) -> Sequence[Backlog]:
    """Return how much work of each kind waits, and for how long."""
    return [_backlog(session, now, *each) for each in _WORK.items()]


def _backlog(session: Session, now: datetime, name: str, kind: type[Leased]) -> Backlog:
    queued = kind.status == kind.WAITING
    # The indexes have jobs in the order of their plans' priority, then of time.
    parts = [queued & (Job.rank == rank) for rank in (0, 1)] if kind is Job else [queued]
    oldest = [
        session.scalar(select(kind.not_before).where(part).order_by(kind.not_before).limit(1))
        for part in parts
    ]
    since = min(filter(None, oldest), default=now)
    return Backlog(
        name,
        count(session, select(kind.id).where(queued)),
        max(0, int((now - since).total_seconds())),
        count(session, select(kind.id).where(kind.status == kind.TAKEN)),
    )


def failed_runs(session: Session, since: datetime, limit: int) -> Sequence[Failure]:
    """Return the latest runs that failed, each with the name of its rule."""
    query = (
        select(Run.id, Run.rule_id, Rule.name, Run.finished_at, Run.error)
        .join(Rule)
        .where(FAILED, Run.finished_at >= since)
        .order_by(Run.finished_at.desc())
        .limit(limit)
    )
    return [Failure._make(row) for row in session.execute(query)]


def failed_jobs(session: Session, since: datetime, limit: int) -> Sequence[Failure]:
    """Return the latest jobs that failed, each with the name of its account."""
    query = (
        select(Job.id, null(), Account.name, Job.updated_at, Job.error)
        .join(Account)
        .where(FAILED, Job.updated_at >= since)
        .order_by(Job.updated_at.desc())
        .limit(limit)
    )
    return [Failure._make(row) for row in session.execute(query)]


def items_since(session: Session, state: Status, since: datetime) -> Sequence[Any]:
    """Return the newest 500 items in a state that were generated since then: the id, the title, the
    address on the site if it is known, and the id and the name of the feed."""
    item = FeedItem
    query = (
        select(item.id, item.title, item.published_url, item.token_id, Feed.name)
        .join(Feed)
        .where(item.status == is_status(state), item.generated_at >= since)
        .order_by(item.generated_at.desc(), item.id.desc())
        .limit(ITEMS_LOOKED_AT)
    )
    return session.execute(query).all()


def oldest_by_feed(session: Session, state: Status, before: datetime, limit: int) -> Sequence[Any]:
    """Return the feeds of the oldest 500 items that have been in a state since before a time: the
    id, the name, how many of these items, and the time of the oldest."""
    oldest = (
        select(FeedItem.token_id, FeedItem.generated_at)
        .where(
            FeedItem.status == is_status(state),
            FeedItem.generated_at < before,
            FeedItem.updated_at < before,
        )
        .order_by(FeedItem.generated_at, FeedItem.id)
        .limit(ITEMS_LOOKED_AT)
        .subquery()
    )
    since = func.min(oldest.c.generated_at)
    query = (
        select(
            oldest.c.token_id.label("id"),
            Feed.name,
            func.count().label("posts"),
            since.label("since"),
        )
        .join(Feed, Feed.id == oldest.c.token_id)
        .group_by(oldest.c.token_id, Feed.name)
        .order_by(since)
        .limit(limit)
    )
    return session.execute(query).all()


def near_limit(session: Session, period: date, percent: int, limit: int) -> Sequence[Any]:
    """Return accounts, of the newest 10,000, that have used ``percent`` of their month's words, or
    more: the id, the name, these words and those of the plan."""
    newest = (
        select(Account.id, Account.name, Account.plan_id)
        .where(Account.id < sandbox_of(""))
        .order_by(Account.id.desc())
        .limit(LOOKED_AT)
        .subquery()
    )
    month = UsageMonth
    query = (
        select(newest.c.id, newest.c.name, month.words, Plan.monthly_words)
        .join(month, (month.account_id == newest.c.id) & (month.period_start == period))
        .join(Plan, Plan.id == newest.c.plan_id)
        # In floating point: a limit times 100 may not fit into 32 bits.
        .where(month.words >= Plan.monthly_words * (percent / 100))
        .limit(limit)
    )
    return session.execute(query).all()


def failing_receivers(session: Session, before: datetime, limit: int) -> Sequence[Any]:
    """Return receivers that have failed since before a time, of the 10,000 that were called last,
    the oldest failure first, each with its account and the name of the account; ``off_since`` is
    None if it still gets webhooks."""
    latest = select(WebhookReceiver).order_by(WebhookReceiver.updated_at.desc()).limit(LOOKED_AT)
    receiver = latest.subquery().c
    query = (
        select(*receiver, Account.name.label("account"))
        .join(Account, Account.id == receiver.account_id)
        .where(receiver.failures >= RESTS_AFTER, receiver.failing_since < before)
        .order_by(receiver.failing_since)
        .limit(limit)
    )
    return session.execute(query).all()


def steps(session: Session) -> Steps:
    """Return how far an installation is."""
    succeeded = select(Job.id).where(Job.status == JobStatus.SUCCEEDED.value)
    # Others may also be rejected.
    only_pulled = (Status.RESERVED, Status.USED, Status.ABANDONED)
    taken = (FeedItem.status == is_status(each) for each in only_pulled)
    return Steps(
        post=_any(session, succeeded) or _any(session, select(FeedItem.id)),
        feed=_any(session, select(Feed.id)),
        rule=_any(session, select(Rule.id)),
        pulled=any(_any(session, select(FeedItem.id).where(each)) for each in taken),
    )


def _any(session: Session, query: Select[str]) -> bool:
    return session.scalar(query.limit(1)) is not None


def newest_time(session: Session) -> datetime | None:
    """Return the latest time at which an account or a job was created or a run ended."""
    times = (Account.created_at, Job.created_at, Run.finished_at)
    found = [session.scalar(select(func.max(time))) for time in times]
    return max(filter(None, found), default=None)
