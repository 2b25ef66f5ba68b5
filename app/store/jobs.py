"""Jobs. Each function runs inside the caller's transaction."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.core.schemas.job import JobStatus
from app.store.models import Job
from app.store.rows import new_id


def new_job(now: datetime, **columns: Any) -> Job:
    """Return a queued job, not stored yet; ``columns`` hold its account, plan and request."""
    times = {"not_before": now, "created_at": now, "updated_at": now}
    return Job(id=new_id("job"), status=JobStatus.QUEUED.value, **times, **columns)


def find_job(session: Session, job_id: str, account_id: str) -> Job | None:
    """Return an account's job; None if it is missing or belongs to another account."""
    return session.scalar(select(Job).where(Job.id == job_id, Job.account_id == account_id))


def in_line(job: Any, query: Select[str]) -> Select[str]:
    """Order jobs by priority of their plans, then by age, the oldest first."""
    return query.order_by(job.rank, job.not_before)
