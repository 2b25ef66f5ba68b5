"""What the console lists of all accounts, in pages.

Each statement reads as many rows as it shows, or up to a bound: its cost does not grow with what is
stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, defer
from ulid import ULID

from app.core.credentials import sandbox_of
from app.store.models import (
    Account,
    ApiKey,
    Feed,
    FeedItem,
    FeedMonth,
    Job,
    JournalCall,
    UsageDay,
    UsageMonth,
    WebhookDelivery,
)
from app.store.webhooks import DeliveryStatus
from app.writing.completion import PURPOSES

MOST_COUNTED = 1_000
"""Counts end at this number."""
LOOKED_AT = 10_000
"""How many of the newest rows are looked through for those that no index finds."""
# ULIDs know no earlier time.
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class WorkFilter:
    """Which jobs or webhooks to list: in a state, of an account; and webhooks of a job, created in
    a time. "" and None do not narrow."""

    status: str = ""
    account: str = ""
    job: str = ""
    begin: datetime | None = None
    end: datetime | None = None


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


def _named(query: Select[*tuple[Any, ...]], kind: Any, text: str) -> Select[*tuple[Any, ...]]:
    """Narrow a query to the newest 10,000 of a kind that have a text in their name; "" does not."""
    if not text:
        return query
    newest = select(kind.id).order_by(kind.id.desc()).limit(LOOKED_AT)
    if kind is Account:
        newest = newest.where(Account.id < sandbox_of(""))
    return query.where(kind.id.in_(newest), kind.name.icontains(text, autoescape=True))


def accounts(
    session: Session, period: date, before: str, limit: int, text: str = ""
) -> Sequence[Any]:
    """Return accounts, with a text in their name, each with its words and posts of a billing
    period."""
    month = UsageMonth
    # Sandboxes come behind all accounts, in the order of ids.
    query = (
        select(Account, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .outerjoin(month, (month.account_id == Account.id) & (month.period_start == period))
        .where(Account.id < sandbox_of(""))
    )
    return newest_first(session, _named(query, Account, text), Account.id, before, limit)


def feeds(
    session: Session, account_id: str, period: date, before: str, limit: int, text: str = ""
) -> Sequence[Any]:
    """Return feeds, of an account or ("") of all, with a text in their name, each with the name of
    its account, and its words and posts of a billing period."""
    month = FeedMonth
    query = (
        select(Feed, Account.name, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .join(Account, Account.id == Feed.account_id)
        .outerjoin(month, (month.token_id == Feed.id) & (month.period_start == period))
    )
    if account_id:
        query = query.where(Feed.account_id == account_id)
    return newest_first(session, _named(query, Feed, text), Feed.id, before, limit)


def jobs(
    session: Session, wanted: WorkFilter, before: str, limit: int, text: str = ""
) -> Sequence[Any]:
    """Return jobs without their results, newest first, each with the name of its account. A text is
    looked for in the first keyword of the newest 10,000."""
    newest = newest_work(Job, wanted, before, LOOKED_AT if text else limit)
    if text:
        first = Job.request["keywords"][0].as_string()
        looked = newest.add_columns(first.label("first")).subquery().c
        newest = select(looked.id).order_by(looked.id.desc()).limit(limit)
        newest = newest.where(looked.first.icontains(text, autoescape=True))
    columns = (Job.id, Job.request, Job.status, Job.error, Job.created_at, Job.account_id)
    query = select(*columns, Account.name.label("account"))
    query = query.join(Account, Account.id == Job.account_id)
    query = query.where(Job.id.in_(list(session.scalars(newest))))
    return session.execute(query.order_by(Job.id.desc())).all()


def deliveries(
    session: Session, wanted: WorkFilter, before: str, limit: int
) -> Sequence[tuple[WebhookDelivery, str]]:
    """Return webhooks without their bodies, newest first, each with the name of its account."""
    ids = list(session.scalars(newest_work(WebhookDelivery, wanted, before, limit)))
    query = (
        select(WebhookDelivery, Account.name)
        .join(Job, Job.id == WebhookDelivery.job_id)
        .join(Account, Account.id == Job.account_id)
        .where(WebhookDelivery.id.in_(ids))
        .options(defer(WebhookDelivery.body))
    )
    rows = session.execute(query.order_by(WebhookDelivery.id.desc()))
    return [(delivery, account) for delivery, account in rows]


def lock_given_up(session: Session, wanted: WorkFilter, limit: int) -> Sequence[WebhookDelivery]:
    """Return the newest matching webhooks that were given up, locked until the transaction ends."""
    wanted = replace(wanted, status=DeliveryStatus.FAILED.value)
    ids = list(session.scalars(newest_work(WebhookDelivery, wanted, "", limit)))
    query = select(WebhookDelivery).join(Job, Job.id == WebhookDelivery.job_id)
    query = query.where(WebhookDelivery.id.in_(ids), WebhookDelivery.status == wanted.status)
    query = query.options(defer(WebhookDelivery.body))
    # With their jobs, which a replay needs and retention may be deleting.
    locked = query.with_for_update(skip_locked=True, of=[WebhookDelivery, Job])
    return list(session.scalars(locked))


def count_deliveries(session: Session, wanted: WorkFilter) -> int:
    """Return how many webhooks match, counting at most 1,000."""
    return count(session, newest_work(WebhookDelivery, wanted, "", MOST_COUNTED))


def newest_work(kind: Any, wanted: WorkFilter, before: str, limit: int) -> Select[str]:
    """Return the query for the ids of jobs or webhooks, newest first."""
    query = select(kind.id)
    if wanted.job:
        # The limit makes the database look for these first.
        query = query.where(
            kind.id.in_(select(kind.id).where(kind.job_id == wanted.job).limit(MOST_COUNTED))
        )
    if wanted.account:
        query = query.where(kind.account_id == wanted.account)
    if wanted.status:
        query = query.where(kind.status == wanted.status)
    if before:
        query = query.where(kind.id < before)
    if wanted.begin:
        query = query.where(kind.id >= id_at("msg", wanted.begin))
    if wanted.end:
        query = query.where(kind.id < id_at("msg", wanted.end))
    return query.order_by(kind.id.desc()).limit(limit)


def calls_of(session: Session, work_id: str, limit: int) -> Sequence[str]:
    """Return the purposes of the calls to the model that a job or a run has made so far, in the
    order of the pipeline."""
    query = select(JournalCall.stage).where(JournalCall.work_id == work_id).limit(limit)
    stages = [stage.split() for stage in session.scalars(query)]
    order = {purpose: number for number, purpose in enumerate(PURPOSES)}
    stages.sort(key=lambda stage: (int(stage[0]), order.get(stage[1], 0), int(stage[2])))
    return [stage[1] for stage in stages]


def keys(session: Session, account_id: str, today: date, before: str, limit: int) -> Sequence[Any]:
    """Return keys, of an account (or a sandbox) or ("") of all, newest first, each with the name of
    its account and its requests of a day."""
    day = UsageDay
    query = (
        select(ApiKey, Account.name, func.coalesce(day.used, 0))
        .join(Account, Account.id == ApiKey.account_id)
        .outerjoin(day, (day.key_id == ApiKey.id) & (day.day == today))
    )
    if account_id:
        query = query.where(ApiKey.account_id == account_id)
    return newest_first(session, query, ApiKey.id, before, limit)


def months(session: Session, account_id: str, limit: int) -> Sequence[UsageMonth]:
    """Return the usage of an account in its latest billing periods, the latest first."""
    query = select(UsageMonth).where(UsageMonth.account_id == account_id)
    return list(session.scalars(query.order_by(UsageMonth.period_start.desc()).limit(limit)))


def items_between(session: Session, times: Sequence[datetime]) -> Sequence[int]:
    """Return how many items were generated from each of the times until the next one, counting at
    most 1,000 each."""
    key = FeedItem.id
    return [
        count(session, select(key).where(key >= first, key < last))
        for first, last in pairwise(id_at("itm", time) for time in times)
    ]


def id_at(prefix: str, time: datetime) -> str:
    """Return the beginning of the ids that are made at a time: those made before are smaller."""
    return f"{prefix}_{ULID.from_datetime(max(time, _EPOCH))}"[: len(prefix) + 1 + 10]


def count(session: Session, query: Select[Any]) -> int:
    """Return how many rows a query has, counting at most 1,000."""
    bounded = query.limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(bounded)) or 0
