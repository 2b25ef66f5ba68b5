"""Journals of posts. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.store.models import Journal, JournalCall
from app.store.rows import insert_if_absent


def find(session: Session, work_id: str) -> Journal | None:
    """Return the journal of a work, or None."""
    return session.get(Journal, work_id)


def find_of_request(session: Session, request_id: str) -> Journal | None:
    """Return the newest journal of a request or an item, or None."""
    newest = select(Journal).where(Journal.request_id == request_id)
    return session.scalar(newest.order_by(Journal.created_at.desc()).limit(1))


def calls(session: Session, work_id: str) -> Sequence[JournalCall]:
    """Return the calls of a journal, in order."""
    of_work = select(JournalCall).where(JournalCall.work_id == work_id)
    return list(session.scalars(of_work.order_by(JournalCall.number)))


def create(session: Session, work_id: str, **columns: Any) -> None:
    """Create the journal of a work; delete an earlier one with its calls."""
    session.execute(delete(Journal).where(Journal.work_id == work_id))
    session.add(Journal(work_id=work_id, **columns))


def change(session: Session, work_id: str, **columns: Any) -> None:
    """Change the columns of a journal."""
    session.execute(update(Journal).where(Journal.work_id == work_id).values(columns))


def add_call(session: Session, work_id: str, number: int, **columns: Any) -> None:
    """Store a call. Repeating it changes nothing."""
    insert_if_absent(session, JournalCall, work_id=work_id, number=number, **columns)


def delete_calls(session: Session, work_id: str, since: int) -> None:
    """Delete the calls of a journal from a number on."""
    outdated = delete(JournalCall).where(JournalCall.work_id == work_id)
    session.execute(outdated.where(JournalCall.number >= since))
