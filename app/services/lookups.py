"""Finding an account, a feed or a rule by what an operator calls it: its id, or its name if no
other one has it."""

from collections.abc import Sequence

from app.core.errors import Conflict
from app.services.accounts import require_token
from app.store import lookups as store
from app.store.database import reading


def account_id(named: str) -> str:
    """Return the id of the account of that id or name; what names none is returned as it is.

    Raises:
        Conflict: several accounts have the name.
    """
    with reading() as session:
        found = store.accounts(session, named)
    return _one(found, named, "accounts")


def feed_id(named: str) -> str:
    """Return the id of the feed of that id, token or name.

    Raises:
        NotFound: unknown; it is not repeated, as it may be a secret.
        Conflict: several feeds have the name.
    """
    with reading() as session:
        found = store.feeds(session, named)
        if not found:
            return require_token(session, named).id
    return _one(found, named, "feeds")


def rule_id(named: str) -> str:
    """Return the id of the rule of that id or name; what names none is returned as it is.

    Raises:
        Conflict: several rules have the name.
    """
    with reading() as session:
        found = store.rules(session, named)
    return _one(found, named, "rules")


def _one(found: Sequence[str], named: str, kind: str) -> str:
    if len(found) > 1:
        raise Conflict(
            f"There are several {kind} named “{named[:100]}”. Give the id of one: "
            f"{', '.join(found)}{', …' if len(found) == store.MOST else ''}."
        )
    return found[0] if found else named
