"""What a tick of the scheduler costs: 1,000 rules that are due, of few rules and of a million.

    python bench/scheduler.py [--rules 1000000] [--rounds 7] [--only sqlite]

On both databases, each archive a temporary one filled in bulk: ten rules a token, each with its
last run; those that are due are spread over all of them and have three unread items each. Ticks on
the archives take turns, so that other work on the machine weighs on all alike; the ratio is that of
the medians.
"""

import argparse
import os
import time
from datetime import UTC, datetime, timedelta
from statistics import median

from rich.console import Console
from rich.table import Table
from sqlalchemy import JSON, bindparam, text

from app.services import accounts, schedule
from app.store import database
from tests.support import postgres
from tests.support.contexts import context_at
from tests.support.integration import CountingQueue, ManualClock
from tests.support.process_group import ProcessGroup

DUE = 1_000
SIZES = (10_000, 1_000_000)
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
)
_TOKENS = text(
    f"""
    INSERT INTO tokens (id, account_id, name, hash, hint, paused, created_at)
    {_NUMBERS.format(":tokens - 1")}
    SELECT 'tkn_' || n, :account, 'Blog ' || n, 'hash ' || n, '', :no, :slot FROM numbers
    """
)
_RULES = text(
    f"""
    INSERT INTO rules (id, token_id, name, name_key, request, offers, every_seconds, paused,
                       next_due_at, created_at)
    {_NUMBERS.format(":size - 1")}
    SELECT 'rul_' || (10000000 + n), 'tkn_' || (n / 10), 'Rule ' || n, 'rule ' || n, :request,
           :offers, 3600, :no, CASE WHEN n % :every = 0 THEN :due ELSE :later END, :due
    FROM numbers
    """
).bindparams(bindparam("request", type_=JSON), bindparam("offers", type_=JSON))
_RUNS = text(
    f"""
    INSERT INTO rule_runs (id, rule_id, slot, status, not_before, attempts, finished_at)
    {_NUMBERS.format(":size - 1")}
    SELECT 'run_' || (10000000 + n), 'rul_' || (10000000 + n), :slot, 'succeeded', :slot, 1, :slot
    FROM numbers
    """
)
_ITEMS = text(
    f"""
    INSERT INTO feed_items (id, token_id, rule_id, status, delivery_count, title, post, markdown,
                            html, generated_at, updated_at)
    {_NUMBERS.format(":items - 1")}
    SELECT 'itm_' || (10000000 + n), 'tkn_' || (n / 3 * :every / 10),
           'rul_' || (10000000 + n / 3 * :every), 'pending', 0,
           'An article', :post, 'Text.', '<p>Text.</p>', :slot, :slot
    FROM numbers
    """
).bindparams(bindparam("post", type_=JSON))
_FORGET_RUNS = text("DELETE FROM rule_runs WHERE slot = :due")
_PUT_BACK = text(
    "UPDATE rules SET run_id = NULL, next_due_at = :due WHERE id IN"
    " (SELECT rule_id FROM rule_runs WHERE slot = :due)"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rules", type=int, default=SIZES[-1])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    sizes = [size for size in SIZES if size <= options.rules]
    with ProcessGroup() as group:
        for backend in (options.only,) if options.only else ("sqlite", "postgresql"):
            archives = _archives(group, backend, sizes)
            for number in range(options.rounds + 1):
                for archive in archives:
                    archive.measure(warm=number == 0)
            Console().print(_table(backend, archives))


def _table(backend: str, archives: list["Archive"]) -> Table:
    few = archives[0]
    title = f"{backend}: a tick with {DUE:,} rules due, {len(few.milliseconds)} rounds, ms"
    table = Table(title=title)
    for column in ("rules", "median", "best", "worst", "ratio of medians", "of the best"):
        table.add_column(column, justify="right")
    for archive in archives:
        mine = archive.milliseconds
        table.add_row(
            f"{archive.size:,}",
            *(f"{value:.0f}" for value in (median(mine), min(mine), max(mine))),
            f"{median(mine) / median(few.milliseconds):.2f}",
            f"{min(mine) / min(few.milliseconds):.2f}",
        )
    return table


class Archive:
    """A database with ``size`` rules."""

    def __init__(self, url: str, size: int) -> None:
        self.size, self.milliseconds = size, list[float]()
        database.bind(url)
        database.migrate()
        self._context = context_at(ManualClock(NOW), CountingQueue())
        account = accounts.create_account(self._context, "Blogs", "scale")
        hour = timedelta(hours=1)
        with database.writing() as session:
            if not url.startswith("sqlite"):
                session.execute(text("SET LOCAL statement_timeout = 0"))
            values = {
                "size": size,
                "account": account,
                "tokens": size // 10,
                "every": size // DUE,
                "items": 3 * DUE,
                "due": _bound(NOW, url),
                "later": _bound(NOW + hour, url),
                "slot": _bound(NOW - hour, url),
                "no": False,
                "request": {"keywords": ["raised garden beds"], "language": "en"},
                "offers": [],
                "post": {},
            }
            for fill in (_TOKENS, _RULES, _RUNS, _ITEMS):
                session.execute(fill, {name: values[name] for name in fill._bindparams})
        self._analyze()

    def measure(self, *, warm: bool) -> None:
        """One tick; then as if it had not been."""
        begun = time.perf_counter()
        queued = schedule.tick(self._context)
        took = 1000 * (time.perf_counter() - begun)
        assert queued == DUE, queued
        if not warm:
            self.milliseconds.append(took)
        due = {"due": _bound(NOW, str(database.engine().url))}
        with database.writing() as session:
            session.execute(_PUT_BACK, due)
            session.execute(_FORGET_RUNS, due)

    def _analyze(self) -> None:
        with database.engine().connect() as connection:
            if connection.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
                connection.execute(text("SET statement_timeout = 0"))
                connection.execute(text("VACUUM ANALYZE"))
                connection.execute(text("RESET statement_timeout"))
            else:
                connection.execute(text("ANALYZE"))
                connection.commit()


def _archives(group: ProcessGroup, backend: str, sizes: list[int]) -> list[Archive]:
    if backend == "sqlite":
        return [Archive(f"sqlite:///{group.folder}/{size}.db", size) for size in sizes]
    # The tests do not wait for the disk; what is measured here does.
    postgres.SETTINGS.update(fsync="on", full_page_writes="on", autovacuum="on")
    server = postgres.PostgresServer(group)
    return [Archive(server.create_database(), size) for size in sizes]


def _bound(at: datetime, url: str) -> datetime | str:
    """A time as the database keeps it."""
    return f"{at:%Y-%m-%d %H:%M:%S.%f}" if url.startswith("sqlite") else at


if __name__ == "__main__":
    os.umask(0o022)
    main()
