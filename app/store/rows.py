"""Ids, and what the tables have in common: reading dataclasses, inserting and updating rows."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import (
    CursorResult,
    Delete,
    Row,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    inspect,
    select,
)
from sqlalchemy.orm import Session
from ulid import ULID

from app.extensions import Base

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

B = TypeVar("B", bound=Base)
D = TypeVar("D", bound="DataclassInstance")


def new_id(prefix: str) -> str:
    """Return an id: the prefix says what it names, and ids sort by the time of their creation."""
    return f"{prefix}_{ULID()}"


def new_row(kind: type[B], prefix: str, **columns: Any) -> B:
    """Return a row with a new id of that prefix, for ``session.add``."""
    return kind(id=new_id(prefix), **columns)


def record(kind: type[D], row: Any) -> D:
    """Return a dataclass whose fields are read from a row or model by name."""
    return kind(**{name: getattr(row, name) for name in _names(kind)})


@cache
def _names(kind: type[Any]) -> Sequence[str]:
    return [field.name for field in fields(kind)]


def changes(session: Session, statement: Update) -> bool:
    """Execute the statement; return whether it changed a row."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount > 0


def keys_of(row: Any) -> Select[Any]:
    """Return the query for primary keys, as ``change_each`` takes them."""
    return select(*(column.label(f"key_{column.name}") for column in inspect(row).primary_key))


def change_each(
    session: Session, statement: Update | Delete, row: Any, keys: Sequence[Row[Any]]
) -> int:
    """Execute the statement for each of the rows; return how many it changed.

    One by one: SQLite finds no row by an index whose key of several columns is in a list.
    """
    if not keys:
        return 0
    columns = inspect(row).primary_key
    mine = and_(*(column == bindparam(f"key_{column.name}") for column in columns))
    given = [key._asdict() for key in keys]
    return session.connection().execute(statement.where(mine), given).rowcount


def insert_of(dialect: str) -> Callable[[Any], Any]:
    """Return the ``insert`` of ``sqlite`` or ``postgresql``, as ON CONFLICT differs by dialect.

    A process loads only its own.
    """
    insert: Callable[[Any], Any] = import_module(f"sqlalchemy.dialects.{dialect}").insert
    return insert


def insert_if_absent(session: Session, table: type[Base], **values: Any) -> bool:
    """Insert a row unless its key or a unique value exists. Return True if it was inserted.

    On PostgreSQL it waits for another transaction that is inserting the same.
    """
    connection = session.connection()
    adding = _adding(table.__table__, connection.dialect.name)
    return connection.execute(adding, values).first() is not None


# Composing a statement takes several times as long as executing it.
@cache
def _adding(table: Table, dialect: str) -> Any:
    # Not by ``rowcount``: psycopg's is always -1 here.
    return insert_of(dialect)(table).on_conflict_do_nothing().returning(*table.primary_key)
