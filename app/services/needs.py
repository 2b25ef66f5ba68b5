"""What can need an operator: the checks that the console's Home, `status`, `doctor` and the metrics
show. Nothing here changes anything.

Whether the database, the queue and the model answer is in ``readiness``.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import Select
from sqlalchemy.orm import Session

from app.core.billing.costs import MICROS, CostScope, dollars, plain_dollars
from app.core.billing.metering import period_start
from app.core.feed.rule import QUEUE_FULL, reason_of
from app.core.schemas.times import in_words, span, wire_time
from app.ports import Gauges
from app.services.context import Context
from app.services.cost_reports import near_caps
from app.services.overview import counted
from app.store import costs, receivers
from app.store import feed as feed_store
from app.store import state as store
from app.store.backup import age_of_newest
from app.store.costs import INSTALLATION
from app.store.due import count_due
from app.store.overview import MOST_COUNTED, count
from app.store.rules import rules_by_id
from app.store.state import Backlog, Failure

UNREAD_AFTER = timedelta(days=3)
NEAR_LIMIT_PERCENT = 80
FAILURES_READ = 200
"""How many of the latest failures of jobs, and of runs, are counted at most."""
WAITS_SECONDS = 900
"""Work that waits longer than this has too few workers."""
BACKUP_SECONDS = 25 * 3600
"""How old the newest backup may be: one is made every day, and takes its time."""
RECENT = timedelta(days=2)
_SHOWN = 10
# The first attempt of a webhook may fail for any reason.
_FAILURES = 2
# How long a rule may be due before it is certain that no scheduler runs.
_LATE, _LATE_DAILY = timedelta(minutes=30), timedelta(hours=25)


@dataclass(frozen=True)
class Need:
    """Something that needs an operator: ``name`` and ``what`` is wrong are a sentence.

    Args:
        remedy: a sentence of what to do; "" if it is plain.
        kind: "rule", "feed" or "account", if ``id`` and ``name`` are those of one.
        facts: the same for programs.
        row: the row that it was read from.
    """

    name: str
    what: str
    remedy: str = ""
    kind: str = ""
    id: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    row: Any = None

    def __str__(self) -> str:
        who = f"The {self.kind} “{self.name}” ({self.id})" if self.kind else self.name
        return f"{who} {self.what} {self.remedy}".rstrip()


class Look:
    """A context and a session, and what several checks read."""

    def __init__(self, context: Context, session: Session) -> None:
        self.context, self.session = context, session
        self.now = context.clock.now()

    @cached_property
    def backlogs(self) -> Sequence[Backlog]:
        return store.backlogs(self.session, self.now)

    @cached_property
    def late_rules(self) -> int:
        """How many rules have been due for so long that no scheduler can be running."""
        ticks = timedelta(seconds=2 * self.context.watch.tick_seconds)
        late = _LATE_DAILY if self.context.policy.daily else max(_LATE, ticks)
        return count_due(self.session, self.now - late)

    @cached_property
    def recent_runs(self) -> Sequence[Failure]:
        """The runs that failed in two days."""
        return store.failed_runs(self.session, self.now - RECENT, FAILURES_READ)


def work(backlog: Backlog) -> str:
    """Return how much work waits: “1 job”, “1,000+ webhooks”."""
    one = {"run": "run of a rule"}.get(backlog.kind, backlog.kind)
    return f"{counted(backlog.count)} {one if backlog.count == 1 else backlog.name}"


def code_of(failure: Failure) -> str:
    """Return the code of the error of a failure, "" if it has none."""
    return str((failure.error or {}).get("code", ""))


def _stalled(look: Look) -> Iterator[Need]:
    for each in look.backlogs:
        if each.seconds <= WAITS_SECONDS:
            continue
        wait = "waits" if each.count == 1 else "wait"
        remedy = (
            "The workers cannot keep up: start more."
            if each.held
            else "No worker is writing or sending: start `copydesk-server run` or"
            " `copydesk-server worker`."
        )
        what = f"{wait} for too long, the oldest for {span(each.seconds)}."
        yield Need(work(each), what, remedy, row=each)


def _work_gauges(look: Look) -> Gauges:
    every = look.backlogs
    return {
        "copydesk_work_waiting": {each.kind: each.count for each in every},
        "copydesk_work_oldest_seconds": {each.kind: each.seconds for each in every},
        "copydesk_work_in_progress": {each.kind: each.held for each in every},
    }


def _schedule_late(look: Look) -> Iterator[Need]:
    if look.late_rules:
        yield Need(
            "A rule",
            "has been due for too long: no scheduler runs.",
            "Start `copydesk-server run` or `copydesk-server scheduler`.",
        )


def _backup_old(look: Look) -> Iterator[Need]:
    folder = look.context.watch.backups
    if folder is not None:
        yield from backup_needs(folder)


def backup_needs(folder: Path) -> Iterator[Need]:
    """Yield what is wrong with the backups of a folder, if anything is."""
    age = age_of_newest(folder)
    if age == float("inf"):
        yield Need("No backup", f"is in {folder}, or the folder may not be read.")
    elif age > BACKUP_SECONDS:
        what = f"in {folder} is {span(int(age))} old."
        yield Need("The newest backup", what, "See why none followed.")


def _backup_gauge(look: Look) -> Gauges:
    folder = look.context.watch.backups
    return {} if folder is None else {"copydesk_backup_age_seconds": {"": age_of_newest(folder)}}


def _of(kind: str, row: Any, what: str, **facts: Any) -> Need:
    """Return what is wrong with the rule, the feed or the account of a row."""
    facts = {f"{kind}Id": row.id, "name": row.name, **facts}
    return Need(row.name, what, kind=kind, id=row.id, facts=facts, row=row)


def _failing(look: Look) -> Iterator[Need]:
    for rule in store.failing_rules(look.session, _SHOWN):
        times = "once" if rule.failures == 1 else f"{rule.failures} times in a row"
        what = f"failed {times}. {reason_of(rule.last_error or '')}".rstrip()
        yield _of("rule", rule, what, failures=rule.failures, lastError=rule.last_error)


def _saturated(look: Look) -> Iterator[Need]:
    for rule in store.saturated_rules(look.session, _SHOWN):
        assert rule.saturated_since is not None  # noqa: S101 - the query's
        what = f"has had nothing new to write since {in_words(rule.saturated_since)}."
        yield _of("rule", rule, what, since=wire_time(rule.saturated_since))


def _full(look: Look) -> Iterator[Need]:
    """Yield rules whose runs failed because their queue was full, and whose queue still is."""
    cap = look.context.policy.queue_cap
    failed = (each for each in look.recent_runs if code_of(each) == QUEUE_FULL)
    ids = dict.fromkeys(each.rule_id for each in failed if each.rule_id)
    rules = rules_by_id(look.session, list(ids)[:_SHOWN])
    pending = feed_store.count_pending(look.session, [rule.id for rule in rules], up_to=cap)
    for rule in rules:
        if pending[rule.id] >= cap:
            yield _of("rule", rule, "waits until a site pulls its posts.")


def _unread(look: Look) -> Iterator[Need]:
    for feed in store.unread_feeds(look.session, look.now - UNREAD_AFTER, _SHOWN):
        unread = f"{feed.posts:,} unread post{'' if feed.posts == 1 else 's'}"
        what = f"is not pulled by any site: {unread}, the oldest of {in_words(feed.since)}."
        yield _of("feed", feed, what, posts=feed.posts, since=wire_time(feed.since))


def _near_limit(look: Look) -> Iterator[Need]:
    period = period_start(look.now)
    for near in store.near_limit(look.session, period, NEAR_LIMIT_PERCENT, _SHOWN):
        words, limit = near.words, near.monthly_words
        what = f"has used {words:,} of {limit:,} words this month."
        yield _of("account", near, what, words=words, monthlyWords=limit)


def _near_cap(look: Look) -> Iterator[Need]:
    for near in near_caps(look.context, look.session, _SHOWN):
        reached = "It writes nothing until next month, unless you raise the cap."
        yield Need(
            near.name or "The installation",
            f"has spent {dollars(near.micros)} of {dollars(near.cap)} this month.",
            reached if near.is_reached else "",
            kind=near.kind.value if near.id else "",
            id=near.id,
            facts={
                "kind": near.kind.value,
                "id": near.id or None,
                "name": near.name or None,
                "dollars": plain_dollars(near.micros),
                "capDollars": plain_dollars(near.cap),
                "reached": near.is_reached,
            },
        )


def _cap_gauges(look: Look) -> Gauges:
    every = near_caps(look.context, look.session, MOST_COUNTED, 100)
    reached = Counter(each.kind for each in every)
    month = costs.spent(look.session, [INSTALLATION], period_start(look.now)).get(INSTALLATION)
    return {
        "copydesk_spend_caps_reached": {kind.value: reached[kind] for kind in CostScope},
        "copydesk_month_cost_dollars": {"": month.micros / MICROS if month else 0},
    }


def _given_up(look: Look) -> Iterator[Need]:
    if number := count(look.session, store.GIVEN_UP):
        one = number == 1
        yield Need(
            f"{counted(number)} webhook{'' if one else 's'}",
            f"{'was' if one else 'were'} given up.",
            "`copydesk-server webhook list --status failed` lists them.",
            facts={"count": number},
        )


def _receivers_off(look: Look) -> Iterator[Need]:
    for off in receivers.switched_off(look.session, _SHOWN):
        since = off.failing_since and in_words(off.failing_since)
        what = (
            f"gets no webhooks of “{off.account}” ({off.account_id}): it has failed since {since}."
        )
        yield Need(
            off.site,
            f"{what} {_answered(off.last_answer)}".rstrip(),
            "Once it is repaired, send one of them again.",
            id=off.account_id,
            facts={
                "accountId": off.account_id,
                "site": off.site,
                "failingSince": off.failing_since and wire_time(off.failing_since),
                "lastAnswer": off.last_answer,
            },
        )


def _retried(look: Look) -> Iterator[Need]:
    for sent in store.retried_deliveries(look.session, _FAILURES, _SHOWN):
        what = f"failed {sent.failures} times. {_answered(sent.last_answer)}".rstrip()
        yield Need(
            f"A webhook of “{sent.name}” for {sent.job_id}",
            f"{what} The next attempt is at {in_words(sent.not_before)}.",
            id=sent.job_id,
            facts={
                "jobId": sent.job_id,
                "failures": sent.failures,
                "lastAnswer": sent.last_answer,
                "againAt": wire_time(sent.not_before),
            },
        )


def _answered(answer: str | None) -> str:
    return f"{answer.rstrip('.')}." if answer else ""


@dataclass(frozen=True)
class Check:
    """Something that can need an operator.

    Args:
        name: the member of `status --json`.
        title: what its entries have in common.
        find: yields at most ten that need an operator, the worst first.
        gauges: what the metrics show of it.
    """

    name: str
    title: str
    find: Callable[[Look], Iterator[Need]]
    gauges: Callable[[Look], Gauges] = lambda _: {}


def _gauge(metric: str, query: Select[Any]) -> Callable[[Look], Gauges]:
    return lambda look: {metric: {"": count(look.session, query)}}


CHECKS = (
    Check("stalledWork", "Work that waits too long", _stalled, _work_gauges),
    Check(
        "scheduleLate",
        "Schedule",
        _schedule_late,
        lambda look: {"copydesk_rules_late": {"": look.late_rules}},
    ),
    Check("backupOld", "Backup", _backup_old, _backup_gauge),
    Check(
        "failingRules",
        "Failing rules",
        _failing,
        _gauge("copydesk_rules_failing", store.FAILING_RULES),
    ),
    Check(
        "saturatedRules",
        "Rules with nothing new to write",
        _saturated,
        _gauge("copydesk_rules_saturated", store.SATURATED_RULES),
    ),
    Check("fullRules", "Rules with a full queue", _full),
    Check("unreadFeeds", "Feeds that no site pulls", _unread),
    Check("accountsNearLimit", "Accounts near their limit", _near_limit),
    Check("nearSpendCap", "Spend caps", _near_cap, _cap_gauges),
    Check(
        "failedWebhooks",
        "Webhooks that were given up",
        _given_up,
        _gauge("copydesk_webhooks_given_up", store.GIVEN_UP),
    ),
    Check(
        "receiversOff",
        "Receivers that get no webhooks",
        _receivers_off,
        _gauge("copydesk_webhook_receivers_off", receivers.SWITCHED_OFF),
    ),
    Check("retriedWebhooks", "Failing webhooks", _retried),
)
