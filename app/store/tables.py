"""The tables. Ids are opaque strings that sort by time; secrets are stored as SHA-256 alone."""

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.store.database import Base, UtcDateTime

_ID = String(40)
_HASH = String(64)


class Leased(Base):
    """Work that one worker holds at a time; ``app.store.leases`` takes it and keeps it."""

    __abstract__ = True

    WAITING: ClassVar[str] = "queued"
    HELD: ClassVar[str]

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    # Waiting: not before this time. Held: the lease, after which another worker may take it.
    not_before: Mapped[datetime] = mapped_column(UtcDateTime)
    # How often it was taken.
    attempts: Mapped[int] = mapped_column(default=0)


class PlanRow(Base):
    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    monthly_words: Mapped[int]
    max_words_per_request: Mapped[int]
    requests_per_minute: Mapped[int]
    requests_per_day: Mapped[int]
    priority_processing: Mapped[bool]
    team_seats: Mapped[int]


class AccountRow(Base):
    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class KeyRow(Base):
    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    hash: Mapped[str] = mapped_column(_HASH, unique=True)
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

    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    used: Mapped[int] = mapped_column(default=0)


class ReservationRow(Base):
    """Words held for one request while the model runs; a lapsed one is given back.

    What a job holds has no lease: the job gives it back as it ends, however it ends.
    """

    __tablename__ = "reservations"
    __table_args__ = (Index(None, "lease_until"),)

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    period_start: Mapped[date]
    words: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TokenRow(Base):
    """A destination feed. The token itself is a secret: ``id`` is what operators name it by."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    hash: Mapped[str] = mapped_column(_HASH, unique=True)
    hint: Mapped[str] = mapped_column(String(20))
    paused: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RuleRow(Base):
    """``request`` is a GenerateRequest, ``offers`` a list of {name, url}."""

    __tablename__ = "rules"
    __table_args__ = (
        UniqueConstraint("token_id", "name_key"),
        # The scheduler asks for what is due among the rules that are not paused.
        Index("ix_rules_due", "paused", "next_due_at"),
        # Each pull asks the same of its own token, whatever is due elsewhere.
        Index("ix_rules_token_due", "token_id", "paused", "next_due_at"),
    )

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"))
    name: Mapped[str] = mapped_column(String(100))
    name_key: Mapped[str] = mapped_column(String(300))
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    offers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    every_seconds: Mapped[int]
    paused: Mapped[bool] = mapped_column(default=False)
    next_due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_error: Mapped[str | None] = mapped_column(Text)


class RunRow(Leased):
    """One run of a rule for one slot; the unique pair is what makes it run once."""

    __tablename__ = "rule_runs"
    __table_args__ = (
        UniqueConstraint("rule_id", "slot"),
        # Workers ask for the oldest run that may start now.
        Index("ix_rule_runs_open", "status", "not_before"),
    )
    HELD = "running"

    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    slot: Mapped[datetime] = mapped_column(UtcDateTime)
    item_id: Mapped[str | None] = mapped_column(_ID)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ItemRow(Base):
    """A feed item. ``post`` and what is rendered from it never change; the rest is its state."""

    __tablename__ = "feed_items"
    __table_args__ = (
        # Every pull reads the oldest items of a token in one state.
        Index("ix_feed_items_pull", "token_id", "status", "generated_at", "id"),
        Index("ix_feed_items_rule", "rule_id", "generated_at"),
        # A pull of one rule, and the count of what a rule has waiting.
        Index("ix_feed_items_rule_pull", "rule_id", "status", "generated_at", "id"),
    )

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"))
    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    status: Mapped[str] = mapped_column(String(20))
    delivery_count: Mapped[int] = mapped_column(default=0)
    title: Mapped[str] = mapped_column(Text)
    post: Mapped[dict[str, Any]] = mapped_column(JSON)
    markdown: Mapped[str] = mapped_column(Text)
    html: Mapped[str] = mapped_column(Text)
    generated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


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
    fingerprint: Mapped[str] = mapped_column(_HASH)
    status: Mapped[str] = mapped_column(String(20))
    owner: Mapped[str] = mapped_column(_ID)
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
    reservation_id: Mapped[str | None] = mapped_column(_ID)
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
