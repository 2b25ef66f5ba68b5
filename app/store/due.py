"""The rules that are due: a run for each, and the rule moved on to its next slot.

Core statements on plain tables, built once: what a tick costs depends on how many rules are due and
not on how many there are, and per rule it makes no object.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.core.feed_item import Status
from app.core.rule import SchedulePolicy, failure_line, queue_full
from app.store.database import Base
from app.store.feed_tables import ItemRow, RuleRow, RunRow
from app.store.ids import new_id
from app.store.rules import RunStatus

BATCH = 500
_rule, _run, _item = (Base.metadata.tables[row.__tablename__] for row in (RuleRow, RunRow, ItemRow))


class Queued(NamedTuple):
    """What became of one batch: how many rules were due, and the runs that were queued for them."""

    due: int
    runs: Sequence[str]


_IS_DUE = (
    # The terms of the partial indexes.
    _rule.c.paused.is_(False),
    _rule.c.token_paused.is_(False),
    _rule.c.run_id.is_(None),
    _rule.c.next_due_at <= bindparam("now"),
)
_ANY_DUE = select(_rule.c.id).where(*_IS_DUE).limit(1)
# Those that another process is moving on are left to it, so that two who tick at once neither wait
# for nor deadlock each other.
_DUE = (
    select(_rule.c.id, _rule.c.next_due_at, _rule.c.every_seconds)
    .where(*_IS_DUE)
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
_QUEUE = {
    name: dialect.insert(_run)
    .values(status=RunStatus.QUEUED.value, attempts=0)
    .on_conflict_do_nothing()
    .returning(_run.c.id)
    for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}
_MOVE_ON = (
    _rule.update()
    .where(_rule.c.id == bindparam("rule"))
    .values(next_due_at=bindparam("next"), run_id=bindparam("run"))
)
_SAY_FULL = (
    _rule.update()
    .where(_rule.c.id.in_(bindparam("rules", expanding=True)))
    .values(last_error=bindparam("line"))
)


def anything_due(connection: Connection, now: datetime) -> bool:
    """Whether a rule is due; reads only, so that a tick without work keeps nobody waiting."""
    return connection.execute(_ANY_DUE, {"now": now}).first() is not None


def queue_due(
    session: Session, now: datetime, policy: SchedulePolicy, token_id: str | None = None
) -> Queued:
    """Queue the due slots of up to ``BATCH`` rules, or of those of one token.

    A rule whose queue is full gets no run; its slot passes all the same, and the rule says why.
    """
    connection = session.connection()
    due = (
        connection.execute(_DUE, {"now": now})
        if token_id is None
        else connection.execute(_DUE_OF_TOKEN, {"now": now, "token": token_id})
    ).all()
    if not due:
        return Queued(0, ())
    full = _full(connection, [row.id for row in due], now, policy)
    runs = [
        {"id": new_id("run"), "rule_id": row.id, "slot": row.next_due_at, "not_before": now}
        for row in due
        if row.id not in full
    ]
    # A slot may have had its run already, before a clock was set back: it is not run again.
    queue = _QUEUE[connection.dialect.name]
    queued = set(connection.execute(queue, runs).scalars()) if runs else set()
    run_of = {run["rule_id"]: run["id"] for run in runs if run["id"] in queued}
    connection.execute(
        _MOVE_ON,
        [
            {
                "rule": row.id,
                "next": policy.next_slot(
                    row.next_due_at, timedelta(seconds=row.every_seconds), now
                ),
                "run": run_of.get(row.id),
            }
            for row in due
        ],
    )
    return Queued(len(due), list(run_of.values()))


def _full(
    connection: Connection, rules: Sequence[str], now: datetime, policy: SchedulePolicy
) -> set[str]:
    """Which of the rules have too many unread items; each of them says so."""
    full = set(connection.execute(_FULL, {"rules": rules, "cap": policy.queue_cap}).scalars())
    if full:
        line = failure_line(now, queue_full(policy.queue_cap))
        connection.execute(_SAY_FULL, {"rules": list(full), "line": line})
    return full
