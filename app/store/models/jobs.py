"""Work under leases: jobs, and runs of rules."""

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import (
    FAILED,
    AccountId,
    Count,
    Id,
    Key,
    Name,
    RequestId,
    RuleId,
    State,
)


class Leased(Base):
    """Work that one worker holds at a time, under a lease (``app.store.leases``)."""

    __abstract__ = True

    WAITING: ClassVar[str] = "queued"
    TAKEN: ClassVar[str]

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
        return cls.status.in_([cls.WAITING, cls.TAKEN])


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
    TAKEN = "processing"

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
    TAKEN = "running"

    rule_id: Mapped[RuleId]
    slot: Mapped[datetime]
    replaces: Mapped[Id | None]
    item_id: Mapped[Id | None]
    error: Mapped[dict[str, Any] | None]
    finished_at: Mapped[datetime | None] = mapped_column(index=True)
