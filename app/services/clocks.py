"""What waits for too long because a clock was wrong, such as six days fast for ten seconds, when
its time was stored. Times that are asked for again, such as the rest of a receiver, have a limit
where they are read instead."""

import logging
from datetime import timedelta

from app.services.context import Context
from app.services.leased_work import SOURCES
from app.services.leases import LEASE
from app.store import leases, usage
from app.store import rules as rule_store
from app.store.database import reading, writing

log = logging.getLogger(__name__)


def pull_in(context: Context) -> None:
    """Let begin, or end, what lies further ahead than its longest pause."""
    now, found = context.clock.now(), []
    for source in SOURCES:
        with writing() as session:
            if leases.pull_in(session, source.table, now, source.longest, source.lease):
                found.append(source.table.__tablename__)
    with writing() as session:
        if usage.pull_in(session, now, LEASE):
            found.append("reservations")
    with reading() as session:
        rules = rule_store.due_after(session, now)
    for rule in rules:
        every = timedelta(seconds=rule.every_seconds)
        longest = context.policy.longest_pause(every, failing=rule.failures > 0)
        if rule.next_due_at > now + longest:
            due = context.policy.pulled_in(rule.next_due_at, every, now)
            with writing() as session:
                rule_store.move_slot(session, rule.id, rule.next_due_at, due)
            found.append(f"rule {rule.id}")
    if found:
        log.warning("a clock was wrong, and these waited for too long: %s", ", ".join(found))
