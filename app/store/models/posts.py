"""Feeds, their rules and items, and what is kept of each post; work under leases: jobs, runs of
rules and webhooks; what a post in progress is written from."""

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ForeignKey,
    Index,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.core.feed.review import Policy
from app.extensions import Base
from app.store.models.accounts import (
    CAPPED,
    FAILED,
    AccountId,
    Count,
    FeedId,
    Hash,
    Id,
    Key,
    Micros,
    Name,
    NameKey,
    PackedJson,
    RequestId,
    RuleId,
    State,
)

FAILING = text("failures > 0")
KEPT_BODY = text("emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')")
_DUE = text("paused IS 0 AND token_paused IS 0 AND run_id IS NULL")
_SATURATED = text("saturated_since IS NOT NULL")
REVIEWED = text("review = 'hold'")


class Feed(Base):
    """A destination feed. Its token is secret; operators name it by its ``id``.

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


class Signature(Base):
    """The MinHash signature of a post (``app.rules.near_duplicates``), kept without its body.

    ``scope`` is the token or account within which posts must differ.
    """

    __tablename__ = "post_signatures"

    post_id: Mapped[Key]
    scope: Mapped[Id]
    signature: Mapped[bytes]


class Band(Base):
    """One band of a signature: posts that share a band are compared."""

    __tablename__ = "post_bands"
    # The key is the whole row: storing it once halves the space.
    __table_args__ = ({"sqlite_with_rowid": False},)

    scope: Mapped[Key]
    band: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    post_id: Mapped[str] = mapped_column(ForeignKey("post_signatures.post_id"), primary_key=True)


class Evidence(Base):
    """The evidence for a post: its score in parts, and the sources of its claims.

    ``post_id`` is the id of its feed item, job or request; callers may repeat request ids.
    """

    __tablename__ = "evidence"

    id: Mapped[Key]
    post_id: Mapped[RequestId] = mapped_column(index=True)
    account_id: Mapped[Id]
    created_at: Mapped[datetime] = mapped_column(index=True)
    sources: Mapped[list[dict[str, Any]]]
    coverage: Mapped[list[dict[str, Any]]]
    # None in rows of earlier versions.
    score: Mapped[dict[str, Any] | None]


class Leased(Base):
    """Work that one worker holds at a time, under a lease (``app.store.leases``)."""

    __abstract__ = True

    WAITING: ClassVar[str] = "queued"
    HELD: ClassVar[str]

    id: Mapped[Key]
    status: Mapped[State]
    # When waiting work may begin, or when the lease of held work ends.
    not_before: Mapped[datetime]
    # How often a worker took it, and how often one handed it back: its process stopped, or the
    # model was not called.
    attempts: Mapped[Count]
    handed_back: Mapped[Count] = mapped_column(server_default="0")

    @classmethod
    def is_open(cls) -> ColumnElement[bool]:
        """Return the condition of work that waits or is held."""
        return cls.status.in_([cls.WAITING, cls.HELD])


class Job(Leased):
    """A job; ``result`` holds post, rendered and quality if it succeeded."""

    __tablename__ = "jobs"
    __table_args__ = (
        # For workers: the next job that may start now, those of a priority plan first.
        Index("ix_jobs_open", "status", "rank", "not_before"),
        # For lists, the newest first: those in one state, those of an account, and of these those
        # in one state.
        Index("ix_jobs_state", "status", "id"),
        Index("ix_jobs_account", "account_id", "id"),
        Index("ix_jobs_account_state", "account_id", "status", "id"),
        # For the console: what failed lately.
        Index("ix_jobs_failed", "status", "updated_at", sqlite_where=FAILED),
    )
    HELD = "processing"

    account_id: Mapped[AccountId]
    request_id: Mapped[RequestId]
    # 0 comes before 1.
    rank: Mapped[int] = mapped_column(default=1)
    request: Mapped[dict[str, Any]]
    response_types: Mapped[list[str]]
    input_summary: Mapped[dict[str, Any]]
    # Its words; None if its plan does not allow the request.
    reservation_id: Mapped[Id | None]
    billing_period: Mapped[date]
    webhook_url: Mapped[str | None]
    webhook_events: Mapped[list[str] | None]
    webhook_secret: Mapped[Name | None]
    result: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(index=True)
    updated_at: Mapped[datetime]


class Run(Leased):
    """One run of a rule for one slot; the unique constraint makes it run only once.

    ``replaces`` is the item that it writes again, if a reviewer asked for that.
    """

    __tablename__ = "rule_runs"
    __table_args__ = (
        UniqueConstraint("rule_id", "slot"),
        # For workers: the oldest run that may start now.
        Index("ix_rule_runs_open", "status", "not_before"),
        # For the console: what failed, the latest first.
        Index("ix_rule_runs_failed", "status", "finished_at", sqlite_where=FAILED),
    )
    HELD = "running"

    rule_id: Mapped[RuleId]
    slot: Mapped[datetime]
    replaces: Mapped[Id | None]
    item_id: Mapped[Id | None]
    error: Mapped[dict[str, Any] | None]
    finished_at: Mapped[datetime | None] = mapped_column(index=True)


class WebhookDelivery(Leased):
    """A webhook to deliver; its id is the receiver's ``webhook-id``.

    A replay has a row of its own. ``replay_of`` is the delivery that it repeats, with the same body
    and under the same ``webhook-id``.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_open", "status", "not_before"),
        # As for jobs.
        Index("ix_webhook_deliveries_state", "status", "id"),
        Index("ix_webhook_deliveries_account", "account_id", "id"),
        Index("ix_webhook_deliveries_account_state", "account_id", "status", "id"),
    )
    HELD = "sending"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), index=True)
    # That of the job. None in rows of earlier versions.
    account_id: Mapped[Id | None]
    replay_of: Mapped[Id | None]
    event: Mapped[State]
    body: Mapped[str]
    # Failed attempts since it was created or replayed: its position in the schedule.
    failures: Mapped[Count]
    last_answer: Mapped[str | None]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class WebhookReceiver(Base):
    """What answers an account's webhooks at one scheme, host and port, and fails or is slow; ``*``
    stands for all receivers of an account of which one hung.

    It gets no webhook before ``not_before``, and none at all while it is off.
    """

    __tablename__ = "webhook_receivers"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    site: Mapped[NameKey] = mapped_column(primary_key=True)
    # In a row.
    failures: Mapped[Count]
    failing_since: Mapped[datetime | None]
    not_before: Mapped[datetime]
    off_since: Mapped[datetime | None] = mapped_column(index=True)
    last_answer: Mapped[str | None]
    updated_at: Mapped[datetime] = mapped_column(index=True)


