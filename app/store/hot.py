"""The few statements that nearly every call consists of: who calls, what an answered key returns,
what a poll finds, the claim of an item and its end.

They go without a session of SQLAlchemy, which would take longer than the rest of such a call. All
other statements go through ``database.writing()`` and ``database.reading()``. What only reads goes
by the driver's own cursor, what writes by SQLAlchemy Core. Each function is a transaction of its
own, and must not be called within another.
"""

from collections import namedtuple
from dataclasses import fields
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Engine, Select, bindparam, exists, literal_column, select, update

from app.core.billing.metering import Consumed
from app.core.billing.plan import Plan
from app.core.feed.item import MAX_SENDS, Decision, Status
from app.store import database, models
from app.store.accounts import Caller
from app.store.due import is_due
from app.store.feed import LOCK, OF_TOKEN, Delivered, delivers, is_status
from app.store.models import KeyStatus
from app.store.rows import record

_key, _account, _plan = (model.__table__ for model in (models.ApiKey, models.Account, models.Plan))
_day, _month = models.UsageDay.__table__, models.UsageMonth.__table__
_feed, _rule, _item = models.Feed.__table__, models.Rule.__table__, models.FeedItem.__table__
_old, _used = models.OldFeedUrl.__table__, models.IdempotencyKey.__table__

_Compiled = tuple[str, dict[str, Any], list[str] | None, list[Any]]


class Query:
    """A query by the driver's cursor."""

    def __init__(self, statement: Select[Any]) -> None:
        self.statement = statement
        self._row: Any = namedtuple("_row", statement.selected_columns.keys())  # type: ignore[misc]
        self._compiled: dict[str, _Compiled] = {}

    def first(self, **values: Any) -> Any:
        """Return the first row, read on a snapshot of its own, or None.

        Raises:
            SQLAlchemyError: the database does not answer.
        """
        engine = database.engine()
        try:
            row = self._by_the_driver(engine, values)
        except engine.dialect.loaded_dbapi.Error:
            # SQLAlchemy replaces connections that were lost, and has a name for each error.
            with database.reading() as session:
                return session.execute(self.statement, values).first()
        return None if row is None else self._row(*row)

    def _by_the_driver(self, engine: Engine, values: dict[str, Any]) -> Any:
        is_postgresql = engine.dialect.name == "postgresql"
        statement, to_driver, order, from_driver = self._compile(engine)
        given = {name: to(values[name]) if to else values[name] for name, to in to_driver.items()}
        connection = engine.raw_connection()
        try:
            driver: Any = connection.driver_connection
            if is_postgresql:
                driver.autocommit = True  # else a transaction begins, which takes two more trips
            found = driver.execute(
                statement, given if order is None else [given[name] for name in order]
            )
            row = found.fetchone()
            if row is not None:
                row = [of(each) if of else each for of, each in zip(from_driver, row, strict=True)]
            if is_postgresql:
                driver.autocommit = False
        except engine.dialect.loaded_dbapi.Error:
            connection.invalidate()
            raise
        finally:
            connection.close()
        return row

    def _compile(self, engine: Engine) -> _Compiled:
        """Return the SQL, what makes the driver's values of the parameters, their order where the
        driver does not know them by name, and what makes ours of the driver's."""
        dialect = engine.dialect
        if dialect.name not in self._compiled:
            compiled: Any = self.statement.compile(dialect=dialect)
            to_driver = {
                name: bind.type.dialect_impl(dialect).bind_processor(dialect)
                for name, bind in compiled.binds.items()
            }
            from_driver = [
                column.type.dialect_impl(dialect).result_processor(dialect, None)
                for column in self.statement.selected_columns
            ]
            order = compiled.positiontup
            self._compiled[dialect.name] = str(compiled), to_driver, order, from_driver
        return self._compiled[dialect.name]


class Poll(NamedTuple):
    """A token, whether it has an item that a pull could touch, and whether a rule of it is due."""

    token_id: str
    has_items: bool
    has_due_rule: bool


class Answered(NamedTuple):
    """An idempotency key whose call was answered."""

    fingerprint: str
    result: str


