"""Delete a rule, a feed or an account with its rows, and count what still depends on it.

Each function that deletes processes one batch inside the caller's transaction and returns how many
rows it found. What other tables hold of a row is deleted with it.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, inspect, literal_column, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.feed.item import Status
from app.core.schemas.job import JobStatus
from app.extensions import Base
from app.store.models import (
    Account,
    ApiKey,
    Band,
    Cost,
    Evidence,
    Feed,
    FeedItem,
    FeedMonth,
    IdempotencyKey,
    Job,
    Journal,
    OldFeedUrl,
    PostCost,
    Reservation,
    Rule,
    Run,
    UsageDay,
    UsageMonth,
    WebhookDelivery,
    WebhookReceiver,
    WebhookRoot,
)

_OPEN_ITEMS = (Status.PENDING, Status.RESERVED)
_OPEN_JOBS = (JobStatus.QUEUED, JobStatus.PROCESSING)


def count_open_items(session: Session, rule_id: str) -> int:
    """Return how many items of a rule no site has confirmed or rejected."""
    # In literals, as the index of the states has them.
    states: list[ColumnElement[str]] = [literal_column(f"'{state}'") for state in _OPEN_ITEMS]
    items = select(func.count()).where(FeedItem.rule_id == rule_id, FeedItem.status.in_(states))
    return session.scalar(items) or 0


def is_running(session: Session, rule_id: str) -> bool:
    """Return whether a worker writes a post of a rule at this moment."""
    running = Run.status == Run.HELD
    return _any(session, Run.id, running, Run.rule_id == rule_id)


def count_rules(session: Session, feed_id: str) -> int:
    """Return how many rules a feed has."""
    return session.scalar(select(func.count()).where(Rule.token_id == feed_id)) or 0


def count_feeds(session: Session, account_id: str) -> int:
    """Return how many feeds an account has."""
    return session.scalar(select(func.count()).where(Feed.account_id == account_id)) or 0


def count_working_keys(session: Session, account_ids: Sequence[str]) -> int:
    """Return how many keys of accounts are not revoked."""
    working = ApiKey.account_id.in_(account_ids) & ApiKey.revoked_at.is_(None)
    return session.scalar(select(func.count()).where(working)) or 0


def has_open_work(session: Session, account_ids: Sequence[str]) -> bool:
    """Return whether a job of accounts waits or runs, or a call of them is being answered."""
    states = [state.value for state in _OPEN_JOBS]
    return _any(session, Job.id, Job.status.in_(states), Job.account_id.in_(account_ids)) or _any(
        session, Reservation.id, Reservation.account_id.in_(account_ids)
    )


def _any(session: Session, column: Any, *conditions: ColumnElement[bool]) -> bool:
    return session.scalar(select(column).where(*conditions).limit(1)) is not None


def items_of_rule(session: Session, rule_id: str, limit: int) -> int:
    """Delete items of a rule with their evidence and costs."""
    found = _ids(session, FeedItem.id, limit, FeedItem.rule_id == rule_id)
    _delete(session, Evidence, Evidence.post_id.in_(found))
    _delete(session, PostCost, PostCost.post_id.in_(found))
    _delete(session, FeedItem, FeedItem.id.in_(found))
    return len(found)


def runs_of_rule(session: Session, rule_id: str, limit: int) -> int:
    """Delete runs of a rule with their journals and costs."""
    found = _ids(session, Run.id, limit, Run.rule_id == rule_id)
    _delete(session, Journal, Journal.work_id.in_(found))
    _delete(session, PostCost, PostCost.work_id.in_(found))
    _delete(session, Run, Run.id.in_(found))
    return len(found)


def bands_of(session: Session, scope: str, limit: int) -> int:
    """Delete what finds the near-duplicates of the posts of a feed or an account."""
    return _batch(session, Band, limit, Band.scope == scope)


def jobs_of(session: Session, account_id: str, limit: int) -> int:
    """Delete jobs of an account with their webhooks, evidence and journals."""
    found = _ids(session, Job.id, limit, Job.account_id == account_id)
    _delete(session, WebhookDelivery, WebhookDelivery.job_id.in_(found))
    _delete(session, Journal, Journal.work_id.in_(found))
    _delete(session, Evidence, Evidence.post_id.in_(found))
    _delete(session, Job, Job.id.in_(found))
    return len(found)


def evidence_of(session: Session, account_id: str, limit: int) -> int:
    """Delete evidence for posts of an account."""
    return _batch(session, Evidence, limit, Evidence.account_id == account_id)


def keys_of(session: Session, account_id: str, limit: int) -> int:
    """Delete API keys of an account with their usage."""
    found = _ids(session, ApiKey.id, limit, ApiKey.account_id == account_id)
    _delete(session, UsageDay, UsageDay.key_id.in_(found))
    _delete(session, ApiKey, ApiKey.id.in_(found))
    return len(found)


def idempotency_of(session: Session, account_id: str, limit: int) -> int:
    """Delete the answers that are kept under idempotency keys of an account."""
    return _batch(session, IdempotencyKey, limit, IdempotencyKey.account_id == account_id)


def delete_rule(session: Session, rule_id: str) -> None:
    """Delete a rule that has no items and runs, with its costs: its account keeps them."""
    _delete_costs(session, rule_id)
    _delete(session, Rule, Rule.id == rule_id)


def delete_feed(session: Session, feed_id: str) -> None:
    """Delete a feed that has no rules, with its usage."""
    _delete(session, FeedMonth, FeedMonth.token_id == feed_id)
    _delete(session, OldFeedUrl, OldFeedUrl.token_id == feed_id)
    _delete(session, Feed, Feed.id == feed_id)


def delete_account(session: Session, account_id: str) -> None:
    """Delete an account that has no keys, feeds and jobs, with its usage, costs and root secrets.
    The installation keeps the sum of its costs."""
    _delete_costs(session, account_id)
    _delete(session, UsageMonth, UsageMonth.account_id == account_id)
    _delete(session, WebhookRoot, WebhookRoot.account_id == account_id)
    _delete(session, WebhookReceiver, WebhookReceiver.account_id == account_id)
    _delete(session, Account, Account.id == account_id)


def post_costs_of(session: Session, account_id: str, limit: int) -> int:
    """Delete what posts of an account cost."""
    return _batch(session, PostCost, limit, PostCost.account_id == account_id)


def _delete_costs(session: Session, scope: str) -> None:
    _delete(session, Cost, Cost.scope == scope)


def _ids(
    session: Session,
    column: InstrumentedAttribute[str],
    limit: int,
    condition: ColumnElement[bool],
) -> Sequence[str]:
    return list(session.scalars(select(column).where(condition).distinct().limit(limit)))


def _batch(session: Session, row: type[Base], limit: int, condition: ColumnElement[bool]) -> int:
    """Delete rows that meet a condition, by their primary key."""
    key = inspect(row).primary_key
    found = [tuple(each) for each in session.execute(select(*key).where(condition).limit(limit))]
    _delete(session, row, tuple_(*key).in_(found))
    return len(found)


def _delete(session: Session, row: type[Base], condition: ColumnElement[bool]) -> None:
    session.execute(delete(row).where(condition).execution_options(synchronize_session=False))
