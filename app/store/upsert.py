"""INSERT … ON CONFLICT DO NOTHING, which SQLAlchemy spells by dialect."""

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.store.database import Base


def insert_if_absent(session: Session, table: type[Base], **values: Any) -> bool:
    """Insert a row unless its key or a unique value of it is there; says whether it was."""
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(table).values(**values).on_conflict_do_nothing()
    return bool(session.execute(statement).rowcount)  # type: ignore[attr-defined]
