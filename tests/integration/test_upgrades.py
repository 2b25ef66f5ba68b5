"""Upgrades: the oldest schema is migrated, and what its version wrote is kept."""

from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.types import TypeEngine

from app.extensions import Base
from app.store import database, models
from tests.support.databases import make_first
from tests.support.integration import BEGIN, Feed

# What later revisions drop or empty, and what is there already.
UNWRITTEN = {"webhook_roots", "post_bands", "post_signatures", "plans", "alembic_version"}


def write_rows(numbers: range) -> set[str]:
    """Write rows into each table of an earlier schema, but those that go later; return the names
    of the tables."""
    tables = MetaData()
    tables.reflect(database.engine())
    written = [table for table in tables.sorted_tables if table.name not in UNWRITTEN]
    with database.writing() as session:
        for number in numbers:
            rows: dict[str, dict[str, Any]] = {}
            for table in written:
                rows[table.name] = _row(table, rows, number)
                session.execute(insert(table).values(rows[table.name]))
    return {table.name for table in written}


def _row(table: Table, parents: dict[str, dict[str, Any]], number: int) -> dict[str, Any]:
    """A value for each column that needs one."""
    row = {}
    for column in table.columns:
        if column.foreign_keys:
            (key,) = list(column.foreign_keys)[:1]
            parent = key.column.table.name
            row[column.name] = "starter" if parent == "plans" else parents[parent][key.column.name]
        elif not column.nullable and column.server_default is None:
            row[column.name] = _value(column.type, number)
    return row


def _value(kind: TypeEngine[Any], number: int) -> Any:
    match kind:
        case Boolean():
            return False
        case Integer() | Float():
            return number
        case DateTime():
            return BEGIN
        case Date():
            return BEGIN.date()
        case LargeBinary():
            return b"x"
        case JSON():
            return []
    return f"{number:06}"


def test_an_upgrade_keeps_what_the_previous_version_wrote(url: str) -> None:
    make_first(url)
    names = write_rows(range(3))
    database.migrate()
    with database.reading() as session:
        for name in names:
            counted = select(func.count()).select_from(Base.metadata.tables[name])
            assert session.scalar(counted) == 3, name
    database.dispose()


def test_an_upgraded_database_is_like_a_new_one(
    feed: Feed, backend: str, url: str, tmp_path: Path
) -> None:
    made = described()
    make_first(f"sqlite:///{tmp_path / 'first.db'}" if backend == "sqlite" else url)
    database.migrate()
    assert described() == made
    with database.reading() as session:
        revision = session.scalar(text("SELECT version_num FROM alembic_version"))
    assert revision == database.revisions()[-1]
    database.dispose()


def described() -> dict[str, Any]:
    """The tables of the database that is bound, with their columns, constraints and indexes."""
    found = inspect(database.engine())

    def columns(table: str) -> list[Any]:
        parts = ("name", "nullable", "default")
        return [(*(each[part] for part in parts), str(each["type"]))  # type: ignore[literal-required]
                for each in found.get_columns(table)]  # fmt: skip

    return {
        table: [
            sorted(columns(table), key=str),
            found.get_pk_constraint(table),
            sorted(found.get_foreign_keys(table), key=str),
            sorted(found.get_unique_constraints(table), key=str),
            sorted(map(plain, found.get_indexes(table)), key=str),
        ]
        for table in found.get_table_names()
    }


def plain(index: Any) -> dict[str, Any]:
    """An index whose condition can be compared."""
    options = {name: str(value) for name, value in index.get("dialect_options", {}).items()}
    return {**index, "dialect_options": options}


def upgrade(url: str, *rows: tuple[str, dict[str, Any]]) -> None:
    """Migrate a database of the first version with these rows, parents first: each in a table, with
    the columns that are given, and in the others like the first row of that table."""
    make_first(url)
    tables = MetaData()
    tables.reflect(database.engine())
    first: dict[str, dict[str, Any]] = {}
    with database.writing() as session:
        for name, columns in rows:
            row = (first.get(name) or _row(tables.tables[name], first, 1)) | columns
            first.setdefault(name, row)
            session.execute(insert(tables.tables[name]).values(row))
    database.migrate()


def test_an_account_keeps_the_newest_of_its_webhook_roots(url: str) -> None:
    numbers = (1, 10, 9)
    roots = [{"number": number, "secret": f"whroot_{number}"} for number in numbers]
    upgrade(url, ("accounts", {}), *(("webhook_roots", root) for root in roots))
    with database.reading() as session:
        assert session.scalars(select(models.Account.webhook_root)).all() == ["whroot_10"]
    database.dispose()


def test_a_rule_keeps_the_error_of_its_last_run(url: str) -> None:
    at, error = "2026-01-01T00:00:00.000Z", {"code": "FAILED", "message": "No:\n“it”."}
    of_run = {**error, "details": {"findings": []}}
    upgrade(
        url,
        ("accounts", {}),
        ("tokens", {}),
        ("rules", {"last_error": f"{at} FAILED: No:\n“it”."}),
        ("rule_runs", {"status": "failed", "error": of_run}),
        # One whose run is no longer kept.
        ("rules", {"id": "000002", "name": "2", "name_key": "2"}),
    )
    told = {"at": at, **error, "isForOperator": True}
    with database.reading() as session:
        kept = session.scalars(select(models.Rule.last_error).order_by(models.Rule.id)).all()
    assert kept == [{**told, **of_run}, told]
    database.dispose()
