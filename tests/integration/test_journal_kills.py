"""Real worker processes that are killed at a call to the model: at most that call is lost, the post
is billed once, no paid call is missing from the costs, and they pass a cap by one call each.

The quick version kills at a few calls and has 4 workers; ``CRASHES=full`` kills before and after
each call and has 50.
"""

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import SQLAlchemyError

from app.core.billing.costs import Budget, Price
from app.core.billing.metering import period_start
from app.core.schemas.bodies import parse
from app.core.schemas.job import parse_job_request
from app.core.schemas.post import SEOPost
from app.core.schemas.request import GenerateRequest
from app.rules.passages import post_words
from app.services import accounts, jobs, runs, usage
from app.services.context import Context
from app.services.generate import GenerateCommand, generate
from app.services.idempotency import Key
from app.store import costs as store
from app.store import database, models
from app.store import rules as rules_store
from tests.support.concurrent_processes import CONTEXT, connected
from tests.support.integration import another_feed
from tests.support.paid_model import REQUEST, PaidModel, worker_context
from tests.support.service_harness import ServiceHarness

FULL = os.environ.get("CRASHES") == "full"
# A draft, an edit, a reading and a polish.
CALLS = 4
EVERY_CALL = range(1, CALLS + 1)


def work(context: Context, what: str, api_key: str) -> str:
    """Work on the next job or run, or make the call with that request id; return its body."""
    if what == "job":
        assert jobs.run_next(context)
    elif what == "run":
        assert runs.run_next(context)
    else:
        caller = accounts.authenticate(context, f"Bearer {api_key}")
        key = Key(caller.account_id, "generate", "the key", "same")
        command = GenerateCommand(caller, parse(GenerateRequest, REQUEST), what, key)
        return generate(context, command)[0]
    return ""


def work_and_die(url: str, model: PaidModel, what: str, api_key: str) -> None:
    with connected(url):
        work(worker_context(model), what, api_key)


class Workplace:
    """A database with one account, and the workers that write for it."""

    def __init__(self, url: str, ledger: Path) -> None:
        self.url = url
        self.ledger = ledger
        self.harness = ServiceHarness()
        self.api_key = accounts.create_key(self.context, self.harness.account_id).secret

    @property
    def context(self) -> Context:
        return worker_context(PaidModel(self.ledger))

    @property
    def paid(self) -> list[str]:
        return PaidModel(self.ledger).paid

    def worker_dies(self, what: str, *, before: int = 0, after: int = 0) -> None:
        """Let a worker process begin the work and die over it; its lease lapses."""
        model = PaidModel(self.ledger, dies_before=before, dies_after=after)
        arguments = (self.url, model, what, self.api_key)
        process = CONTEXT.Process(target=work_and_die, args=arguments, daemon=True)
        process.start()
        process.join(120)
        assert process.exitcode == -signal.SIGKILL
        past = datetime.now(UTC) - timedelta(seconds=1)
        with database.writing() as session:
            for table in (models.Job, models.Run):
                held = update(table).where(table.status == table.TAKEN)
                session.execute(held.values(not_before=past))
            session.execute(update(models.IdempotencyKey).values(lease_until=past))

    def another_worker(self, what: str) -> tuple[str, int]:
        """Let another worker finish the work; return the body of a call, and how many calls to the
        model it made."""
        model = PaidModel(self.ledger)
        return work(worker_context(model), what, self.api_key), model.calls

    def usage(self) -> tuple[int, int]:
        """Return the words and posts that were billed."""
        with database.reading() as session:
            month = period_start(datetime.now(UTC))
            consumed = usage.consumed(session, self.harness.account_id, month)
        return consumed.words, consumed.posts


@pytest.fixture
def workplace(migrated_url: str, tmp_path: Path) -> Iterator[Workplace]:
    database.bind(migrated_url)
    yield Workplace(migrated_url, tmp_path / "paid")
    database.dispose()


def judge(workplace: Workplace, lost: int) -> None:
    """All calls were paid once, but ``lost`` of them twice."""
    paid = Counter(workplace.paid)
    assert len(paid) == CALLS
    assert sorted(paid.values()) == [1] * (CALLS - lost) + [2] * lost


DEATHS = [("after", number) for number in EVERY_CALL] + [("before", n) for n in EVERY_CALL]
QUICK = [("after", CALLS)]


@pytest.mark.parametrize(("moment", "number"), DEATHS if FULL else QUICK)
def test_a_worker_that_dies_over_a_job_loses_at_most_the_call_that_ran(
    workplace: Workplace, moment: str, number: int
) -> None:
    job_id = _create_job(workplace)
    workplace.worker_dies("job", **{moment: number})
    _, calls = workplace.another_worker("job")
    assert calls == CALLS - number + 1
    judge(workplace, lost=1 if moment == "after" else 0)
    with database.reading() as session:
        job = session.get_one(models.Job, job_id)
    assert job.status == "succeeded"
    assert job.result is not None
    post = SEOPost.model_validate(job.result["post"])
    assert workplace.usage() == (post_words(post), 1)


def test_three_workers_share_the_calls_of_one_job(workplace: Workplace) -> None:
    _create_job(workplace)
    workplace.worker_dies("job", before=2)
    workplace.worker_dies("job", after=1)
    _, calls = workplace.another_worker("job")
    assert calls == CALLS - 1
    judge(workplace, lost=1)
    assert workplace.usage()[1] == 1


