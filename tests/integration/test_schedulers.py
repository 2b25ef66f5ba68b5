"""Several schedulers and workers that are killed at random run each slot of each rule once.

Three real processes tick and two write, at a time that the test sets; a killed process is
replaced. The rows that they leave in the database are compared with the arithmetic of slots.
FEED_PROOF=full takes 500 rules and 20 ticks.
"""

import os
import random
import signal
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import func, insert, select

from app.ports import Clock
from app.services import lease_keeping, post_writer, runs, schedule
from app.store import database, models
from app.store.rows import new_id
from app.writing.pipeline import Written
from tests.support.concurrent_processes import CONTEXT, connected
from tests.support.contexts import context_at
from tests.support.integration import BEGIN, CountingQueue, Feed
from tests.support.scripted_worker import WRITTEN
from tests.support.startup import wait_until

Work = Callable[[str, Path], None]
_PAUSE_SECONDS = 0.02
# As if a model wrote: long enough for a kill to find a run in the middle.
_WRITING_SECONDS = 0.003


class FileClock(Clock):
    """Shows the time that is in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> datetime:
        return datetime.fromisoformat(self._file.read_text())


class Crew:
    """Processes of one kind; one that is killed is replaced."""

    def __init__(self, folder: Path, work: Work, count: int, url: str, now: datetime) -> None:
        self._work, self._url = work, url
        self._clocks = [folder / f"{work.__name__}-{number}" for number in range(count)]
        self.set_clocks(now)
        self._processes = [self._start(clock) for clock in self._clocks]
        self.kills = 0

    def set_clocks(self, *times: datetime) -> None:
        """Give each its time, or one time to all."""
        for number, file in enumerate(self._clocks):
            new = file.with_suffix(".new")
            new.write_text(times[number % len(times)].isoformat())
            new.replace(file)

    def kill(self, number: int) -> None:
        """End a process as a crash would, and start another in its place."""
        self._end(self._processes[number])
        self._processes[number] = self._start(self._clocks[number])
        self.kills += 1

    def check(self) -> None:
        """Fail if a process ended without being killed."""
        ended = [process.exitcode for process in self._processes]
        assert ended == [None] * len(ended), f"{self._work.__name__} ended: {ended}"

    def close(self) -> None:
        for process in self._processes:
            self._end(process)

    def _start(self, clock: Path) -> BaseProcess:
        process = CONTEXT.Process(target=self._work, args=(self._url, clock))
        process.start()
        return process

    def _end(self, process: BaseProcess) -> None:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()


@contextmanager
def crews(
    folder: Path, url: str, now: datetime, *, schedulers: int, workers: int
) -> Iterator[tuple[Crew, Crew]]:
    """Start this number of schedulers and workers, and end all of them on exit."""
    made: list[Crew] = []
    try:
        for work, count in ((ticks, schedulers), (write, workers)):
            made.append(Crew(folder, work, count, url, now))
        yield made[0], made[1]
    finally:
        for crew in made:
            crew.close()


def ticks(url: str, clock: Path) -> None:
    """Ticks again and again."""
    with connected(url):
        while True:
            schedule.tick(context_at(FileClock(clock), CountingQueue()))
            Event().wait(_PAUSE_SECONDS)


def write(url: str, clock: Path) -> None:
    """Takes runs and writes their items, each another text."""
    setattr(post_writer, "write_post", _write_post)  # noqa: B010 - what a test would have to patch
    with connected(url):
        while True:
            if not runs.run_next(context_at(FileClock(clock))):
                Event().wait(_PAUSE_SECONDS)


def _write_post(*_: object, **__: object) -> Written:
    Event().wait(_WRITING_SECONDS)
    words = " ".join(f"{random.getrandbits(40):x}" for _ in range(60))
    section = WRITTEN.post.sections[0].model_copy(update={"content_markdown": words})
    return replace(WRITTEN, post=WRITTEN.post.model_copy(update={"sections": (section,)}))


FULL = os.environ.get("FEED_PROOF") == "full"
RULES, TICKS = (500, 20) if FULL else (30, 5)
TICK, HOUR = timedelta(minutes=15), timedelta(hours=1)
EVERY = [timedelta(minutes=minutes) for minutes in (15, 15, 20, 30, 45, 60, 90, 120)]
SETTLED_SECONDS = 900.0 if FULL else 120.0


@dataclass
class Environment:
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
            # Enough to write about for every slot: a feed answers no question twice.
            keywords = [f"{kind} tea {number}" for kind in ("green", "black")]
            rows.append(
                {"id": rule_id, "token_id": self.feed.token_id, "name": f"Rule {number}",
                 "name_key": f"rule {number}", "request": {"keywords": keywords}, "offers": [],
                 "every_seconds": int(every.total_seconds()), "paused": False,
                 "next_due_at": self.first[rule_id], "created_at": BEGIN}
            )  # fmt: skip
        with database.writing() as session:
            session.execute(insert(models.Rule), rows)

    def count(self, *runs: object) -> int:
        """How many runs are like that."""
        with database.reading() as session:
            query = select(func.count()).select_from(models.Run).where(*runs)  # type: ignore[arg-type]
            return session.scalar(query) or 0

    def is_settled(self, now: datetime, left_open: int) -> bool:
        """Nothing is due or ready to begin; at most ``left_open`` runs wait for their lease."""
        runs = select(func.count()).select_from(models.Run)
        due = select(func.count()).select_from(models.Rule)
        # One statement sees one moment: asked one after the other, a rule whose run ends between
        # the questions is neither at work nor due.
        due = due.where(models.Rule.run_id.is_(None), models.Rule.next_due_at <= now)
        ready = runs.where(models.Run.status.in_(["queued", "running"]))
        running = runs.where(models.Run.status == "running")
        waiting = ready.where(models.Run.not_before <= now)
        counts = select(*(each.scalar_subquery() for each in (due, waiting, running)))
        with database.reading() as session:
            to_queue, to_begin, begun = session.execute(counts).one()
        return not to_queue and not to_begin and begun <= left_open

    def settle(self, now: datetime, left_open: int = 0) -> None:
        """Wait for the end of a tick, and remember how it ended."""
        wait_until(lambda: self.is_settled(now, left_open), SETTLED_SECONDS)
        with database.reading() as session:
            held = session.scalars(select(models.Rule.id).where(models.Rule.run_id.is_not(None)))
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
        last = len(self.ticks) - 1
        while 0 < at < last and rule in self.open[at - 1] and rule in self.open[at]:
            at += 1
            yield self.ticks[at]


def first_after(slot: datetime, every: timedelta, now: datetime) -> datetime:
    """The first of a rule's slots after a time: counted, not with the arithmetic that is tested."""
    slot += every
    while slot <= now:
        slot += every
    return slot


