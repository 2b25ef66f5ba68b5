"""The list of posts: the items of rules, jobs, and the runs that wrote nothing, in one order.

Each statement reads as many rows as it shows, or looks through the newest 10,000 of a kind for what
no index finds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, literal, null, select, true, tuple_, union_all
from sqlalchemy.orm import Session
from ulid import ULID

from app.core.feed.item import Status
from app.core.schemas.job import JobStatus
from app.services.lookups import require
from app.services.overview import PAGE
from app.store.database import reading
from app.store.feed import is_status
from app.store.models import FAILED, FeedItem, Rule, Run
from app.store.overview import LOOKED_AT, WorkFilter, id_at, jobs
from app.store.rules import WAITS

_ITEM = (
    FeedItem.id,
    FeedItem.title,
    FeedItem.status,
    FeedItem.delivery_count,
    FeedItem.generated_at,
    FeedItem.token_id,
    FeedItem.rule_id,
)


class PostState(StrEnum):
    """What has become of a post, in the words of the console."""

    HELD = "held"
    WAITING = "waiting"
    SENT = "sent"
    PUBLISHED = "published"
    STOPPED = "stopped"
    FAILED = "failed"


_OF_ITEMS: Mapping[PostState, Sequence[Status]] = {
    PostState.HELD: (Status.HELD,),
    PostState.WAITING: (Status.PENDING,),
    PostState.SENT: (Status.RESERVED,),
    PostState.PUBLISHED: (Status.USED,),
    PostState.STOPPED: (Status.REJECTED, Status.ABANDONED),
}
_OF_JOBS: Mapping[PostState, Sequence[JobStatus]] = {
    PostState.WAITING: (JobStatus.QUEUED, JobStatus.PROCESSING),
    PostState.SENT: (JobStatus.SUCCEEDED,),
    PostState.FAILED: (JobStatus.FAILED,),
}

STATE_OF: Mapping[str, PostState] = {
    status.value: state
    for table in (_OF_ITEMS, _OF_JOBS)
    for state, statuses in table.items()
    for status in statuses
}
"""The state of an item or a job by its status."""


@dataclass(frozen=True)
class PostFilter:
    """Which posts to list: in a state, or items in a status; of a feed, or of a rule, or the jobs
    of an account, or (``jobs``) all jobs; and those with a text in their title or first keyword,
    which runs do not have. "" does not narrow."""

    state: str = ""
    status: str = ""
    feed: str = ""
    rule: str = ""
    account: str = ""
    jobs: bool = False
    text: str = ""


class Beside(NamedTuple):
    """The ids of the held items before and after another one, "" for none."""

    newer: str
    older: str


class Post(NamedTuple):
    """A post in a list: the item of a rule, a job (its title is its keywords), or a run of a rule
    that wrote nothing (its title is the rule's name). ``owner`` and ``name`` are the id and the
    name of the rule, or of the account of a job."""

    id: str
    title: str
    status: str
    at: datetime
    owner: str
    name: str
    error: dict[str, Any] | None = None

    @property
    def kind(self) -> str:
        """Return “itm”, “job” or “run”."""
        return self.id[:3]

    @property
    def state(self) -> str:
        return STATE_OF[self.status]


class _Cursor:
    """Where a page begins: behind the post ``before``, or at the newest if that is "" or unknown.

    Posts are in the order of their times, then of their ids. The time of a job is that in its id,
    in milliseconds.
    """

    def __init__(self, session: Session, before: str) -> None:
        self.before, self.kind = before, before[:3]
        self.at: datetime | None = None
        if self.kind == "job":
            self.at = _time_in(before)
        elif before:
            row: Any = Run if self.kind == "run" else FeedItem
            at = Run.finished_at if self.kind == "run" else FeedItem.generated_at
            self.at = session.scalar(select(at).where(row.id == before))

    def rest(self, at: Any, key: Any) -> ColumnElement[bool]:
        """Return the condition of the items or runs that the page may have."""
        if self.at is None:
            return true()
        return tuple_(at, key) < tuple_(literal(self.at, at.type), literal(self.before, key.type))

    def job(self) -> str:
        """Return the id that all jobs are before that the page may have, "" for any."""
        if self.at is None or self.kind == "job":
            return self.before if self.at else ""
        # Of the same millisecond, jobs are before a run, and before an item if it is behind the
        # beginning of it.
        return id_at("job", self.at + timedelta(microseconds=1_000 if self.kind == "run" else 999))


def _time_in(job_id: str) -> datetime | None:
    """Return the time in the id of a job; None if it is not one."""
    try:
        return ULID.from_str(job_id.removeprefix("job_")).datetime
    except ValueError:
        return None


def posts(wanted: PostFilter, before: str = "") -> Sequence[Post]:
    """Return a page of posts, newest first. A text is looked for in the newest 10,000 of each
    kind."""
    with reading() as session:
        return _posts(session, wanted, _Cursor(session, before), PAGE)


def _posts(session: Session, wanted: PostFilter, cursor: _Cursor, limit: int) -> Sequence[Post]:
    state = PostState(wanted.state) if wanted.state else None
    found: list[Post] = []
    if not (wanted.account or wanted.jobs):
        statuses = list(Status) if state is None else _OF_ITEMS.get(state, ())
        if statuses:
            found += [
                Post(row.id, row.title, row.status, row.generated_at, row.rule_id, row.name)
                for row in _items(session, wanted, statuses, cursor, limit)
            ]
        if state in {None, PostState.FAILED} and not wanted.text:
            found += _runs(session, wanted, cursor, limit)
    if not (wanted.feed or wanted.rule):
        for status in [""] if state is None else _OF_JOBS.get(state, ()):
            found += _jobs(session, wanted, status, cursor, limit)

    def order(post: Post) -> Any:
        return (post.kind == "job" and _time_in(post.id)) or post.at, post.id

    return sorted(found, key=order, reverse=True)[:limit]


def items(wanted: PostFilter, before: str = "", limit: int = PAGE) -> Sequence[Any]:
    """Return a page of items without their posts, newest first, each with the name of its rule.

    Raises:
        NotFound: unknown rule.
    """
    statuses = [Status(wanted.status)] if wanted.status else list(Status)
    with reading() as session:
        if wanted.rule:
            require(session, Rule, wanted.rule)
        return _items(session, wanted, statuses, _Cursor(session, before), limit)


def _items(
    session: Session, wanted: PostFilter, statuses: Sequence[Status], cursor: _Cursor, limit: int
) -> Sequence[Any]:
    """Return the newest items of each status, each from an index that has them in that order, and
    of those the newest."""
    at, key, text = FeedItem.generated_at, FeedItem.id, wanted.text
    scope = cursor.rest(at, key)
    if wanted.rule:
        scope &= FeedItem.rule_id == wanted.rule
    elif wanted.feed:
        scope &= FeedItem.token_id == wanted.feed
    newest = [
        select(key.label("id"), at.label("at"), FeedItem.title if text else null())
        .where(scope, FeedItem.status == is_status(status))
        .order_by(at.desc(), key.desc())
        .limit(LOOKED_AT if text else limit)
        .subquery()
        for status in statuses
    ]
    rows = union_all(*map(select, newest)).subquery().c
    ids = select(rows.id).order_by(rows.at.desc(), rows.id.desc()).limit(limit)
    if text:
        ids = ids.where(rows.title.icontains(text, autoescape=True))
    query = select(*_ITEM, Rule.name).join(Rule).where(key.in_(list(session.scalars(ids))))
    return session.execute(query.order_by(at.desc(), key.desc())).all()


def _jobs(
    session: Session, wanted: PostFilter, status: str, cursor: _Cursor, limit: int
) -> Sequence[Post]:
    found = jobs(session, WorkFilter(status, wanted.account), cursor.job(), limit, wanted.text)
    return [
        Post(
            row.id,
            ", ".join(row.request["keywords"]),
            row.status,
            row.created_at,
            row.account_id,
            row.account,
            row.error,
        )
        for row in found
    ]


def _runs(session: Session, wanted: PostFilter, cursor: _Cursor, limit: int) -> Sequence[Post]:
    """Return runs that failed; those that only waited wrote nothing on purpose."""
    at, key = Run.finished_at, Run.id
    newest = (
        select(key, Run.rule_id, at)
        .where(FAILED, cursor.rest(at, key))
        .where(func.coalesce(Run.error["code"].as_string(), "").not_in(WAITS))
        .order_by(at.desc(), key.desc())
    )
    if wanted.rule or wanted.feed:
        looked = newest.limit(LOOKED_AT).subquery().c
        mine = select(Rule.id).where(Rule.token_id == wanted.feed)
        is_mine = looked.rule_id == wanted.rule if wanted.rule else looked.rule_id.in_(mine)
        newest = select(looked.id, looked.rule_id, looked.finished_at).where(is_mine)
        newest = newest.order_by(looked.finished_at.desc(), looked.id.desc())
    ids = list(session.scalars(newest.limit(limit)))
    query = select(key, Rule.name, Run.status, at, Run.rule_id, Rule.name, Run.error).join(Rule)
    return [Post(*row) for row in session.execute(query.where(key.in_(ids)))]


def held_beside(item: FeedItem, feed_id: str = "") -> Beside:
    """Return the next held items, of a feed or ("") of all."""
    at, key = FeedItem.generated_at, FeedItem.id
    here = tuple_(literal(item.generated_at, at.type), literal(item.id, key.type))
    query = select(key).where(FeedItem.status == is_status(Status.HELD)).limit(1)
    if feed_id:
        query = query.where(FeedItem.token_id == feed_id)
    newer = query.where(tuple_(at, key) > here).order_by(at, key)
    older = query.where(tuple_(at, key) < here).order_by(at.desc(), key.desc())
    with reading() as session:
        return Beside(session.scalar(newer) or "", session.scalar(older) or "")
