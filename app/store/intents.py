"""The intents that feed items answer. Each function runs inside the caller's transaction."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.store.models import AnsweredIntent, FeedItem
from app.store.rows import insert_if_absent

# Both databases take this many parameters of a statement.
_BATCH = 5_000


def answered(session: Session, intents: Collection[int]) -> dict[int, str]:
    """Return which of the intents are answered, each with the id of an item that does.

    Reads the rows of these intents by their key, however many there are of others.
    """
    wanted, found = list(intents), dict[int, str]()
    for begin in range(0, len(wanted), _BATCH):
        query = (
            select(AnsweredIntent.intent, func.min(AnsweredIntent.item_id))
            .where(AnsweredIntent.intent.in_(wanted[begin : begin + _BATCH]))
            .group_by(AnsweredIntent.intent)
        )
        found.update((intent, item_id) for intent, item_id in session.execute(query))
    return found


def add(session: Session, item_id: str, intents: Iterable[int]) -> None:
    """Store that an item answers these intents, if the item exists."""
    session.flush()
    if not item_exists(session, item_id):
        return
    for intent in sorted(intents):
        insert_if_absent(session, AnsweredIntent, intent=intent, item_id=item_id)


def item_exists(session: Session, item_id: str) -> bool:
    """Return whether a feed has that item."""
    return session.scalar(select(FeedItem.id).where(FeedItem.id == item_id)) is not None


def titles(session: Session, item_ids: Collection[str]) -> dict[str, str]:
    """Return the titles of items by their ids."""
    if not item_ids:
        return {}
    wanted: Sequence[str] = sorted(item_ids)
    query = select(FeedItem.id, FeedItem.title).where(FeedItem.id.in_(wanted))
    return {row.id: row.title for row in session.execute(query)}
