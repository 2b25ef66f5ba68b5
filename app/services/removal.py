"""Deleting rules, feeds and accounts, each only if nothing depends on it.

The rows of a large account are deleted in batches, each in its own transaction, so that others
wait for one batch at most. A deletion that is interrupted is finished by the next one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.credentials import sandbox_of
from app.core.errors import Conflict
from app.core.feed.item import Status
from app.core.schemas.times import counted
from app.extensions import Base
from app.services.lookups import lock, require_account
from app.store import models
from app.store.database import reading, writing
from app.store.rows import change_each, keys_of
from app.store.rules import hold_back_paused

# On SQLite all other writers wait for a batch.
_BATCH = 200
_BUSY = "Something was written for it at this moment. Try again."
_OPEN_ITEMS = [Status.HELD.value, Status.PENDING.value, Status.RESERVED.value]
_Column = InstrumentedAttribute[str]
# What other tables hold of a row, by its id.
_DEPENDENTS: Mapping[type[Base], Sequence[_Column]] = {
    models.FeedItem: (models.Evidence.post_id, models.PostCost.post_id),
    models.Run: (models.Journal.work_id, models.PostCost.work_id),
    models.Job: (models.WebhookDelivery.job_id, models.Journal.work_id, models.Evidence.post_id),
    models.ApiKey: (models.UsageDay.key_id,),
}


def delete_rule(rule_id: str, *, discard: bool = False) -> None:
    """Delete a rule with its items, their evidence and its runs.

    New posts of the feed are still compared with its posts, so that they repeat none.

    Args:
        discard: Also delete items that no site has confirmed or rejected.

    Raises:
        NotFound: unknown rule.
        Conflict: the rule has such items, or a worker writes for it.
    """
    with writing() as session:
        rule = lock(session, models.Rule, rule_id)
        run, item = models.Run, models.FeedItem
        if _count(session, run.rule_id == rule_id, run.status == run.TAKEN):
            raise Conflict(
                f"A post of the rule “{rule.name}” is being written. Pause the rule, and try again"
                " in some minutes."
            )
        number = _count(session, item.rule_id == rule_id, item.status.in_(_OPEN_ITEMS))
        if number and not discard:
            raise Conflict(
                f"The rule “{rule.name}” has {counted(number, 'post')} that no site has published."
                " Let the site pull them, or discard them with the rule."
            )
        # From now on nothing is written for it.
        rule.paused = True
        session.flush()
        hold_back_paused(session, models.Rule.id == rule_id)
    _in_batches(rule_id, models.FeedItem.rule_id, models.Run.rule_id)
    # Its account keeps its costs.
    _finally(rule_id, models.Cost.scope, models.Rule.id)


def delete_feed(feed_id: str) -> None:
    """Delete a feed. Its feed URL stops working at once.

    Raises:
        NotFound: unknown feed.
        Conflict: the feed has rules.
    """
    with writing() as session:
        feed = lock(session, models.Feed, feed_id)
        number = _count(session, models.Rule.token_id == feed_id)
        _require_none(number, f"feed “{feed.name}”", "rule", "Delete")
    _in_batches(feed_id, models.Band.scope)
    _finally(feed_id, models.FeedMonth.token_id, models.OldFeedUrl.token_id, models.Feed.id)


def delete_account(account_id: str) -> None:
    """Delete an account with its keys, jobs, webhooks, evidence and usage.

    The journals of its calls of POST /v1/generate stay until retention deletes them.

    Raises:
        NotFound: unknown account.
        Conflict: the account has feeds, keys that work, or work that is not finished.
    """
    owners = (account_id, sandbox_of(account_id))
    with reading() as session:
        account = require_account(session, account_id)
        named = f"account “{account.name}”"
        number = _count(session, models.Feed.account_id == account_id)
        _require_none(number, named, "feed", "Delete")
        works = models.ApiKey.account_id.in_(owners), models.ApiKey.revoked_at.is_(None)
        _require_none(_count(session, *works), named, "working API key", "Revoke")
        job, reservation = models.Job, models.Reservation
        open_jobs = _count(session, job.is_open(), job.account_id.in_(owners))
        if open_jobs or _count(session, reservation.account_id.in_(owners)):
            raise Conflict(
                f"The {named} has jobs or calls that are not finished. Try again when they are."
            )
    for owner in owners[::-1]:
        _in_batches(
            owner,
            models.IdempotencyKey.account_id,
            models.Job.account_id,
            models.Evidence.account_id,
            models.PostCost.account_id,
            models.Band.scope,
            models.ApiKey.account_id,
        )
        # The installation keeps the sum of its costs.
        _finally(
            owner,
            models.Cost.scope,
            models.UsageMonth.account_id,
            models.WebhookReceiver.account_id,
            models.Account.id,
        )


def _in_batches(owner_id: str, *owners: _Column) -> None:
    for owner in owners:
        while True:
            with writing() as session:
                if _delete_some(session, owner, owner_id) < _BATCH:
                    break


def _delete_some(session: Session, owner: _Column, owner_id: str) -> int:
    """Delete rows whose column ``owner`` has that id, with what other tables hold of them; return
    how many."""
    row: Any = owner.class_
    found = session.execute(keys_of(row).where(owner == owner_id).limit(_BATCH)).all()
    for dependent in _DEPENDENTS.get(row, ()):
        _delete(session, dependent.class_, dependent.in_([each.key_id for each in found]))
    change_each(session, delete(row), row, found)
    return len(found)


def _finally(owner_id: str, *owners: _Column) -> None:
    """Delete the few rows that are left, at last the owner itself."""
    try:
        with writing() as session:
            for owner in owners:
                _delete(session, owner.class_, owner == owner_id)
    except IntegrityError:
        raise Conflict(_BUSY) from None


def _delete(session: Session, row: Any, condition: ColumnElement[bool]) -> None:
    session.execute(delete(row.__table__).where(condition))


def _count(session: Session, *conditions: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).where(*conditions)) or 0


def _require_none(number: int, owner: str, noun: str, verb: str) -> None:
    if number:
        them = "it" if number == 1 else "them"
        raise Conflict(f"The {owner} has {counted(number, noun)}. {verb} {them} first.")
