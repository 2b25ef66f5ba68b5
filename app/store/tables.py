"""The tables of customers: plans, accounts, keys, usage, jobs and their webhooks."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    ForeignKey,
    Index,
    String,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.store.columns import HASH, ID, Leased
from app.store.database import Base, UtcDateTime


class PlanRow(Base):
    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    monthly_words: Mapped[int]
    max_words_per_request: Mapped[int]
    requests_per_minute: Mapped[int]
    requests_per_day: Mapped[int]
    priority_processing: Mapped[bool]
    team_seats: Mapped[int]


class AccountRow(Base):
    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class KeyRow(Base):
    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    hash: Mapped[str] = mapped_column(HASH, unique=True)
    hint: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class UsageMonthRow(Base):
    """What an account used in a billing period; ``reserved_words`` is held by running requests."""

    __tablename__ = "usage_months"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[int] = mapped_column(default=0)
    posts: Mapped[int] = mapped_column(default=0)
    requests: Mapped[int] = mapped_column(default=0)
    reserved_words: Mapped[int] = mapped_column(default=0)


class UsageDayRow(Base):
    """How many requests a key made on a day (UTC)."""

    __tablename__ = "usage_days"
    # Retention asks for what is old.
    __table_args__ = (Index(None, "day"),)

    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    used: Mapped[int] = mapped_column(default=0)


class ReservationRow(Base):
    """Words held for one request while the model runs; a lapsed one is given back.

    What a job holds has no lease: the job gives it back as it ends, however it ends.
    """

    __tablename__ = "reservations"
    __table_args__ = (Index(None, "lease_until"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    period_start: Mapped[date]
    words: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)


class IdempotencyRow(Base):
    """What became of the call that first used an idempotency key.

    ``owner`` names the call that works on it under a lease. Its end is ``result`` or ``error``;
    one that is ``open`` ended without an answer worth keeping, and the next call may try again.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index(None, "created_at"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    endpoint: Mapped[str] = mapped_column(String(20), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(HASH)
    status: Mapped[str] = mapped_column(String(20))
    owner: Mapped[str] = mapped_column(ID)
    lease_until: Mapped[datetime] = mapped_column(UtcDateTime)
    # The answer's JSON as it was sent, so that every repetition has the same bytes.
    result: Mapped[str | None] = mapped_column(Text)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class JobRow(Leased):
    """A job. ``result`` holds post, rendered and quality of one that succeeded."""

    __tablename__ = "jobs"
    __table_args__ = (
        # Workers ask for the next job that may start now, those of a priority plan first.
        Index("ix_jobs_open", "status", "rank", "not_before"),
        # Retention asks for what is old.
        Index(None, "created_at"),
    )
    HELD = "processing"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    request_id: Mapped[str] = mapped_column(String(128))
    # 0 comes before 1.
    rank: Mapped[int] = mapped_column(default=1)
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    response_types: Mapped[list[str]] = mapped_column(JSON)
    input_summary: Mapped[dict[str, Any]] = mapped_column(JSON)
    # The words that it holds; None where its plan does not allow the request.
    reservation_id: Mapped[str | None] = mapped_column(ID)
    billing_period: Mapped[date]
    webhook_url: Mapped[str | None] = mapped_column(Text)
    webhook_events: Mapped[list[str] | None] = mapped_column(JSON)
    webhook_secret: Mapped[str | None] = mapped_column(String(100))
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class DeliveryRow(Leased):
    """A webhook that is to be delivered; its id is the receiver's ``webhook-id``."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (Index("ix_webhook_deliveries_open", "status", "not_before"),)
    HELD = "sending"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), index=True)
    event: Mapped[str] = mapped_column(String(20))
    body: Mapped[str] = mapped_column(Text)
    # Failed attempts since it was made or replayed: how far it is in its schedule.
    failures: Mapped[int] = mapped_column(default=0)
    last_answer: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
