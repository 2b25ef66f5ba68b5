"""The ids of accounts, feeds and rules by id or name. An id wins over a name."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.credentials import sandbox_of
from app.core.schemas.names import name_key
from app.store.models import Account, Feed, Rule

MOST = 3
"""How many ids of one name are returned at most."""
Kind = Literal["account", "feed", "rule"]


def ids(session: Session, kind: Kind, named: str) -> Sequence[str]:
    """Return the one of that id, or those of that name: of accounts without sandboxes, of rules in
    any case and spacing."""
    key, has_name = {
        "account": (Account.id, (Account.name == named) & (Account.id < sandbox_of(""))),
        "feed": (Feed.id, Feed.name == named),
        "rule": (Rule.id, Rule.name_key == name_key(named)),
    }[kind]
    found = session.scalars(select(key).where(key == named)).all()
    return found or session.scalars(select(key).where(has_name).order_by(key).limit(MOST)).all()
