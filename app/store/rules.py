"""Rules and their runs. Each function runs inside the caller's transaction."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, select, tuple_, update
from sqlalchemy.orm import Session

from app.core.feed.rule import SATURATED, SPEND_CAP
from app.store.leases import HELD_BACK, update_mine
from app.store.models import Feed, Rule, Run
from app.store.rows import insert_if_absent, new_id

WAITS = (SATURATED, SPEND_CAP)
"""The errors of runs that only wait."""


LOCKED: dict[str, Any] = {"with_for_update": {"key_share": True}, "populate_existing": True}
"""Options of ``Session.get`` for the current rule, locked until the transaction ends, so that no
tick moves it."""


class RunStatus(StrEnum):
    """``queued`` until ``not_before``, ``running`` under a lease, then one of the other two."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


def add_run(
    session: Session, rule_id: str, slot: datetime, now: datetime, **running: Any
) -> str | None:
    """Add a queued run for a slot; return its id, or None if the slot has a run.

    ``running`` holds columns of a run that begins at once.
    """
    run_id = new_id("run")
    queued = {"status": RunStatus.QUEUED.value, "not_before": now}
    added = insert_if_absent(
        session, Run, id=run_id, rule_id=rule_id, slot=slot, **(queued | running)
    )
    return run_id if added else None


def unpaused(run: Any, query: Select[str]) -> Select[str]:
    """Leave out the runs of paused rules and tokens; order the others by age."""
    active = Rule.paused.is_(False), Feed.paused.is_(False)
    return query.join(Rule).join(Feed).where(*active).order_by(run.not_before)


def hold_back_paused(session: Session, rules: ColumnElement[bool]) -> None:
    """Hide the queued runs of those of the rules that are paused from workers, and let the runs of
    the others begin immediately. Call it after writing ``paused`` or ``token_paused``.

    Without it each claim would read every run that waits for a paused rule.
    """
    paused = Rule.paused | Rule.token_paused
    for which, not_before in ((paused, HELD_BACK), (~paused, Run.slot)):
        # Both columns: whichever side a plan begins with, it finds the other by its key.
        runs = select(Rule.run_id, Rule.id).where(rules, which, Rule.run_id.is_not(None))
        session.execute(
            update(Run)
            .where(tuple_(Run.id, Run.rule_id).in_(runs), Run.status == RunStatus.QUEUED.value)
            .values(not_before=not_before)
            .execution_options(synchronize_session=False)
        )


def update_run(session: Session, run_id: str, attempt: int, **values: Any) -> Rule | None:
    """Update a run; return its rule, locked, or None if another worker has taken over the run.

    If the run has ended, the rule may have its next one, unless the ended run was started outside
    the schedule.
    """
    if not update_mine(session, Run, run_id, attempt, **values):
        return None
    rule = session.get_one(Rule, session.get_one(Run, run_id).rule_id, **LOCKED)
    if "finished_at" in values and rule.run_id == run_id:
        rule.run_id = None
    return rule
