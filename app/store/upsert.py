"""INSERT … ON CONFLICT DO NOTHING, which SQLAlchemy spells by dialect."""

from typing import Any

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.store.database import Base


def insert_if_absent(session: Session, table: type[Base], **values: Any) -> bool:
    """Insert a row unless its key or a unique value of it is there; says whether it was inserted.

    On PostgreSQL it waits for another transaction that is inserting the same.
    """
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    # Not by ``rowcount``: psycopg's is -1 here, whatever happened.
    added = insert(table).values(**values).on_conflict_do_nothing()
    return session.execute(added.returning(*inspect(table).primary_key)).first() is not None
