"""docker/roles.sql: the service works with a role that cannot change tables."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import make_url

from app.cli import main
from app.store import database
from tests.support.integration import POSTGRESQL
from tests.support.postgres import PostgresServer
from tests.support.service_harness import open_harness

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


def call(url: str, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words), env={"COPYDESK_DATABASE_URL": url})
    assert "Traceback" not in done.output
    return done.exit_code, done.output


SENTENCE = "this database role may not change tables"


@POSTGRESQL
def test_only_the_role_that_migrates_can_change_tables(
    backend: str, urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app, owner = urls
    for command in ("migrate", "scheduler"):
        code, said = call(app, command)
        assert (code, said.count("\n")) == (1, 1)
        assert SENTENCE in said
    assert call(owner, "migrate") == (0, "the database is up to date\n")
    assert call(app, "migrate") == (0, "the database is up to date\n")

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
        "UPDATE alembic_version SET version_num = '0018'; CREATE TABLE answered_intents ()",
    )
    assert SENTENCE in call(app, "migrate")[1]
