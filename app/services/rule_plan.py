"""What a rule will write: its next slots and the angle of each. Nothing is generated."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, islice

from app.core.angles import Angle, next_angles
from app.core.errors import NotFound
from app.core.rule import SchedulePolicy, describe_status
from app.ports import Clock
from app.store import feed as feed_store
from app.store import originality as originality_store
from app.store import rules as store
from app.store.database import reading
from app.store.feed_tables import RunRow


@dataclass(frozen=True)
class PlannedPost:
    """A slot of a rule; one that has passed is written as soon as may be."""

    slot: datetime
    angle: Angle


@dataclass(frozen=True)
class RulePlan:
    """``status`` is what the rule does now, in words. The posts of a rule that is paused are those
    that it would write if it were resumed."""

    rule_name: str
    status: str
    paused: bool
    posts: tuple[PlannedPost, ...]


def plan_rule(rule_id: str, count: int, clock: Clock, policy: SchedulePolicy) -> RulePlan:
    """The next ``count`` posts of a rule, as long as each takes its own slot and angle: a run that
    fails leaves its angle to the next one.

    Raises:
        NotFound: unknown rule.
    """
    now = clock.now()
    with reading() as session:
        rule = store.find_rule(session, rule_id)
        if rule is None:
            raise NotFound(f"There is no rule {rule_id}.")
        open_run = session.get(RunRow, rule.run_id) if rule.run_id else None
        angles = next_angles(rule_id, originality_store.earlier_angles(session, rule_id), count)
        cap = policy.queue_cap
        pending = feed_store.count_pending(session, rule.token_id, rule_id, up_to=cap)
        # What runs now comes first, then the slots that have no run yet.
        begun = [open_run.slot] if open_run else []
        coming = _slots(rule.next_due_at, timedelta(seconds=rule.every_seconds), now, policy)
        slots = islice(chain(begun, coming), count)
        return RulePlan(
            rule_name=rule.name,
            status=describe_status(
                paused=rule.paused,
                token_paused=rule.token_paused,
                full=pending >= cap,
                failures=rule.failures,
                last_error=rule.last_error,
            ),
            paused=rule.paused or rule.token_paused,
            posts=tuple(map(PlannedPost, slots, angles)),
        )


def _slots(
    due: datetime, every: timedelta, now: datetime, policy: SchedulePolicy
) -> Iterator[datetime]:
    while True:
        yield due
        due = policy.next_slot(due, every, max(due, now))
