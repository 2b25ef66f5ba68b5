"""Callers, their plans, and whose a feed is. Each function runs inside the caller's transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.billing.metering import Consumed
from app.core.billing.plan import Plan
from app.store import models
from app.store.rows import record


@dataclass(frozen=True)
class Caller:
    """The account and key of a request, and their usage of the day and the month."""

    account_id: str
    key_id: str
    plan: Plan
    revoked: bool
    used_today: int
    consumed: Consumed


def plans(session: Session) -> Sequence[Plan]:
    """Return the plans, smallest first."""
    rows = session.scalars(select(models.Plan).order_by(models.Plan.monthly_words))
    return [record(Plan, row) for row in rows]


def plan_of_account(session: Session, account_id: str) -> Plan:
    """Return the plan of an account that exists."""
    query = select(models.Plan).join(models.Account, models.Account.plan_id == models.Plan.id)
    return record(Plan, session.scalars(query.where(models.Account.id == account_id)).one())


def owners(session: Session, feed_ids: Collection[str]) -> Mapping[str, str]:
    """Return the accounts of feeds, by the ids of the feeds."""
    query = select(models.Feed.id, models.Feed.account_id)
    found = session.execute(query.where(models.Feed.id.in_(sorted(feed_ids))))
    return {feed.id: feed.account_id for feed in found}
