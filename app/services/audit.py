"""The audit log: what operators change, in the console or by command."""

from collections.abc import Sequence

from sqlalchemy import select

from app.services.context import Context
from app.store import models
from app.store.database import reading, writing
from app.store.overview import newest_first
from app.store.rows import new_row

COMMAND_LINE = "(command line)"
"""Who made a change with a command."""
_SUBJECT_CHARS = 100


def record(context: Context, who: str, action: str, subject: str) -> None:
    """Add a change to the audit log; of a longer subject, the first 100 characters.

    Args:
        who: an operator's name, or ``COMMAND_LINE``.
    """
    columns = {"operator": who, "action": action, "subject": subject[:_SUBJECT_CHARS]}
    with writing() as session:
        session.add(new_row(models.AuditEntry, "aud", at=context.clock.now(), **columns))


def audit_log(before: str, limit: int) -> Sequence[models.AuditEntry]:
    """Return entries of the audit log, newest first, from before an id ("": from the newest)."""
    with reading() as session:
        entries = select(models.AuditEntry)
        return newest_first(session, entries, models.AuditEntry.id, before, limit)
