"""The pull feed: hand out, confirm, reject.

Functions that take a token raise UnknownToken if no feed has it.
"""

from collections.abc import Sequence

from sqlalchemy import update

from app.core import credentials
from app.core.errors import Conflict, NotFound
from app.core.feed.item import CONFIRM, REJECT, Decision, Status
from app.logs import note
from app.services.context import Context
from app.services.lookups import require
from app.services.schedule import trigger_due
from app.services.usage import require_allowed
from app.store import feed as store
from app.store import hot, models
from app.store.database import reading, writing
from app.store.feed import Delivered
from app.store.hot import Poll

MISSES_PER_MINUTE = 60


class UnknownToken(NotFound):
    """No feed has this token. Every unknown token costs the same and gets the same answer."""

    def __init__(self) -> None:
        super().__init__("Unknown content token.")


def pull_latest(context: Context, token: str, *, next_item: bool) -> Delivered | None:
    """Return the reserved item again, or the oldest pending one; None if there is neither. With
    ``next_item``, the reserved one is rejected first."""
    polled = _poll(context, token)
    if not polled.has_items:
        return None
    item = None if next_item else hot.claim(polled.token_id, context.clock.now())
    if item is None:
        with writing() as session:
            now = context.clock.now()
            item = store.latest(session, polled.token_id, next_item=next_item, now=now)
    if item is not None:
        note(item=item.id)
    return item


def pull_items(context: Context, token: str, *, rule: str | None) -> Sequence[Delivered]:
    """Return all open items, or those of one rule, at most 100. This delivers each of them.

    Raises:
        NotFound: the token has no such rule.
    """
    polled, rule_id = _poll(context, token), None
    if rule is not None:
        with reading() as session:
            rule_id = store.find_rule(session, polled.token_id, rule)
        if rule_id is None:
            problem = "This content token has no rule of that name or id."
            raise NotFound(problem, {"field": "rule"})
    if not polled.has_items:
        return []
    with writing() as session:
        return store.items(session, polled.token_id, rule_id, now=context.clock.now())


def require_feed(context: Context, token: str) -> None:
    """Raise UnknownToken if no feed has the token; change nothing."""
    _token_id(context, token)


def confirm(context: Context, token: str, item_id: str, url: str | None = None) -> Status:
    """Mark a reserved item as used. Repeating the call changes nothing but ``url``, the address at
    which the post appeared.

    Raises:
        NotFound: the token has no such item.
        Conflict: the item is not reserved.
    """
    status = _decide(context, token, item_id, CONFIRM)
    if url is not None:
        appeared = update(models.FeedItem).where(models.FeedItem.id == item_id)
        with writing() as session:
            session.execute(appeared.values(published_url=url))
    return status


def reject(context: Context, token: str, item_id: str) -> Status:
    """Mark a reserved item as rejected. Repeating the call changes nothing.

    Raises:
        NotFound: the token has no such item.
        Conflict: the item was confirmed, or is not reserved.
    """
    return _decide(context, token, item_id, REJECT)


def requeue(context: Context, item_id: str) -> Status:
    """Make an abandoned item pending again, as if it had never been sent.

    Raises:
        NotFound: there is no such item.
        Conflict: it is not abandoned, or retention has deleted its text.
    """
    with writing() as session:
        item = require(session, models.FeedItem, item_id, with_for_update=True)
        if item.status != Status.ABANDONED:
            problem = f"This item cannot be requeued: it is {item.status}, not abandoned."
            raise Conflict(problem, {"status": item.status})
        if item.emptied_at is not None:
            raise Conflict("This item cannot be requeued: retention has deleted its text.")
        item.status, item.delivery_count = Status.PENDING, 0
        item.updated_at = context.clock.now()
    return Status.PENDING


def throttle_unknown_tokens(context: Context, network: str) -> None:
    """Count a call with an unknown token against the network that it came from.

    Raises:
        RateLimited: there were too many within a minute.
    """
    allowance = context.limiter.hit(f"feed-miss:{network}", MISSES_PER_MINUTE)
    problem = (
        f"More than {allowance.limit} calls with unknown content tokens came from this address"
        " within a minute."
    )
    require_allowed(context, allowance, "unknownTokensPerMinute", problem)


def _decide(context: Context, token: str, item_id: str, decision: Decision) -> Status:
    """Move an item as decided; return its state."""
    # Looked up before the transaction: guessed tokens must not keep writers waiting.
    token_id = _token_id(context, token)
    if hot.decide(token_id, item_id, decision, context.clock.now()):
        return decision.to
    with writing() as session:
        was = store.decide(session, token_id, item_id, decision, now=context.clock.now())
    if was is None:
        raise NotFound("This content token has no item of that id.")
    return decision.after(was)


def _token_id(context: Context, token: str) -> str:
    token_id = hot.feed_by_hash(credentials.fingerprint(token), context.clock.now())
    if token_id is None:
        raise UnknownToken
    note(feed=token_id)
    return token_id


def _poll(context: Context, token: str) -> Poll:
    """Return which feed has the token, and whether it has items and due rules.

    If rules are due, this queues their runs before it returns. Reads take no lock, so that polling
    an empty feed without due rules costs one statement and never waits.
    """
    polled = hot.poll(credentials.fingerprint(token), context.clock.now())
    if polled is None:
        raise UnknownToken
    note(feed=polled.token_id)
    if polled.has_due_rule:
        trigger_due(context, polled.token_id)
    return polled
