"""How an owner reviews the posts of a feed without an account: by links, and by e-mail."""

import hashlib
import logging
import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from itsdangerous import Signer
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.core.errors import NotFound
from app.core.feed.item import Status
from app.core.schemas.times import in_words
from app.ports import MailUnavailable
from app.services.context import Context
from app.services.lookups import lock
from app.services.post_list import PostFilter, PostState, posts
from app.store.database import reading, writing
from app.store.feed import is_status
from app.store.models import REVIEWED, Feed, FeedItem
from app.store.rows import changes

log = logging.getLogger(__name__)

LINK_WORKS = timedelta(days=14)
_EVERY = timedelta(days=1)
_AT_ONCE, _TITLES = 50, 10
# A feed, when the link ends, and the signature.
_LINK = re.compile(r"\w{1,40}\.\d{1,12}\.[\w-]{1,100}", re.ASCII)


class UnknownLink(NotFound):
    """A link to a review that was not given, or has ended."""

    def __init__(self) -> None:
        super().__init__("This link is wrong or has expired. Ask for a new one.")


def link(context: Context, feed_id: str) -> str:
    """Return the secret of a link to the review of a feed, `/review/<secret>`. It works for 14
    days, or until the feed URL is replaced.

    Raises:
        NotFound: no such feed.
    """
    until = int((context.clock.now() + LINK_WORKS).timestamp())
    with writing() as session:
        row = lock(session, Feed, feed_id)
        row.review_secret = row.review_secret or secrets.token_hex(32)
        return _signer(row.review_secret).sign(f"{row.id}.{until}").decode()


def feed_of_link(context: Context, secret: str) -> str:
    """Return the id of the feed that a link is about.

    Raises:
        UnknownLink: nobody gave that link, or it has ended. Count the call with
            ``feed.throttle_unknown_tokens``.
    """
    if not _LINK.fullmatch(secret):
        raise UnknownLink
    feed_id, until, _ = secret.split(".")
    with reading() as session:
        row = session.get(Feed, feed_id)
    if row is None or row.review_secret is None or not _signer(row.review_secret).validate(secret):
        raise UnknownLink
    # Signed: it is the number that ``link`` wrote.
    if int(until) < context.clock.now().timestamp():
        raise UnknownLink
    return row.id


def _signer(secret: str) -> Signer:
    return Signer(secret, salt="review", digest_method=hashlib.sha256)


def waiting(session: Session) -> Sequence[tuple[Feed, datetime]]:
    """Return the feeds with a review that have held items, and when the oldest was written."""
    of_feed = (FeedItem.token_id == Feed.id) & (FeedItem.status == is_status(Status.HELD))
    oldest = select(FeedItem.generated_at).where(of_feed).order_by(FeedItem.generated_at).limit(1)
    since = oldest.correlate(Feed).scalar_subquery()
    found = session.execute(select(Feed, since).where(REVIEWED))
    return [(feed, at) for feed, at in found if at is not None]


def send_reminders(context: Context, public_url: str) -> int:
    """Remind each reviewer once a day of the posts that wait, with a link to them; return how many
    reminders were sent. Several processes may do so at once.

    If the mail server does not work, the next call tries again. An address that it refuses is tried
    again after a day.
    """
    if context.send_mail is None:
        return 0
    due = context.clock.now() - _EVERY
    with reading() as session:
        reminded = [
            feed
            for feed, _ in waiting(session)
            if feed.review_email and (feed.reminded_at is None or feed.reminded_at <= due)
        ]
    sent = 0
    for feed in reminded[:_AT_ONCE]:
        try:
            sent += _remind(context, public_url, feed)
        except MailUnavailable as error:
            log.warning("no reminder of feed %s was sent: %s", feed.id, error)
            break
    return sent


def _remind(context: Context, public_url: str, feed: Feed) -> bool:
    assert context.send_mail is not None  # noqa: S101 - the caller has looked
    now, address = context.clock.now(), feed.review_email or ""
    with writing() as session:
        if not _note_reminder(session, feed.id, feed.reminded_at, now):
            return False  # another process sends it
    titles = [post.title for post in posts(PostFilter(PostState.HELD, feed=feed.id))]
    more = ["- and more"] if len(titles) > _TITLES else []
    lines = [
        f"The feed “{feed.name}” holds posts until you have read them:",
        "",
        *(f"- {title}" for title in titles[:_TITLES]),
        *more,
        "",
        "Read, edit, approve or reject them here:",
        f"{public_url}/review/{link(context, feed.id)}",
        "",
        f"The link works until {in_words(now + LINK_WORKS)}. Anyone who has it can"
        " approve these posts: do not pass it on.",
    ]
    try:
        is_taken = context.send_mail(
            address, f"Posts of “{feed.name}” wait for you", "\n".join(lines)
        )
    except MailUnavailable:
        with writing() as session:
            _note_reminder(session, feed.id, now, feed.reminded_at)
        raise
    if not is_taken:
        log.warning("the mail server refuses the address of the reviewer of feed %s", feed.id)
    return is_taken


def _note_reminder(
    session: Session, feed_id: str, before: datetime | None, at: datetime | None
) -> bool:
    """Store when the reviewer of a feed was reminded; return False if somebody else has since
    ``before``."""
    same = (Feed.id == feed_id) & Feed.reminded_at.is_not_distinct_from(before)
    return changes(session, update(Feed).where(same).values(reminded_at=at))
