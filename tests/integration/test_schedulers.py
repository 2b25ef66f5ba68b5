"""Several schedulers and workers that are killed at random run each slot of each rule once.

Three real processes tick and two write, on a time that the test moves on; each that is killed is
replaced. What they leave in the database is held against the arithmetic of slots. FEED_PROOF=full
takes 500 rules and 20 ticks.
"""

import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from sqlalchemy import func, insert, select

from app.services import leases
from app.store import database
from app.store.feed_tables import ItemRow, RuleRow, RunRow
from app.store.ids import new_id
from tests.extent import LONG
from tests.integration.conftest import BEGIN, Feed
from tests.integration.feed_processes import wait_until
from tests.integration.scheduler_processes import Crew, crews

FULL = os.environ.get("FEED_PROOF") == "full"
RULES, TICKS = (500, 20) if FULL else (30, 5)
TICK, HOUR = timedelta(minutes=15), timedelta(hours=1)
EVERY = [timedelta(minutes=minutes) for minutes in (15, 15, 20, 30, 45, 60, 90, 120)]
SETTLED_SECONDS = 900.0 if FULL else 120.0


@dataclass
class World:
    """The rules as they were made, and what was seen of them after each tick."""

    feed: Feed
    first: dict[str, datetime] = field(default_factory=dict)
    every: dict[str, timedelta] = field(default_factory=dict)
    ticks: list[datetime] = field(default_factory=list)
    # The rules whose run was left open by a kill, as each tick ended.
    open: list[frozenset[str]] = field(default_factory=list)

    def add_rules(self, count: int, rng: random.Random) -> None:
        rows = []
        for number in range(count):
            rule_id, every = new_id("rul"), rng.choice(EVERY)
            self.first[rule_id] = BEGIN + timedelta(seconds=rng.randrange(3600))
            self.every[rule_id] = every
            rows.append(
                {"id": rule_id, "token_id": self.feed.token_id, "name": f"Rule {number}",
                 "name_key": f"rule {number}", "request": {"keywords": ["tea"]}, "offers": [],
                 "every_seconds": int(every.total_seconds()), "paused": False,
                 "next_due_at": self.first[rule_id], "created_at": BEGIN}
            )  # fmt: skip
        with database.writing() as session:
            session.execute(insert(RuleRow), rows)

    def count(self, *runs: object) -> int:
        """How many runs are like that."""
        with database.autocommit() as connection:
            query = select(func.count()).select_from(RunRow).where(*runs)  # type: ignore[arg-type]
            return connection.scalar(query) or 0

    def is_settled(self, now: datetime, left_open: int) -> bool:
        """Nothing is due, nothing may begin, and at most so many runs wait for their lease."""
        due = (RuleRow.run_id.is_(None), RuleRow.next_due_at <= now)
        with database.autocommit() as connection:
            if connection.scalar(select(func.count()).select_from(RuleRow).where(*due)):
                return False
        waiting = self.count(RunRow.status.in_(["queued", "running"]), RunRow.not_before <= now)
        return not waiting and self.count(RunRow.status == "running") <= left_open

    def settle(self, now: datetime, left_open: int = 0) -> None:
        """Wait for the end of a tick, and remember how it ended."""
        wait_until(lambda: self.is_settled(now, left_open), SETTLED_SECONDS)
        with database.autocommit() as connection:
            held = connection.scalars(select(RuleRow.id).where(RuleRow.run_id.is_not(None)))
            self.ticks.append(now)
            self.open.append(frozenset(held))

    def wait_until(self, now: datetime, condition: Callable[[], bool]) -> None:
        """Until it is so, or there is nothing left to do that could make it so."""
        wait_until(lambda: condition() or self.is_settled(now, 2), SETTLED_SECONDS)

    def triggers(self, rule: str, slot: datetime) -> Iterator[datetime]:
        """When a slot can have been queued: at the first tick at which it was due, and later only
        where the run before it had been left open by a kill."""
        at = next(number for number, now in enumerate(self.ticks) if now >= slot)
        yield self.ticks[at]
        while at and rule in self.open[at - 1] and rule in self.open[at]:
            at += 1
            yield self.ticks[at]


def first_after(slot: datetime, every: timedelta, now: datetime) -> datetime:
    """The first of a rule's slots after a time: counted, not with the arithmetic that is tested."""
    slot += every
    while slot <= now:
        slot += every
    return slot


def check_ends(world: World) -> dict[str, list[datetime]]:
    """Each run has ended with one item of its own, and no item is without its run; the slots of
    each rule in their order. Rules of which a run was given up are left out: they back off."""
    with database.reading() as session:
        runs = session.execute(
            select(RunRow.rule_id, RunRow.slot, RunRow.status, RunRow.item_id, RunRow.attempts)
            .where(RunRow.rule_id.in_(list(world.first)))
            .order_by(RunRow.slot)
        ).all()
        items = list(session.scalars(select(ItemRow.id)))
    given_up = {run.rule_id for run in runs if run.status == "failed"}
    assert all(run.attempts > 3 for run in runs if run.status == "failed")
    assert len(given_up) <= len(world.first) // 20
    assert {run.status for run in runs} <= {"succeeded", "failed"}
    assert sorted(run.item_id for run in runs if run.status == "succeeded") == sorted(items)
    slots: dict[str, list[datetime]] = defaultdict(list)
    for run in runs:
        slots[run.rule_id].append(run.slot)
    for rule, its in slots.items():
        assert len(its) == len(set(its)), "a slot ran twice"
        assert all((slot - world.first[rule]) % world.every[rule] == timedelta() for slot in its)
    return {rule: its for rule, its in slots.items() if rule not in given_up}


