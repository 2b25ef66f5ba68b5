"""A worker process that works once, with a model that may kill it; run by test_journal_kills.py.

Arguments: the database, the ledger of paid calls, what to do (job, run, or the JSON of a call), and
the number of the call before which, and after which, it dies.
"""

import json
import sys
from pathlib import Path

from app.core.schemas.request import parse_generate_request
from app.services import accounts, jobs, runs
from app.services.context import Context
from app.services.generate import GenerateCommand, generate
from app.services.idempotency import Key
from app.store import database
from tests.support.paid_model import REQUEST, PaidModel, worker_context


def work(context: Context, what: str) -> str:
    """Work on the next job or run, or make a call; return the body of the call."""
    if what == "job":
        assert jobs.run_next(context)
    elif what == "run":
        assert runs.run_next(context)
    else:
        call = json.loads(what)
        key = Key(call["accountId"], "generate", "the key", "same")
        caller = accounts.authenticate(context, f"Bearer {call['apiKey']}")
        command = GenerateCommand(caller, parse_generate_request(REQUEST), call["requestId"], key)
        return generate(context, command)[0]
    return ""


if __name__ == "__main__":
    url, ledger, what, before, after = sys.argv[1:]
    database.bind(url)
    model = PaidModel(Path(ledger), dies_before=int(before), dies_after=int(after))
    work(worker_context(model), what)
