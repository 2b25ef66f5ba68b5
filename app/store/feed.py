"""The feed's rows.

A pull, a confirm and a reject lock their token's row first (on SQLite the transaction itself is the
lock), so that two calls on one token happen one after the other, whatever the database. Their
statements are built once. Nearly every pull and confirm ends with those of ``hot.py``.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from app.core.feed.item import Decision, Pull, Reserved, Status, plan_items, plan_latest
from app.core.feed.review import HOLD
from app.core.schemas.feed import ITEMS_LIMIT
from app.core.schemas.names import name_key
from app.store import models

_feed, _rule, _item = models.Feed.__table__, models.Rule.__table__, models.FeedItem.__table__


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


def is_status(status: Status) -> ColumnElement[Any]:
    """Return the status as text of the statement, as the terms of partial indexes are."""
    return literal_column(f"'{status}'")


def _open_items(where: ColumnElement[bool]) -> Select[Any]:
    """The reserved items and the oldest pending ones, each out of the index in its order."""

    def in_state(status: Status) -> Select[Any]:
        columns = (_item.c.id, _item.c.status, _item.c.delivery_count, _item.c.generated_at)
        query = select(*columns).where(where, _item.c.status == is_status(status))
        return query.order_by(_item.c.generated_at, _item.c.id)

    reserved = in_state(Status.RESERVED).subquery("reserved")
    pending = in_state(Status.PENDING).limit(bindparam("most")).subquery("pending")
    return select(union_all(select(reserved), select(pending)).subquery("open_items"))


# FOR NO KEY UPDATE: the insert of a new item, which refers to the token, does not wait for it.
LOCK = select(_feed.c.id).where(_feed.c.id == bindparam("of_token")).with_for_update(key_share=True)
OF_TOKEN = _open_items(_item.c.token_id == bindparam("of_token"))
_OF_RULE = _open_items(
    (_item.c.token_id == bindparam("of_token")) & (_item.c.rule_id == bindparam("of_rule"))
)


def delivers(*where: ColumnElement[bool]) -> ReturningUpdate[Any]:
    """Return the statement that hands out items, as ``Delivered``."""
    columns = (_item.c[field.name] for field in fields(Delivered) if field.name != "rule_name")
    # As text: for SQLite, SQLAlchemy would leave out the names of the tables here.
    name: ColumnElement[str] = literal_column(
        "(SELECT rules.name FROM rules WHERE rules.id = feed_items.rule_id)"
    )
    return (
        update(_item)
        .where(*where)
        .values(
            status=is_status(Status.RESERVED),
            delivery_count=_item.c.delivery_count + literal_column("1"),
            updated_at=bindparam("now"),
        )
        .returning(*columns, name.label("rule_name"))
    )


_DELIVER = delivers(_item.c.id.in_(bindparam("ids", expanding=True)))


def find_rule(session: Session, token_id: str, name_or_id: str) -> str | None:
    """Return the token's rule of that id or, regardless of case, of that name; the id wins."""
    rule, rule_id = models.Rule, name_or_id.strip()
    named = (rule.id == rule_id) | (rule.name_key == name_key(name_or_id))
    query = select(rule.id).where(rule.token_id == token_id, named)
    return session.scalar(query.order_by(rule.id != rule_id).limit(1))


def latest(session: Session, token_id: str, *, next_item: bool, now: datetime) -> Delivered | None:
    """Hand out the reserved item again, or claim the oldest pending one."""
    found = _lock_and_read(session, token_id, None, 1)
    pull = plan_latest(found.reserved, next(iter(found.pending), None), next_item=next_item)
    return next(iter(_carry_out(session, pull, now)), None)


def items(
    session: Session, token_id: str, rule_id: str | None, *, now: datetime
) -> list[Delivered]:
    """Hand out all open items of the token, or of one of its rules, at most 100."""
    found = _lock_and_read(session, token_id, rule_id, ITEMS_LIMIT)
    return _carry_out(session, plan_items(found.reserved, found.pending), now)


def decide(
    session: Session, token_id: str, item_id: str, decision: Decision, *, now: datetime
) -> Status | None:
    """Move an item as a site decided, if it is in the state for that.

    Returns the item's state before the call, or None if the token has no such item.
    """
    _lock(session, token_id)
    mine = (_item.c.id == item_id) & (_item.c.token_id == token_id)
    status = session.scalar(select(_item.c.status).where(mine))
    if status == decision.before:
        _move(session, [item_id], decision.to, now)
    return None if status is None else Status(status)


class _Found(NamedTuple):
    """The items that a pull is about, oldest first."""

    reserved: list[Reserved]
    pending: list[str]


def _lock(session: Session, token_id: str) -> None:
    session.execute(LOCK, {"of_token": token_id})


def _lock_and_read(session: Session, token_id: str, rule_id: str | None, most: int) -> _Found:
    """Lock the token and read its reserved items and at most ``most`` pending ones."""
    _lock(session, token_id)
    wanted = {"of_token": token_id, "most": most}
    rows = (
        session.execute(OF_TOKEN, wanted)
        if rule_id is None
        else session.execute(_OF_RULE, {**wanted, "of_rule": rule_id})
    )
    found = _Found([], [])
    # In SQL a union has no order.
    for row in sorted(rows, key=lambda row: (row.generated_at, row.id)):
        if row.status == Status.RESERVED:
            found.reserved.append(Reserved(row.id, row.delivery_count))
        else:
            found.pending.append(row.id)
    return found


def _move(session: Session, ids: Sequence[str], to: Status, now: datetime) -> None:
    moved = update(_item).where(_item.c.id.in_(ids))
    session.execute(moved.values(status=to.value, updated_at=now))


def _carry_out(session: Session, pull: Pull, now: datetime) -> list[Delivered]:
    for ids, status in ((pull.reject, Status.REJECTED), (pull.abandon, Status.ABANDONED)):
        if ids:
            _move(session, ids, status, now)
    if not pull.deliver:
        return []
    sent = {
        row.id: Delivered(**row._mapping)
        for row in session.execute(_DELIVER, {"ids": pull.deliver, "now": now})
    }
    return [sent[item_id] for item_id in pull.deliver]


def count_waiting(session: Session, rule_ids: Collection[str], *, up_to: int) -> Mapping[str, int]:
    """Return the number of pending and held items of each rule, counting at most ``up_to``."""

    def counted(status: Status) -> ColumnElement[int]:
        # By the rule alone, or the database may look through all such items of its feed; and in the
        # order of the index of these items, or it may look through the other items of the rule.
        of_rule = (_item.c.rule_id == _rule.c.id) & (_item.c.status == status.value)
        oldest = select(_item.c.id).where(of_rule).order_by(_item.c.generated_at, _item.c.id)
        waiting = oldest.limit(up_to).correlate(_rule).subquery()
        return select(func.count()).select_from(waiting).scalar_subquery()

    number = counted(Status.PENDING) + counted(Status.HELD)
    query = select(_rule.c.id, number.label("waiting")).where(_rule.c.id.in_(sorted(rule_ids)))
    return {row.id: min(row.waiting, up_to) for row in session.execute(query)}


def add_item(session: Session, now: datetime, **columns: Any) -> None:
    """Add an item to a feed, held if the feed has a review or it replaces a held one; ``columns``
    hold its ids, title, keyword, angle and post."""
    times = {"generated_at": now, "updated_at": now}
    review = session.scalar(select(_feed.c.review).where(_feed.c.id == columns["token_id"]))
    status = Status.HELD if review == HOLD or columns.get("replaces") else Status.PENDING
    session.add(models.FeedItem(status=status.value, **times, **columns))
