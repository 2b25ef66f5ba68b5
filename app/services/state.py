"""The state of the installation: what waits, what needs an operator, what was not written, and the
gauges of the metrics. Nothing here changes anything."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.core.billing.costs import MICROS, CostScope
from app.core.billing.metering import period_start
from app.core.credentials import sandbox_of
from app.core.feed.item import Status
from app.metrics import Gauges
from app.services.context import Context
from app.services.cost_reports import Report, near_caps, report
from app.services.needs import CHECKS, Look, Need, late_rules
from app.store import costs
from app.store import state as store
from app.store.backup import age_of_newest
from app.store.costs import INSTALLATION
from app.store.database import Schema, reading, schema
from app.store.models import Account, FeedItem
from app.store.overview import MOST_COUNTED, count, id_at
from app.store.rules import WAITS
from app.store.state import ITEMS_LOOKED_AT, Backlog, Failure, Steps

log = logging.getLogger(__name__)

DAYS = 14
"""How many days the first page and the page of failures look back."""
_NO_ANSWER = (
    "The database does not answer. On the machine of the service, run `copydesk-server doctor`: it"
    " says what to do."
)
_RECENT, _WEEK = timedelta(days=2), timedelta(days=7)
_JOBS_SHOWN = 5
_COSTS_SHOWN = 5
FAILURES_READ = 200
"""How many of the latest failures of jobs, and of runs, are counted at most."""


@dataclass(frozen=True)
class Reason:
    """Why posts were not written: the code of the error, the check that refused them ("" if none
    did), how many, when last, and the latest of them."""

    code: str
    check: str
    count: int
    last: Failure


@dataclass(frozen=True)
class State:
    """What waits, what needs an operator, and the posts and costs of late.

    ``schema`` says what is wrong with the tables, "" if nothing. ``needs`` has an entry for each
    check. ``published`` are the items of a week that sites published, by the id of their feed.
    ``failed_jobs`` are the reasons of two days, ``stopped`` is how many posts these and runs did
    not write, ``days`` how many rules wrote on each day (UTC). ``costs`` has the accounts that
    cost most this month. ``steps`` is None if the installation is no longer new.
    """

    schema: str
    backlogs: Sequence[Backlog]
    needs: Mapping[str, Sequence[Need]]
    published: Mapping[str, Sequence[Any]]
    failed_jobs: Sequence[Reason]
    stopped: int
    days: Sequence[tuple[date, int]]
    costs: Report
    steps: Steps | None

    @property
    def is_cut(self) -> bool:
        """Whether more was published than is read."""
        return sum(map(len, self.published.values())) >= ITEMS_LOOKED_AT

    @property
    def number(self) -> int:
        """How many entries need an operator."""
        return sum(map(len, self.needs.values()))


@dataclass(frozen=True)
class Stopped:
    """Why posts were not written in the last 14 days. ``is_cut`` is whether there is more than was
    read."""

    reasons: Sequence[Reason]
    is_cut: bool


def read(context: Context) -> State:
    """Return what waits and what needs an operator."""
    found, month = schema(), report(context, _COSTS_SHOWN)
    with reading() as session:
        now = context.clock.now()
        look = Look(context, session, now, store.backlogs(session, now))
        today = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
        times = [today + timedelta(days=day) for day in range(1 - DAYS, 2)]
        posts = [
            count(session, select(FeedItem.id).where(FeedItem.id >= day, FeedItem.id < end))
            for day, end in pairwise(id_at("itm", time) for time in times)
        ]
        failed_runs = store.failed_runs(session, now - _RECENT, FAILURES_READ)
        failed_jobs = store.failed_jobs(session, now - _RECENT, FAILURES_READ)
        published: dict[str, list[Any]] = {}
        for item in store.items_since(session, Status.USED, now - _WEEK):
            published.setdefault(item.token_id, []).append(item)
        return State(
            "" if found is Schema.CURRENT else found.value,
            look.backlogs,
            {check.name: list(check.find(look)) for check in CHECKS},
            published,
            _reasons(failed_jobs)[:_JOBS_SHOWN],
            len(_not_waiting(failed_runs)) + len(failed_jobs),
            [(at.date(), number) for at, number in zip(times, posts, strict=False)],
            month,
            _steps(session, now),
        )


def gauges(context: Context) -> Gauges | None:
    """Return what the metrics show; None if the database does not answer."""
    try:
        return read_gauges(context)
    except (SQLAlchemyError, OSError) as error:
        log.warning("the database did not answer: %s", type(error).__name__)
        return None


def read_gauges(context: Context) -> Gauges:
    """Return the same, or raise. Each statement reads up to a bound, by an index."""
    now, folder = context.clock.now(), context.backups
    with reading() as session:
        work = store.backlogs(session, now)
        spent = costs.spent(session, [INSTALLATION], period_start(now)).get(INSTALLATION)
        caps = Counter(cap.kind for cap in near_caps(context, session, MOST_COUNTED, 100))
        numbers = {
            "copydesk_rules_late": late_rules(context, session),
            "copydesk_rules_failing": count(session, store.FAILING_RULES),
            "copydesk_rules_saturated": count(session, store.SATURATED_RULES),
            "copydesk_webhooks_given_up": count(session, store.GIVEN_UP),
            "copydesk_webhook_receivers_off": count(session, store.SWITCHED_OFF),
            "copydesk_month_cost_dollars": spent.micros / MICROS if spent else 0,
        }
    if folder is not None:
        numbers["copydesk_backup_age_seconds"] = age_of_newest(folder)
    return {
        "copydesk_work_waiting": {each.kind: each.count for each in work},
        "copydesk_work_oldest_seconds": {each.kind: each.seconds for each in work},
        "copydesk_work_in_progress": {each.kind: each.held for each in work},
        "copydesk_spend_caps_reached": {kind.value: caps[kind] for kind in CostScope},
        **{name: {"": number} for name, number in numbers.items()},
    }


def database_fault() -> str:
    """Return what is wrong with the database, after a statement has failed; "" if nothing is."""
    try:
        found = schema()
    except (SQLAlchemyError, OSError):
        return _NO_ANSWER
    return "" if found is Schema.CURRENT else found.value


def _code_of(failure: Failure) -> str:
    """Return the code of the error of a failure, "" if it has none."""
    return str((failure.error or {}).get("code", ""))


def _not_waiting(failures: Iterable[Failure]) -> list[Failure]:
    """Return failures without the runs that only wait."""
    return [each for each in failures if _code_of(each) not in WAITS]


def _steps(session: Session, now: datetime) -> Steps | None:
    oldest = select(Account.created_at).where(Account.id < sandbox_of(""))
    first, steps = session.scalar(oldest.order_by(Account.id).limit(1)), store.steps(session)
    # An installation that only serves the API has a post, and never a site.
    is_old = first is not None and now - first > timedelta(days=DAYS)
    return None if steps.pulled or (is_old and steps.post) else steps


def first_steps() -> Steps:
    """Return how far the installation is."""
    with reading() as session:
        return store.steps(session)


def stopped(context: Context) -> Stopped:
    """Return why posts were not written in the last 14 days, of at most 200 runs and 200 jobs.

    A run that only waits (a spend cap, nothing new to write) is not counted. A call of
    POST /v1/generate stores no failure.
    """
    since = context.clock.now() - timedelta(days=DAYS)
    with reading() as session:
        runs = store.failed_runs(session, since, FAILURES_READ)
        jobs = store.failed_jobs(session, since, FAILURES_READ)
    reasons = _reasons(_not_waiting((*runs, *jobs)))
    return Stopped(reasons, FAILURES_READ in {len(runs), len(jobs)})


def _reasons(failed: Iterable[Failure]) -> list[Reason]:
    """Return why posts were not written, the most frequent reason first."""
    numbers: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Failure] = {}
    for each in sorted(failed, key=lambda each: each.at, reverse=True):
        for reason in _checks_of(each):
            numbers[reason] += 1
            last.setdefault(reason, each)
    return [
        Reason(code, check, number, last[code, check])
        for (code, check), number in numbers.most_common()
    ]


def _checks_of(failure: Failure) -> set[tuple[str, str]]:
    """Return the code of a failure with each check that has a finding in it."""
    found = ((failure.error or {}).get("details") or {}).get("findings") or ()
    checks = {str(each.get("check", "")) for each in found if isinstance(each, dict)}
    return {(_code_of(failure), check) for check in checks or {""}}
