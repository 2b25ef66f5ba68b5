"""A database as another process sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import flask_migrate
from flask import current_app
from flask_migrate import Migrate
from sqlalchemy import URL, Engine

from app.extensions import db
from app.store import database
from app.store.raw_query import RawQuery


@contextmanager
def another_connection(url: str | URL) -> Iterator[None]:
    """What is read and written meanwhile has connections and a turn to write of its own."""
    with database.connect(url).app_context():
        yield
        database.dispose()


@contextmanager
def every_statement_by_sqlalchemy() -> Iterator[None]:
    """Raw queries have no events. What the driver refuses is asked again by SQLAlchemy."""

    def refuse(_: RawQuery, engine: Engine, __: object) -> None:
        raise engine.dialect.loaded_dbapi.OperationalError

    with patch.object(RawQuery, "_first", refuse):
        yield


def downgrade(url: str, revision: str) -> None:
    """Take a database back to an earlier schema."""
    with database.bind(url).app_context():
        Migrate(current_app, db, directory=str(database.MIGRATIONS))
        flask_migrate.downgrade(revision=revision)
