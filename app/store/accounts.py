"""Plans, accounts, keys and feeds, and what names mean. Each function runs inside the caller's
transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.core.billing.metering import Consumed
from app.core.billing.plan import Plan
from app.core.credentials import sandbox_of
from app.core.schemas.names import name_key
from app.store import models
from app.store.rows import record
from app.store.rules import hold_back_paused


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


def newest_key(session: Session, account_id: str) -> models.ApiKey | None:
    """Return the newest of an account's 1,000 newest keys that is not revoked."""
    newest = select(models.ApiKey.id).where(models.ApiKey.account_id == account_id)
    newest = newest.order_by(models.ApiKey.id.desc()).limit(1_000)
    works = models.ApiKey.id.in_(newest) & models.ApiKey.revoked_at.is_(None)
    query = select(models.ApiKey).where(works).order_by(models.ApiKey.id.desc())
    return session.scalar(query.limit(1))


def owners(session: Session, feed_ids: Collection[str]) -> Mapping[str, str]:
    """Return the accounts of feeds, by the ids of the feeds."""
    query = select(models.Feed.id, models.Feed.account_id)
    found = session.execute(query.where(models.Feed.id.in_(sorted(feed_ids))))
    return {feed.id: feed.account_id for feed in found}


def propagate_paused(session: Session, token_id: str, *, paused: bool) -> None:
    """Copy to each rule of a token whether the token is paused."""
    rules = models.Rule.token_id == token_id
    session.execute(update(models.Rule).where(rules).values(token_paused=paused))
    hold_back_paused(session, rules)


def find_feed(
    session: Session, handle: str, token_hash: str, *, lock: bool = False
) -> models.Feed | None:
    """Return the feed of a handle or of a token's hash; ``lock`` locks it until the transaction
    ends."""
    query = select(models.Feed).where((models.Feed.id == handle) | (models.Feed.hash == token_hash))
    return session.scalar(query.with_for_update(key_share=True) if lock else query)


def replace_feed_urls(session: Session, feed: models.Feed, until: datetime | None) -> None:
    """End the earlier tokens of a feed, and keep its present one until then, if at all."""
    old = models.OldFeedUrl
    session.execute(delete(old).where(old.token_id == feed.id))
    if until is not None:
        session.add(old(hash=feed.hash, token_id=feed.id, until=until))


MOST_IDS = 3
"""How many ids of one name are returned at most."""
Kind = Literal["account", "feed", "rule"]


def ids(session: Session, kind: Kind, named: str) -> Sequence[str]:
    """Return the one of that id, or those of that name: of accounts without sandboxes, of rules in
    any case and spacing."""
    account, feed, rule = models.Account, models.Feed, models.Rule
    key, has_name = {
        "account": (account.id, (account.name == named) & (account.id < sandbox_of(""))),
        "feed": (feed.id, feed.name == named),
        "rule": (rule.id, rule.name_key == name_key(named)),
    }[kind]
    found = session.scalars(select(key).where(key == named)).all()
    return found or session.scalars(select(key).where(has_name).order_by(key).limit(MOST_IDS)).all()
