"""Worker processes under a spend cap, of which some kill themselves at the worst moment: when they
paid for a call whose answer is not stored. Run by test_costs_kills.py.

Arguments: the database, the ledger of paid calls, the number of workers, the number of deaths, and
the cap in micro-dollars.
"""

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from sqlalchemy.exc import SQLAlchemyError

from app.adapters.system_clock import SystemClock
from app.core.billing.costs import Budget, Price, estimated_tokens
from app.deadline import Deadline
from app.ports import Model
from app.services import jobs
from app.services.context import Context
from app.store import database
from app.writing.completion import Completion, Prompt
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue
from tests.support.paid_model import options
from tests.support.scripted_writer import scripted

PRICE = Price(1_000_000, 1_000_000)
# As long as a call takes, so that the calls of workers overlap.
_ANSWER_SECONDS = 0.02


def _asked(prompt: Prompt) -> int:
    return estimated_tokens(prompt.system, prompt.user)


@dataclass
class CostlyModel(Model):
    """Writes as the scripted model does, and is paid for all the tokens that an answer is expected
    to have.

    Args:
        ledger: gets a line for each call that is paid: its micro-dollars.
        dies_at: the process kills itself when this call was paid; 0 means none.
    """

    ledger: Path
    dies_at: int = 0
    name = "costly"
    calls = 0

    def complete(self, prompt: Prompt, deadline: Deadline) -> Completion:
        self.calls += 1
        Event().wait(_ANSWER_SECONDS)
        with self.ledger.open("a", encoding="utf-8") as paid:
            paid.write(f"{PRICE.of(_asked(prompt), prompt.expected_tokens)}\n")
        if self.calls == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return Completion(
            scripted(prompt).text,
            prompt_tokens=_asked(prompt),
            completion_tokens=prompt.expected_tokens,
        )

    def ping(self) -> None:
        """Always there."""


def worker_context(model: Model, cap: int) -> Context:
    """Return the context of a worker with this model under this cap."""
    return context_at(
        SystemClock(),
        CountingQueue(),
        model=model,
        options=options(model),
        budget=Budget({model.name: PRICE}, cap),
    )


def _start(ledger: Path, dies_at: int, cap: int) -> int:
    """Fork a worker that works until no job may begin; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    context = worker_context(CostlyModel(ledger, dies_at), cap)
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
