"""Feeds, their rules and their items."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.feed.review import Policy
from app.extensions import Base
from app.store.models.columns import (
    CAPPED,
    AccountId,
    Count,
    FeedId,
    Hash,
    Id,
    Key,
    Micros,
    Name,
    NameKey,
    RuleId,
    State,
)

FAILING = text("failures > 0")
KEPT_BODY = text("emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')")
_DUE = text("paused IS 0 AND token_paused IS 0 AND run_id IS NULL")
_SATURATED = text("saturated_since IS NOT NULL")
REVIEWED = text("review = 'hold'")


class Feed(Base):
    """A destination. The content token in its URL is secret; other tables name it by ``token_id``.

    The words of a metered feed's items count against the plan of its account. If ``review`` is
    “hold”, its items wait for a person; after ``review_hours`` (None: never) they are approved or
    rejected, as ``review_then`` says.
    """

    __tablename__ = "tokens"
    __table_args__ = (
        Index("ix_tokens_account", "account_id", "id"),
        # For the scheduler: the feeds whose items may have waited for long enough.
        Index("ix_tokens_review", "review", "id", sqlite_where=REVIEWED),
    )

    id: Mapped[Key]
    account_id: Mapped[AccountId]
    name: Mapped[Name]
    hash: Mapped[Hash] = mapped_column(unique=True)
    hint: Mapped[State]
    paused: Mapped[bool] = mapped_column(default=False)
    metered: Mapped[bool] = mapped_column(default=False, server_default=false())
    review: Mapped[State] = mapped_column(default="none", server_default="none")
    review_hours: Mapped[int | None]
    review_then: Mapped[State] = mapped_column(default="approve", server_default="approve")
    review_email: Mapped[str | None]
    # Signs the links to the review; None until the first one, and after the feed URL is replaced.
    review_secret: Mapped[Hash | None]
    reminded_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    @property
    def policy(self) -> Policy:
        """Its review."""
        then = self.review_then if self.review_hours else None
        return Policy(self.review, self.review_hours, then, self.review_email)

    @policy.setter
    def policy(self, policy: Policy) -> None:
        self.review, self.review_hours = policy.review, policy.hours
        self.review_then = policy.then or self.review_then or "approve"
        self.review_email = policy.email


class OldFeedUrl(Base):
    """The token of a feed URL that was replaced and works for some time."""

    __tablename__ = "old_feed_urls"

    hash: Mapped[Hash] = mapped_column(primary_key=True)
    token_id: Mapped[FeedId] = mapped_column(index=True)
    until: Mapped[datetime] = mapped_column(index=True)


class FeedMonth(Base):
    """The posts and words generated for a token in a billing period."""

    __tablename__ = "token_months"

    token_id: Mapped[FeedId] = mapped_column(primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[Count]
    posts: Mapped[Count]


class Rule(Base):
    """A rule; ``request`` is a GenerateRequest, ``offers`` a list of {name, url}.

    ``token_paused`` copies the token's ``paused``, and ``run_id`` is the run of the last slot until
    that run has ended, so that one index finds the rules that are due.
    """

    __tablename__ = "rules"
    __table_args__ = (
        UniqueConstraint("token_id", "name_key"),
        # For the rules that are due: of all tokens, or of the one that is pulled.
        Index("ix_rules_due", "next_due_at", sqlite_where=_DUE),
        Index("ix_rules_token_due", "token_id", "next_due_at", sqlite_where=_DUE),
        # For the console: the rules that need an operator.
        Index("ix_rules_failing", "failures", sqlite_where=FAILING),
        Index("ix_rules_saturated", "saturated_since", sqlite_where=_SATURATED),
        Index("ix_rules_capped", "id", sqlite_where=CAPPED),
    )

    id: Mapped[Key]
    token_id: Mapped[FeedId]
    name: Mapped[Name]
    name_key: Mapped[NameKey]
    request: Mapped[dict[str, Any]]
    offers: Mapped[list[dict[str, Any]]]
    every_seconds: Mapped[int]
    current_event: Mapped[bool] = mapped_column(default=False, server_default=false())
    paused: Mapped[bool] = mapped_column(default=False)
    token_paused: Mapped[bool] = mapped_column(default=False, server_default=false())
    next_due_at: Mapped[datetime]
    run_id: Mapped[Id | None]
    # How many runs in a row ended without an item, and the error of the last one.
    failures: Mapped[Count] = mapped_column(server_default="0")
    last_error: Mapped[dict[str, Any] | None]
    # Since when the rule has nothing new to write.
    saturated_since: Mapped[datetime | None]
    # For a calendar month; None if it has no cap.
    spend_cap: Mapped[Micros | None]
    created_at: Mapped[datetime]


class FeedItem(Base):
    """A feed item.

    ``post`` and its renderings change only while it is held (``version`` counts the edits), and
    when retention empties them (``emptied_at``); the other columns are its state. ``keyword`` is
    the primary keyword that it was written for, and ``angle`` the key of its editorial angle.
    ``replaces`` is the item that a reviewer had written again. ``review_note`` is the reason or the
    remark of a rejection, and ``published_url`` where a site says that the post appeared.
    """

    __tablename__ = "feed_items"
    __table_args__ = (
        # For pulls: the oldest items of a token in one state.
        Index("ix_feed_items_pull", "token_id", "status", "generated_at", "id"),
        Index("ix_feed_items_rule", "rule_id", "generated_at"),
        # For the newest posts of a feed.
        Index("ix_feed_items_feed", "token_id", "generated_at"),
        # For what a rule has written: whole, so that no item is read.
        Index("ix_feed_items_written", "rule_id", "keyword", "angle", "id"),
        # For pulls of one rule, and the number of its pending items.
        Index("ix_feed_items_rule_pull", "rule_id", "status", "generated_at", "id"),
        # For retention: finished items that still have their body.
        Index("ix_feed_items_kept_body", "updated_at", sqlite_where=KEPT_BODY),
        # For the console: the items of all feeds in one state. One index of all states would be
        # preferred to that of retention.
        *(
            Index(
                f"ix_feed_items_{state}",
                "generated_at",
                "id",
                sqlite_where=text(f"status = '{state}'"),
            )
            for state in ("held", "pending", "reserved", "used", "rejected", "abandoned")
        ),
    )

    id: Mapped[Key]
    token_id: Mapped[FeedId]
    rule_id: Mapped[RuleId]
    status: Mapped[State]
    delivery_count: Mapped[Count]
    title: Mapped[str]
    keyword: Mapped[Name | None]
    angle: Mapped[Id | None]
    post: Mapped[dict[str, Any]]
    markdown: Mapped[str]
    html: Mapped[str]
    generated_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    emptied_at: Mapped[datetime | None]
    version: Mapped[Count] = mapped_column(server_default="0")
    review_note: Mapped[str | None]
    replaces: Mapped[Id | None]
    published_url: Mapped[str | None]
