"""A new database, that any number of processes may make it, and with which roles
(docker/roles.sql)."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.script import ScriptDirectory
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import make_url, text

from app.store import database
from app.store.database import revisions
from tests.support import concurrent_processes as processes
from tests.support.commands import Commands
from tests.support.integration import POSTGRESQL, SQLITE, Feed
from tests.support.postgres import PostgresServer
from tests.support.service_harness import open_harness


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


# --- roles


ROLES = (Path(__file__).parents[2] / "docker" / "roles.sql").read_text()


@pytest.fixture
def urls(postgres: PostgresServer) -> Iterator[tuple[str, str]]:
    """The address of an empty database for the app's role, and for the one that migrates."""
    url = postgres.create_database()
    execute(url, ROLES)
    address = make_url(url)
    yield (
        address.set(username="copydesk").render_as_string(hide_password=False),
        address.set(username="copydesk_migrate").render_as_string(hide_password=False),
    )
    database.dispose()
    execute(url, "DROP OWNED BY copydesk, copydesk_migrate; DROP ROLE copydesk, copydesk_migrate")
    postgres.drop_database(url)


def execute(url: str, statements: str) -> None:
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        connection.execute(statements.encode())


def call(url: str, command: str, code: int = 0) -> str:
    return Commands(COPYDESK_DATABASE_URL=url).run(command, code=code).output


SENTENCE = "this database role may not change tables"


@POSTGRESQL
def test_only_the_role_that_migrates_can_change_tables(
    backend: str, urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, owner = urls
    for command in ("migrate", "scheduler"):
        said = call(app, command, 1)
        assert said.count("\n") == 1
        assert SENTENCE in said
    for role in (owner, app):
        assert call(role, "migrate") == "the database is up to date\n"

    with open_harness(app, monkeypatch) as harness:
        database.check()
        job = harness.create(harness.key("k"))
        assert harness.work(job["jobId"])
        assert harness.job(job)["status"] == "succeeded"
        harness.generate(harness.key("g", "generate"))

    for statement in (
        "ALTER TABLE jobs ADD COLUMN extra text",
        "CREATE TABLE extra (id text)",
        "DROP TABLE jobs",
        "TRUNCATE jobs",
        "CREATE INDEX extra ON jobs (id)",
    ):
        with pytest.raises(InsufficientPrivilege):
            execute(app, statement)
    execute(owner, "ALTER TABLE jobs ADD COLUMN extra text")

    # An older schema, found by the app's role.
    execute(
        owner,
        "UPDATE alembic_version SET version_num = '0024'",
    )
    assert SENTENCE in call(app, "migrate", 1)
