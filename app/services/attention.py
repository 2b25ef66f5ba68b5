"""What needs an operator: the console's first page, the first steps, and what was not written.
Nothing here changes anything."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.core.billing.metering import period_start
from app.core.feed.rule import QUEUE_FULL, SATURATED, SPEND_CAP
from app.services.context import Context
from app.services.cost_reports import By, NearCap, Report, near_caps, report
from app.services.overview import PAGE
from app.store import attention as store
from app.store import feed as feed_store
from app.store import models, overview, receivers
from app.store.attention import Failure, NearLimit, Retried, Unread
from app.store.database import Schema, core_reading, reading, schema
from app.store.due import anything_due
from app.store.receivers import Off
from app.store.rules import rules_by_id

DAYS = 14
"""How many days the first page and the page of failures look back."""
UNREAD_AFTER = timedelta(days=3)
NEAR_LIMIT_PERCENT = 80
FAILURES_READ = 200
"""How many of the latest failures of jobs, and of runs, are counted at most."""
WAITS_SECONDS = 900
"""Work that waits longer than this has too few workers."""
_SHOWN = 10
_RECENT = timedelta(days=2)
# The first attempt of a webhook may fail for any reason.
_FAILURES = 2
# How long a rule may be due before it is certain that no scheduler runs.
_LATE, _LATE_DAILY = timedelta(minutes=30), timedelta(hours=25)
NO_SCHEDULER = (
    "A rule has been due for too long: no scheduler runs. Start `copydesk-server run` or"
    " `copydesk-server scheduler`."
)
"""What is wrong if ``is_schedule_late``."""
_NO_ANSWER = (
    "The database does not answer. On the machine of the service, run `copydesk-server doctor`: it"
    " says what to do."
)
_WAITS = frozenset({QUEUE_FULL, SATURATED, SPEND_CAP})
_COSTS_SHOWN = 5


@dataclass(frozen=True)
class Backlog:
    """Work of one kind that waits. ``seconds`` is how long ago the oldest could have begun,
    ``is_held`` whether a worker works on some of this kind."""

    name: str
    count: int
    seconds: int
    is_held: bool


@dataclass(frozen=True)
class Day:
    """The posts that rules generated on a day (UTC)."""

    day: date
    posts: int


@dataclass(frozen=True)
class Steps:
    """How far a new installation is. Each member is whether that exists: an account, a live key
    that works, a post that was written, a feed, a rule, and an item that a site pulled."""

    account: bool
    key: bool
    post: bool
    feed: bool
    rule: bool
    pulled: bool


@dataclass(frozen=True)
class Home:
    """What the first page shows: what waits, what needs an operator, and the posts of two weeks.

    ``schema`` says what is wrong with the tables, "" if nothing. ``full`` are rules that wait
    because their queue is full, ``retried`` webhooks that failed at least twice, ``receivers_off``
    what gets no webhooks, and ``stopped`` is how many posts were not written in two days.
    ``near_caps`` is what has spent most of its cap, ``costs`` the accounts that cost most this
    month. ``steps`` is None if the installation is no longer new.
    """

    schema: str
    backlogs: Sequence[Backlog]
    failing: Sequence[models.Rule]
    saturated: Sequence[models.Rule]
    full: Sequence[models.Rule]
    unread: Sequence[Unread]
    near_limit: Sequence[NearLimit]
    failed_webhooks: int
    retried: Sequence[Retried]
    receivers_off: Sequence[Off]
    stopped: int
    days: Sequence[Day]
    near_caps: Sequence[NearCap]
    costs: Report
    steps: Steps | None

    @property
    def stalled(self) -> Sequence[Backlog]:
        """The kinds of work that wait for too long."""
        return [each for each in self.backlogs if each.seconds > WAITS_SECONDS]

    @property
    def needs(self) -> int:
        """How many entries need an operator; an old schema is not one."""
        listed = (
            self.stalled, self.failing, self.saturated, self.full, self.unread, self.near_limit,
            self.near_caps, self.receivers_off, self.retried,
        )  # fmt: skip
        return sum(map(len, listed)) + bool(self.failed_webhooks)


@dataclass(frozen=True)
class Reason:
    """Why posts were not written: the code of the error, the check that refused them ("" if none
    did), how many, when last, and the latest of them."""

    code: str
    check: str
    count: int
    last: Failure


@dataclass(frozen=True)
class Stopped:
    """What was not written in the last 14 days: by reason, and the latest. ``is_cut`` is whether
    there is more than was read."""

    reasons: Sequence[Reason]
    latest: Sequence[Failure]
    is_cut: bool


def home(context: Context) -> Home:
    """Return what the first page shows."""
    now = context.clock.now()
    found, costs = schema(), report(context, By.ACCOUNT, _COSTS_SHOWN)
    with reading() as session:
        backlogs = []
        for name, kind in store.WORK:
            waits = store.waiting(session, kind)
            age = int((now - waits.since).total_seconds()) if waits.since else 0
            backlogs.append(Backlog(name, waits.count, max(0, age), waits.is_held))
        today = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
        times = [today + timedelta(days=day) for day in range(1 - DAYS, 2)]
        posts = overview.items_between(session, times)
        days = [Day(at.date(), number) for at, number in zip(times, posts, strict=False)]
        runs = store.failed_runs(session, now - _RECENT, FAILURES_READ)
        cap = context.policy.queue_cap
        refused = rules_by_id(session, _with_full_queue(runs))
        pending = feed_store.count_pending(session, [rule.id for rule in refused], up_to=cap)
        full = [rule for rule in refused if pending[rule.id] >= cap]
        return Home(
            "" if found is Schema.CURRENT else found.value,
            backlogs,
            store.failing_rules(session, _SHOWN),
            store.saturated_rules(session, _SHOWN),
            full,
            store.unread_feeds(session, now - UNREAD_AFTER, _SHOWN),
            store.near_limit(session, period_start(now), NEAR_LIMIT_PERCENT, _SHOWN),
            store.failed_deliveries(session),
            store.retried_deliveries(session, _FAILURES, _SHOWN),
            receivers.switched_off(session, _SHOWN),
            len(_not_waiting(runs)) + store.count_failed_jobs(session, now - _RECENT),
            days,
            near_caps(context, session, _SHOWN),
            costs,
            _steps(session, now),
        )


def database_fault() -> str:
    """Return what is wrong with the database, after a statement has failed; "" if nothing is."""
    try:
        found = schema()
    except (SQLAlchemyError, OSError):
        return _NO_ANSWER
    return "" if found is Schema.CURRENT else found.value


def late_since(context: Context, tick_seconds: float) -> datetime:
    """Return the time since when a rule must be due to be late: no scheduler can be running."""
    late = _LATE_DAILY if context.policy.daily else max(_LATE, 2 * timedelta(seconds=tick_seconds))
    return context.clock.now() - late


def is_schedule_late(context: Context, tick_seconds: float) -> bool:
    """Return whether a rule has been due for so long that no scheduler can be running."""
    with core_reading() as connection:
        return anything_due(connection, late_since(context, tick_seconds))


def _not_waiting(failures: Iterable[Failure]) -> list[Failure]:
    """Return failures without the runs that only wait."""
    return [each for each in failures if each.error.get("code") not in _WAITS]


def _with_full_queue(failures: Iterable[Failure]) -> list[str]:
    """Return the rules whose runs failed because their queue was full, the latest first."""
    full = (each for each in failures if each.error.get("code") == QUEUE_FULL)
    return list(dict.fromkeys(each.rule_id for each in full if each.rule_id))[:_SHOWN]


def _steps(session: Session, now: datetime) -> Steps | None:
    first = store.first_account_at(session)
    if first is not None and now - first > timedelta(days=DAYS):
        return None
    there = store.exists(session)
    steps = Steps(
        account=first is not None,
        key=there["key"],
        post=there["job"] or there["item"],
        feed=there["feed"],
        rule=there["rule"],
        pulled=there["pulled"],
    )
    return None if steps.pulled else steps


def stopped(context: Context) -> Stopped:
    """Return what was not written in the last 14 days, of at most 200 runs and 200 jobs.

    A run that only waits (a full queue, nothing new to write) is not counted. A call of
    POST /v1/generate stores no failure.
    """
    since = context.clock.now() - timedelta(days=DAYS)
    with reading() as session:
        runs = store.failed_runs(session, since, FAILURES_READ)
        jobs = store.failed_jobs(session, since, FAILURES_READ)
    failed = _not_waiting((*runs, *jobs))
    failed.sort(key=lambda each: each.at, reverse=True)
    counted: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Failure] = {}
    for each in failed:
        for reason in _reasons(each):
            counted[reason] += 1
            last.setdefault(reason, each)
    reasons = [
        Reason(code, check, number, last[code, check])
        for (code, check), number in counted.most_common()
    ]
    return Stopped(reasons, failed[:PAGE], FAILURES_READ in {len(runs), len(jobs)})


def _reasons(failure: Failure) -> set[tuple[str, str]]:
    """Return the code of a failure with each check that has a finding in it."""
    code = str(failure.error.get("code", ""))
    found = (failure.error.get("details") or {}).get("findings") or ()
    checks = {str(each.get("check", "")) for each in found if isinstance(each, dict)}
    return {(code, check) for check in checks or {""}}
