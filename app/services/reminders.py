"""Reminders of held posts, by e-mail."""

import logging
from datetime import timedelta

from app.core.schemas.times import in_words
from app.ports import MailUnavailable
from app.services import overview, review
from app.services.context import Context
from app.store import models
from app.store import review as store
from app.store.database import reading, writing
from app.store.post_list import PostFilter, PostState

log = logging.getLogger(__name__)

_EVERY = timedelta(days=1)
_AT_ONCE, _TITLES = 50, 10


def send_reminders(context: Context, public_url: str) -> int:
    """Remind each reviewer once a day of the posts that wait, with a link to them; return how many
    reminders were sent. Several processes may do so at once.

    If the mail server does not work, the next call tries again. An address that it refuses is tried
    again after a day.
    """
    if context.mailer is None:
        return 0
    due = context.clock.now() - _EVERY
    with reading() as session:
        waiting = [
            feed
            for feed, _ in store.waiting(session)
            if feed.review_email and (feed.reminded_at is None or feed.reminded_at <= due)
        ]
    sent = 0
    for feed in waiting[:_AT_ONCE]:
        try:
            sent += _remind(context, public_url, feed)
        except MailUnavailable as error:
            log.warning("no reminder of feed %s was sent: %s", feed.id, error)
            break
    return sent


def _remind(context: Context, public_url: str, feed: models.Feed) -> bool:
    assert context.mailer is not None  # noqa: S101 - the caller has looked
    now, address = context.clock.now(), feed.review_email or ""
    with writing() as session:
        if not store.note_reminder(session, feed.id, feed.reminded_at, now):
            return False  # another process sends it
    titles = [post.title for post in overview.posts(PostFilter(PostState.HELD, feed=feed.id))]
    more = ["- and more"] if len(titles) > _TITLES else []
    lines = [
        f"The feed “{feed.name}” holds posts until you have read them:",
        "",
        *(f"- {title}" for title in titles[:_TITLES]),
        *more,
        "",
        "Read, edit, approve or reject them here:",
        f"{public_url}/review/{review.link(context, feed.id)}",
        "",
        f"The link works until {in_words(now + review.LINK_WORKS)}. Anyone who has it can approve"
        " these posts: do not pass it on.",
    ]
    try:
        is_taken = context.mailer.send(
            address, f"Posts of “{feed.name}” wait for you", "\n".join(lines)
        )
    except MailUnavailable:
        with writing() as session:
            store.note_reminder(session, feed.id, now, feed.reminded_at)
        raise
    if not is_taken:
        log.warning("the mail server refuses the address of the reviewer of feed %s", feed.id)
    return is_taken
