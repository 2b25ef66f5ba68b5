"""Journals of posts. Each function runs inside the caller's transaction."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.orm import Session

from app.store.models import Journal, JournalCall
from app.store.rows import insert_if_absent

_journal = Journal.__table__
# Its parameters are the columns that change.
_CHANGE = update(_journal).where(_journal.c.work_id == bindparam("of_work"))


def begun(session: Session, work_id: str) -> str | None:
    """Return the stage of a work that was begun last, or None."""
    return session.scalar(select(Journal.stage).where(Journal.work_id == work_id))


def stages(session: Session, work_id: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the answer of each stage of a journal."""
    query = select(JournalCall.stage, JournalCall.answer).where(JournalCall.work_id == work_id)
    return {row.stage: row.answer for row in session.execute(query)}


def create(session: Session, work_id: str, **columns: Any) -> None:
    """Create the journal of a work; delete an earlier one with its stages."""
    session.execute(delete(_journal).where(_journal.c.work_id == work_id))
    session.add(Journal(work_id=work_id, ended=False, **columns))


def change(session: Session, work_id: str, **columns: Any) -> None:
    """Change the columns of a journal."""
    session.connection().execute(_CHANGE, {"of_work": work_id, **columns})


def add_stage(session: Session, work_id: str, stage: str, answer: Mapping[str, Any]) -> None:
    """Store the answer of a stage. Repeating it changes nothing."""
    insert_if_absent(session, JournalCall, work_id=work_id, stage=stage, answer=answer)
