"""A database as another process sees it, and one of an earlier version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from app.store import database

_FIRST = Path(__file__).with_name("tables_0018.sql")
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
