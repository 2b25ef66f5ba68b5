"""Delete the rows of a rule, a feed or an account, and count what still depends on it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.feed.item import Status
from app.extensions import Base
from app.store.models import (
    ApiKey,
    Evidence,
    FeedItem,
    Job,
    Journal,
    PostCost,
    Reservation,
    Run,
    UsageDay,
    WebhookDelivery,
)
from app.store.rows import change_each, keys_of

Column = InstrumentedAttribute[str]
_OPEN_ITEMS = [Status.HELD.value, Status.PENDING.value, Status.RESERVED.value]
# What other tables hold of a row, by its id.
_HELD: Mapping[type[Base], Sequence[Column]] = {
    FeedItem: (Evidence.post_id, PostCost.post_id),
    Run: (Journal.work_id, PostCost.work_id),
    Job: (WebhookDelivery.job_id, Journal.work_id, Evidence.post_id),
    ApiKey: (UsageDay.key_id,),
}


def count(session: Session, *conditions: ColumnElement[bool]) -> int:
    """Return how many rows meet the conditions."""
    return session.scalar(select(func.count()).where(*conditions)) or 0


def count_open_items(session: Session, rule_id: str) -> int:
    """Return how many items of a rule no site has confirmed or rejected."""
    return count(session, FeedItem.rule_id == rule_id, FeedItem.status.in_(_OPEN_ITEMS))


def has_open_work(session: Session, account_ids: Sequence[str]) -> bool:
    """Return whether a job of accounts waits or runs, or a call of them is being answered."""
    jobs = count(session, Job.is_open(), Job.account_id.in_(account_ids))
    return jobs + count(session, Reservation.account_id.in_(account_ids)) > 0


def delete_some(session: Session, owner: Column, owner_id: str, limit: int) -> int:
    """Delete rows whose column ``owner`` has that id, with what other tables hold of them; return
    how many."""
    row: Any = owner.class_
    found = session.execute(keys_of(row).where(owner == owner_id).limit(limit)).all()
    for held in _HELD.get(row, ()):
        _delete(session, held.class_, held.in_([each.key_id for each in found]))
    change_each(session, delete(row), row, found)
    return len(found)


def delete_all(session: Session, *owned: Column, of: str) -> None:
    """Delete the rows of which one of the columns has an id, in the order of the columns."""
    for column in owned:
        _delete(session, column.class_, column == of)


def _delete(session: Session, row: Any, condition: ColumnElement[bool]) -> None:
    session.execute(delete(row.__table__).where(condition))
