"""A database as another process sees it, and one of an earlier version."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from sqlalchemy import URL, Engine, event, text

from app.store import database
from app.store.hot import Query


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
    """Bind an empty database and give it the tables of the first version that can be migrated."""
    database.bind(url)
    database.migrate()
    with database.writing() as session:
        # What the migrations since then do, undone.
        session.execute(text("ALTER TABLE model_faults DROP COLUMN at"))
        session.execute(text("UPDATE alembic_version SET version_num = '0027'"))
