"""The database is what the code's tables say, and any number of processes may bring it there."""

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask_migrate import downgrade
from sqlalchemy import inspect, select, text

from app.store import database
from app.store.source_tables import SourcePageRow
from app.store.tables import PlanRow
from tests.integration import feed_processes as processes
from tests.integration.conftest import SQLITE, Feed, bare_app


def test_an_empty_file_becomes_a_database_with_the_plans(url: str) -> None:
    app = bare_app(url)
    database.migrate_to_head(app)
    database.migrate_to_head(app)
    with app.app_context():
        with database.reading() as session:
            assert set(session.scalars(select(PlanRow.id))) == {"starter", "growth", "scale"}
        database.db.engine.dispose()


def test_tables_and_migrations_are_the_same(feed: Feed) -> None:
    with database.db.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, database.db.metadata) == []
        indexes = {
            str(index["name"])
            for table in database.db.metadata.tables
            for index in inspect(connection).get_indexes(table)
            if "duplicates_constraint" not in index
        }
    assert indexes == {
        str(index.name) for table in database.db.metadata.tables.values() for index in table.indexes
    }


def test_migrations_go_back_as_well(feed: Feed) -> None:
    with feed.app.app_context():
        downgrade(directory=str(database.MIGRATIONS), revision="base")
    assert inspect(database.db.engine).get_table_names() == ["alembic_version"]
    database.migrate_to_head(feed.app)
    there = inspect(database.db.engine).get_table_names()
    assert {"feed_items", SourcePageRow.__tablename__} <= set(there)


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_migrate_at_once_do_not_trip_over_each_other(
    url: str, tmp_path: Path, attempt: int
) -> None:
    with processes.Together(tmp_path / "migrations", 4, processes.migrates, url) as migrating:
        assert migrating.join() == [["migrated"]] * 4
    app = bare_app(url)
    with app.app_context():
        with database.reading() as session:
            assert session.scalar(text("SELECT count(*) FROM alembic_version")) == 1
            assert session.scalar(text("SELECT count(*) FROM plans")) == 3
        database.db.engine.dispose()


@SQLITE
def test_a_process_that_finds_a_new_file_locked_waits_for_its_turn(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself does not, where it is to switch to WAL."""
    other = sqlite3.connect(tmp_path / "copydesk.db", isolation_level=None)
    other.execute("CREATE TABLE busy (id)")
    other.execute("BEGIN IMMEDIATE")
    waited = []

    def the_other_ends(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            other.execute("COMMIT")

    monkeypatch.setattr("app.store.sqlite.time.sleep", the_other_ends)
    app = bare_app(url)
    with app.app_context():
        with database.reading() as session:
            assert session.scalar(text("PRAGMA journal_mode")) == "wal"
        database.db.engine.dispose()
    other.close()
    assert len(waited) == 2


@SQLITE
def test_a_connection_is_durable_waits_for_others_and_keeps_references(feed: Feed) -> None:
    """“SQLite, WAL, BEGIN IMMEDIATE, synchronous=FULL”"""
    with database.reading() as session:
        values = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert values == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000,
    }  # fmt: skip