@pytest.mark.parametrize("number", EVERY_CALL if FULL else [2])
def test_a_call_with_the_key_of_one_that_died_continues_behind_it(
    workplace: Workplace, number: int
) -> None:
    workplace.worker_dies("req_first", after=number)
    body, calls = workplace.another_worker("req_second")
    assert calls == CALLS - number + 1
    judge(workplace, lost=1)
    assert json.loads(body)["requestId"] == "req_second"
    assert workplace.usage()[1] == 1


@pytest.mark.parametrize("number", EVERY_CALL if FULL else [2])
def test_a_run_whose_worker_died_keeps_its_angle_and_its_calls(
    workplace: Workplace, number: int
) -> None:
    _queue_run(workplace)
    workplace.worker_dies("run", after=number)
    _, calls = workplace.another_worker("run")
    assert calls == CALLS - number + 1
    judge(workplace, lost=1)
    with database.reading() as session:
        (item,) = session.scalars(select(models.FeedItem))
    assert item.angle is not None


def _queue_run(workplace: Workplace) -> None:
    feed, now = another_feed(workplace.url), datetime.now(UTC)
    with database.writing() as session:
        # The angle depends on the id, and the number of calls on the angle.
        rule = update(models.Rule).where(models.Rule.id == feed.rules["Tea"])
        session.execute(rule.values(id="rul_tea", request=REQUEST))
        assert rules_store.add_run(session, "rul_tea", now, now) is not None


def _create_job(workplace: Workplace) -> str:
    body = {"generateRequest": REQUEST, "format": {"responseTypes": ["markdown", "html"]}}
    request = parse_job_request(body, allow_private=False)
    caller = workplace.harness.caller
    created, _ = jobs.create(workplace.context, caller, request, "req_1", None)
    return str(json.loads(created)["jobId"])


# --- under the cap of the installation


# The cap allows about as many posts.
WORKERS, MOST_DEATHS, POSTS = (50, 60, 60) if FULL else (4, 5, 6)
A_POST = 6_000
PRICE = Price(1_000_000, 1_000_000)


def budget(cap: int) -> Budget:
    """The cap on what workers spend, in micro-dollars."""
    return Budget({PaidModel.name: PRICE}, cap)


def spend(url: str, ledger: Path, dies_at: int, cap: int) -> None:
    """A worker that works until no job may begin; it may die over a call that it paid."""
    model = PaidModel(ledger, dies_after=dies_at, price=PRICE)
    with connected(url):
        context = worker_context(model, budget=budget(cap))
        while True:
            try:
                if not jobs.run_next(context):
                    return
            except SQLAlchemyError:  # as a worker of the service survives it
                Event().wait(1.0)


def spend_until_the_cap(url: str, ledger: Path, cap: int) -> int:
    """Run the workers, each that dies replaced by another; how many died."""
    died, numbers = 0, count(1)

    def start() -> BaseProcess:
        number = next(numbers)
        # Each dies at another call, and the replacements of the last ones do not.
        dies_at = 1 + number % 7 if number <= MOST_DEATHS else 0
        process = CONTEXT.Process(target=spend, args=(url, ledger, dies_at, cap), daemon=True)
        process.start()
        return process

    running = [start() for _ in range(WORKERS)]
    while running:
        wait([process.sentinel for process in running])
        for process in [each for each in running if not each.is_alive()]:
            running.remove(process)
            assert process.exitcode in {0, -signal.SIGKILL}
            if process.exitcode:
                died += 1
                running.append(start())
    return died


def test_workers_that_are_killed_overshoot_a_cap_by_one_call_each_at_most(
    migrated_url: str, tmp_path: Path
) -> None:
    database.bind(migrated_url)
    harness, ledger, cap = ServiceHarness("scale"), tmp_path / "paid", POSTS * A_POST
    body = {"generateRequest": REQUEST, "format": {"responseTypes": ["html"]}}
    request = parse_job_request(body, allow_private=False)
    for number in range(2 * POSTS + MOST_DEATHS):
        jobs.create(harness.context, harness.caller, request, f"req_{number}", None)
    database.dispose()
    died = spend_until_the_cap(migrated_url, ledger, cap)
    assert died >= min(MOST_DEATHS, WORKERS) // 2
    database.bind(migrated_url)
    paid = [int(line) for line in ledger.read_text("utf-8").split()]
    # The cap was in the way, and nobody went further than one call beyond it.
    assert sum(paid) <= cap + WORKERS * max(paid)
    counted = _counted()
    assert counted >= sum(paid)
    assert counted - sum(paid) <= died * max(paid)
    # Those who take over what the dead ones left, call the model no more.
    model = PaidModel(ledger, price=PRICE)
    with database.writing() as session:
        held = update(models.Job).where(models.Job.status == models.Job.TAKEN)
        session.execute(held.values(not_before=datetime.now(UTC) - timedelta(seconds=1)))
    context = worker_context(model, budget=budget(cap))
    while jobs.run_next(context):
        pass
    assert model.calls == 0
    assert _counted() == counted >= cap
    with database.reading() as session:
        states = select(models.Job.status, func.count().label("number")).group_by(models.Job.status)
        ended = {row.status: row.number for row in session.execute(states)}
    assert set(ended) == {"succeeded", "failed"}
    database.dispose()
    print(
        f"{WORKERS} workers, {died} killed: cap {cap}, paid {sum(paid)}, counted {counted},"
        f" {len(paid)} calls, the dearest {max(paid)}, {ended}"
    )


def _counted() -> int:
    """The micro-dollars that count towards the cap."""
    month = period_start(datetime.now(UTC))
    with database.reading() as session:
        return store.spent(session, [store.INSTALLATION], month)[""].micros
