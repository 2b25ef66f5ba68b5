"""Deleting rules, feeds and accounts, each only if nothing depends on it.

The rows of a large account are deleted in batches, each in its own transaction, so that others
wait for one batch at most. A deletion that is interrupted is finished by the next one.
"""

from sqlalchemy.exc import IntegrityError

from app.core.credentials import sandbox_of
from app.core.errors import Conflict
from app.core.schemas.times import counted
from app.services.lookups import lock_rule, require_account, require_token
from app.store import models
from app.store import removal as store
from app.store.database import reading, writing
from app.store.rules import hold_back_paused

# On SQLite all other writers wait for a batch.
_BATCH = 200
_BUSY = "Something was written for it at this moment. Try again."


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
        rule = lock_rule(session, rule_id)
        run = models.Run
        if store.count(session, run.rule_id == rule_id, run.status == run.HELD):
            raise Conflict(
                f"A post of the rule “{rule.name}” is being written. Pause the rule, and try again"
                " in some minutes."
            )
        number = 0 if discard else store.count_open_items(session, rule_id)
        if number:
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


def delete_feed(token: str) -> str:
    """Delete a feed, named by its token or feed id, and return the feed id. Its feed URL stops
    working at once.

    Raises:
        NotFound: unknown feed.
        Conflict: the feed has rules.
    """
    with writing() as session:
        feed = require_token(session, token, lock=True)
        number = store.count(session, models.Rule.token_id == feed.id)
        _require_none(number, f"feed “{feed.name}”", "rule", "Delete")
    _in_batches(feed.id, models.Band.scope)
    _finally(feed.id, models.FeedMonth.token_id, models.OldFeedUrl.token_id, models.Feed.id)
    return feed.id


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
        number = store.count(session, models.Feed.account_id == account_id)
        _require_none(number, named, "feed", "Delete")
        works = models.ApiKey.account_id.in_(owners), models.ApiKey.revoked_at.is_(None)
        _require_none(store.count(session, *works), named, "working API key", "Revoke")
        if store.has_open_work(session, owners):
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


def _in_batches(owner_id: str, *owners: store.Column) -> None:
    for owner in owners:
        while True:
            with writing() as session:
                if store.delete_some(session, owner, owner_id, _BATCH) < _BATCH:
                    break


def _finally(owner_id: str, *owners: store.Column) -> None:
    """Delete the few rows that are left, at last the owner itself."""
    try:
        with writing() as session:
            store.delete_all(session, *owners, of=owner_id)
    except IntegrityError:
        raise Conflict(_BUSY) from None


def _require_none(number: int, owner: str, noun: str, verb: str) -> None:
    if number:
        them = "it" if number == 1 else "them"
        raise Conflict(f"The {owner} has {counted(number, noun)}. {verb} {them} first.")
