"""How long a pull waits while retention works through an archive, what rows take on the disk, and
what becomes of the space that is freed.

    python bench/retention.py [--postgresql] [--items 100000] [--seconds 20]

Retention runs in a process of its own, as the scheduler runs it; the pulls and confirms are those
of the services, without HTTP. Bodies are those of a post of about 1,000 words, in words drawn at
random, so that a database which compresses finds as much to compress as in prose.
"""

import argparse
import json
import multiprocessing
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from statistics import quantiles
from threading import Event
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import event, func, insert, select, text

from app.adapters.system_clock import SystemClock
from app.rules.near_duplicates import BANDS, VALUES
from app.services import accounts, feed, retention
from app.store import database, models
from tests.support import postgres
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue
from tests.support.process_group import ProcessGroup

NOW = datetime.now(UTC)
LONG_AGO = NOW - timedelta(days=200)
PENDING = 10_000
MEASURED = 4_000
CHUNK = 1_000
Rows = Iterable[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    with ProcessGroup() as group:
        server = None
        if options.postgresql:
            # The tests do not wait for the disk; what is measured here does.
            postgres.SETTINGS.update(fsync="on", full_page_writes="on", autovacuum="on")
            server = postgres.PostgresServer(group)

        def fresh(name: str) -> str:
            if server is not None:
                return server.create_database()
            return f"sqlite:///{group.folder / name}.db"

        with opened(fresh("sizes")) as seed:
            Console().print(sizes(seed))
        with opened(fresh("space")) as seed:
            Console().print(space(seed))
        url = fresh("pulls")
        with opened(url) as seed:
            Console().print(pulls(seed, url, options.items, options.seconds))


class Seed:
    """An account with a token and a rule, and rows to fill the tables with."""

    def __init__(self) -> None:
        context = context_at(SystemClock())
        self.account_id = accounts.create_account(context, "Bench", "scale")
        made = accounts.create_token(context, self.account_id, "Bench")
        self.token, self.token_id = made.secret, made.id
        self.rng = random.Random(0)
        letters = "etaoinshrdlu"
        words = ["".join(self.rng.choices(letters, k=self.rng.randint(2, 9))) for _ in range(3_000)]
        self.prose = [" ".join(self.rng.choices(words, k=1_000)) for _ in range(50)]
        add(models.Rule, [{
            "id": "rul_1", "token_id": self.token_id, "name": "Tea", "name_key": "tea",
            "request": {"keywords": ["tea"]}, "offers": [], "every_seconds": 3_600,
            "paused": False, "failures": 0, "next_due_at": NOW + timedelta(days=999),
            "created_at": NOW,
        }])  # fmt: skip

    def items(self, prefix: str, count: int, status: str, since: datetime) -> Rows:
        for number in range(count):
            prose = self.rng.choice(self.prose)
            yield {
                "id": f"itm_{prefix}_{number:08}", "token_id": self.token_id, "rule_id": "rul_1",
                "status": status, "delivery_count": 0, "title": prose[:60], "angle": "first-steps",
                "post": {"title": prose[:60], "sections": [{"contentMarkdown": prose}]},
                "markdown": prose, "html": f"<p>{prose}</p>", "generated_at": since,
                "updated_at": since,
            }  # fmt: skip

    def emptied(self, count: int) -> Rows:
        for row in self.items("emptied", count, "used", LONG_AGO):
            yield {**row, "post": {}, "markdown": "", "html": "", "emptied_at": NOW}

    def runs(self, count: int) -> Rows:
        for number in range(count):
            at = LONG_AGO + timedelta(minutes=15 * number)
            yield {"id": f"run_01ARZ3NDEKTSV4RRFFQ6{number:06}", "rule_id": "rul_1", "slot": at,
                   "status": "succeeded", "not_before": at, "attempts": 1, "finished_at": at,
                   "item_id": f"itm_01ARZ3NDEKTSV4RRFFQ6{number:06}"}  # fmt: skip

    def jobs(self, count: int) -> Rows:
        for number in range(count):
            prose = self.rng.choice(self.prose)
            result = {"post": {"sections": prose}, "rendered": {"markdown": prose, "html": prose}}
            yield {"id": f"job_01ARZ3NDEKTSV4RRFFQ6{number:06}", "account_id": self.account_id,
                   "request_id": "req_01ARZ3NDEKTSV4RRFFQ6", "status": "succeeded", "rank": 1,
                   "not_before": LONG_AGO, "attempts": 1, "request": {"keywords": ["tea"]},
                   "response_types": ["markdown", "html"], "input_summary": {"keywords": ["tea"]},
                   "billing_period": LONG_AGO.date(), "result": result, "created_at": LONG_AGO,
                   "updated_at": LONG_AGO}  # fmt: skip

    def deliveries(self, count: int) -> Rows:
        for number in range(count):
            prose = self.rng.choice(self.prose)
            yield {"id": f"msg_01ARZ3NDEKTSV4RRFFQ6{number:06}", "attempts": 1, "failures": 0,
                   "job_id": f"job_01ARZ3NDEKTSV4RRFFQ6{number:06}", "event": "job.succeeded",
                   "status": "delivered", "not_before": LONG_AGO, "created_at": LONG_AGO,
                   "body": json.dumps([prose, prose, prose])}  # fmt: skip

    def keys(self, count: int) -> Rows:
        """Of jobs, whose answer is short."""
        for number in range(count):
            yield {"account_id": self.account_id, "endpoint": "jobs", "status": "done",
                   "key": f"9b1deb4d-3b7d-4bad-9bdd-{number:012}", "fingerprint": "f" * 64,
                   "owner": "call_01ARZ3NDEKTSV4RRFFQ6", "lease_until": LONG_AGO,
                   "result": "r" * 300, "created_at": LONG_AGO}  # fmt: skip

    def signatures(self, count: int) -> Rows:
        for number in range(count):
            yield {"post_id": f"itm_01ARZ3NDEKTSV4RRFFQ6{number:06}", "scope": self.token_id,
                   "signature": self.rng.randbytes(4 * VALUES)}  # fmt: skip

    def bands(self, count: int) -> Rows:
        for number in range(count):
            for _ in range(BANDS):
                yield {"scope": self.token_id, "band": self.rng.getrandbits(63),
                       "post_id": f"itm_01ARZ3NDEKTSV4RRFFQ6{number:06}"}  # fmt: skip


@contextmanager
def opened(url: str) -> Iterator[Seed]:
    database.bind(url)
    database.migrate()
    yield Seed()
    database.dispose()


def add(table: Any, rows: Rows) -> None:
    chunk: list[dict[str, Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            _insert(table, chunk)
            chunk = []
    if chunk:
        _insert(table, chunk)


def _insert(table: Any, rows: list[dict[str, Any]]) -> None:
    with database.writing() as session:
        session.execute(insert(table), rows)


def stored_bytes() -> int:
    """What the tables and their indexes take; on SQLite the whole file, free pages included."""
    with database.reading() as session:
        if database.engine().dialect.name == "sqlite":
            size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        else:
            size = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        return int(session.scalar(text(size)) or 0)


def sizes(seed: Seed) -> Table:
    table = Table("a row of", "bytes with its indexes")
    kinds: tuple[tuple[str, Any, Rows], ...] = (
        ("feed_items, 1,000 words", models.FeedItem, seed.items("new", MEASURED, "pending", NOW)),
        ("feed_items, emptied", models.FeedItem, seed.emptied(MEASURED)),
        ("rule_runs", models.Run, seed.runs(MEASURED)),
        ("jobs, 1,000 words", models.Job, seed.jobs(MEASURED)),
        ("webhook_deliveries, 1,000 words", models.WebhookDelivery, seed.deliveries(MEASURED)),
        ("idempotency_keys, of a job", models.IdempotencyKey, seed.keys(MEASURED)),
        ("post_signatures", models.Signature, seed.signatures(MEASURED)),
        (f"post_bands, {BANDS} of a post", models.Band, seed.bands(MEASURED)),
    )
    for name, row, rows in kinds:
        before = stored_bytes()
        add(row, rows)
        table.add_row(name, f"{(stored_bytes() - before) / MEASURED:,.0f}")
    return table


def space(seed: Seed) -> Table:
    """An archive that is emptied, and as much again."""
    table = Table("step", "megabytes")

    def step(name: str) -> None:
        table.add_row(name, f"{stored_bytes() / 1e6:.1f}")

    for number in range(3):
        add(models.FeedItem, seed.items(str(number), MEASURED, "used", LONG_AGO))
        step(f"{MEASURED} items {'more' if number else 'stored'}")
        retention.delete_old(context_at(SystemClock()), pause=lambda _: False)
        if database.engine().dialect.name == "postgresql":
            _alone("VACUUM ANALYZE")
        step("their bodies emptied")
    _alone("VACUUM" if database.engine().dialect.name == "sqlite" else "VACUUM FULL")
    step(
        "VACUUM of the whole file" if database.engine().dialect.name == "sqlite" else "VACUUM FULL"
    )
    return table


def _alone(statement: str) -> None:
    """Execute a statement that cannot run within a transaction."""
    connection = database.engine().raw_connection()
    driver: Any = connection.driver_connection
    if database.engine().dialect.name == "postgresql":
        driver.autocommit = True
    driver.execute(statement)
    connection.invalidate()


def pulls(seed: Seed, url: str, items: int, seconds: float) -> Table:
    add(models.FeedItem, seed.items("old", items, "used", LONG_AGO))
    add(models.FeedItem, seed.items("new", PENDING, "pending", NOW))
    if database.engine().dialect.name == "postgresql":
        _alone("VACUUM ANALYZE")
    table = Table("retention", "pulls/s", "p50 ms", "p99 ms", "longest ms", "bodies/s",
                  "longest batch ms")  # fmt: skip
    for name in ("not running", "running", "not running", "running"):
        if name == "not running":
            table.add_row(name, *_pull(seed, seconds), "", "")
            continue
        mine, its = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        worker = context.Process(target=_forget, args=(url, its))
        worker.start()
        mine.recv()
        before = _emptied()
        begun = time.monotonic()
        figures = _pull(seed, seconds)
        rate = (_emptied() - before) / (time.monotonic() - begun)
        mine.send("stop")
        longest = mine.recv()
        worker.join()
        table.add_row(name, *figures, f"{rate:.0f}", f"{longest * 1_000:.0f}")
    return table


def _emptied() -> int:
    with database.reading() as session:
        query = select(func.count()).where(models.FeedItem.emptied_at.is_not(None))
        return session.scalar(query) or 0


def _pull(seed: Seed, seconds: float) -> list[str]:
    context = context_at(SystemClock(), CountingQueue())
    took: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        item = feed.pull_latest(context, seed.token, next_item=False)
        took.append(time.monotonic() - begun)
        assert item is not None, "too few items are pending"
        feed.confirm(context, seed.token, item.id)
    cuts = quantiles(took, n=100)
    milliseconds = [f"{figure * 1_000:.1f}" for figure in (cuts[49], cuts[98], max(took))]
    return [f"{len(took) / seconds:.0f}", *milliseconds]


def _forget(url: str, report: Connection) -> None:
    """Retention until it is told to stop; says when it begins, and then for how long it held its
    longest batch, from the moment at which it had its turn."""
    longest, begun, rest = 0.0, time.monotonic(), Event()

    def begin(connection: object) -> None:
        nonlocal begun
        begun = time.monotonic()

    def end(*_: object) -> None:
        nonlocal longest
        longest = max(longest, time.monotonic() - begun)

    database.bind(url)
    event.listen(database.engine(), "begin", begin)
    event.listen(database.engine(), "checkin", end)
    report.send("begins")
    retention.delete_old(context_at(SystemClock()), lambda pause: rest.wait(pause) or report.poll())
    report.send(longest)
    database.dispose()


if __name__ == "__main__":
    main()