CALLER = Query(
    select(
        *(_plan.c[field.name] for field in fields(Plan)),
        *(_month.c[field.name] for field in fields(Consumed)),
        _key.c.account_id,
        _key.c.id.label("key_id"),
        _key.c.revoked_at,
        _day.c.used,
    )
    .select_from(_key)
    .join(_account, _account.c.id == _key.c.account_id)
    .join(_plan, _plan.c.id == _account.c.plan_id)
    .outerjoin(_day, (_day.c.key_id == _key.c.id) & (_day.c.day == bindparam("today")))
    .outerjoin(
        _month,
        (_month.c.account_id == _account.c.id) & (_month.c.period_start == bindparam("period")),
    )
    .where(_key.c.hash == bindparam("key_hash"))
)
# A call that is answered, not one that failed.
ANSWERED = Query(
    select(_used.c.fingerprint, _used.c.result).where(
        _used.c.account_id == bindparam("account_id"),
        _used.c.endpoint == bindparam("endpoint"),
        _used.c.key == bindparam("key"),
        _used.c.status == literal_column(f"'{KeyStatus.DONE}'"),
        _used.c.result.is_not(None),
    )
)
_OLD_URL = select(_old.c.token_id).where(
    _old.c.hash == bindparam("token_hash"), _old.c.until > bindparam("now")
)
TOKEN = Query(
    select(_feed.c.id).where(
        (_feed.c.hash == bindparam("token_hash")) | (_feed.c.id == _OLD_URL.scalar_subquery())
    )
)
_OPEN_ITEM = exists().where(
    _item.c.token_id == _feed.c.id,
    _item.c.status.in_([is_status(Status.PENDING), is_status(Status.RESERVED)]),
)
_DUE_RULE = exists().where(_rule.c.token_id == _feed.c.id, *is_due(bindparam("now")))
POLL = Query(
    TOKEN.statement.add_columns(_OPEN_ITEM.label("has_items"), _DUE_RULE.label("has_due_rule"))
)
# The oldest reserved item, else the oldest pending one. Not if the reserved one was sent too often:
# then others come before it.
_open = OF_TOKEN.selected_columns
_FIRST = (
    OF_TOKEN.with_only_columns(_open.id)
    .order_by(_open.status.desc(), _open.generated_at, _open.id)
    .limit(literal_column("1"))
)
CLAIM = delivers(
    _item.c.id == _FIRST.scalar_subquery(), _item.c.delivery_count < literal_column(str(MAX_SENDS))
)
# One item alone is looked at. What PostgreSQL saw of it before it had the lock, it looks at again
# before it changes it.
_LOCKED = LOCK.cte("locked")
DECIDE = (
    update(_item)
    .where(
        _item.c.id == bindparam("item_id"),
        _item.c.status == bindparam("before"),
        _item.c.token_id == select(_LOCKED.c.id).scalar_subquery(),
    )
    .values(status=bindparam("to"), updated_at=bindparam("now"))
    .returning(_item.c.id)
)


def find_caller(key_hash: str, today: date, period: date) -> Caller | None:
    """Return the caller of an API key; None if the key is unknown."""
    row = CALLER.first(key_hash=key_hash, today=today, period=period)
    if row is None:
        return None
    return Caller(
        account_id=row.account_id,
        key_id=row.key_id,
        plan=record(Plan, row),
        revoked=row.revoked_at is not None,
        used_today=row.used or 0,
        consumed=Consumed() if row.words is None else record(Consumed, row),
    )


def find_answered(account_id: str, endpoint: str, key: str) -> Answered | None:
    """Return the answer that a call with this key got; None if it got none, or an error."""
    row = ANSWERED.first(account_id=account_id, endpoint=endpoint, key=key)
    return None if row is None else Answered(*row)


def feed_by_hash(token_hash: str, now: datetime) -> str | None:
    """Return the id of a token, or of one that was replaced and still works; None if it is
    unknown."""
    row = TOKEN.first(token_hash=token_hash, now=now)
    return None if row is None else row.id


def poll(token_hash: str, now: datetime) -> Poll | None:
    """Return all data a pull needs before it writes; None for an unknown token."""
    row = POLL.first(token_hash=token_hash, now=now)
    return None if row is None else Poll(row.id, bool(row.has_items), bool(row.has_due_rule))


def claim(token_id: str, now: datetime) -> Delivered | None:
    """Hand out the reserved item again, or claim the oldest pending one.

    Returns None if nothing was done: there is no item, or ``feed.latest`` has to decide.
    """
    wanted = {"of_token": token_id, "most": 1, "now": now}
    with database.core_writing() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(LOCK, wanted)
        row = connection.execute(CLAIM, wanted).one_or_none()
    return None if row is None else Delivered(**row._mapping)


def decide(token_id: str, item_id: str, decision: Decision, now: datetime) -> bool:
    """Move an item as a site decided.

    Returns False if nothing moved: the item is in another state, or another call on the token was
    just changing it. ``feed.decide`` tells which.
    """
    item = {"of_token": token_id, "item_id": item_id, "now": now}
    item |= {"before": decision.before.value, "to": decision.to.value}
    with database.core_writing() as connection:
        # Not `first()`: the statement has to end before its transaction does.
        return connection.execute(DECIDE, item).one_or_none() is not None
