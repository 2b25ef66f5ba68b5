"""Plans, accounts, their keys, and what they use."""

from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import CAPPED, AccountId, Count, Hash, Id, Key, Micros, Name, State


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


class KeyStatus(StrEnum):
    """``running`` under a lease, then ``done``, or ``open`` for the next call to retry."""

    RUNNING = "running"
    DONE = "done"
    OPEN = "open"


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
