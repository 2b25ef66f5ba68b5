"""Jobs. Each function runs inside the caller's transaction."""

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.store.tables import JobRow


def find_job(session: Session, job_id: str, account_id: str) -> JobRow | None:
    """An account's job; another account's is as good as none."""
    query = select(JobRow).where(JobRow.id == job_id, JobRow.account_id == account_id)
    return session.scalar(query)


def in_line(job: Any, query: Select[str]) -> Select[str]:
    """Those of plans with priority first, then the oldest."""
    return query.order_by(job.rank, job.not_before)
