"""For the next test, a reused database is equivalent to a fresh copy."""

import psycopg
import pytest

from tests.support.postgres import PostgresServer
from tests.support.reused_database import ReusedDatabase

_ACCOUNT = """INSERT INTO accounts (id, name, plan_id, created_at)
VALUES ('acc_left', 'Left behind', 'starter', now())"""


@pytest.fixture
def reused(postgres: PostgresServer, postgres_template: str) -> ReusedDatabase:
    return ReusedDatabase(postgres, postgres_template)


def connect(url: str) -> "psycopg.Connection[tuple[str]]":
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True)


def run(url: str, *statements: str) -> None:
    with connect(url) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def identity(url: str) -> str:
    """What a database keeps under whatever name, and a copy does not have."""
    with connect(url) as connection:
        row = connection.execute(
            "SELECT oid::text FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return row[0]


def rows(url: str) -> dict[str, list[tuple[str]]]:
    """Return the rows of every table."""
    with connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {
            name: connection.execute(
                f'SELECT t::text FROM "{name}" t ORDER BY 1'.encode()
            ).fetchall()
            for (name,) in tables.fetchall()
        }


def test_what_a_test_wrote_is_gone_and_what_it_took_away_is_back(
    reused: ReusedDatabase, postgres_template: str
) -> None:
    first = reused.fresh()
    run(first, _ACCOUNT, "DELETE FROM plans WHERE id = 'growth'", "DELETE FROM alembic_version")
    second = reused.fresh()
    assert rows(second) == rows(postgres_template)
    # Else this proves no more than that a copy is a copy.
    run(second, _ACCOUNT)
    before = identity(second)
    assert identity(reused.fresh()) == before


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE accounts ADD COLUMN more integer",
        "DROP TABLE evidence CASCADE",
        "CREATE FUNCTION more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "ANALYZE plans",
        "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',"
        " current_database()); END$$",
    ],
)
def test_one_in_which_more_than_rows_was_changed_is_not_used_again(
    reused: ReusedDatabase, change: str
) -> None:
    used = reused.fresh()
    run(used, change)
    before = identity(used)
    assert identity(reused.fresh()) != before
