"""Held items. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.feed.item import Status
from app.core.feed.review import HOLD
from app.store.feed import is_status
from app.store.models import REVIEWED, Feed, FeedItem
from app.store.rows import changes


class Waiting(NamedTuple):
    """A feed with held items, and when the oldest of them was written."""

    feed: Feed
    since: datetime


def waiting(session: Session) -> Sequence[Waiting]:
    """Return the feeds with a review that have held items."""
    of_feed = (FeedItem.token_id == Feed.id) & (FeedItem.status == is_status(Status.HELD))
    oldest = select(FeedItem.generated_at).where(of_feed).order_by(FeedItem.generated_at).limit(1)
    since = oldest.correlate(Feed).scalar_subquery()
    return [Waiting(*row) for row in session.execute(select(Feed, since).where(REVIEWED)) if row[1]]


def end_waiting(session: Session, feed: Feed, to: Status, until: datetime, **columns: Any) -> int:
    """Move the held items of a feed that were written until then to another state, if its review is
    still the same; return how many."""
    same = select(Feed.id).where(
        Feed.id == feed.id,
        Feed.review == HOLD,
        Feed.review_hours == feed.review_hours,
        Feed.review_then == feed.review_then,
    )
    held = (FeedItem.status == Status.HELD.value) & (FeedItem.generated_at <= until)
    moved = update(FeedItem).where(FeedItem.token_id == same.scalar_subquery(), held)
    return session.connection().execute(moved.values(status=to.value, **columns)).rowcount


def rewrites(session: Session, item: FeedItem, up_to: int) -> int:
    """Return how many times a post was written again before this version, counting up to that."""
    number, earlier = 0, item.replaces
    while earlier is not None and number < up_to:
        number += 1
        found = session.get(FeedItem, earlier)
        earlier = found.replaces if found else None
    return number


def note_reminder(
    session: Session, feed_id: str, before: datetime | None, at: datetime | None
) -> bool:
    """Store when the reviewer of a feed was reminded; return False if somebody else has since
    ``before``."""
    same = (Feed.id == feed_id) & Feed.reminded_at.is_not_distinct_from(before)
    return changes(session, update(Feed).where(same).values(reminded_at=at))
