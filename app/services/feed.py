"""The pull feed: hand out, confirm, reject."""

from collections.abc import Sequence

from app.core import credentials
from app.core.errors import NotFound
from app.core.feed_item import Status, after_confirm, after_reject
from app.core.rule import FREQUENT, SchedulePolicy
from app.ports import Clock, RateLimiter, TaskQueue
from app.services.rules import trigger_due
from app.services.usage import require_allowed
from app.store import feed as store
from app.store.database import autocommit, writing_connection
from app.store.feed import Delivered, Poll

MISSES_PER_MINUTE = 60


class UnknownToken(NotFound):
    """No feed has this token. Whatever it looks like, it costs the same and is told the same."""

    def __init__(self) -> None:
        super().__init__("Unknown content token.")


def pull_latest(
    token: str,
    clock: Clock,
    queue: TaskQueue,
    *,
    next_item: bool,
    policy: SchedulePolicy = FREQUENT,
) -> Delivered | None:
    """The reserved item again, or the oldest pending one; None where there is neither.

    Raises:
        UnknownToken: unknown token.
    """
    polled, _ = _poll(token, None, clock, queue, policy)
    if not polled.has_items:
        return None
    with writing_connection() as connection:
        return store.latest(connection, polled.token_id, next_item=next_item, now=clock.now())


def pull_items(
    token: str,
    clock: Clock,
    queue: TaskQueue,
    *,
    rule: str | None,
    policy: SchedulePolicy = FREQUENT,
) -> Sequence[Delivered]:
    """All open items, or those of one rule, at most 100; each of them is sent by this.

    Raises:
        UnknownToken: unknown token.
        NotFound: the token has no such rule.
    """
    polled, rule_id = _poll(token, rule, clock, queue, policy)
    if not polled.has_items:
        return []
    with writing_connection() as connection:
        return store.items(connection, polled.token_id, rule_id, now=clock.now())


def touch(token: str) -> None:
    """See that the token exists, and change nothing.

    Raises:
        UnknownToken: unknown token.
    """
    _token_id(token)


def confirm(token: str, item_id: str, clock: Clock) -> Status:
    """Mark a reserved item as used; again is as good as once.

    Raises:
        UnknownToken: unknown token.
        NotFound: the token has no such item.
        Conflict: the item is not the active reserved one.
    """
    return after_confirm(_change(token, item_id, Status.USED, clock))


def reject(token: str, item_id: str, clock: Clock) -> Status:
    """Mark a reserved item as rejected; again is as good as once.

    Raises:
        UnknownToken: unknown token.
        NotFound: the token has no such item.
        Conflict: the item was confirmed, or is not reserved.
    """
    return after_reject(_change(token, item_id, Status.REJECTED, clock))


def count_miss(network: str, limiter: RateLimiter, clock: Clock) -> None:
    """Count a call with an unknown token against the network that it came from.

    Known tokens are not counted: a guesser must not shut out those who share its address.

    Raises:
        RateLimited: there were too many of them within a minute.
    """
    allowance = limiter.hit(f"feed-miss:{network}", MISSES_PER_MINUTE)
    problem = (
        f"More than {allowance.limit} calls with unknown content tokens came from this address"
        " within a minute."
    )
    require_allowed(allowance, "unknownTokensPerMinute", problem, clock)


def _change(token: str, item_id: str, to: Status, clock: Clock) -> Status:
    # Looked up before the transaction: who guesses tokens must not keep writers waiting.
    token_id = _token_id(token)
    with writing_connection() as connection:
        was = store.change(connection, token_id, item_id, to, now=clock.now())
    if was is None:
        raise NotFound("This content token has no item of that id.")
    return was


def _token_id(token: str) -> str:
    with autocommit() as connection:
        token_id = store.token_by_hash(connection, credentials.fingerprint(token))
    if token_id is None:
        raise UnknownToken
    return token_id


def _poll(
    token: str, rule: str | None, clock: Clock, queue: TaskQueue, policy: SchedulePolicy
) -> tuple[Poll, str | None]:
    """What there is to pull, and the id of a rule by its name or id.

    A pull also notices rules that are due and has them generated in the background. All of it is
    read without a lock, so that polling an empty feed costs one statement and waits for nobody.
    """
    rule_id = None
    with autocommit() as connection:
        polled = store.poll(connection, credentials.fingerprint(token), clock.now())
        if polled is None:
            raise UnknownToken
        if rule is not None:
            rule_id = store.find_rule(connection, polled.token_id, rule)
            if rule_id is None:
                problem = "This content token has no rule of that name or id."
                raise NotFound(problem, {"field": "rule"})
    if polled.has_due_rule:
        trigger_due(polled.token_id, clock, queue, policy)
    return polled, rule_id
