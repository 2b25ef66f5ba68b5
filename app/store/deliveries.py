"""Webhook deliveries. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.store.tables import DeliveryRow


class DeliveryStatus(StrEnum):
    """``queued`` until ``not_before``, ``sending`` under a lease, then one of the other two."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


def list_deliveries(
    session: Session, *, status: str | None, job_id: str | None, limit: int
) -> Sequence[DeliveryRow]:
    """The youngest first."""
    query = select(DeliveryRow).order_by(DeliveryRow.id.desc()).limit(limit)
    if status is not None:
        query = query.where(DeliveryRow.status == status)
    if job_id is not None:
        query = query.where(DeliveryRow.job_id == job_id)
    return list(session.scalars(query))


def find_deliveries(session: Session, wanted: str) -> Sequence[DeliveryRow]:
    """The delivery of that id, or all of a job."""
    query = select(DeliveryRow).where((DeliveryRow.id == wanted) | (DeliveryRow.job_id == wanted))
    return list(session.scalars(query))
