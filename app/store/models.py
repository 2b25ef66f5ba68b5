"""The tables, as SQLAlchemy models; the migrations create them.

Services import the module (``from app.store import models``), as they have classes of the same
names. Ids are opaque strings that sort by creation time. Secrets are stored only as SHA-256 hashes,
except those that sign webhooks and those that make the codes of operators.
"""

import json
import zlib
from datetime import UTC, date, datetime
from typing import Any, ClassVar

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
    TextClause,
    UniqueConstraint,
    false,
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


ID = String(40)
HASH = String(64)
# In literals: a partial index does not serve a statement with parameters instead. Its columns begin
# with the status, or SQLite, which counts rows only after an ANALYZE, prefers an index that does.
FAILED = text("status = 'failed'")


class Leased(Base):
    """Work that one worker holds at a time, under a lease (``app.store.leases``)."""

    __abstract__ = True

    WAITING: ClassVar[str] = "queued"
    HELD: ClassVar[str]

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    # When waiting work may begin, or when the lease of held work ends.
    not_before: Mapped[datetime] = mapped_column(UtcDateTime)
    # How often a worker took it, and how often one handed it back: its process stopped, or the
    # model was not called.
    attempts: Mapped[int] = mapped_column(default=0)
    handed_back: Mapped[int] = mapped_column(default=0, server_default="0")


class Plan(Base):
    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    monthly_words: Mapped[int]
    max_words_per_request: Mapped[int]
    requests_per_minute: Mapped[int]
    requests_per_day: Mapped[int]
    priority_processing: Mapped[bool]
    team_seats: Mapped[int]


CAPPED = text("spend_cap IS NOT NULL")