class SourcePage(Base):
    """A cached page, or the reason it could not be read, so that it is not refetched
    immediately."""

    __tablename__ = "source_pages"

    # Of the URL, which may be longer than an index entry.
    hash: Mapped[Hash] = mapped_column(primary_key=True)
    url: Mapped[str]
    fetched_at: Mapped[datetime] = mapped_column(index=True)
    page: Mapped[dict[str, Any] | None]
    problem: Mapped[str | None]


class Journal(Base):
    """What a post is written from (``inputs``).

    ``work_id`` is the id of a job or a run, the hash of an idempotency key, or the reservation of a
    call without one. ``stage`` is the call that was begun last; ``ended`` once nothing resumes it.
    """

    __tablename__ = "journals"

    work_id: Mapped[Key]
    inputs: Mapped[dict[str, Any]] = mapped_column(PackedJson)
    stage: Mapped[Id | None]
    ended: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(index=True)


class JournalCall(Base):
    """A call to the model: the stage of the work that made it, and the answer.

    It is deleted with its journal.
    """

    __tablename__ = "journal_calls"

    work_id: Mapped[str] = mapped_column(
        ForeignKey("journals.work_id", ondelete="CASCADE"), primary_key=True
    )
    stage: Mapped[Id] = mapped_column(primary_key=True)
    answer: Mapped[dict[str, Any]] = mapped_column(PackedJson)


class ModelFault(Base):
    """Why the last call to the model failed, in whichever process, and when; no row if it
    succeeded.

    ``model`` is a hash of the settings of the model and its endpoint: other settings have no
    fault yet.
    """

    __tablename__ = "model_faults"

    model: Mapped[Hash] = mapped_column(primary_key=True)
    reason: Mapped[str]
    at: Mapped[datetime]
