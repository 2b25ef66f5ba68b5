"""Work under leases: jobs, runs of rules and webhooks; what a post in progress is written from."""

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import (
    FAILED,
    AccountId,
    Count,
    Hash,
    Id,
    Key,
    Name,
    NameKey,
    PackedJson,
    RequestId,
    RuleId,
    State,
)


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
    # That of the job. None in rows that a process of an earlier version adds during an upgrade.
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
    """What answers an account's webhooks at one scheme, host and port, and fails or is slow.

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
    """Why the last call to the model failed, in whichever process; no row if it succeeded.

    ``model`` is a hash of the settings of the model and its endpoint: other settings have no
    fault yet.
    """

    __tablename__ = "model_faults"

    model: Mapped[Hash] = mapped_column(primary_key=True)
    reason: Mapped[str]
