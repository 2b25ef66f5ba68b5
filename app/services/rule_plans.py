"""What a rule will write next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, cycle, islice

from app.core.feed.rule import Saturation
from app.services import saturation as saturations
from app.services.context import Context
from app.services.lookups import require
from app.services.rules import ListedRule, listed
from app.store import models
from app.store.database import reading
from app.writing.angles import Angle


@dataclass(frozen=True)
class PlannedPost:
    """A slot of a rule, and the primary keyword and angle of its post. A slot that has passed is
    generated as soon as possible."""

    slot: datetime
    keyword: str
    angle: Angle


@dataclass(frozen=True)
class RulePlan:
    """The next posts of a rule; ``rule`` has its status. The posts of a paused rule are those that
    it would generate if it were resumed.

    If there are fewer than asked for, ``shortfall`` says why.
    """

    rule: ListedRule
    paused: bool
    posts: tuple[PlannedPost, ...]
    shortfall: Saturation | None


def plan_rule(context: Context, rule_id: str, count: int) -> RulePlan:
    """Return the next ``count`` posts of a rule, provided that each run succeeds: a run that fails
    leaves its angle to the next one. Generates nothing.

    Raises:
        NotFound: unknown rule.
        ValidationFailed: the stored request is no longer valid.
    """
    with reading() as session:
        rule = require(session, models.Rule, rule_id)
        open_run = session.get(models.Run, rule.run_id) if rule.run_id else None
        outlook = saturations.look(session, rule)
        (shown,) = listed(context, session, [(rule, open_run)])
        # The open run comes first, then the slots without a run.
        begun = [open_run.slot] if open_run else []
        slots = chain(begun, _slots(context, rule))
        left = cycle(outlook.left) if outlook.unlimited else outlook.left
        posts = tuple(
            PlannedPost(slot, keyword, angle)
            for slot, (keyword, angle) in zip(slots, islice(left, count), strict=False)
        )
        return RulePlan(
            rule=shown,
            paused=rule.paused or rule.token_paused,
            posts=posts,
            shortfall=outlook.exhaustion() if len(posts) < count else None,
        )


def _slots(context: Context, rule: models.Rule) -> Iterator[datetime]:
    """Yield the slots of a rule."""
    now, due, every = context.clock.now(), rule.next_due_at, timedelta(seconds=rule.every_seconds)
    while True:
        yield due
        due = context.policy.next_slot(due, every, max(due, now))
