"""Worker processes under a spend cap, of which some kill themselves at the worst moment: when they
paid for a call whose answer is not stored. Run by test_costs_kills.py.

Arguments: the database, the ledger of paid calls, the number of workers, the number of deaths, and
the cap in micro-dollars.
"""

import os
import sys
from pathlib import Path
from threading import Event

from sqlalchemy.exc import SQLAlchemyError

from app.core.billing.costs import Budget, Price
from app.services import jobs
from app.store import database
from tests.support.paid_model import PaidModel, worker_context

PRICE = Price(1_000_000, 1_000_000)


def budget(cap: int) -> Budget:
    """Return the cap on what workers spend, in micro-dollars."""
    return Budget({PaidModel.name: PRICE}, cap)


def _start(ledger: Path, dies_at: int, cap: int) -> int:
    """Fork a worker that works until no job may begin; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    model = PaidModel(ledger, dies_after=dies_at, price=PRICE)
    context = worker_context(model, budget=budget(cap))
    while True:
        try:
            if not jobs.run_next(context):
                os._exit(0)
        except SQLAlchemyError as error:  # as a worker of the service survives it
            sys.stderr.write(f"{type(error).__name__}: {error}\n"[:500])
            Event().wait(1.0)


def main(url: str, ledger: Path, workers: int, deaths: int, cap: int) -> int:
    """Run the workers, each that dies replaced by another; return how many died."""
    database.bind(url)
    died = started = 0

    def start() -> int:
        nonlocal started
        started += 1
        # Each dies at another call, and the replacements of the last ones do not.
        return _start(ledger, 1 + started % 7 if started <= deaths else 0, cap)

    running = {start() for _ in range(workers)}
    while running:
        pid, status = os.wait()
        running.discard(pid)
        if os.WIFSIGNALED(status):
            died += 1
            running.add(start())
    return died


if __name__ == "__main__":
    url, ledger, *numbers = sys.argv[1:]
    sys.stdout.write(str(main(url, Path(ledger), *map(int, numbers))))
