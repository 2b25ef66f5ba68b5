"""Types of columns, and conditions of indexes that several tables have."""

import json
import zlib
from datetime import UTC, datetime
from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    LargeBinary,
    String,
    Text,
    text,
)
from sqlalchemy.orm import mapped_column
from sqlalchemy.types import TypeDecorator

from app.extensions import Base


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC, even on SQLite, which stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PackedJson(TypeDecorator[Any]):
    """A large JSON value, compressed. It may contain any text, even characters that PostgreSQL
    rejects in its own text types."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes:
        return zlib.compress(json.dumps(value, separators=(",", ":")).encode())

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompress(value))


Base.registry.update_type_annotation_map(
    {
        datetime: UtcDateTime,
        str: Text,
        list[str]: JSON,
        dict[str, Any]: JSON,
        list[dict[str, Any]]: JSON,
    }
)
ID = String(40)
Id = Annotated[str, mapped_column(ID)]
Key = Annotated[str, mapped_column(ID, primary_key=True)]
Name = Annotated[str, mapped_column(String(100))]
NameKey = Annotated[str, mapped_column(String(300))]
RequestId = Annotated[str, mapped_column(String(128))]
State = Annotated[str, mapped_column(String(20))]
Hash = Annotated[str, mapped_column(String(64))]
Count = Annotated[int, mapped_column(default=0)]
Micros = Annotated[int, mapped_column(BigInteger)]
"""Micro-dollars."""
AccountId = Annotated[str, mapped_column(ForeignKey("accounts.id"))]
FeedId = Annotated[str, mapped_column(ForeignKey("tokens.id"))]
RuleId = Annotated[str, mapped_column(ForeignKey("rules.id"))]

# Conditions of partial indexes. In literals: an index does not serve statements with parameters
# instead. Its columns begin with the status, or SQLite, which counts rows only after an ANALYZE,
# prefers an index that does. Only SQLite is told them here (``store/migrations/env.py`` tells
# PostgreSQL): naming that dialect would load it into every process, which takes 0.1 s.
FAILED = text("status = 'failed'")
CAPPED = text("spend_cap IS NOT NULL")
