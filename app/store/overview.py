"""Lists in pages, and counts with an end: each statement reads as many rows as it shows, or up to a
bound. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session
from ulid import ULID

from app.store.models import Account, Job

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
    query = select(*columns, Account.name.label("account")).join(Account)
    query = query.where(Job.id.in_(list(session.scalars(newest))))
    return session.execute(query.order_by(Job.id.desc())).all()


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


def id_at(prefix: str, time: datetime) -> str:
    """Return the beginning of the ids that are made at a time: those made before are smaller."""
    return f"{prefix}_{ULID.from_datetime(max(time, _EPOCH))}"[: len(prefix) + 1 + 10]


def count(session: Session, query: Select[Any]) -> int:
    """Return how many rows a query has, counting at most 1,000."""
    bounded = query.limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(bounded)) or 0
