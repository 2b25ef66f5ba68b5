"""A new database: the tables of this version, and the plans."""

from sqlalchemy import Connection, insert, text

from app.extensions import Base
from app.store.models import Plan

_PLANS = (
    ("starter", "Starter", 20_000, 1_500, 10, 50, False, 1),
    ("growth", "Growth", 100_000, 3_000, 60, 500, False, 5),
    ("scale", "Scale", 500_000, 5_000, 300, 5_000, True, 25),
)


def create(connection: Connection) -> None:
    """Create the tables and the plans."""
    if connection.dialect.name == "postgresql":
        for table in Base.metadata.tables.values():
            for index in table.indexes:
                where = index.dialect_options["sqlite"]["where"]
                if where is not None:
                    condition = text(where.text.replace("IS 0", "IS false"))
                    index.dialect_options["postgresql"]["where"] = condition
    Base.metadata.create_all(connection)
    columns = Plan.__table__.columns.keys()
    rows = [dict(zip(columns, row, strict=True)) for row in _PLANS]
    connection.execute(insert(Plan.__table__), rows)
