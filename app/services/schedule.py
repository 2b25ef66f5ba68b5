"""The schedule: queueing a run for each rule that is due, and what a wrong clock has put off."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import select, update

from app.ports import Work, WorkKind
from app.services import usage
from app.services.context import Context
from app.services.lease_keeping import LEASE
from app.services.leased_work import TABLES
from app.services.saturation import posts_left
from app.store import leases
from app.store.database import reading, writing
from app.store.due import anything_due, queue_due
from app.store.models import Rule
from app.store.rows import changes

log = logging.getLogger(__name__)


def tick(context: Context) -> int:
    """Queue a run for every rule that is due; return how many. Several processes may tick."""
    with reading() as session:
        if not anything_due(session, context.clock.now()):
            return 0
    return trigger_due(context, None)


def trigger_due(context: Context, token_id: str | None) -> int:
    """Queue a run for every due rule of one feed, or of all; return how many.

    A rule that was saturated when it last ran is looked at again, outside of the transaction that
    moves the slots: it gets its run if it has something to write by now.
    """
    now, queued = context.clock.now(), 0
    while True:
        # One transaction per batch, so that a feed never waits for the whole tick.
        with writing() as session:
            cap = context.budget.cap
            batch = queue_due(session, now, context.policy, token_id, spend_cap=cap)
        context.queue.enqueue(*(Work(WorkKind.RUN, run) for run in batch.runs))
        queued += len(batch.runs)
        woken = _wake(batch.saturated) if batch.saturated else 0
        if not batch.more and not woken:
            return queued


def _wake(saturated: Mapping[str, datetime]) -> int:
    """Make those rules due again that have something to write; return how many."""
    with reading() as session:
        rules = session.scalars(select(Rule).where(Rule.id.in_(list(saturated)))).all()
        left = posts_left(session, rules)
    awake = sorted(rule_id for rule_id, number in left.items() if number != 0)
    if not awake:
        return 0
    log.info("no longer saturated: %s", ", ".join(awake))
    waits = update(Rule).where(Rule.saturated_since.is_not(None), Rule.run_id.is_(None))
    with writing() as session:
        woken = 0
        for rule_id in awake:
            # The slot has passed, and was moved on.
            due = waits.where(Rule.id == rule_id).values(next_due_at=saturated[rule_id])
            woken += changes(session, due.values(saturated_since=None))
    return woken


def pull_in(context: Context) -> None:
    """Let begin, or end, what lies further ahead than its longest pause: a clock was wrong, such as
    six days fast for ten seconds, when its time was stored. Times that are asked for again, such as
    the rest of a receiver, have a limit where they are read instead."""
    now, found = context.clock.now(), []
    for table in TABLES:
        with writing() as session:
            if leases.pull_in(session, table.row, now, table.longest, table.lease):
                found.append(table.row.__tablename__)
    with writing() as session:
        if usage.pull_in(session, now, LEASE):
            found.append("reservations")
    columns = (Rule.id, Rule.next_due_at, Rule.every_seconds, Rule.failures)
    waiting = (Rule.paused.is_(False), Rule.token_paused.is_(False), Rule.run_id.is_(None))
    with reading() as session:
        rules = session.execute(select(*columns).where(*waiting, Rule.next_due_at > now)).all()
    for rule in rules:
        every = timedelta(seconds=rule.every_seconds)
        longest = context.policy.longest_pause(every, failing=rule.failures > 0)
        if rule.next_due_at > now + longest:
            due = context.policy.next_slot(rule.next_due_at, every, now)
            # Unless it has another slot by now.
            same = (Rule.id == rule.id) & (Rule.next_due_at == rule.next_due_at)
            with writing() as session:
                session.execute(update(Rule).where(same).values(next_due_at=due))
            found.append(f"rule {rule.id}")
    if found:
        log.warning("a clock was wrong, and these waited for too long: %s", ", ".join(found))
