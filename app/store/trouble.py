"""Problems of a database: which pass on their own, and those of one that answers."""

from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.core.errors import OperatorError

# PostgreSQL's codes: the transaction was idle too long; the server became a standby.
_TEMPORARY = frozenset({"25P03", "25006"})


def is_passing(error: BaseException) -> bool:
    """Return whether the database was away, or had no time or connection for the statement."""
    if isinstance(error, InternalError):
        return getattr(error.orig, "sqlstate", None) in _TEMPORARY
    return isinstance(error, OperationalError | InterfaceError | PoolTimeout)


class DatabaseTrouble(OperatorError):
    """``kind`` is a few words for everybody, the text is the operator's."""

    def __init__(self, kind: str, operator: str) -> None:
        super().__init__(operator)
        self.kind = kind
