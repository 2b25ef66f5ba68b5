"""Queue a run for each rule that is due, and move the rule to its next slot.

Each statement is about a batch: the cost of a tick depends on the number of due rules, not of all
rules, and no objects are created per rule.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from app.core.billing.metering import period_start
from app.core.feed.rule import SchedulePolicy
from app.store.accounts import owners
from app.store.costs import Payer, stops
from app.store.feed import count_waiting
from app.store.models import Rule, Run
from app.store.overview import count
from app.store.rows import insert_of, new_id
from app.store.rules import RunStatus

BATCH = 500


class Queued(NamedTuple):
    """The result of one batch: the runs queued, the slots of the rules that got none because they
    were saturated when they last ran, by rule, and whether more rules may be due."""

    runs: Sequence[str]
    saturated: Mapping[str, datetime]
    more: bool


def is_due(now: Any) -> Sequence[ColumnElement[bool]]:
    """Return the conditions of rules that are due at a time, a value or a parameter."""
    return (
        # The terms of the partial indexes.
        Rule.paused.is_(False),
        Rule.token_paused.is_(False),
        Rule.run_id.is_(None),
        Rule.next_due_at <= now,
    )


def anything_due(session: Session, now: datetime) -> bool:
    """Return whether a rule is due. Only reads, so that a tick without work blocks nobody."""
    return session.scalar(select(Rule.id).where(*is_due(now)).limit(1)) is not None


def count_due(session: Session, now: datetime) -> int:
    """Return how many rules are due, counting at most 1,000."""
    return count(session, select(Rule.id).where(*is_due(now)))


def queue_due(
    session: Session,
    now: datetime,
    policy: SchedulePolicy,
    token_id: str | None = None,
    *,
    spend_cap: int | None = None,
) -> Queued:
    """Queue the due slots of up to ``BATCH`` rules, or of those of one token.

    A rule whose queue is full, or that a spend cap stops, gets no run; its slot passes all the
    same. A saturated rule gets none either: the caller finds out whether it still is.

    Args:
        spend_cap: that of the installation, in micro-dollars a month.
    """
    columns = (Rule.next_due_at, Rule.every_seconds, Rule.saturated_since)
    query = select(Rule.id, Rule.token_id, *columns).where(*is_due(now))
    query = query.order_by(Rule.next_due_at).limit(BATCH)
    if token_id is not None:
        query = query.where(Rule.token_id == token_id)
    # Skip rows another scheduler has locked, so that concurrent ticks neither wait nor deadlock.
    due = session.execute(query.with_for_update(key_share=True, skip_locked=True)).all()
    if not due:
        return Queued((), {}, more=False)
    saturated = {row.id: row.next_due_at for row in due if row.saturated_since is not None}
    full = _full(session, [row.id for row in due], policy.queue_cap)
    stopped = _stopped(session, due, now, spend_cap)
    slots = {
        row.id: row.next_due_at
        for row in due
        if row.id not in full and row.id not in stopped and row.id not in saturated
    }
    run_of = _add_runs(session, slots, now) if slots else {}
    moves = []
    for row in due:
        slot = policy.next_slot(row.next_due_at, timedelta(seconds=row.every_seconds), now)
        moves.append({"id": row.id, "next_due_at": slot, "run_id": run_of.get(row.id)})
    session.execute(update(Rule), moves)
    return Queued(list(run_of.values()), saturated, more=len(due) == BATCH)


def _full(session: Session, rules: Sequence[str], cap: int) -> set[str]:
    """Return which of the rules have too many waiting items."""
    waiting = count_waiting(session, rules, up_to=cap)
    return {rule_id for rule_id, number in waiting.items() if number == cap}


def _stopped(session: Session, rules: Sequence[Any], now: datetime, cap: int | None) -> set[str]:
    """Return which of the rules a spend cap stops."""
    accounts = owners(session, {rule.token_id for rule in rules})
    payers = [Payer(accounts[rule.token_id], rule.id) for rule in rules]
    found = zip(rules, stops(session, payers, period_start(now), cap), strict=True)
    return {rule.id for rule, stop in found if stop is not None}


def _add_runs(session: Session, slots: Mapping[str, datetime], now: datetime) -> Mapping[str, str]:
    """Add queued runs for the slots of rules; return them by rule.

    If a clock was set back, a slot may already have a run: it is not run again.
    """
    queued = {"status": RunStatus.QUEUED.value, "not_before": now, "attempts": 0}
    rows = [
        {"id": new_id("run"), "rule_id": rule_id, "slot": slot, **queued}
        for rule_id, slot in slots.items()
    ]
    insert = insert_of(session.get_bind().dialect.name)(Run.__table__)
    added = insert.on_conflict_do_nothing().returning(Run.rule_id, Run.id)
    return {row.rule_id: row.id for row in session.execute(added, rows)}
