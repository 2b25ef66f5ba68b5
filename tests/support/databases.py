"""A database as another process sees it, and one of an earlier version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import URL, Engine, event

from app.store import database
from app.store.hot import Query

_FIRST = Path(__file__).with_name("tables_0024.sql")
_ON_POSTGRESQL = {
    "DATETIME": "TIMESTAMP WITH TIME ZONE",
    "BLOB": "BYTEA",
    "DOUBLE": "DOUBLE PRECISION",
    "BOOLEAN DEFAULT 0": "BOOLEAN DEFAULT false",
    "IS 0": "IS false",
    " WITHOUT ROWID": "",
}


@contextmanager
def another_connection(url: str | URL) -> Iterator[None]:
    """What is read and written meanwhile has connections of its own."""
    with database.connect(url).app_context():
        yield
        database.dispose()


@contextmanager
def every_statement_by_sqlalchemy() -> Iterator[None]:
    """The driver's cursor has no events. What it refuses is asked again by SQLAlchemy."""

    def refuse(_: Query, engine: Engine, __: object) -> None:
        raise engine.dialect.loaded_dbapi.OperationalError

    with patch.object(Query, "_by_the_driver", refuse):
        yield


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements that are sent within the block."""
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(database.engine(), "before_cursor_execute", note)
    try:
        with every_statement_by_sqlalchemy():
            yield sent
    finally:
        event.remove(database.engine(), "before_cursor_execute", note)


def make_first(url: str | URL) -> None:
    """Bind an empty database and give it the tables of the first version that can be migrated, as
    that version made them."""
    database.bind(url)
    script = _FIRST.read_text()
    with database.engine().begin() as connection:
        if connection.dialect.name == "postgresql":
            for name, other in _ON_POSTGRESQL.items():
                script = script.replace(name, other)
        for statement in script.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