def check_ends(env: Environment) -> dict[str, list[datetime]]:
    """Each run has ended with one item of its own, and no item is without its run; the slots of
    each rule in their order. Rules of which a run was given up are left out: they back off."""
    of_rules = select(models.Run).where(models.Run.rule_id.in_(list(env.first)))
    with database.reading() as session:
        runs = session.scalars(of_rules.order_by(models.Run.slot)).all()
        items = list(session.scalars(select(models.FeedItem.id)))
    given_up = {run.rule_id for run in runs if run.status == "failed"}
    assert all(run.attempts > 3 for run in runs if run.status == "failed")
    assert len(given_up) <= len(env.first) // 20
    assert {run.status for run in runs} <= {"succeeded", "failed"}
    assert sorted(run.item_id for run in runs if run.status == "succeeded") == sorted(items)
    slots: dict[str, list[datetime]] = defaultdict(list)
    for run in runs:
        slots[run.rule_id].append(run.slot)
    for rule, its in slots.items():
        assert len(its) == len(set(its)), "a slot ran twice"
        assert all((slot - env.first[rule]) % env.every[rule] == timedelta() for slot in its)
    return {rule: its for rule, its in slots.items() if rule not in given_up}


def next_due(env: Environment) -> dict[str, datetime]:
    with database.reading() as session:
        rows = session.execute(select(models.Rule.id, models.Rule.next_due_at))
        return {rule: due for rule, due in rows if rule in env.first}


def check_chain(
    env: Environment,
    slots: dict[str, list[datetime]],
    triggers: Callable[[str, datetime], Iterable[datetime]],
) -> None:
    """Each rule began with its first slot, and each slot was followed by the first of its grid
    after one of the moments at which it can have been queued."""
    dues = next_due(env)
    for rule in slots:
        every, chain = env.every[rule], [*slots[rule], dues[rule]]
        assert (dues[rule] - env.first[rule]) % every == timedelta(), "off its grid"
        assert chain[0] == env.first[rule]
        for slot, following in pairwise(chain):
            allowed = {first_after(slot, every, now) for now in triggers(rule, slot) if now >= slot}
            assert following in allowed, f"{rule}: {slot} was followed by {following}"


def kills(rng: random.Random, env: Environment, crews: Sequence[Crew], now: datetime) -> None:
    """Kill one or two processes as the work of a tick is somewhere in its middle."""
    before = env.count()
    with database.reading() as session:
        due = select(func.count()).select_from(models.Rule).where(models.Rule.next_due_at <= now)
        expected = session.scalar(due) or 0
    schedulers, workers = crews
    if rng.random() < 0.7:
        target = before + rng.randint(0, expected)
        env.wait_until(now, lambda: env.count() >= target)
        schedulers.kill(rng.randrange(3))
    if rng.random() < 0.8:
        target = env.count(models.Run.status == "succeeded") + rng.randint(0, expected // 2)
        env.wait_until(now, lambda: env.count(models.Run.status == "succeeded") >= target)
        env.wait_until(now, lambda: env.count(models.Run.status == "running") > 0)
        workers.kill(rng.randrange(2))


@pytest.mark.long
def test_3_schedulers_and_2_workers_that_are_killed_run_each_slot_once(
    feed: Feed, tmp_path: Path
) -> None:
    """“rules are checked every 15 minutes and generate as soon as the frequency has elapsed”: every
    (rule, slot) that was due is generated once or retried to its end, none skipped, none doubled.
    """
    rng, env, now = random.Random(4), Environment(feed), BEGIN
    env.add_rules(RULES, rng)
    with crews(tmp_path, feed.url, now, schedulers=3, workers=2) as both:
        for _ in range(TICKS):
            now += TICK
            killed = both[1].kills
            for crew in both:
                crew.set_clocks(now)
            kills(rng, env, both, now)
            env.settle(now, both[1].kills - killed)
        while env.count(models.Run.status.in_(["queued", "running"])):
            now += lease_keeping.LEASE + timedelta(seconds=1)
            for crew in both:
                crew.set_clocks(now)
            env.settle(now)
        for crew in both:
            crew.check()
    slots = check_ends(env)
    check_chain(env, slots, env.triggers)
    # Every due slot of every rule has run.
    assert all(due > now for due in next_due(env).values())
    assert {rule for rule, first in env.first.items() if first <= now} >= slots.keys()
    assert both[0].kills + both[1].kills > 0
