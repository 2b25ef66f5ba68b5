"""Ids, and what the tables have in common: reading dataclasses, inserting and updating rows."""

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import ColumnElement, CursorResult, Update, inspect, tuple_
from sqlalchemy.orm import Session
from ulid import ULID

from app.extensions import Base

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

D = TypeVar("D", bound="DataclassInstance")


def new_id(prefix: str) -> str:
    """Return an id: the prefix says what it names, and ids sort by the time of their creation."""
    return f"{prefix}_{ULID()}"


def record(kind: type[D], row: Any) -> D:
    """Return a dataclass whose fields are read from a row or model by name."""
    return kind(**{field.name: getattr(row, field.name) for field in fields(kind)})


def changes(session: Session, statement: Update) -> bool:
    """Execute the statement; return whether it changed a row."""
    return cast("CursorResult[Any]", session.execute(statement)).rowcount > 0


def key_of(row: Any) -> ColumnElement[Any]:
    """Return the primary key of a table as one value, to compare with tuples."""
    return tuple_(*inspect(row).primary_key)


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
    insert = insert_of(session.get_bind().dialect.name)
    # Not by ``rowcount``: psycopg's is always -1 here.
    added = insert(table).values(**values).on_conflict_do_nothing()
    return session.execute(added.returning(*inspect(table).primary_key)).first() is not None
