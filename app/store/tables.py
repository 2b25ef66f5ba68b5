"""The tables. Ids are opaque strings that sort by time; secrets are stored as SHA-256 alone."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.store.database import Base, UtcDateTime

_ID = String(40)
_HASH = String(64)


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
    """Words held for one request while the model runs; a lapsed one is given back."""

    __tablename__ = "reservations"
    __table_args__ = (Index(None, "lease_until"),)

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    period_start: Mapped[date]
    words: Mapped[int]
    lease_until: Mapped[datetime] = mapped_column(UtcDateTime)


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


class RunRow(Base):
    """One run of a rule for one slot; the unique pair is what makes it run once."""

    __tablename__ = "rule_runs"
    __table_args__ = (
        UniqueConstraint("rule_id", "slot"),
        # Workers ask for the oldest run that may start now.
        Index("ix_rule_runs_open", "status", "not_before"),
    )

    id: Mapped[str] = mapped_column(_ID, primary_key=True)
    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    slot: Mapped[datetime] = mapped_column(UtcDateTime)
    status: Mapped[str] = mapped_column(String(20))
    # Queued: not before this time. Running: the lease, after which another worker may take it.
    not_before: Mapped[datetime] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(default=0)
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
