"""What can need an operator: the checks that the console's Home, `status` and `doctor` show.
Nothing here changes anything.

Whether the database, the queue and the model answer is in ``readiness``.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from shutil import disk_usage
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.billing.costs import dollars
from app.core.billing.metering import period_start
from app.core.feed.item import MAX_SENDS, Status
from app.core.schemas.times import counted, in_words, span
from app.services.context import Context
from app.services.cost_reports import near_caps
from app.services.failures import explain
from app.services.sources import NO_PROVIDER
from app.store import state as store
from app.store.backup import age_of_newest
from app.store.due import count_due
from app.store.models import FAILING, Feed, Rule
from app.store.overview import MOST_COUNTED, count
from app.store.state import Backlog

FREE_BYTES = 500_000_000
UNREAD_AFTER = timedelta(days=3)
RECEIVER_FAILS_AFTER = timedelta(hours=1)
"""Receivers of webhooks that fail for a shorter time may only be starting again."""
NEAR_LIMIT_PERCENT = 80
WAITS_SECONDS = 900
"""Work that waits longer than this has too few workers."""
BACKUP_SECONDS = 25 * 3600
"""How old the newest backup may be: one is made every day, and takes its time."""
_SHOWN = 10
# Posts that were generated before are no longer told.
_ABANDONED_WITHIN = timedelta(days=14)
# How long a rule may be due before it is certain that no scheduler runs.
_LATE, _LATE_DAILY = timedelta(minutes=30), timedelta(hours=25)


@dataclass(frozen=True)
class Need:
    """Something that needs an operator: ``name`` and ``what`` is wrong are a sentence.

    Args:
        remedy: a sentence of what to do; "" if it is plain.
        kind: "rule", "feed" or "account", if ``id`` and ``name`` are those of one.
        row: the row that it was read from.
        in_form: whether the remedy is a change of the rule's request.
    """

    name: str
    what: str
    remedy: str = ""
    kind: str = ""
    id: str = ""
    row: Any = None
    in_form: bool = False

    def __str__(self) -> str:
        who = f"The {self.kind} “{self.name}” ({self.id})" if self.kind else self.name
        return f"{who} {self.what} {self.remedy}".rstrip()


@dataclass(frozen=True)
class Look:
    """What the checks read."""

    context: Context
    session: Session
    now: datetime
    backlogs: Sequence[Backlog]


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
        yield Need(counted(each.count, each.kind, MOST_COUNTED), what, remedy, row=each)


def late_rules(context: Context, session: Session) -> int:
    """Return how many rules have been due for so long that no scheduler can be running."""
    ticks = timedelta(seconds=2 * context.tick_seconds)
    late = _LATE_DAILY if context.policy.daily else max(_LATE, ticks)
    return count_due(session, context.clock.now() - late)


def _schedule_late(look: Look) -> Iterator[Need]:
    if late_rules(look.context, look.session):
        yield Need(
            "A rule",
            "has been due for too long: no scheduler runs.",
            "Start `copydesk-server run` or `copydesk-server scheduler`.",
        )


def _backup_old(look: Look) -> Iterator[Need]:
    folder = look.context.backups
    if folder is None:
        return
    age = age_of_newest(folder)
    if age == float("inf"):
        yield Need("No backup", f"is in {folder}, or the folder may not be read.")
    elif age > BACKUP_SECONDS:
        what = f"in {folder} is {span(int(age))} old."
        yield Need("The newest backup", what, "See why none followed.")


def full_disks(folders: Sequence[Path]) -> Iterator[Need]:
    """Yield the disks that are nearly full. Of a folder that does not exist yet, or that others may
    not look into, its parent counts."""
    seen = set()
    for folder in folders:
        parents = (folder.absolute(), *folder.absolute().parents)
        # False, and no error, where others may not look.
        there = next(each for each in parents if os.path.exists(each))  # noqa: PTH110
        free, disk = disk_usage(there).free, there.stat().st_dev
        if free < FREE_BYTES and disk not in seen:
            seen.add(disk)
            what = f"of {there} has {free // 1_000_000:,} MB left."
            yield Need("The disk", what, "Free at least 500 MB.")


def _no_sources(look: Look) -> Iterator[Need]:
    options = look.context.options
    if options.is_local and options.research is None:
        what = "writes only from sources, and there are none. It refuses every post."
        yield Need("The local model", what, NO_PROVIDER)


def _abandoned(look: Look) -> Iterator[Need]:
    feeds: dict[str, list[Any]] = {}
    for item in store.items_since(look.session, Status.ABANDONED, look.now - _ABANDONED_WITHIN):
        feeds.setdefault(item.token_id, []).append(item)
    for items in list(feeds.values())[:_SHOWN]:
        row, posts = items[0], _posts(len(items))
        what = f"has {posts} that its site pulled {MAX_SENDS} times and never confirmed."
        remedy = (
            "See the log of its plugin or connector, then offer the post again on its page, or with"
            f" `copydesk-server item requeue {row.id}`."
        )
        yield Need(row.name, what, remedy, kind="feed", id=row.token_id, row=row)


def _of(kind: str, row: Any, what: str) -> Need:
    """Return what is wrong with the rule, the feed or the account of a row."""
    return Need(row.name, what, kind=kind, id=row.id, row=row)


def _feed_of(look: Look, rule: Rule) -> str:
    return look.session.get_one(Feed, rule.token_id).name


def _posts(number: int, noun: str = "post") -> str:
    return counted(number, noun, store.ITEMS_LOOKED_AT)


def _held(look: Look) -> Iterator[Need]:
    for feed in store.oldest_by_feed(look.session, Status.HELD, look.now, _SHOWN):
        since = in_words(feed.since)
        yield _of("feed", feed, f"holds {_posts(feed.posts)} for review, the oldest of {since}.")


def _failing(look: Look) -> Iterator[Need]:
    most = select(Rule).where(FAILING).order_by(Rule.failures.desc()).limit(_SHOWN)
    for rule in look.session.scalars(most).all():
        times = "once" if rule.failures == 1 else f"{rule.failures} times in a row"
        why = explain(rule.last_error or {})
        what = f"of “{_feed_of(look, rule)}” failed {times}. {why.what}".rstrip()
        need = _of("rule", rule, what)
        yield replace(need, remedy=why.remedy, in_form=why.in_form)


def _saturated(look: Look) -> Iterator[Need]:
    since = Rule.saturated_since
    latest = select(Rule).where(since.is_not(None)).order_by(since.desc()).limit(_SHOWN)
    for rule in look.session.scalars(latest).all():
        assert rule.saturated_since is not None  # noqa: S101 - the query's
        begin = in_words(rule.saturated_since)
        what = f"of “{_feed_of(look, rule)}” has had nothing new to write since {begin}."
        yield replace(_of("rule", rule, what), remedy="Add keywords, or another topic.")


def _unread(look: Look) -> Iterator[Need]:
    before = look.now - UNREAD_AFTER
    for feed in store.oldest_by_feed(look.session, Status.PENDING, before, _SHOWN):
        unread, since = _posts(feed.posts, "waiting post"), in_words(feed.since)
        what = f"is not pulled by any site: {unread}, the oldest of {since}."
        yield _of("feed", feed, what)


def _near_limit(look: Look) -> Iterator[Need]:
    period = period_start(look.now)
    for near in store.near_limit(look.session, period, NEAR_LIMIT_PERCENT, _SHOWN):
        what = f"has used {near.words:,} of {near.monthly_words:,} words this month."
        yield _of("account", near, what)


def _near_cap(look: Look) -> Iterator[Need]:
    for near in near_caps(look.context, look.session, _SHOWN):
        reached = "It writes nothing until next month, unless you raise the cap."
        yield Need(
            near.name or "The installation",
            f"has spent {dollars(near.micros)} of {dollars(near.cap)} this month.",
            reached if near.is_reached else "",
            kind=near.kind.value if near.id else "",
            id=near.id,
        )


def _given_up(look: Look) -> Iterator[Need]:
    if number := count(look.session, store.GIVEN_UP):
        were, them = ("was", "it") if number == 1 else ("were", "them")
        yield Need(
            counted(number, "webhook", MOST_COUNTED),
            f"{were} given up: the receiver did not take {them}.",
            f"Repair the receiver, then send {them} again.",
        )


def _failing_receivers(look: Look) -> Iterator[Need]:
    before = look.now - RECEIVER_FAILS_AFTER
    for receiver in store.failing_receivers(look.session, before, _SHOWN):
        account = f"“{receiver.account}” ({receiver.account_id})"
        what = f"does not take the webhooks of {account}:"
        remedy = "Repair it: each of them is sent again for a day, and then given up."
        if receiver.off_since is not None:
            what = f"gets no webhooks of {account}:"
            remedy = "Once it is repaired, send one of them again."
        what += f" it has failed since {in_words(receiver.failing_since)}."
        answer = f"{receiver.last_answer.rstrip('.')}." if receiver.last_answer else ""
        what = f"{what} {answer}".rstrip()
        yield Need(receiver.site, what, remedy, id=receiver.account_id, row=receiver)


class Room(StrEnum):
    """Where Home shows what a check finds."""

    WAITS = "waits for the operator"
    FAILED = "failed"
    SERVICE = "keeps the service from working"


@dataclass(frozen=True)
class Check:
    """Something that can need an operator.

    Args:
        name: the member of `status --json`.
        find: yields at most ten that need an operator, the worst first.
    """

    name: str
    room: Room
    find: Callable[[Look], Iterator[Need]]


CHECKS = (
    Check("stalledWork", Room.SERVICE, _stalled),
    Check("scheduleLate", Room.SERVICE, _schedule_late),
    Check("backupOld", Room.SERVICE, _backup_old),
    Check("diskFull", Room.SERVICE, lambda look: full_disks(look.context.folders)),
    Check("noSources", Room.SERVICE, _no_sources),
    Check("heldPosts", Room.WAITS, _held),
    Check("unreadFeeds", Room.WAITS, _unread),
    Check("saturatedRules", Room.WAITS, _saturated),
    Check("accountsNearLimit", Room.WAITS, _near_limit),
    Check("nearSpendCap", Room.WAITS, _near_cap),
    Check("failingRules", Room.FAILED, _failing),
    Check("abandonedPosts", Room.FAILED, _abandoned),
    Check("failedWebhooks", Room.FAILED, _given_up),
    Check("failingReceivers", Room.FAILED, _failing_receivers),
)