class Account(Base):
    __tablename__ = "accounts"
    # For the console: those that may have reached their cap.
    __table_args__ = (Index("ix_accounts_capped", "id", sqlite_where=CAPPED),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"))
    # Micro-dollars for a calendar month; None if it has no cap.
    spend_cap: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ApiKey(Base):
    __tablename__ = "api_keys"
    __table_args__ = (Index("ix_api_keys_account", "account_id", "id"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    hash: Mapped[str] = mapped_column(HASH, unique=True)
    hint: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class WebhookRoot(Base):
    """A root secret of an account: new jobs derive their webhook secret from the newest one."""

    __tablename__ = "webhook_roots"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    # Counts from 1. The newest root is never deleted, so that no number is used twice.
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class UsageMonth(Base):
    """An account's usage in a billing period; running requests hold ``reserved_words``."""

    __tablename__ = "usage_months"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[int] = mapped_column(default=0)
    posts: Mapped[int] = mapped_column(default=0)
    requests: Mapped[int] = mapped_column(default=0)
    reserved_words: Mapped[int] = mapped_column(default=0)


class UsageDay(Base):
    """The number of requests made with a key on a day (UTC)."""

    __tablename__ = "usage_days"
    # For retention.
    __table_args__ = (Index(None, "day"),)

    key_id: Mapped[str] = mapped_column(ForeignKey("api_keys.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    used: Mapped[int] = mapped_column(default=0)


class Reservation(Base):
    """Words held for one request while the model runs; a lapsed reservation is released.

    A job's reservation has no lease: the job releases it when it ends, however it ends.
    """

    __tablename__ = "reservations"
    __table_args__ = (Index(None, "lease_until"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    period_start: Mapped[date]
    words: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)


class IdempotencyKey(Base):
    """The state of the call that first used an idempotency key.

    ``owner`` is the call that works under it and ends with ``result`` or ``error``. The key is
    ``open`` if that call ended without an answer to keep: the next call may retry.
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
    # The answer's JSON as it was sent, so that repetitions have the same bytes, but without the
    # webhook's secret, which is stored with its job.
    result: Mapped[str | None] = mapped_column(Text)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Job(Leased):
    """A job; ``result`` holds post, rendered and quality if it succeeded."""

    __tablename__ = "jobs"
    __table_args__ = (
        # For workers: the next job that may start now, those of a priority plan first.
        Index("ix_jobs_open", "status", "rank", "not_before"),
        # For retention.
        Index(None, "created_at"),
        # For lists, the newest first: the jobs of an account.
        Index("ix_jobs_account", "account_id", "id"),
        # For the console: what failed, by time, and for lists.
        Index("ix_jobs_failed", "status", "updated_at", sqlite_where=FAILED),
        Index("ix_jobs_failed_newest", "status", "id", sqlite_where=FAILED),
        Index("ix_jobs_failed_of_account", "status", "account_id", "id", sqlite_where=FAILED),
    )
    HELD = "processing"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    request_id: Mapped[str] = mapped_column(String(128))
    # 0 comes before 1.
    rank: Mapped[int] = mapped_column(default=1)
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    response_types: Mapped[list[str]] = mapped_column(JSON)
    input_summary: Mapped[dict[str, Any]] = mapped_column(JSON)
    # Its words; None if its plan does not allow the request.
    reservation_id: Mapped[str | None] = mapped_column(ID)
    billing_period: Mapped[date]
    webhook_url: Mapped[str | None] = mapped_column(Text)
    webhook_events: Mapped[list[str] | None] = mapped_column(JSON)
    webhook_secret: Mapped[str | None] = mapped_column(String(100))
    # The number of the root that its secret is derived from; None in rows of earlier versions.
    webhook_root: Mapped[int | None]
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class WebhookDelivery(Leased):
    """A webhook to deliver; its id is the receiver's ``webhook-id``.

    A replay has a row of its own. ``replay_of`` is the delivery that it repeats, with the same body
    and under the same ``webhook-id``.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_open", "status", "not_before"),
        # For lists, the newest first: those in one state, those of an account, and of these the
        # ones that were given up.
        Index("ix_webhook_deliveries_state", "status", "id"),
        Index("ix_webhook_deliveries_account", "account_id", "id"),
        Index("ix_webhook_deliveries_given_up", "status", "account_id", "id", sqlite_where=FAILED),
    )
    HELD = "sending"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"), index=True)
    # That of the job. None in rows that a process of an earlier version adds during an upgrade.
    account_id: Mapped[str | None] = mapped_column(ID)
    replay_of: Mapped[str | None] = mapped_column(ID)
    event: Mapped[str] = mapped_column(String(20))
    body: Mapped[str] = mapped_column(Text)
    # Failed attempts since it was created or replayed: its position in the schedule.
    failures: Mapped[int] = mapped_column(default=0)
    last_answer: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class WebhookReceiver(Base):
    """What answers an account's webhooks at one scheme, host and port, and fails or is slow.

    It gets no webhook before ``not_before``, and none at all while it is off.
    """

    __tablename__ = "webhook_receivers"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    site: Mapped[str] = mapped_column(String(300), primary_key=True)
    # In a row.
    failures: Mapped[int] = mapped_column(default=0)
    failing_since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    not_before: Mapped[datetime] = mapped_column(UtcDateTime)
    off_since: Mapped[datetime | None] = mapped_column(UtcDateTime, index=True)
    last_answer: Mapped[str | None] = mapped_column(Text)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class Feed(Base):
    """A destination feed. Its token is secret; operators name it by its ``id``.

    The words of a metered feed's items count against the plan of its account.
    """

    __tablename__ = "tokens"
    __table_args__ = (Index("ix_tokens_account", "account_id", "id"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(100))
    hash: Mapped[str] = mapped_column(HASH, unique=True)
    hint: Mapped[str] = mapped_column(String(20))
    paused: Mapped[bool] = mapped_column(default=False)
    metered: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class OldFeedUrl(Base):
    """The token of a feed URL that was replaced and works for some time."""

    __tablename__ = "old_feed_urls"

    hash: Mapped[str] = mapped_column(HASH, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"), index=True)
    until: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class FeedMonth(Base):
    """The posts and words generated for a token in a billing period."""

    __tablename__ = "token_months"

    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"), primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    words: Mapped[int] = mapped_column(default=0)
    posts: Mapped[int] = mapped_column(default=0)


# The migrations create these partial indexes on PostgreSQL as well, with ``false`` for 0. Naming
# that dialect here would load it into every process, which takes 0.1 s.
_DUE = text("paused IS 0 AND token_paused IS 0 AND run_id IS NULL")
FAILING, _SATURATED = text("failures > 0"), text("saturated_since IS NOT NULL")


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
    # How many runs in a row ended without an item, and the error of the last one.
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
    last_error: Mapped[str | None] = mapped_column(Text)
    # Since when the rule has nothing new to write.
    saturated_since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    # Micro-dollars for a calendar month; None if it has no cap.
    spend_cap: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Run(Leased):
    """One run of a rule for one slot; the unique constraint makes it run only once."""

    __tablename__ = "rule_runs"
    __table_args__ = (
        UniqueConstraint("rule_id", "slot"),
        # For workers: the oldest run that may start now.
        Index("ix_rule_runs_open", "status", "not_before"),
        # For retention.
        Index(None, "finished_at"),
        # For the console: what failed, the latest first.
        Index("ix_rule_runs_failed", "status", "finished_at", sqlite_where=FAILED),
    )
    HELD = "running"

    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    slot: Mapped[datetime] = mapped_column(UtcDateTime)
    item_id: Mapped[str | None] = mapped_column(ID)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


KEPT_BODY = text("emptied_at IS NULL AND status IN ('used', 'rejected', 'abandoned')")


def _in_state(state: str) -> TextClause:
    return text(f"status = '{state}'")


class FeedItem(Base):
    """A feed item.

    ``post`` and its renderings never change until retention empties them (``emptied_at``); the
    other columns are its state. ``keyword`` is the primary keyword that it was written for, and
    ``angle`` the key of its editorial angle.
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
            Index(f"ix_feed_items_{state}", "generated_at", "id", sqlite_where=_in_state(state))
            for state in ("pending", "reserved", "used", "rejected", "abandoned")
        ),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    token_id: Mapped[str] = mapped_column(ForeignKey("tokens.id"))
    rule_id: Mapped[str] = mapped_column(ForeignKey("rules.id"))
    status: Mapped[str] = mapped_column(String(20))
    delivery_count: Mapped[int] = mapped_column(default=0)
    title: Mapped[str] = mapped_column(Text)
    keyword: Mapped[str | None] = mapped_column(String(100))
    angle: Mapped[str | None] = mapped_column(String(40))
    post: Mapped[dict[str, Any]] = mapped_column(JSON)
    markdown: Mapped[str] = mapped_column(Text)
    html: Mapped[str] = mapped_column(Text)
    generated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    emptied_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Signature(Base):
    """The MinHash signature of a post (``app.rules.near_duplicates``), kept without its body.

    ``scope`` is the token or account within which posts must differ.
    """

    __tablename__ = "post_signatures"

    post_id: Mapped[str] = mapped_column(ID, primary_key=True)
    scope: Mapped[str] = mapped_column(ID)
    signature: Mapped[bytes] = mapped_column(LargeBinary)


class Band(Base):
    """One band of a signature: posts that share a band are compared."""

    __tablename__ = "post_bands"
    # The key is the whole row: storing it once halves the space.
    __table_args__ = ({"sqlite_with_rowid": False},)

    scope: Mapped[str] = mapped_column(ID, primary_key=True)
    band: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    post_id: Mapped[str] = mapped_column(ForeignKey("post_signatures.post_id"), primary_key=True)


class Operator(Base):
    """A person who may sign in to the console; ``role`` is “read” or “write”."""

    __tablename__ = "operators"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    name_key: Mapped[str] = mapped_column(String(300), unique=True)
    role: Mapped[str] = mapped_column(String(10))
    password_hash: Mapped[str] = mapped_column(Text)
    # Base32; None if the operator signs in without codes.
    totp_secret: Mapped[str | None] = mapped_column(HASH)
    # The 30 seconds whose code was accepted last: neither it nor an earlier one works again.
    totp_step: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class OperatorSession(Base):
    """A signed-in browser. Its cookie is stored only as a hash."""

    __tablename__ = "operator_sessions"
    # For retention.
    __table_args__ = (Index(None, "expires_at"),)

    hash: Mapped[str] = mapped_column(HASH, primary_key=True)
    operator_id: Mapped[str] = mapped_column(
        ForeignKey("operators.id", ondelete="CASCADE"), index=True
    )
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AuditEntry(Base):
    """A sign-in, or a change in the console or by command. It outlives its operator."""

    __tablename__ = "audit_entries"

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    operator: Mapped[str] = mapped_column(String(100))
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(100))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class SourcePage(Base):
    """A cached page, or the reason it could not be read, so that it is not refetched
    immediately."""

    __tablename__ = "source_pages"
    # For retention.
    __table_args__ = (Index(None, "fetched_at"),)

    # Of the URL, which may be longer than an index entry.
    hash: Mapped[str] = mapped_column(HASH, primary_key=True)
    url: Mapped[str] = mapped_column(Text)
    fetched_at: Mapped[datetime] = mapped_column(UtcDateTime)
    page: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    problem: Mapped[str | None] = mapped_column(Text)


class Evidence(Base):
    """The evidence for a post: its score in parts, and the sources of its claims.

    ``post_id`` is the id of its feed item, job or request; callers may repeat request ids.
    """

    __tablename__ = "evidence"
    __table_args__ = (Index(None, "post_id"), Index(None, "created_at"))

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    post_id: Mapped[str] = mapped_column(String(128))
    account_id: Mapped[str] = mapped_column(ID)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    sources: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    coverage: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    # None in rows of earlier versions.
    score: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class Journal(Base):
    """What a post is written from (``inputs``).

    ``work_id`` is the id of a job or a run, the hash of an idempotency key, or the reservation of a
    call without one. ``ended`` once nothing resumes it.
    """

    __tablename__ = "journals"
    # For retention.
    __table_args__ = (Index(None, "created_at"),)

    work_id: Mapped[str] = mapped_column(ID, primary_key=True)
    inputs: Mapped[dict[str, Any]] = mapped_column(PackedJson)
    ended: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class JournalCall(Base):
    """A call to the model: the stage of the work that made it, and the answer.

    It is deleted with its journal.
    """

    __tablename__ = "journal_calls"

    work_id: Mapped[str] = mapped_column(
        ForeignKey("journals.work_id", ondelete="CASCADE"), primary_key=True
    )
    stage: Mapped[str] = mapped_column(String(40), primary_key=True)
    answer: Mapped[dict[str, Any]] = mapped_column(PackedJson)


class _Counted:
    """The columns of ``app.core.billing.costs.Figures``."""

    calls: Mapped[int] = mapped_column(default=0)
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    answer_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    micros: Mapped[int] = mapped_column(BigInteger, default=0)
    estimated: Mapped[int] = mapped_column(default=0)
    unpriced: Mapped[int] = mapped_column(default=0)


class Cost(_Counted, Base):
    """What the calls to a model cost in a calendar month (UTC), and those to all ("").

    ``scope`` is the id of an account or a rule, or "" for the installation. ``kind`` is which of
    them, and “model” in the rows of one model.
    """

    __tablename__ = "costs"
    # For those that cost most in a month.
    __table_args__ = (Index("ix_costs_most", "period_start", "kind", "micros", "scope"),)

    scope: Mapped[str] = mapped_column(ID, primary_key=True)
    period_start: Mapped[date] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(String(100), primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))


class PostCost(_Counted, Base):
    """What the calls for one post cost. ``work_id`` is that of its journal, and ``post_id`` the id
    of its job, request, or feed item (of its run, if there is no item).

    ``open_call`` is the call that is running: its figures are an estimate until it returns.
    """

    __tablename__ = "post_costs"
    __table_args__ = (
        Index("ix_post_costs_post", "post_id", "created_at"),
        Index(None, "account_id"),
        # For retention.
        Index(None, "created_at"),
    )

    work_id: Mapped[str] = mapped_column(ID, primary_key=True)
    post_id: Mapped[str] = mapped_column(String(128))
    account_id: Mapped[str] = mapped_column(ID)
    rule_id: Mapped[str | None] = mapped_column(ID)
    open_call: Mapped[str | None] = mapped_column(ID)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
