"""Whether the clock of this machine is right."""

from datetime import datetime, timedelta

from app.services.context import Context
from app.store import state
from app.store.database import reading

_AGREES = timedelta(minutes=5)


def agrees(context: Context) -> bool:
    """Return whether the clock of this machine is right by that of the database's server. SQLite
    has none."""
    with reading() as session:
        of_database = state.clock(session)
    if not isinstance(of_database, datetime):
        return True
    return abs(context.clock.now() - of_database) < _AGREES
