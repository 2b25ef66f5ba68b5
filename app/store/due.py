"""Queue a run for each rule that is due, and move the rule to its next slot.

These are Core statements on plain tables, built once: the cost of a tick depends on the number of
due rules, not of all rules, and no objects are created per rule.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.orm import Session

from app.core.billing.metering import period_start
from app.core.feed.item import Status
from app.core.feed.rule import (
    NEXT_MONTH,
    SchedulePolicy,
    failure_line,
    queue_full,
    stopped_by_cap,
)
from app.store import models
from app.store.accounts import owners
from app.store.costs import Payer, stops
from app.store.overview import MOST_COUNTED
from app.store.rows import insert_of, new_id
from app.store.rules import RunStatus

BATCH = 500
_rule, _run, _item = models.Rule.__table__, models.Run.__table__, models.FeedItem.__table__


class Queued(NamedTuple):
    """The result of one batch: the number of due rules, the runs queued for them, and the slots of
    the rules that got none because they were saturated when they last ran, by rule."""

    due: int
    runs: Sequence[str]
    saturated: Mapping[str, datetime]


IS_DUE = (
    # The terms of the partial indexes.
    _rule.c.paused.is_(False),
    _rule.c.token_paused.is_(False),
    _rule.c.run_id.is_(None),
    _rule.c.next_due_at <= bindparam("now"),
)
_ANY_DUE = select(_rule.c.id).where(*IS_DUE).limit(1)
_COUNT_DUE = select(func.count()).select_from(
    select(_rule.c.id).where(*IS_DUE).limit(MOST_COUNTED).subquery()
)
# Skip rows another scheduler has locked, so that concurrent ticks neither wait nor deadlock.
_DUE = (
    select(
        _rule.c.id,
        _rule.c.token_id,
        _rule.c.next_due_at,
        _rule.c.every_seconds,
        _rule.c.saturated_since,
    )
    .where(*IS_DUE)
    .order_by(_rule.c.next_due_at)
    .limit(BATCH)
    .with_for_update(key_share=True, skip_locked=True)
)
_DUE_OF_TOKEN = _DUE.where(_rule.c.token_id == bindparam("token"))
_FULL = (
    select(_item.c.rule_id)
    .where(
        _item.c.rule_id.in_(bindparam("rules", expanding=True)),
        _item.c.status == Status.PENDING.value,
    )
    .group_by(_item.c.rule_id)
    .having(func.count() >= bindparam("cap"))
)
_MOVE_ON = (
    _rule.update()
    .where(_rule.c.id == bindparam("rule"))
    .values(next_due_at=bindparam("next"), run_id=bindparam("run"))
)
_SAY_WHY = (
    _rule.update()
    .where(_rule.c.id.in_(bindparam("rules", expanding=True)))
    .values(last_error=bindparam("line"))
)


@cache
def _queue(dialect: str) -> Any:
    insert = insert_of(dialect)(_run).values(status=RunStatus.QUEUED.value, attempts=0)
    return insert.on_conflict_do_nothing().returning(_run.c.id)


def anything_due(session: Session, now: datetime) -> bool:
    """Return whether a rule is due. Only reads, so that a tick without work blocks nobody."""
    return session.execute(_ANY_DUE, {"now": now}).first() is not None


def count_due(session: Session, now: datetime) -> int:
    """Return how many rules are due, counting at most 1,000."""
    return session.execute(_COUNT_DUE, {"now": now}).scalar_one()


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
    same, and the rule says why. A saturated rule gets none either: the caller finds out whether it
    still is.

    Args:
        spend_cap: that of the installation, in micro-dollars a month.
    """
    connection = session.connection()
    due = (
        connection.execute(_DUE, {"now": now})
        if token_id is None
        else connection.execute(_DUE_OF_TOKEN, {"now": now, "token": token_id})
    ).all()
    if not due:
        return Queued(0, (), {})
    saturated = {row.id: row.next_due_at for row in due if row.saturated_since is not None}
    rules = [row.id for row in due]
    waiting = _full(connection, rules, now, policy) | _stopped(session, due, now, spend_cap)
    runs = [
        {"id": new_id("run"), "rule_id": row.id, "slot": row.next_due_at, "not_before": now}
        for row in due
        if row.id not in waiting and row.id not in saturated
    ]
    # If a clock was set back, a slot may already have a run: it is not run again.
    queue = _queue(connection.dialect.name)
    queued = set(connection.execute(queue, runs).scalars()) if runs else set()
    run_of = {run["rule_id"]: run["id"] for run in runs if run["id"] in queued}
    moves = []
    for row in due:
        slot = policy.next_slot(row.next_due_at, timedelta(seconds=row.every_seconds), now)
        moves.append({"rule": row.id, "next": slot, "run": run_of.get(row.id)})
    connection.execute(_MOVE_ON, moves)
    return Queued(len(due), list(run_of.values()), saturated)


def _full(
    connection: Connection, rules: Sequence[str], now: datetime, policy: SchedulePolicy
) -> set[str]:
    """Return which of the rules have too many unread items."""
    cap = policy.queue_cap
    full = set(connection.execute(_FULL, {"rules": rules, "cap": cap}).scalars())
    return _say_why(connection, full, failure_line(now, queue_full(cap)))


def _stopped(session: Session, rules: Sequence[Any], now: datetime, cap: int | None) -> set[str]:
    """Return which of the rules a spend cap stops."""
    accounts = owners(session, {rule.token_id for rule in rules})
    payers = [Payer(accounts[rule.token_id], rule.id) for rule in rules]
    found = zip(rules, stops(session, payers, period_start(now), cap), strict=True)
    stopped = {rule.id for rule, stop in found if stop is not None}
    line = failure_line(now, stopped_by_cap(NEXT_MONTH))
    return _say_why(session.connection(), stopped, line)


def _say_why(connection: Connection, rules: set[str], line: str) -> set[str]:
    if rules:
        connection.execute(_SAY_WHY, {"rules": list(rules), "line": line})
    return rules
