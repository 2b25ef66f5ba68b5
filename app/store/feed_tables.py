"""The tables of feeds: tokens, rules and their runs, items and what they are known again by."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.store.columns import HASH, ID, Leased
from app.store.database import Base, UtcDateTime


class TokenRow(Base):
    """A destination feed. The token itself is a secret: ``id`` is what operators name it by.

    The words of a metered token's items count against the plan of its account.
    """

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    hash: Mapped[str] = mapped_column(HASH, unique=True)
    hint: Mapped[str] = mapped_column(String(20))
    paused: Mapped[bool] = mapped_column(default=False)
    metered: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class TokenMonthRow(Base):
    """What was generated for a token in a billing period."""

    __tablename__ = "token_months"

    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"), primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[int] = mapped_column(default=0)
    posts: Mapped[int] = mapped_column(default=0)


# A partial index serves a query that says the same: 0 in SQLite, false in PostgreSQL.
_DUE: dict[str, Any] = {
    f"{dialect}_where": text(f"paused IS {false_} AND token_paused IS {false_} AND run_id IS NULL")
    for dialect, false_ in (("sqlite", "0"), ("postgresql", "false"))
}


class RuleRow(Base):
    """``request`` is a GenerateRequest, ``offers`` a list of {name, url}.

    ``token_paused`` repeats the token's ``paused``, and ``run_id`` names the run of its last slot
    until that has ended, so that what is due is found by one index.
    """

    __tablename__ = "rules"
    __table_args__ = (
        UniqueConstraint("token_id", "name_key"),
        # The scheduler asks for what is due, and each pull asks the same of its own token.
        Index("ix_rules_due", "next_due_at", **_DUE),
        Index("ix_rules_token_due", "token_id", "next_due_at", **_DUE),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"))
    name: Mapped[str] = mapped_column(String(100))
    name_key: Mapped[str] = mapped_column(String(300))
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    offers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    every_seconds: Mapped[int]
    current_event: Mapped[bool] = mapped_column(default=False, server_default=false())
    paused: Mapped[bool] = mapped_column(default=False)
    token_paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    next_due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    run_id: Mapped[str | None] = mapped_column(ID)
    # How many runs in a row ended without an item, and what the last of them said.
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
    last_error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RunRow(Leased):
    """One run of a rule for one slot; the unique pair is what makes it run once."""

    __tablename__ = "rule_runs"
    __table_args__ = (
        UniqueConstraint("rule_id", "slot"),
        # Workers ask for the oldest run that may start now.
        Index("ix_rule_runs_open", "status", "not_before"),
        # Retention asks for what ended long ago.
        Index(None, "finished_at"),
    )
    HELD = "running"

    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    slot: Mapped[datetime] = mapped_column(UtcDateTime)
    item_id: Mapped[str | None] = mapped_column(ID)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


# In literals: a partial index serves no statement that says the same in parameters.
KEPT_BODY = text("emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')")


class ItemRow(Base):
    """A feed item. ``post`` and what is rendered from it never change until retention empties
    them (``emptied_at``); the rest is its state. ``angle`` names the side from which its subject
    was written."""

    __tablename__ = "feed_items"
    __table_args__ = (
        # Every pull reads the oldest items of a token in one state.
        Index("ix_feed_items_pull", "token_id", "status", "generated_at", "id"),
        Index("ix_feed_items_rule", "rule_id", "generated_at"),
        # A pull of one rule, and the count of what a rule has waiting.
        Index("ix_feed_items_rule_pull", "rule_id", "status", "generated_at", "id"),
        # Retention asks for what was finished long ago and still has its body.
        Index(
            "ix_feed_items_kept_body",
            "updated_at",
            sqlite_where=KEPT_BODY,
            postgresql_where=KEPT_BODY,
        ),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"))
    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    status: Mapped[str] = mapped_column(String(20))
    delivery_count: Mapped[int] = mapped_column(default=0)
    title: Mapped[str] = mapped_column(Text)
    angle: Mapped[str | None] = mapped_column(String(40))
    post: Mapped[dict[str, Any]] = mapped_column(JSON)
    markdown: Mapped[str] = mapped_column(Text)
    html: Mapped[str] = mapped_column(Text)
    generated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    emptied_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SignatureRow(Base):
    """The MinHash signature of a post, by which later ones are told to be like it.

    ``scope`` is the token or account within which posts must differ; ``app.core.originality``
    makes the signature. It is kept when the post's body is not.
    """

    __tablename__ = "post_signatures"

    post_id: Mapped[str] = mapped_column(ID, primary_key=True)
    scope: Mapped[str] = mapped_column(ID)
    signature: Mapped[bytes] = mapped_column(LargeBinary)


class BandRow(Base):
    """One band of a signature: posts that share a band are compared."""

    __tablename__ = "post_bands"
    # The key is the whole row: kept once, it takes half of the space.
    __table_args__ = ({"sqlite_with_rowid": False},)

    scope: Mapped[str] = mapped_column(ID, primary_key=True)
    band: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    post_id: Mapped[str] = mapped_column(ForeignKey("post_signatures.post_id"), primary_key=True)
