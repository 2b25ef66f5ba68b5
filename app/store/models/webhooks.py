"""Webhooks to deliver, and their receivers."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.extensions import Base
from app.store.models.columns import AccountId, Count, Id, NameKey, State
from app.store.models.jobs import Leased


class DeliveryStatus(StrEnum):
    """``queued`` until ``not_before``, ``sending`` under a lease, then ``delivered`` or ``failed``;
    ``replayed`` if it failed and a newer delivery repeats it."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    REPLAYED = "replayed"


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
    TAKEN = "sending"

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
