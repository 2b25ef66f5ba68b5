"""The pull feed: hand out, confirm, reject."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from app.core import credentials
from app.core.errors import NotFound
from app.core.feed_item import Status, after_confirm, after_reject
from app.ports import Clock, TaskQueue, Work, WorkKind
from app.store import feed as store
from app.store import rules as rule_store
from app.store.database import reading, writing
from app.store.feed import Delivered


def pull_latest(token: str, clock: Clock, queue: TaskQueue, *, next_item: bool) -> Delivered | None:
    """The reserved item again, or the oldest pending one; None where there is neither.

    Raises:
        NotFound: unknown token.
    """
    token_id, has_items = _open_feed(token, clock, queue)
    if not has_items:
        return None
    with writing() as session:
        return store.latest(session, token_id, next_item=next_item, now=clock.now())


def pull_items(
    token: str, clock: Clock, queue: TaskQueue, *, rule: str | None
) -> Sequence[Delivered]:
    """All open items, or those of one rule, at most 100; each of them is sent by this.

    Raises:
        NotFound: unknown token, or a rule that it does not have.
    """
    token_id, has_items = _open_feed(token, clock, queue)
    rule_id = None
    if rule is not None:
        with reading() as session:
            rule_id = store.find_rule(session, token_id, rule)
        if rule_id is None:
            raise NotFound("This content token has no rule of that name or id.", {"field": "rule"})
    if not has_items:
        return []
    with writing() as session:
        return store.items(session, token_id, rule_id, now=clock.now())


def touch(token: str) -> None:
    """See that the token exists, and change nothing.

    Raises:
        NotFound: unknown token.
    """
    with reading() as session:
        _require_token(session, token)


def confirm(token: str, item_id: str, clock: Clock) -> Status:
    """Mark a reserved item as used; again is as good as once.

    Raises:
        NotFound: unknown token or item.
        Conflict: the item is not the active reserved one.
    """
    return after_confirm(_change(token, item_id, Status.USED, clock))


def reject(token: str, item_id: str, clock: Clock) -> Status:
    """Mark a reserved item as rejected; again is as good as once.

    Raises:
        NotFound: unknown token or item.
        Conflict: the item was confirmed, or is not reserved.
    """
    return after_reject(_change(token, item_id, Status.REJECTED, clock))


def _change(token: str, item_id: str, to: Status, clock: Clock) -> Status:
    with writing() as session:
        token_id = _require_token(session, token)
        was = store.change(session, token_id, item_id, to, now=clock.now())
    if was is None:
        raise NotFound("This content token has no item of that id.")
    return was


def _open_feed(token: str, clock: Clock, queue: TaskQueue) -> tuple[str, bool]:
    """The token's id, and whether a pull could touch anything.

    A pull also notices rules that are due and has them generated in the background. All of it is
    read without a lock, so that polling an empty feed costs a few reads and waits for nobody.
    """
    now = clock.now()
    with reading() as session:
        token_id = _require_token(session, token)
        has_items = store.anything_to_pull(session, token_id)
        due = bool(rule_store.due_rules(session, now, token_id=token_id, limit=1))
    if due:
        with writing() as session:
            runs = [
                rule_store.trigger(session, rule, now)
                for rule in rule_store.due_rules(session, now, token_id=token_id, lock=True)
            ]
        queue.enqueue(*(Work(WorkKind.RUN, run) for run in runs if run is not None))
    return token_id, has_items


def _require_token(session: Session, token: str) -> str:
    token_id = store.token_by_hash(session, credentials.fingerprint(token))
    if token_id is None:
        raise NotFound("Unknown content token.")
    return token_id
