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

# What later revisions drop or create again.
GONE = {"answered_intents", "claim_keys", "post_claims", "journals", "journal_calls"}
GONE |= {"cost_months", "cost_days", "source_pages", "webhook_roots"}
UNWRITTEN = {*GONE, "plans", "alembic_version"}


def write_rows(numbers: range) -> set[str]:
    """Write rows into each table of an earlier schema, but those that are gone by now; return the
    names of the tables."""
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
    assert revision() == database.revisions()[-1]
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


def revision() -> str | None:
    with database.reading() as session:
        return session.scalar(text("SELECT version_num FROM alembic_version"))


def test_an_account_keeps_the_newest_of_its_webhook_roots(url: str) -> None:
    make_first(url)
    tables = MetaData()
    tables.reflect(database.engine())
    account = _row(tables.tables["accounts"], {}, 1)
    root = {"account_id": account["id"], "created_at": BEGIN}
    with database.writing() as session:
        session.execute(insert(tables.tables["accounts"]).values(account))
        for number in (1, 10, 9):
            row = {**root, "number": number, "secret": f"whroot_{number}"}
            session.execute(insert(tables.tables["webhook_roots"]).values(row))
    database.migrate()
    with database.reading() as session:
        assert session.scalars(select(models.Account.webhook_root)).all() == ["whroot_10"]
    database.dispose()


def test_a_rule_keeps_the_error_of_its_last_run(url: str) -> None:
    make_first(url)
    tables = MetaData()
    tables.reflect(database.engine())
    rows: dict[str, dict[str, Any]] = {}
    at, error = "2026-01-01T00:00:00.000Z", {"code": "FAILED", "message": "No:\n“it”."}
    of_run = {**error, "details": {"findings": []}}
    columns = {
        "rules": {"last_error": f"{at} FAILED: No:\n“it”."},
        "rule_runs": {"status": "failed", "error": of_run},
    }
    with database.writing() as session:
        for name in ("accounts", "tokens", "rules", "rule_runs"):
            rows[name] = _row(tables.tables[name], rows, 1) | columns.get(name, {})
            session.execute(insert(tables.tables[name]).values(rows[name]))
        # A rule whose run is no longer kept.
        rule = rows["rules"] | {"id": "000002", "name": "2", "name_key": "2"}
        session.execute(insert(tables.tables["rules"]).values(rule))
    database.migrate()
    told = {"at": at, **error, "isForOperator": True}
    with database.reading() as session:
        kept = session.scalars(select(models.Rule.last_error).order_by(models.Rule.id)).all()
    assert kept == [{**told, **of_run}, told]
    database.dispose()


def test_items_of_earlier_versions_know_the_keyword_of_their_post(url: str) -> None:
    """Unless retention has emptied the post."""
    make_first(url)
    tables = MetaData()
    tables.reflect(database.engine())
    rows: dict[str, dict[str, Any]] = {}
    with database.writing() as session:
        for name in ("accounts", "tokens", "rules", "feed_items"):
            rows[name] = _row(tables.tables[name], rows, 1)
        rows["feed_items"]["post"] = {"title": "Tea", "meta": {"primaryKeyword": "café crème"}}
        rows["emptied"] = {**rows["feed_items"], "id": "emptied", "emptied_at": BEGIN}
        for name, row in rows.items():
            table = tables.tables["feed_items" if name == "emptied" else name]
            session.execute(insert(table).values(row))
    database.migrate()
    with database.reading() as session:
        found = session.execute(select(models.FeedItem.id, models.FeedItem.keyword))
        assert {row.id: row.keyword for row in found} == {"000001": "café crème", "emptied": None}
    database.dispose()
