"""What operators see of rules: their state, their runs, and what they write next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, cycle, islice
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.core.errors import QuotaExceeded
from app.core.schemas.times import counted
from app.services.context import Context
from app.services.costs import stopping
from app.services.lookups import require
from app.services.overview import PAGE
from app.services.saturation import look, posts_left
from app.store import accounts as account_store
from app.store import feed as feed_store
from app.store.costs import Payer
from app.store.database import reading
from app.store.models import Account, Feed, Rule, Run
from app.store.overview import newest_first
from app.writing.angles import Angle


@dataclass(frozen=True)
class ListedRule:
    """A rule as operators see it: the number of items that no site has pulled (at most the cap),
    whether they fill its queue, and its scheduled run if one is open.

    ``left`` is the number of posts that it can still write, None if that is not limited.
    ``cap_reached`` is a sentence if a spend cap stops it, else None.
    """

    row: Rule
    pending: int
    is_full: bool
    open_run: Run | None
    left: int | None
    cap_reached: str | None

    @property
    def status(self) -> str:
        """What it does, in words."""
        row = self.row
        if row.paused:
            return "paused"
        if row.token_paused:
            return "paused with its feed"
        if self.is_saturated:
            return "saturated"
        if self.is_full:
            return "waiting: queue full"
        if self.cap_reached:
            return "waiting: spend cap reached"
        if row.failures and row.last_error and row.last_error["code"] == QuotaExceeded.code:
            return "waiting: out of words"
        return f"failing: {counted(row.failures, 'time')}" if row.failures else "active"

    @property
    def is_saturated(self) -> bool:
        """Whether it writes nothing because it has nothing new to write."""
        return self.left == 0


class PlannedPost(NamedTuple):
    """A slot of a rule, and the primary keyword and angle of its post. A slot that has passed is
    generated as soon as possible."""

    slot: datetime
    keyword: str
    angle: Angle


def list_rules(
    context: Context, feed_id: str = "", account_id: str = "", before: str = "", limit: int = PAGE
) -> Sequence[ListedRule]:
    """Return a page of rules and their state, of a feed, of an account or of all, newest first.

    Raises:
        NotFound: unknown feed or account.
    """
    # Each with its scheduled run if one is open.
    query = select(Rule, Run).outerjoin(Run, Run.id == Rule.run_id)
    with reading() as session:
        if feed_id:
            require(session, Feed, feed_id)
            query = query.where(Rule.token_id == feed_id)
        elif account_id:
            require(session, Account, account_id)
            of_account = select(Feed.id).where(Feed.account_id == account_id)
            query = query.where(Rule.token_id.in_(of_account))
        found = newest_first(session, query, Rule.id, before, limit)
        return _listed(context, session, found)


def _listed(
    context: Context, session: Session, found: Sequence[tuple[Rule, Run | None]]
) -> Sequence[ListedRule]:
    """Return rules and their open runs as operators see them, in as many queries as for one."""
    rules, cap = [rule for rule, _ in found], context.policy.queue_cap
    pending = feed_store.count_waiting(session, [rule.id for rule in rules], up_to=cap)
    left = posts_left(session, rules)
    accounts = account_store.owners(session, {rule.token_id for rule in rules})
    payers = [Payer(accounts[rule.token_id], rule.id) for rule in rules]
    return [
        ListedRule(
            rule,
            pending[rule.id],
            pending[rule.id] >= cap,
            run,
            left[rule.id],
            stopped.operator if stopped else None,
        )
        for (rule, run), stopped in zip(found, stopping(context, session, payers), strict=True)
    ]


def list_runs(rule_id: str, limit: int) -> Sequence[Run]:
    """Return the runs of a rule's latest slots, newest first.

    Raises:
        NotFound: unknown rule.
    """
    latest = select(Run).where(Run.rule_id == rule_id).order_by(Run.slot.desc()).limit(limit)
    with reading() as session:
        require(session, Rule, rule_id)
        return list(session.scalars(latest))


def plan_rule(
    context: Context, rule_id: str, count: int
) -> tuple[ListedRule, Sequence[PlannedPost]]:
    """Return a rule and its next ``count`` posts, provided that each run succeeds: a run that fails
    leaves its angle to the next one. Fewer are all that it can still write. Those of a paused rule
    are what it would generate if it were resumed. Generates nothing.

    Raises:
        NotFound: unknown rule.
        ValidationFailed: the stored request is no longer valid.
    """
    with reading() as session:
        rule = require(session, Rule, rule_id)
        open_run = session.get(Run, rule.run_id) if rule.run_id else None
        outlook = look(session, rule)
        (listed,) = _listed(context, session, [(rule, open_run)])
    # The open run comes first, then the slots without a run.
    begun = [open_run.slot] if open_run else []
    slots = chain(begun, _slots(context, rule))
    left = cycle(outlook.left) if outlook.unlimited else outlook.left
    planned = zip(slots, islice(left, count), strict=False)
    return listed, [PlannedPost(slot, *pair) for slot, pair in planned]


def _slots(context: Context, rule: Rule) -> Iterator[datetime]:
    now, due, every = context.clock.now(), rule.next_due_at, timedelta(seconds=rule.every_seconds)
    while True:
        yield due
        due = context.policy.next_slot(due, every, max(due, now))
