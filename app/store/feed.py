"""The feed's rows.

A pull, a confirm and a reject run in one transaction of ``writing_connection()`` and lock their
token's row first (on SQLite the transaction itself is the lock), so that two calls on one token
happen one after the other, whatever the database. Their statements are built once.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    literal_column,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from app.core.feed_item import ITEMS_LIMIT, Pull, Reserved, Status, pull_items, pull_latest
from app.store.feed_tables import ItemRow, RuleRow, TokenRow

_token, _rule, _item = (
    row.metadata.tables[row.__tablename__] for row in (TokenRow, RuleRow, ItemRow)
)


@dataclass(frozen=True)
class Poll:
    """A token, whether it has an item that a pull could touch, and whether a rule of it is due."""

    token_id: str
    has_items: bool
    has_due_rule: bool


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


def _is(status: Status) -> ColumnElement[Any]:
    return literal_column(f"'{status}'")


def _open_items(where: ColumnElement[bool]) -> Select[Any]:
    """The reserved items and the oldest pending ones, each out of the index in its order."""

    def in_state(status: Status) -> Select[Any]:
        columns = (_item.c.id, _item.c.status, _item.c.delivery_count, _item.c.rule_id)
        query = select(*columns, _item.c.generated_at).where(where, _item.c.status == _is(status))
        return query.order_by(_item.c.generated_at, _item.c.id)

    reserved = in_state(Status.RESERVED).subquery("reserved")
    pending = in_state(Status.PENDING).limit(bindparam("most")).subquery("pending")
    rows = union_all(select(reserved), select(pending)).subquery("open_items")
    name = select(_rule.c.name).where(_rule.c.id == rows.c.rule_id).scalar_subquery()
    return select(rows, name.label("rule_name"))


_TOKEN = select(_token.c.id).where(_token.c.hash == bindparam("token_hash"))
_OPEN_ITEM = exists().where(
    _item.c.token_id == _token.c.id,
    _item.c.status.in_([_is(Status.PENDING), _is(Status.RESERVED)]),
)
# The terms of ix_rules_token_due, which holds no rules but those that may run.
_DUE_RULE = exists().where(
    _rule.c.token_id == _token.c.id,
    _rule.c.paused.is_(False),
    _rule.c.token_paused.is_(False),
    _rule.c.run_id.is_(None),
    _rule.c.next_due_at <= bindparam("now"),
)
_POLL = _TOKEN.add_columns(_OPEN_ITEM.label("has_items"), _DUE_RULE.label("has_due_rule"))
_RULE = (
    select(_rule.c.id)
    .where(
        _rule.c.token_id == bindparam("token_id"),
        (_rule.c.id == bindparam("name_or_id")) | (_rule.c.name_key == bindparam("name_key")),
    )
    .order_by(_rule.c.id != bindparam("name_or_id"))
    .limit(1)
)
# FOR NO KEY UPDATE: the insert of a new item, which refers to the token, does not wait for it.
_LOCK = (
    select(_token.c.id).where(_token.c.id == bindparam("token_id")).with_for_update(key_share=True)
)
_OF_TOKEN = _open_items(_item.c.token_id == bindparam("token_id"))
_OF_RULE = _open_items(
    (_item.c.token_id == bindparam("token_id")) & (_item.c.rule_id == bindparam("of_rule"))
)
_DELIVER = (
    update(_item)
    .where(_item.c.id.in_(bindparam("ids", expanding=True)))
    .values(
        status=_is(Status.RESERVED),
        delivery_count=_item.c.delivery_count + literal_column("1"),
        updated_at=bindparam("now"),
    )
    .returning(_item.c.id, _item.c.post, _item.c.markdown, _item.c.html, _item.c.delivery_count)
)
_GIVE_UP = (
    update(_item)
    .where(_item.c.id.in_(bindparam("ids", expanding=True)))
    .values(status=bindparam("to"), updated_at=bindparam("now"))
)
_CHANGE = (
    update(_item)
    .where(
        _item.c.id == bindparam("item_id"),
        _item.c.token_id == bindparam("of_token"),
        _item.c.status == _is(Status.RESERVED),
    )
    .values(status=bindparam("to"), updated_at=bindparam("now"))
    .returning(_item.c.id)
)
_STATUS = select(_item.c.status).where(
    _item.c.id == bindparam("item_id"), _item.c.token_id == bindparam("of_token")
)


def token_by_hash(connection: Connection, token_hash: str) -> str | None:
    """The id of a token."""
    return connection.scalar(_TOKEN, {"token_hash": token_hash})


def poll(connection: Connection, token_hash: str, now: datetime) -> Poll | None:
    """All that a pull asks before it writes, in one statement; None for an unknown token."""
    row = connection.execute(_POLL, {"token_hash": token_hash, "now": now}).one_or_none()
    return None if row is None else Poll(row[0], bool(row[1]), bool(row[2]))


def find_rule(connection: Connection, token_id: str, name_or_id: str) -> str | None:
    """A rule of the token by its id, or by its name whatever the case; an id comes first."""
    wanted = {"name_or_id": name_or_id, "name_key": name_or_id.casefold()}
    return connection.scalar(_RULE, {"token_id": token_id, **wanted})


def latest(
    connection: Connection, token_id: str, *, next_item: bool, now: datetime
) -> Delivered | None:
    """Hand out the reserved item again, or claim the oldest pending one."""
    found = _lock_and_read(connection, token_id, None, 1)
    pull = pull_latest(found.reserved, next(iter(found.pending), None), next_item=next_item)
    return next(iter(_carry_out(connection, found, pull, now)), None)


def items(
    connection: Connection, token_id: str, rule_id: str | None, *, now: datetime
) -> list[Delivered]:
    """Hand out all open items of the token, or of one of its rules, at most 100."""
    found = _lock_and_read(connection, token_id, rule_id, ITEMS_LIMIT)
    return _carry_out(connection, found, pull_items(found.reserved, found.pending), now)


def change(
    connection: Connection, token_id: str, item_id: str, to: Status, *, now: datetime
) -> Status | None:
    """Move a reserved item to a final state.

    Returns the state that the item was in when the statement met it (``reserved`` means that it
    moved), or None where the token has no such item.
    """
    _lock(connection, token_id)
    item = {"item_id": item_id, "of_token": token_id}
    if connection.execute(_CHANGE, {**item, "to": to.value, "now": now}).first() is not None:
        return Status.RESERVED
    status = connection.scalar(_STATUS, item)
    return Status(status) if status is not None else None


@dataclass(frozen=True)
class _Found:
    """The items that a pull is about, oldest first, and all of their rows by id."""

    reserved: list[Reserved]
    pending: list[str]
    rows: dict[str, Any]


def _lock(connection: Connection, token_id: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK, {"token_id": token_id})


def _lock_and_read(connection: Connection, token_id: str, rule_id: str | None, most: int) -> _Found:
    """Lock the token and read its reserved items, and so many of its pending ones."""
    _lock(connection, token_id)
    wanted = {"token_id": token_id, "most": most}
    if rule_id is None:
        rows = connection.execute(_OF_TOKEN, wanted).all()
    else:
        rows = connection.execute(_OF_RULE, {**wanted, "of_rule": rule_id}).all()
    # In SQL a union has no order.
    rows = sorted(rows, key=lambda row: (row.generated_at, row.id))
    reserved = [
        Reserved(row.id, row.delivery_count) for row in rows if row.status == Status.RESERVED
    ]
    pending = [row.id for row in rows if row.status == Status.PENDING]
    return _Found(reserved, pending, {row.id: row for row in rows})


def _carry_out(connection: Connection, found: _Found, pull: Pull, now: datetime) -> list[Delivered]:
    for ids, status in ((pull.reject, Status.REJECTED), (pull.abandon, Status.ABANDONED)):
        if ids:
            connection.execute(_GIVE_UP, {"ids": ids, "to": status.value, "now": now})
    if not pull.deliver:
        return []
    sent = {row.id: row for row in connection.execute(_DELIVER, {"ids": pull.deliver, "now": now})}
    return [
        Delivered(
            id=item_id,
            rule_id=found.rows[item_id].rule_id,
            rule_name=found.rows[item_id].rule_name,
            post=sent[item_id].post,
            markdown=sent[item_id].markdown,
            html=sent[item_id].html,
            generated_at=found.rows[item_id].generated_at,
            delivery_count=sent[item_id].delivery_count,
        )
        for item_id in pull.deliver
    ]


def count_pending(session: Session, token_id: str, rule_id: str, *, up_to: int) -> int:
    """How many items of a rule wait to be pulled; counting stops at ``up_to``."""
    waiting = (
        select(_item.c.id)
        .where(
            _item.c.token_id == token_id,
            _item.c.rule_id == rule_id,
            _item.c.status == Status.PENDING.value,
        )
        .limit(up_to)
        .subquery()
    )
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
