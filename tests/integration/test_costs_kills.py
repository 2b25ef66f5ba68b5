"""Real worker processes under the cap of the installation, killed when a call was paid and not yet
stored: they overshoot by one call each at most, and no paid call is missing from the costs.

The quick version has 4 workers; ``CRASHES=full`` has 50.
"""

import os
import signal
from datetime import UTC, datetime, timedelta
from itertools import count
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event

from sqlalchemy import func, select, update
from sqlalchemy.exc import SQLAlchemyError

from app.core.billing.costs import Budget, Price
from app.core.billing.metering import period_start
from app.core.schemas.job import parse_job_request
from app.services import jobs
from app.store import costs as store
from app.store import database, models
from tests.support.concurrent_processes import CONTEXT, connected
from tests.support.paid_model import REQUEST, PaidModel, worker_context
from tests.support.service_harness import ServiceHarness

FULL = os.environ.get("CRASHES") == "full"
# The cap allows about as many posts.
WORKERS, DEATHS, POSTS = (50, 60, 60) if FULL else (4, 5, 6)
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
        dies_at = 1 + number % 7 if number <= DEATHS else 0
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
    for number in range(2 * POSTS + DEATHS):
        jobs.create(harness.context, harness.caller, request, f"req_{number}", None)
    database.dispose()
    died = spend_until_the_cap(migrated_url, ledger, cap)
    assert died >= min(DEATHS, WORKERS) // 2
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
        held = update(models.Job).where(models.Job.status == models.Job.HELD)
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
