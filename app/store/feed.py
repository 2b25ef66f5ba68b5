"""The feed's rows. Each public function runs inside one transaction of ``writing()``.

A pull, a confirm and a reject lock their token's row first (on SQLite the transaction itself is the
lock), so that two calls on one token happen one after the other, whatever the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.core.feed_item import ITEMS_LIMIT, Pull, Reserved, Status, pull_items, pull_latest
from app.store.tables import ItemRow, RuleRow, TokenRow


@dataclass(frozen=True)
class Delivered:
    """An item as a pull hands it out."""

    id: str
    rule_id: str
    rule_name: str
    post: dict[str, Any]
    markdown: str
    html: str
    generated_at: datetime
    delivery_count: int


def token_by_hash(session: Session, token_hash: str) -> str | None:
    """The id of a token."""
    return session.scalar(select(TokenRow.id).where(TokenRow.hash == token_hash))


def anything_to_pull(session: Session, token_id: str) -> bool:
    """Whether the token has an item that a pull could touch; reads only."""
    open_items = select(ItemRow.id).where(
        ItemRow.token_id == token_id,
        ItemRow.status.in_([Status.PENDING.value, Status.RESERVED.value]),
    )
    return session.scalar(open_items.limit(1)) is not None


def find_rule(session: Session, token_id: str, name_or_id: str) -> str | None:
    """A rule of the token by its id, or by its name whatever the case; an id comes first."""
    return session.scalar(
        select(RuleRow.id)
        .where(
            RuleRow.token_id == token_id,
            (RuleRow.id == name_or_id) | (RuleRow.name_key == name_or_id.casefold()),
        )
        .order_by(RuleRow.id != name_or_id)
        .limit(1)
    )


def latest(session: Session, token_id: str, *, next_item: bool, now: datetime) -> Delivered | None:
    """Hand out the reserved item again, or claim the oldest pending one."""
    _lock(session, token_id)
    reserved = _reserved(session, token_id, None)
    pending = _pending(session, token_id, None, 1)
    pull = pull_latest(reserved, pending[0] if pending else None, next_item=next_item)
    delivered = _carry_out(session, token_id, pull, now)
    return delivered[0] if delivered else None


def items(
    session: Session, token_id: str, rule_id: str | None, *, now: datetime
) -> list[Delivered]:
    """Hand out all open items of the token, or of one of its rules, at most 100."""
    _lock(session, token_id)
    reserved = _reserved(session, token_id, rule_id)
    pending = _pending(session, token_id, rule_id, ITEMS_LIMIT)
    return _carry_out(session, token_id, pull_items(reserved, pending), now)


def change(
    session: Session, token_id: str, item_id: str, to: Status, *, now: datetime
) -> Status | None:
    """Move a reserved item to a final state.

    Returns the state that the item was in when the statement met it (``reserved`` means that it
    moved), or None where the token has no such item.
    """
    _lock(session, token_id)
    moved = session.scalar(
        update(ItemRow)
        .where(
            ItemRow.id == item_id,
            ItemRow.token_id == token_id,
            ItemRow.status == Status.RESERVED.value,
        )
        .values(status=to.value, updated_at=now)
        .returning(ItemRow.id)
    )
    if moved is not None:
        return Status.RESERVED
    status = session.scalar(
        select(ItemRow.status).where(ItemRow.id == item_id, ItemRow.token_id == token_id)
    )
    return Status(status) if status is not None else None


def _lock(session: Session, token_id: str) -> None:
    # FOR NO KEY UPDATE: the insert of a new item, which refers to the token, does not wait for it.
    lock = select(TokenRow.id).where(TokenRow.id == token_id).with_for_update(key_share=True)
    session.execute(lock)


def _in_state(token_id: str, status: Status, rule_id: str | None) -> Any:
    query = select(ItemRow.id, ItemRow.delivery_count).where(
        ItemRow.token_id == token_id, ItemRow.status == status.value
    )
    if rule_id is not None:
        query = query.where(ItemRow.rule_id == rule_id)
    return query.order_by(ItemRow.generated_at, ItemRow.id)


def _reserved(session: Session, token_id: str, rule_id: str | None) -> list[Reserved]:
    query = _in_state(token_id, Status.RESERVED, rule_id)
    return [Reserved(*row) for row in session.execute(query)]


def _pending(session: Session, token_id: str, rule_id: str | None, limit: int) -> list[str]:
    query = _in_state(token_id, Status.PENDING, rule_id)
    return [row.id for row in session.execute(query.limit(limit))]


def _carry_out(session: Session, token_id: str, pull: Pull, now: datetime) -> list[Delivered]:
    for ids, status in ((pull.reject, Status.REJECTED), (pull.abandon, Status.ABANDONED)):
        if ids:
            _move(session, ids, status=status.value, updated_at=now)
    if not pull.deliver:
        return []
    _move(
        session,
        pull.deliver,
        status=Status.RESERVED.value,
        delivery_count=ItemRow.delivery_count + 1,
        updated_at=now,
    )
    rows = session.execute(
        select(
            ItemRow.id,
            ItemRow.rule_id,
            RuleRow.name,
            ItemRow.post,
            ItemRow.markdown,
            ItemRow.html,
            ItemRow.generated_at,
            ItemRow.delivery_count,
        )
        .join(RuleRow, RuleRow.id == ItemRow.rule_id)
        .where(ItemRow.id.in_(pull.deliver))
    )
    order = {item_id: index for index, item_id in enumerate(pull.deliver)}
    return sorted((Delivered(*row) for row in rows), key=lambda item: order[item.id])


def _move(session: Session, ids: Sequence[str], **values: Any) -> None:
    session.execute(update(ItemRow).where(ItemRow.id.in_(ids)).values(**values))


def count_pending(session: Session, token_id: str, rule_id: str, *, up_to: int) -> int:
    """How many items of a rule wait to be pulled; counting stops at ``up_to``."""
    waiting = _in_state(token_id, Status.PENDING, rule_id).limit(up_to).subquery()
    return session.scalar(select(func.count()).select_from(waiting)) or 0


def earlier_titles(session: Session, rule_id: str, limit: int = 20) -> tuple[str, ...]:
    """The newest titles that a rule produced, newest first."""
    return tuple(
        session.scalars(
            select(ItemRow.title)
            .where(ItemRow.rule_id == rule_id)
            .order_by(ItemRow.generated_at.desc())
            .limit(limit)
        )
    )
