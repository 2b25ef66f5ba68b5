"""A new database, and that any number of processes may make it."""

import sqlite3
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text

from app.store import database
from app.store.database import revisions
from tests.support import concurrent_processes as processes
from tests.support.integration import SQLITE, Feed


def test_a_version_knows_its_own_revisions_without_alembic() -> None:
    scripts = ScriptDirectory(str(database.MIGRATIONS))
    assert [script.revision for script in scripts.walk_revisions()][::-1] == revisions()
    assert scripts.get_heads() == revisions()[-1:]


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_migrate_at_once_do_not_trip_over_each_other(
    url: str, tmp_path: Path, attempt: int
) -> None:
    with processes.ConcurrentProcesses(
        tmp_path / "migrations", 4, processes.migrates, url
    ) as migrating:
        assert migrating.join() == [["migrated"]] * 4
    database.bind(url)
    with database.reading() as session:
        assert session.scalar(text("SELECT count(*) FROM alembic_version")) == 1
        assert session.scalar(text("SELECT count(*) FROM plans")) == 3
    database.dispose()


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
    database.bind(url)
    with database.reading() as session:
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
    database.dispose()
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
