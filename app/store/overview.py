"""What the console lists of all accounts, in pages.

Each statement reads as many rows as it shows, or up to a bound: its cost does not grow with what is
stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    func,
    literal,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute, Session, defer
from ulid import ULID

from app.core.credentials import sandbox_of
from app.core.feed.item import Status
from app.core.schemas.job import JobStatus
from app.store.feed import is_status
from app.store.models import (
    FAILED,
    Account,
    ApiKey,
    Feed,
    FeedItem,
    FeedMonth,
    Job,
    JournalCall,
    Rule,
    Run,
    UsageDay,
    UsageMonth,
    WebhookDelivery,
)
from app.store.rules import WAITS
from app.store.webhooks import DeliveryStatus
from app.writing.completion import PURPOSES

MOST_COUNTED = 1_000
"""Counts end at this number."""
LOOKED_AT = 10_000
"""How many of the newest rows are looked through for those that no index finds."""
# ULIDs know no earlier time.
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True)
class ItemFilter:
    """Which items to list: of a feed or of a rule, in a state; "" does not narrow."""

    feed: str = ""
    rule: str = ""
    status: str = ""


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
    """Which posts to list: in a state; of a feed, or of a rule, or the jobs of an account, or
    (``jobs``) all jobs; and those with a text in their title. "" does not narrow."""

    state: str = ""
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


@dataclass(frozen=True)
class WorkFilter:
    """Which jobs or webhooks to list: in a state, of an account; and webhooks of a job, created in
    a time. "" and None do not narrow."""

    status: str = ""
    account: str = ""
    job: str = ""
    begin: datetime | None = None
    end: datetime | None = None


def newest_first(
    session: Session,
    query: Select[*tuple[Any, ...]],
    key: InstrumentedAttribute[str],
    before: str,
    limit: int,
) -> Sequence[Any]:
    """Return rows of a query, newest first, from before an id ("": from the newest)."""
    if before:
        query = query.where(key < before)
    rows = session.execute(query.order_by(key.desc()).limit(limit)).all()
    return [row[0] if len(row) == 1 else row for row in rows]


def _named(query: Select[*tuple[Any, ...]], kind: Any, text: str) -> Select[*tuple[Any, ...]]:
    """Narrow a query to the newest 10,000 of a kind that have a text in their name; "" does not."""
    if not text:
        return query
    newest = select(kind.id).order_by(kind.id.desc()).limit(LOOKED_AT)
    if kind is Account:
        newest = newest.where(Account.id < sandbox_of(""))
    return query.where(kind.id.in_(newest), kind.name.icontains(text, autoescape=True))


def accounts(
    session: Session, period: date, before: str, limit: int, text: str = ""
) -> Sequence[Any]:
    """Return accounts, with a text in their name, each with its words and posts of a billing
    period."""
    month = UsageMonth
    # Sandboxes come behind all accounts, in the order of ids.
    query = (
        select(Account, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .outerjoin(month, (month.account_id == Account.id) & (month.period_start == period))
        .where(Account.id < sandbox_of(""))
    )
    return newest_first(session, _named(query, Account, text), Account.id, before, limit)


def feeds(
    session: Session, account_id: str, period: date, before: str, limit: int, text: str = ""
) -> Sequence[Any]:
    """Return feeds, of an account or ("") of all, with a text in their name, each with the name of
    its account, and its words and posts of a billing period."""
    month = FeedMonth
    query = (
        select(Feed, Account.name, func.coalesce(month.words, 0), func.coalesce(month.posts, 0))
        .join(Account, Account.id == Feed.account_id)
        .outerjoin(month, (month.token_id == Feed.id) & (month.period_start == period))
    )
    if account_id:
        query = query.where(Feed.account_id == account_id)
    return newest_first(session, _named(query, Feed, text), Feed.id, before, limit)


_ITEM = (
    FeedItem.id,
    FeedItem.title,
    FeedItem.status,
    FeedItem.delivery_count,
    FeedItem.generated_at,
    FeedItem.token_id,
    FeedItem.rule_id,
    Rule.name,
)


def items(session: Session, wanted: ItemFilter, before: str, limit: int) -> Sequence[Any]:
    """Return items without their posts, newest first, each with the name of its rule."""
    scope: ColumnElement[bool] = true()
    if wanted.rule:
        scope = FeedItem.rule_id == wanted.rule
    elif wanted.feed:
        scope = FeedItem.token_id == wanted.feed
    at = select(FeedItem.generated_at).where(FeedItem.id == before)
    when = session.scalar(at) if before else None
    states = [Status(wanted.status)] if wanted.status else list(Status)
    if when is not None:
        scope &= _behind(FeedItem.generated_at, FeedItem.id, when, before)
    newest = session.scalars(_in_order(scope, states, limit)).all()
    query = select(*_ITEM).join(Rule, Rule.id == FeedItem.rule_id)
    found = {row.id: row for row in session.execute(query.where(FeedItem.id.in_(newest)))}
    return [found[item_id] for item_id in newest]


def _behind(at: Any, key: Any, when: datetime, before: str) -> ColumnElement[bool]:
    """Return the condition of rows behind the row ``before`` of a time, newest first."""
    return tuple_(at, key) < tuple_(literal(when, at.type), literal(before, key.type))


def _in_order(scope: ColumnElement[bool], states: Sequence[Status], limit: int) -> Select[str]:
    """Return the query for the ids of items: the newest of each state, each from an index that has
    them in that order, and the newest of those."""
    at, key = FeedItem.generated_at, FeedItem.id
    newest = [
        select(key.label("id"), at.label("at"))
        .where(scope, FeedItem.status == is_status(state))
        .order_by(at.desc(), key.desc())
        .limit(limit)
        .subquery()
        for state in states
    ]
    rows = union_all(*map(select, newest)).subquery()
    return select(rows.c.id).order_by(rows.c.at.desc(), rows.c.id.desc()).limit(limit)


_TICK = timedelta(milliseconds=1)


class _Cursor:
    """Where a page of posts begins: behind the post ``before``, from the newest if it is "" or
    unknown.

    Posts are in the order of the milliseconds of their times, as ids of jobs have no finer ones;
    within one, runs come before jobs, and jobs before items.
    """

    def __init__(self, session: Session, before: str) -> None:
        self.before = before
        self.at: datetime | None = None
        if before.startswith("job_"):
            self.at = _time_in(before)
        elif before:
            row, at = (Run, Run.finished_at) if before.startswith("run_") else _ITEM_AT
            self.at = session.scalar(select(at).where(row.id == before))

    def behind(self, kind: str, at: Any, key: Any) -> ColumnElement[bool]:
        """Return the condition of the posts of a kind that the page may have."""
        if self.at is None:
            return true()
        if self.before.startswith(kind):
            return _behind(at, key, self.at, self.before)
        end = self.end(kind)
        return at < literal(end, at.type)  # type: ignore[no-any-return]

    def end(self, kind: str) -> datetime:
        """Return the time before which all posts of another kind are that the page may have."""
        assert self.at is not None  # noqa: S101 - the caller has looked
        begin = _millisecond(self.at)
        return begin + _TICK if kind < self.before[:3] else begin


_ITEM_AT: Any = (FeedItem, FeedItem.generated_at)


def _millisecond(time: datetime) -> datetime:
    return time.replace(microsecond=time.microsecond // 1_000 * 1_000)


def _time_in(job_id: str) -> datetime | None:
    """Return the time in the id of a job; None if it is not one."""
    try:
        return ULID.from_str(job_id.removeprefix("job_")).datetime
    except ValueError:
        return None


def posts(session: Session, wanted: PostFilter, before: str, limit: int) -> Sequence[Post]:
    """Return a page of posts, newest first. A text is looked for in the newest 10,000 of each
    kind."""
    cursor = _Cursor(session, before)
    states = [PostState(wanted.state)] if wanted.state else list(PostState)
    found: list[Post] = []
    if not (wanted.account or wanted.jobs):
        found += _items_as_posts(session, wanted, states, cursor, limit)
        if PostState.FAILED in states:
            found += _runs_as_posts(session, wanted, cursor, limit)
    if not (wanted.feed or wanted.rule):
        found += _jobs_as_posts(session, wanted, states, cursor, limit)

    def order(post: Post) -> Any:
        at = (post.kind == "job" and _time_in(post.id)) or post.at
        return _millisecond(at), post.kind, at, post.id

    return sorted(found, key=order, reverse=True)[:limit]


def _items_as_posts(
    session: Session, wanted: PostFilter, states: Sequence[PostState], cursor: _Cursor, limit: int
) -> Sequence[Post]:
    statuses = [each for state in states for each in _OF_ITEMS.get(state, ())]
    if not statuses:
        return []
    scope = cursor.behind("itm", FeedItem.generated_at, FeedItem.id)
    if wanted.rule:
        scope &= FeedItem.rule_id == wanted.rule
    elif wanted.feed:
        scope &= FeedItem.token_id == wanted.feed
    newest = _in_order(scope, statuses, LOOKED_AT if wanted.text else limit).subquery()
    columns = (FeedItem.id, FeedItem.title, FeedItem.status, FeedItem.generated_at)
    query = (
        select(*columns, FeedItem.rule_id, Rule.name)
        .join(Rule, Rule.id == FeedItem.rule_id)
        .where(FeedItem.id.in_(select(newest.c.id)))
        .order_by(FeedItem.generated_at.desc(), FeedItem.id.desc())
        .limit(limit)
    )
    if wanted.text:
        query = query.where(FeedItem.title.icontains(wanted.text, autoescape=True))
    return [Post(*row) for row in session.execute(query)]


def held_beside(session: Session, feed_id: str, item: FeedItem) -> Beside:
    """Return the next held items, of a feed or ("") of all."""
    at, key = FeedItem.generated_at, FeedItem.id
    here = tuple_(literal(item.generated_at, at.type), literal(item.id, key.type))
    query = select(key).where(FeedItem.status == is_status(Status.HELD)).limit(1)
    if feed_id:
        query = query.where(FeedItem.token_id == feed_id)
    newer = query.where(tuple_(at, key) > here).order_by(at, key)
    older = query.where(tuple_(at, key) < here).order_by(at.desc(), key.desc())
    return Beside(session.scalar(newer) or "", session.scalar(older) or "")


def _jobs_as_posts(
    session: Session, wanted: PostFilter, states: Sequence[PostState], cursor: _Cursor, limit: int
) -> Sequence[Post]:
    statuses = [each for state in states for each in _OF_JOBS.get(state, ())]
    found: list[Post] = []
    for status in statuses:
        before = cursor.before if cursor.before.startswith("job_") else ""
        if cursor.at is not None and not before:
            before = _id_at("job", cursor.end("job"))
        work = WorkFilter(status.value, wanted.account)
        newest = _matching(Job, work, before, LOOKED_AT if wanted.text else limit).subquery()
        columns = (Job.id, Job.request, Job.status, Job.created_at, Job.account_id)
        query = (
            select(*columns, Account.name, Job.error)
            .join(Account, Account.id == Job.account_id)
            .where(Job.id.in_(select(newest.c.id)))
            .order_by(Job.id.desc())
            .limit(limit)
        )
        if wanted.text:
            first = Job.request["keywords"][0].as_string()
            query = query.where(first.icontains(wanted.text, autoescape=True))
        found += [
            Post(id_, ", ".join(request["keywords"]), *rest)
            for id_, request, *rest in session.execute(query)
        ]
    return found


def _runs_as_posts(
    session: Session, wanted: PostFilter, cursor: _Cursor, limit: int
) -> Sequence[Post]:
    failed = select(Run.id).where(FAILED, cursor.behind("run", Run.finished_at, Run.id))
    if wanted.rule:
        failed = failed.where(Run.rule_id == wanted.rule)
    newest = failed.order_by(Run.finished_at.desc(), Run.id.desc()).limit(LOOKED_AT).subquery()
    columns = (Run.id, Rule.name, Run.status, Run.finished_at, Run.rule_id)
    query = (
        select(*columns, Rule.name, Run.error)
        .join(Rule, Rule.id == Run.rule_id)
        .where(Run.id.in_(select(newest.c.id)))
        .where(func.coalesce(Run.error["code"].as_string(), "").not_in(WAITS))
        .order_by(Run.finished_at.desc(), Run.id.desc())
        .limit(limit)
    )
    if wanted.feed:
        query = query.where(Rule.token_id == wanted.feed)
    if wanted.text:
        query = query.where(Rule.name.icontains(wanted.text, autoescape=True))
    return [Post(*row) for row in session.execute(query)]


def jobs(session: Session, wanted: WorkFilter, before: str, limit: int) -> Sequence[Any]:
    """Return jobs without their results, newest first, each with the name of its account."""
    ids = list(session.scalars(_matching(Job, wanted, before, limit)))
    columns = (Job.id, Job.request, Job.status, Job.error, Job.created_at, Job.account_id)
    query = select(*columns, Account.name.label("account"))
    query = query.join(Account, Account.id == Job.account_id).where(Job.id.in_(ids))
    return session.execute(query.order_by(Job.id.desc())).all()


def deliveries(
    session: Session, wanted: WorkFilter, before: str, limit: int
) -> Sequence[tuple[WebhookDelivery, str]]:
    """Return webhooks without their bodies, newest first, each with the name of its account."""
    ids = list(session.scalars(_matching(WebhookDelivery, wanted, before, limit)))
    query = (
        select(WebhookDelivery, Account.name)
        .join(Job, Job.id == WebhookDelivery.job_id)
        .join(Account, Account.id == Job.account_id)
        .where(WebhookDelivery.id.in_(ids))
        .options(defer(WebhookDelivery.body))
    )
    rows = session.execute(query.order_by(WebhookDelivery.id.desc()))
    return [(delivery, account) for delivery, account in rows]


def lock_given_up(session: Session, wanted: WorkFilter, limit: int) -> Sequence[WebhookDelivery]:
    """Return the newest matching webhooks that were given up, locked until the transaction ends."""
    wanted = replace(wanted, status=DeliveryStatus.FAILED.value)
    ids = list(session.scalars(_matching(WebhookDelivery, wanted, "", limit)))
    query = select(WebhookDelivery).join(Job, Job.id == WebhookDelivery.job_id)
    query = query.where(WebhookDelivery.id.in_(ids), WebhookDelivery.status == wanted.status)
    query = query.options(defer(WebhookDelivery.body))
    # With their jobs, which a replay needs and retention may be deleting.
    locked = query.with_for_update(skip_locked=True, of=[WebhookDelivery, Job])
    return list(session.scalars(locked))


def count_deliveries(session: Session, wanted: WorkFilter) -> int:
    """Return how many webhooks match, counting at most 1,000."""
    return count(session, _matching(WebhookDelivery, wanted, "", MOST_COUNTED))


def _matching(kind: Any, wanted: WorkFilter, before: str, limit: int) -> Select[str]:
    """Return the query for the ids of jobs or webhooks, newest first."""
    query = select(kind.id)
    if wanted.job:
        # The limit makes the database look for these first.
        query = query.where(
            kind.id.in_(select(kind.id).where(kind.job_id == wanted.job).limit(MOST_COUNTED))
        )
    if wanted.account:
        query = query.where(kind.account_id == wanted.account)
    if wanted.status:
        query = query.where(kind.status == wanted.status)
    if before:
        query = query.where(kind.id < before)
    if wanted.begin:
        query = query.where(kind.id >= _id_at("msg", wanted.begin))
    if wanted.end:
        query = query.where(kind.id < _id_at("msg", wanted.end))
    return query.order_by(kind.id.desc()).limit(limit)


def calls_of(session: Session, work_id: str, limit: int) -> Sequence[str]:
    """Return the purposes of the calls to the model that a job or a run has made so far, in the
    order of the pipeline."""
    query = select(JournalCall.stage).where(JournalCall.work_id == work_id).limit(limit)
    stages = [stage.split() for stage in session.scalars(query)]
    order = {purpose: number for number, purpose in enumerate(PURPOSES)}
    stages.sort(key=lambda stage: (int(stage[0]), order.get(stage[1], 0), int(stage[2])))
    return [stage[1] for stage in stages]


def keys(session: Session, account_id: str, today: date, before: str, limit: int) -> Sequence[Any]:
    """Return keys, of an account (or a sandbox) or ("") of all, newest first, each with the name of
    its account and its requests of a day."""
    day = UsageDay
    query = (
        select(ApiKey, Account.name, func.coalesce(day.used, 0))
        .join(Account, Account.id == ApiKey.account_id)
        .outerjoin(day, (day.key_id == ApiKey.id) & (day.day == today))
    )
    if account_id:
        query = query.where(ApiKey.account_id == account_id)
    return newest_first(session, query, ApiKey.id, before, limit)


def months(session: Session, account_id: str, limit: int) -> Sequence[UsageMonth]:
    """Return the usage of an account in its latest billing periods, the latest first."""
    query = select(UsageMonth).where(UsageMonth.account_id == account_id)
    return list(session.scalars(query.order_by(UsageMonth.period_start.desc()).limit(limit)))


def items_between(session: Session, times: Sequence[datetime]) -> Sequence[int]:
    """Return how many items were generated from each of the times until the next one, counting at
    most 1,000 each."""
    key = FeedItem.id
    return [
        count(session, select(key).where(key >= first, key < last))
        for first, last in pairwise(_id_at("itm", time) for time in times)
    ]


def _id_at(prefix: str, time: datetime) -> str:
    """Return the beginning of the ids that are made at a time: those made before are smaller."""
    return f"{prefix}_{ULID.from_datetime(max(time, _EPOCH))}"[: len(prefix) + 1 + 10]


def count(session: Session, query: Select[Any]) -> int:
    """Return how many rows a query has, counting at most 1,000."""
    bounded = query.limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(bounded)) or 0
