"""Types of columns, and conditions of indexes; plans, accounts and their keys, usage and costs; the
operators of the console."""

import json
import zlib
from datetime import UTC, date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column
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


class Plan(Base):
    __tablename__ = "plans"

    id: Mapped[Key]
    name: Mapped[Name]
    monthly_words: Mapped[int]
    max_words_per_request: Mapped[int]
    requests_per_minute: Mapped[int]
    requests_per_day: Mapped[int]
    priority_processing: Mapped[bool]
    team_seats: Mapped[int]


class Account(Base):
    __tablename__ = "accounts"
    # For the console: those that may have reached their cap.
    __table_args__ = (Index("ix_accounts_capped", "id", sqlite_where=CAPPED),)

    id: Mapped[Key]
    name: Mapped[Name]
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"))
    # For a calendar month; None if it has no cap.
    spend_cap: Mapped[Micros | None]
    # New jobs derive their webhook secret from it. A sandbox has none: it uses that of its account.
    webhook_root: Mapped[Name | None]
    created_at: Mapped[datetime]


class ApiKey(Base):
    __tablename__ = "api_keys"
    __table_args__ = (Index("ix_api_keys_account", "account_id", "id"),)

    id: Mapped[Key]
    account_id: Mapped[AccountId]
    hash: Mapped[Hash] = mapped_column(unique=True)
    hint: Mapped[State]
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class UsageMonth(Base):
    """An account's usage in a billing period; running requests hold ``reserved_words``."""

    __tablename__ = "usage_months"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[Count]
    posts: Mapped[Count]
    requests: Mapped[Count]
    reserved_words: Mapped[Count]


class UsageDay(Base):
    """The number of requests made with a key on a day (UTC)."""

    __tablename__ = "usage_days"

    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True, index=True)
    used: Mapped[Count]


class Reservation(Base):
    """Words held for one request while the model runs; a lapsed reservation is released.

    A job's reservation has no lease: the job releases it when it ends, however it ends.
    """

    __tablename__ = "reservations"

    id: Mapped[Key]
    account_id: Mapped[AccountId]
    period_start: Mapped[date]
    words: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(index=True)


class IdempotencyKey(Base):
    """The state of the call that first used an idempotency key.

    ``owner`` is the call that works under it and ends with ``result`` or ``error``. The key is
    ``open`` if that call ended without an answer to keep: the next call may retry.
    """

    __tablename__ = "idempotency_keys"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    endpoint: Mapped[State] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[Hash]
    status: Mapped[State]
    owner: Mapped[Id]
    lease_until: Mapped[datetime]
    # The answer's JSON as it was sent, so that repetitions have the same bytes, but without the
    # webhook's secret, which is stored with its job.
    result: Mapped[str | None]
    error: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(index=True)


class Operator(Base):
    """A person who may sign in to the console; ``role`` is “read” or “write”."""

    __tablename__ = "operators"

    id: Mapped[Key]
    name: Mapped[Name]
    name_key: Mapped[NameKey] = mapped_column(unique=True)
    role: Mapped[str] = mapped_column(String(10))
    password_hash: Mapped[str]
    # Base32; None if the operator signs in without codes.
    totp_secret: Mapped[Hash | None]
    # The 30 seconds whose code was accepted last: neither it nor an earlier one works again.
    totp_step: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class OperatorSession(Base):
    """A signed-in browser. Its cookie is stored only as a hash."""

    __tablename__ = "operator_sessions"

    hash: Mapped[Hash] = mapped_column(primary_key=True)
    operator_id: Mapped[str] = mapped_column(
        ForeignKey("operators.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[datetime] = mapped_column(index=True)


class AuditEntry(Base):
    """A sign-in, or a change in the console or by command. It outlives its operator."""

    __tablename__ = "audit_entries"

    id: Mapped[Key]
    operator: Mapped[Name]
    action: Mapped[Id]
    subject: Mapped[Name]
    at: Mapped[datetime]


class _Counted:
    """The columns of ``app.core.billing.costs.Figures``."""

    calls: Mapped[Count]
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    answer_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    micros: Mapped[Micros] = mapped_column(default=0)
    estimated: Mapped[Count]
    unpriced: Mapped[Count]


class Cost(_Counted, Base):
    """What the calls to models cost in a calendar month (UTC).

    ``scope`` is the id of an account or a rule, or "" for the installation; ``kind`` is which of
    them.
    """

    __tablename__ = "costs"
    # For those that cost most in a month.
    __table_args__ = (Index("ix_costs_most", "period_start", "kind", "micros", "scope"),)

    scope: Mapped[Key]
    period_start: Mapped[date] = mapped_column(primary_key=True)
    kind: Mapped[State]


class PostCost(_Counted, Base):
    """What the calls for one post cost. ``work_id`` is that of its journal, and ``post_id`` the id
    of its job, request, or feed item (of its run, if there is no item).

    ``open_call`` names the calls that are running, each followed by a blank: their figures are
    estimates until they return.
    """

    __tablename__ = "post_costs"
    __table_args__ = (Index("ix_post_costs_post", "post_id", "created_at"),)

    work_id: Mapped[Key]
    post_id: Mapped[RequestId]
    account_id: Mapped[Id] = mapped_column(index=True)
    rule_id: Mapped[Id | None]
    open_call: Mapped[Id | None]
    created_at: Mapped[datetime] = mapped_column(index=True)
