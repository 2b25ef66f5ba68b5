"""The rows of an account, in pages, for its archive. Secrets and their hashes are left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, inspect, literal, select, tuple_
from sqlalchemy.orm import Session

from app.core.credentials import sandbox_of
from app.core.schemas.times import wire_time
from app.extensions import Base
from app.store.models import (
    ApiKey,
    Evidence,
    Feed,
    FeedItem,
    FeedMonth,
    IdempotencyKey,
    Job,
    Rule,
    Run,
    UsageDay,
    UsageMonth,
    WebhookDelivery,
)

_INTERNAL = frozenset(
    {
        "hash", "name_key", "fingerprint", "owner", "lease_until", "rank", "reservation_id",
        "webhook_secret", "webhook_root", "token_paused", "run_id", "handed_back", "not_before",
        "review_secret", "reminded_at",
        # What calls to models cost is the operator's business.
        "spend_cap",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """A part of an archive: its name, and the rows in it."""

    name: str
    row: type[Base]
    condition: ColumnElement[bool]


def parts(account_id: str) -> Sequence[Part]:
    """Return the parts of an account's archive. Those of its sandbox are in the same parts."""
    owners = (account_id, sandbox_of(account_id))
    keys = select(ApiKey.id).where(ApiKey.account_id.in_(owners))
    feeds = select(Feed.id).where(Feed.account_id == account_id)
    rules = select(Rule.id).where(Rule.token_id.in_(feeds))
    jobs = select(Job.id).where(Job.account_id.in_(owners))
    return (
        Part("keys", ApiKey, ApiKey.account_id.in_(owners)),
        Part("usageMonths", UsageMonth, UsageMonth.account_id.in_(owners)),
        Part("usageDays", UsageDay, UsageDay.key_id.in_(keys)),
        Part("feeds", Feed, Feed.account_id == account_id),
        Part("feedMonths", FeedMonth, FeedMonth.token_id.in_(feeds)),
        Part("rules", Rule, Rule.token_id.in_(feeds)),
        Part("runs", Run, Run.rule_id.in_(rules)),
        Part("items", FeedItem, FeedItem.token_id.in_(feeds)),
        Part("jobs", Job, Job.account_id.in_(owners)),
        Part("webhookDeliveries", WebhookDelivery, WebhookDelivery.job_id.in_(jobs)),
        Part("evidence", Evidence, Evidence.account_id.in_(owners)),
        Part("idempotencyKeys", IdempotencyKey, IdempotencyKey.account_id.in_(owners)),
    )


def page(
    session: Session, part: Part, after: Sequence[Any] | None, limit: int
) -> Sequence[tuple[Sequence[Any], Mapping[str, Any]]]:
    """Return rows of a part in the order of their keys, each behind its key.

    Args:
        after: the key that the page begins behind; None for the first page.
    """
    key = inspect(part.row).primary_key
    query = select(part.row.__table__).where(part.condition).order_by(*key).limit(limit)
    if after is not None:
        values = (literal(value, column.type) for value, column in zip(after, key, strict=True))
        query = query.where(tuple_(*key) > tuple_(*values))
    return [
        (tuple(row._mapping[column] for column in key), object_of(row._mapping))
        for row in session.execute(query)
    ]


def object_of(row: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Return a row as an object of JSON."""
    return {
        _camel(str(name)): _value(value)
        for name, value in row.items()
        if str(name) not in _INTERNAL
    }


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return wire_time(value)
    return value.isoformat() if isinstance(value, date) else value


def _camel(name: str) -> str:
    first, *rest = {"token_id": "feed_id"}.get(name, name).split("_")
    return first + "".join(part.capitalize() for part in rest)