def next_due(world: World) -> dict[str, datetime]:
    with database.reading() as session:
        rows = session.execute(select(RuleRow.id, RuleRow.next_due_at))
        return {rule: due for rule, due in rows if rule in world.first}


def check_chain(
    world: World,
    slots: dict[str, list[datetime]],
    triggers: Callable[[str, datetime], Iterable[datetime]],
) -> None:
    """Each rule began with its first slot, and each slot was followed by the first of its grid
    after one of the moments at which it can have been queued."""
    dues = next_due(world)
    for rule in slots:
        every, chain = world.every[rule], [*slots[rule], dues[rule]]
        assert (dues[rule] - world.first[rule]) % every == timedelta(), "off its grid"
        assert chain[0] == world.first[rule]
        for slot, following in pairwise(chain):
            allowed = {first_after(slot, every, now) for now in triggers(rule, slot) if now >= slot}
            assert following in allowed, f"{rule}: {slot} was followed by {following}"


def kills(rng: random.Random, world: World, crews: Sequence[Crew], now: datetime) -> None:
    """Kill one or two processes as the work of a tick is somewhere in its middle."""
    before = world.count()
    with database.autocommit() as connection:
        due = select(func.count()).select_from(RuleRow).where(RuleRow.next_due_at <= now)
        expected = connection.scalar(due) or 0
    schedulers, workers = crews
    if rng.random() < 0.7:
        target = before + rng.randint(0, expected)
        world.wait_until(now, lambda: world.count() >= target)
        schedulers.kill(rng.randrange(3))
    if rng.random() < 0.8:
        target = world.count(RunRow.status == "succeeded") + rng.randint(0, expected // 2)
        world.wait_until(now, lambda: world.count(RunRow.status == "succeeded") >= target)
        world.wait_until(now, lambda: world.count(RunRow.status == "running") > 0)
        workers.kill(rng.randrange(2))


@LONG
def test_3_schedulers_and_2_workers_that_are_killed_run_each_slot_once(
    feed: Feed, tmp_path: Path
) -> None:
    """“rules are checked every 15 minutes and generate as soon as the frequency has elapsed”: every
    (rule, slot) that was due is generated once or retried to its end, none skipped, none doubled.
    """
    rng, world, now = random.Random(4), World(feed), BEGIN
    world.add_rules(RULES, rng)
    with crews(tmp_path, feed.url, now, schedulers=3, workers=2) as both:
        for _ in range(TICKS):
            now += TICK
            killed = both[1].kills
            for crew in both:
                crew.set_clocks(now)
            kills(rng, world, both, now)
            world.settle(now, both[1].kills - killed)
        while world.count(RunRow.status.in_(["queued", "running"])):
            now += leases.LEASE + timedelta(seconds=1)
            for crew in both:
                crew.set_clocks(now)
            world.settle(now)
        for crew in both:
            crew.check()
    slots = check_ends(world)
    check_chain(world, slots, world.triggers)
    # All that was due has run, of every rule.
    assert all(due > now for due in next_due(world).values())
    assert {rule for rule, first in world.first.items() if first <= now} >= slots.keys()
    assert both[0].kills + both[1].kills > 0


@LONG
def test_a_clock_that_jumps_an_hour_forward_or_back_does_no_harm(
    feed: Feed, tmp_path: Path
) -> None:
    """One that is an hour ahead brings slots forward, as if that hour had passed; one that is an
    hour behind finds nothing due that others have done. No slot runs twice, no rule is lost."""
    rng, world, now = random.Random(5), World(feed), BEGIN
    world.add_rules(RULES // 3, rng)
    seen = set()
    with crews(tmp_path, feed.url, now, schedulers=3, workers=2) as (schedulers, workers):
        for tick in range(TICKS + 6):
            now += TICK
            jumped = 1 <= tick < TICKS // 2
            ahead, behind = (now + HOUR, now - HOUR) if jumped else (now, now)
            schedulers.set_clocks(now, ahead, behind)
            workers.set_clocks(now, ahead)
            seen |= {now, ahead, behind}
            if jumped:
                schedulers.kill(rng.randrange(3))
            # The hour ahead as well is worked off.
            world.settle(ahead)
        schedulers.check()
        workers.check()
    slots = check_ends(world)
    check_chain(world, slots, lambda rule, slot: seen)
    dues = next_due(world)
    assert slots.keys() == world.first.keys()
    assert all(now < due <= now + world.every[rule] for rule, due in dues.items())
