"""Rules and their runs. Each function runs inside the caller's transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, select, tuple_, update
from sqlalchemy.orm import Session

from app.core.rule import QUEUE_FULL, failure_line, slot_after_failure
from app.store.feed_tables import RuleRow, RunRow, TokenRow
from app.store.ids import new_id
from app.store.leases import update_mine
from app.store.upsert import insert_if_absent

# Until when the queued run of a paused rule waits: past every claim.
_HELD_BACK = datetime(9999, 1, 1, tzinfo=UTC)


class RunStatus(StrEnum):
    """``queued`` until ``not_before``, ``running`` under a lease, then one of the other two."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


def find_rule(session: Session, rule_id: str) -> RuleRow | None:
    return session.get(RuleRow, rule_id)


def lock_rule(session: Session, rule_id: str) -> RuleRow | None:
    """A rule as it is now, and until the transaction ends: no tick moves it meanwhile."""
    return session.get(
        RuleRow, rule_id, with_for_update={"key_share": True}, populate_existing=True
    )


def rules_of(session: Session, token_id: str) -> Sequence[tuple[RuleRow, RunRow | None]]:
    """The rules of a token, each with the scheduled run that is open."""
    query = (
        select(RuleRow, RunRow)
        .outerjoin(RunRow, RunRow.id == RuleRow.run_id)
        .where(RuleRow.token_id == token_id)
        .order_by(RuleRow.id)
    )
    return [(rule, run) for rule, run in session.execute(query)]


def latest_runs(session: Session, rule_id: str, limit: int) -> Sequence[RunRow]:
    """The runs of a rule's last slots, newest first."""
    query = select(RunRow).where(RunRow.rule_id == rule_id).order_by(RunRow.slot.desc())
    return list(session.scalars(query.limit(limit)))


def name_taken(session: Session, token_id: str, name_key: str, but: str | None = None) -> bool:
    query = select(RuleRow.id).where(RuleRow.token_id == token_id, RuleRow.name_key == name_key)
    return session.scalar(query) not in {None, but}


def add_run(
    session: Session,
    rule_id: str,
    slot: datetime,
    now: datetime,
    *,
    run_id: str | None = None,
    **running: Any,
) -> str | None:
    """A run for a slot; None where that slot has one."""
    run_id = run_id or new_id("run")
    values: dict[str, Any] = {
        "status": RunStatus.QUEUED.value,
        "not_before": now,
        "attempts": 0,
        **running,
    }
    added = insert_if_absent(session, RunRow, id=run_id, rule_id=rule_id, slot=slot, **values)
    return run_id if added else None


def unpaused(run: Any, query: Select[str]) -> Select[str]:
    """Runs of paused rules and tokens wait."""
    return (
        query.join(RuleRow, RuleRow.id == run.rule_id)
        .join(TokenRow, TokenRow.id == RuleRow.token_id)
        .where(RuleRow.paused.is_(False), TokenRow.paused.is_(False))
        .order_by(run.not_before)
    )


def hold_back_paused(session: Session, rules: ColumnElement[bool]) -> None:
    """Keep the queued runs of those of the rules that are paused out of the workers' sight, and
    bring back those that are not paused any more, to begin at once. Without it each claim would
    look at every run that waits for a paused rule. Call it when ``paused`` or ``token_paused`` was
    written."""
    paused = RuleRow.paused | RuleRow.token_paused
    for which, not_before in ((paused, _HELD_BACK), (~paused, RunRow.slot)):
        # Both columns: whichever side a plan begins with, it finds the other by its key.
        runs = select(RuleRow.run_id, RuleRow.id).where(rules, which, RuleRow.run_id.is_not(None))
        session.execute(
            update(RunRow)
            .where(
                tuple_(RunRow.id, RunRow.rule_id).in_(runs),
                RunRow.status == RunStatus.QUEUED.value,
            )
            .values(not_before=not_before)
            .execution_options(synchronize_session=False)
        )


def finish_run(session: Session, run_id: str, attempt: int, now: datetime, item_id: str) -> bool:
    """Record success, at the rule as well; False, and nothing written, where the run was taken
    over."""
    finished = update_mine(
        session,
        RunRow,
        run_id,
        attempt,
        status=RunStatus.SUCCEEDED.value,
        item_id=item_id,
        finished_at=now,
        error=None,
    )
    if finished:
        rule = _lock_rule_of(session, run_id)
        rule.failures, rule.last_error = 0, None
        _end_run(rule, run_id)
    return finished


def fail_run(
    session: Session,
    run_id: str,
    attempt: int,
    now: datetime,
    error: dict[str, Any],
    retry_at: datetime | None,
) -> bool:
    """Record a failure, at the rule as well: for good, or to be tried again at a time.

    A rule that failed for good waits longer than its frequency, the longer the more often.
    """
    ended = (
        {"status": RunStatus.FAILED.value, "finished_at": now}
        if retry_at is None
        else {"status": RunStatus.QUEUED.value, "not_before": retry_at}
    )
    if not update_mine(session, RunRow, run_id, attempt, error=error, **ended):
        return False
    rule = _lock_rule_of(session, run_id)
    rule.last_error = failure_line(now, error)
    if retry_at is None:
        _end_run(rule, run_id)
        # A full queue is no fault of the rule's.
        if error["code"] != QUEUE_FULL:
            rule.failures += 1
            every = timedelta(seconds=rule.every_seconds)
            rule.next_due_at = slot_after_failure(rule.next_due_at, every, now, rule.failures)
    return True


def _lock_rule_of(session: Session, run_id: str) -> RuleRow:
    rule = lock_rule(session, session.get_one(RunRow, run_id).rule_id)
    assert rule is not None  # noqa: S101 - a foreign key
    return rule


def _end_run(rule: RuleRow, run_id: str) -> None:
    """Let the rule have its next run; one that was started by hand does not keep it from that."""
    if rule.run_id == run_id:
        rule.run_id = None
