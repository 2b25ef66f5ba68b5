"""Finding an account, a feed or a rule by what an operator calls it: its id, or its name if no
other one has it."""

from typing import Any, Literal, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core import credentials
from app.core.errors import Conflict, NotFound
from app.core.schemas.names import name_key
from app.extensions import Base
from app.store import models
from app.store.database import reading
from app.store.rules import LOCKED

R = TypeVar("R", bound=Base)
Kind = Literal["account", "feed", "rule"]
# How many ids of one name are said at most.
_MOST_IDS = 3
_KINDS: dict[type[Base], str] = {
    models.Account: "account",
    models.ApiKey: "key",
    models.Feed: "feed",
    models.FeedItem: "item",
    models.Job: "job",
    models.Rule: "rule",
}


def require(session: Session, row: type[R], row_id: str, **options: Any) -> R:
    """Return the row of an id; ``options`` are those of ``Session.get``.

    Raises:
        NotFound: there is none.
    """
    found = session.get(row, row_id, **options)
    if found is None:
        raise _unknown(_KINDS[row], row_id)
    return found


def require_account(session: Session, account_id: str, **options: Any) -> models.Account:
    """Return an account that is not the sandbox of another; ``options`` as for ``require``.

    Raises:
        NotFound: there is none.
    """
    found = require(session, models.Account, account_id, **options)
    if credentials.is_sandbox(account_id):
        raise _unknown("account", account_id)
    return found


def lock(session: Session, row: type[R], row_id: str) -> R:
    """Return the current row of an id, locked until the transaction ends.

    Raises:
        NotFound: there is none.
    """
    return require(session, row, row_id, **LOCKED)


def _unknown(kind: str, named: str) -> NotFound:
    shown = "of that feed URL" if credentials.TOKEN_PREFIX in named else f"“{named[:40]}”"
    message = f"There is no {kind} {shown}."
    return NotFound(message, operator=f"{message} `{kind} list` shows them.")


def id_of(kind: Kind, named: str) -> str:
    """Return the id of the account, feed or rule of that id or name, or of the feed of that token.
    What names no account and no rule is returned as it is.

    Raises:
        NotFound: no feed; a token is not repeated, as it is a secret.
        Conflict: several have the name.
    """
    account, feed, rule = models.Account, models.Feed, models.Rule
    key, has_name = {
        "account": (
            account.id,
            (account.name == named) & (account.id < credentials.sandbox_of("")),
        ),
        "feed": (feed.id, feed.name == named),
        "rule": (rule.id, rule.name_key == name_key(named)),
    }[kind]
    of_name = select(key).where(has_name).order_by(key).limit(_MOST_IDS)
    of_token = select(feed.id).where(feed.hash == credentials.fingerprint(named))
    with reading() as session:
        found = session.scalars(select(key).where(key == named)).all()
        found = found or session.scalars(of_name).all()
        if kind == "feed":
            found = found or session.scalars(of_token).all()
    if kind == "feed" and not found:
        raise _unknown(kind, named)
    if len(found) > 1:
        raise Conflict(
            f"There are several {kind}s named “{named[:100]}”. Give the id of one: "
            f"{', '.join(found)}{', …' if len(found) == _MOST_IDS else ''}."
        )
    return found[0] if found else named
