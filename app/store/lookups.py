"""The ids of accounts, feeds and rules by id or name. An id wins over a name."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.core.credentials import sandbox_of
from app.core.schemas.names import name_key
from app.store.models import Account, Feed, Rule

MOST = 3
"""How many ids of one name are returned at most."""


def accounts(session: Session, named: str) -> Sequence[str]:
    """Return the account of that id, or those of that name, without sandboxes."""
    return _found(
        session, Account.id, named, (Account.name == named) & (Account.id < sandbox_of(""))
    )


def feeds(session: Session, named: str) -> Sequence[str]:
    """Return the feed of that id, or those of that name."""
    return _found(session, Feed.id, named, Feed.name == named)


def rules(session: Session, named: str) -> Sequence[str]:
    """Return the rule of that id, or those of that name, in any case and spacing."""
    return _found(session, Rule.id, named, Rule.name_key == name_key(named))


def _found(
    session: Session, key: InstrumentedAttribute[str], named: str, has_name: ColumnElement[bool]
) -> Sequence[str]:
    found = session.scalars(select(key).where(key == named)).all()
    return found or session.scalars(select(key).where(has_name).order_by(key).limit(MOST)).all()
