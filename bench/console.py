"""How long the console's pages and the lists of commands take at 1,000 and at 1,000,000 items.

    python bench/console.py [--postgresql] [--items 1000000] [--rounds 15]

Each database has half as many jobs and runs of rules as items, a quarter as many webhooks, and a
twentieth as many changes in the audit log. Half of the items and of the jobs belong to one feed and
one account. Posts are short: a list reads none of them. A process per database answers the same
page in turn. The processor time counts, of the process and of its connections to PostgreSQL, in the
cheapest of the rounds: the time on the clock says how busy the machine was. A command opens and
closes its connection, so what PostgreSQL does for it is not in its time.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psycopg
from click.testing import CliRunner
from sqlalchemy import text
from ulid import ULID

from app import create_app
from app.cli import main as command
from app.services.overview import JOB_STATES
from app.settings import Settings
from app.store import database
from tests.support import postgres
from tests.support.consoles import ConsoleOperator
from tests.support.large_database import analyze, insert, time_in
from tests.support.process_group import ProcessGroup
from tools.pictures import AnsweringModel

SMALL = 1_000
DAYS = 100
MOST_RATIO, MOST_HOME_MS = 1.5, 200.0
NOW = datetime.now(UTC)
STATES = ("used",) * 76 + ("pending", "reserved", "rejected", "abandoned") * 6
REQUEST = json.dumps({"keywords": ["tea"]})
REFUSED = json.dumps({"code": "CONTENT_QUALITY_FAILED", "message": "The post fails a check."})
Row = tuple[Any, ...]
# As SQLite and PostgreSQL take them.
NO, YES = False, True


def ids(prefix: str, count: int) -> list[str]:
    """Return ids that were made at equal intervals in 100 days, the oldest first."""
    tail = "0" * 9
    step = timedelta(days=DAYS) / count
    found = []
    for number in range(count):
        at = NOW - step * (count - number)
        found.append(f"{prefix}_{str(ULID.from_datetime(at))[:10]}{tail}{number:07}")
    return found


def times(count: int, write: Callable[[datetime], str]) -> list[str]:
    """Return the times of those ids."""
    step = timedelta(days=DAYS) / count
    return [write(NOW - step * (count - number)) for number in range(count)]


def without_indexes() -> list[str]:
    """Drop the indexes of the bound database, which slow inserts down; return what makes them."""
    on_sqlite = database.engine().dialect.name == "sqlite"
    source = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'ix_%'"
        if on_sqlite
        else "SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'ix_%'"
    )
    with database.engine().begin() as connection:
        found = connection.execute(text(source)).all()
        for name, _ in found:
            connection.execute(text(f"DROP INDEX {name}"))
    database.dispose()
    return [made for _, made in found]


def fill(url: str, count: int) -> dict[str, str]:
    """Fill a database for ``count`` items; return the objects that the pages are about."""
    database.bind(url)
    database.migrate()
    indexes = without_indexes()
    write = time_in(url)
    now, never = write(NOW), write(NOW + timedelta(days=999))
    # At least as many as a page of a list shows, so that both databases show as many rows.
    works = max(4_000, count // 2)
    accounts = ids("acc", max(60, count // 5_000))
    feeds = ids("tkn", max(60, count // 500))
    rules = ids("rul", max(120, count // 100))
    items, jobs, runs = ids("itm", count), ids("job", works), ids("run", works)
    sent, changes = ids("msg", works // 2), ids("aud", max(120, count // 20))
    when, worked = times(count, write), times(works, write)
    month = str(NOW.date().replace(day=1))

    def owner(number: int) -> str:
        """Of the first fifty, the first account."""
        return accounts[0] if number < 50 else accounts[number % len(accounts)]

    def feed_of(rule: int) -> str:
        """Of the first five, the first feed."""
        return feeds[0] if rule < 5 else feeds[1 + rule % (len(feeds) - 1)]

    def rule_of(number: int) -> int:
        """Half belongs to the five rules of the first feed."""
        return number // 2 % 5 if number % 2 else number % len(rules)

    def item(number: int) -> Row:
        rule = rule_of(number)
        state = STATES[number * 37 % len(STATES)]
        return (items[number], feed_of(rule), rules[rule], state, 1, f"Tea {number}", "{}", "Tea",
                "<p>Tea</p>", when[number], when[number])  # fmt: skip

    def ended(number: int) -> tuple[str, str | None]:
        """A tenth failed, and the last few hundred: as many as are counted."""
        failed = number % 10 == 0 or number > works - 230
        return ("failed", REFUSED) if failed else ("succeeded", None)

    def account_of(job: int) -> str:
        return accounts[0] if job % 2 else accounts[job % len(accounts)]

    def job(number: int) -> Row:
        status, error = ended(number)
        return (jobs[number], account_of(number), "req_1", status, worked[number], 1, 1, REQUEST,
                "[]", "{}", month, worked[number], worked[number], error)  # fmt: skip

    def delivery(number: int) -> Row:
        status = "failed" if number % 5 == 0 else "delivered"
        at = worked[2 * number]
        return (
            sent[number],
            jobs[2 * number + number % 2],
            account_of(2 * number + number % 2),
            status,
            at,
            1,
            "job.succeeded",
            "{}",
            0,
            at,
        )

    def run(number: int) -> Row:
        status, error = ended(number)
        return (runs[number], rules[rule_of(number)], worked[number], status, worked[number], 1,
                worked[number], error)  # fmt: skip

    insert(url, (
        ("accounts", "id name plan_id created_at",
         ((account, f"Account {n}", "scale", now) for n, account in enumerate(accounts))),
        ("api_keys", "id account_id hash hint created_at",
         ((f"key_{n}", owner(n), f"hash {n}", "cd_live_…", now) for n in range(len(feeds)))),
        ("usage_months", "account_id period_start words posts requests reserved_words",
         ((account, month, 1_000, 2, 3, 0) for account in accounts)),
        ("tokens", "id account_id name hash hint paused created_at",
         ((feed, owner(n), f"Feed {n}", feed, "ct_…", NO, now) for n, feed in enumerate(feeds))),
        ("rules", "id token_id name name_key request offers every_seconds current_event paused"
         " token_paused next_due_at failures created_at",
         ((rule, feed_of(n), f"Rule {n}", f"rule {n}", REQUEST, "[]", 3_600, NO, NO, NO, never,
           (n % 7 == 0 and 2) or 0, now) for n, rule in enumerate(rules))),
        ("feed_items", "id token_id rule_id status delivery_count title post markdown html"
         " generated_at updated_at", map(item, range(count))),
        ("rule_runs", "id rule_id slot status not_before attempts finished_at error",
         map(run, range(works))),
        ("jobs", "id account_id request_id status not_before attempts rank request response_types"
         " input_summary billing_period created_at updated_at error", map(job, range(works))),
        ("webhook_deliveries", "id job_id account_id status not_before attempts event body failures"
         " created_at", map(delivery, range(works // 2))),
        ("audit_entries", "id operator action subject at",
         ((change, "Ada", "pause_feed", feeds[0], now) for change in changes)),
    ))  # fmt: skip
    with database.engine().begin() as connection:
        for index in indexes:
            connection.execute(text(index))
    database.dispose()
    analyze(url)
    deep, deep_work = count * 6 // 10, works * 6 // 10
    return {
        "account": accounts[0], "feed": feeds[0], "rule": rules[0], "item": items[-2],
        "deep_item": items[deep], "job": jobs[-1], "deep_job": jobs[deep_work],
        "deep_sent": sent[len(sent) * 6 // 10], "deep_change": changes[len(changes) * 6 // 10],
        "begin": f"{NOW - timedelta(days=60):%Y-%m-%dT%H:%M}",
        "end": f"{NOW - timedelta(days=30):%Y-%m-%dT%H:%M}",
    }  # fmt: skip


PAGES = (
    "/",
    "/console/feeds",
    "/console/feeds/{feed}",
    "/console/rules/{rule}",
    "/console/accounts",
    "/console/accounts/{account}",
    "/console/items",
    "/console/items?before={deep_item}",
    *(f"/console/items?status={state}" for state in sorted(set(STATES))),
    "/console/items?status=rejected&before={deep_item}",
    "/console/items?feed={feed}",
    "/console/items?feed={feed}&before={deep_item}",
    "/console/items?feed={feed}&status=rejected",
    "/console/items?rule={rule}",
    "/console/items?rule={rule}&status=used",
    "/console/items/{item}",
    "/console/jobs",
    "/console/jobs?before={deep_job}",
    *(f"/console/jobs?status={state}" for state in JOB_STATES),
    "/console/jobs?status=failed&account={account}",
    "/console/jobs?status=queued&account={account}",
    "/console/jobs/{job}",
    "/console/webhooks",
    "/console/webhooks?before={deep_sent}",
    "/console/webhooks?account={account}",
    "/console/webhooks?begin={begin}&end={end}",
    "/console/webhooks?account={account}&begin={begin}&end={end}",
    "/console/stopped",
    "/console/audit",
    "/console/audit?before={deep_change}",
)
COMMANDS = (
    "account list",
    "feed list",
    "rule list",
    "job list",
    "job list --before {deep_job}",
    "job list --account {account}",
    "job list --account {account} --status failed",
    "item list",
    "item list --feed {feed} --status rejected",
    "item list --feed {feed} --before {deep_item}",
    "webhook list",
    "webhook list --status failed",
    "webhook list --account {account}",
    "webhook list --account {account} --status failed",
    "webhook list --account {account} --status queued",
    "key list",
    "key list --account {account}",
)


Took = tuple[float, float]
"""Seconds of processor time, and on the clock."""


class Meter:
    """The processor time of this process and of its connections to PostgreSQL."""

    def __init__(self, url: str) -> None:
        dsn = url.replace("+psycopg", "")
        self._server = psycopg.connect(dsn, autocommit=True) if dsn != url else None

    def read(self) -> float:
        """Return the seconds so far."""
        return time.process_time() + sum(map(self._ran, self._connections()))

    def _connections(self) -> list[int]:
        if self._server is None:
            return []
        mine = "datname = current_database() AND pid <> pg_backend_pid()"
        rows = self._server.execute(f"SELECT pid FROM pg_stat_activity WHERE {mine}")
        return [pid for (pid,) in rows]

    @staticmethod
    def _ran(process: int) -> float:
        try:
            return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            return 0.0


def serve(url: str, names: dict[str, str], wire: Connection) -> None:
    """Answer each name of a page or a command with what it took."""
    app = create_app(Settings(database_url=url), model=AnsweringModel())
    ada = ConsoleOperator(app.test_client())
    runner = CliRunner()
    environment = {"COPYDESK_DATABASE_URL": url}
    meter = Meter(url)
    while asked := wire.recv():
        used, began = meter.read(), time.perf_counter()
        if asked.startswith("/"):
            answer = ada.client.get(asked.format_map(names))
            assert answer.status_code == 200, (asked, answer.text)
        else:
            done = runner.invoke(command, asked.format_map(names).split(), env=environment)
            assert done.exit_code == 0, (asked, done.output)
        wire.send((max(0.0, meter.read() - used), time.perf_counter() - began))


def measured(wires: Sequence[Connection], asked: str, rounds: int) -> list[Took]:
    """Return the fewest seconds of each process, asked in turn."""
    took: list[list[Took]] = [[] for _ in wires]
    for number in range(rounds + 2):
        for wire, seconds in zip(wires, took, strict=True):
            wire.send(asked)
            found = wire.recv()
            if number >= 2:  # the first ones load templates, statements and pages
                seconds.append(found)
    return [(min(used for used, _ in each), min(wall for _, wall in each)) for each in took]


def processes(urls: Sequence[str], names: Sequence[dict[str, str]]) -> Iterator[Connection]:
    spawn = multiprocessing.get_context("spawn")
    for url, found in zip(urls, names, strict=True):
        here, there = spawn.Pipe()
        spawn.Process(target=serve, args=(url, found, there), daemon=True).start()
        yield here


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with ProcessGroup() as group:
        if options.postgresql:
            server = postgres.PostgresServer(group)
            urls = [server.create_database() for _ in range(2)]
        else:
            urls = [f"sqlite:///{group.folder / name}.db" for name in ("small", "large")]
        began = time.perf_counter()
        names = [fill(url, count) for url, count in zip(urls, (SMALL, options.items), strict=True)]
        print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        wires = list(processes(urls, names))
        print("PostgreSQL" if options.postgresql else "SQLite")
        report(wires, options.items, options.rounds)


def report(wires: Sequence[Connection], items: int, rounds: int) -> None:
    """Print what each page and command takes, and which take too long; end the processes."""
    print(f"milliseconds of processor time of {SMALL:,} and {items:,} items, their ratio,")
    print("milliseconds on the clock of the latter, and the page or command", flush=True)
    slow = []
    for asked in (*PAGES, *COMMANDS):
        (small, _), (large, wall) = measured(wires, asked, rounds)
        is_home = asked == "/"
        if not (large * 1000 < MOST_HOME_MS if is_home else large < MOST_RATIO * small):
            slow.append(asked)
        cells = f"{1000 * small:8.1f} {1000 * large:8.1f} {large / small:6.2f} {1000 * wall:8.1f}"
        print(f"{cells}  {asked}", flush=True)
    for wire in wires:
        wire.send("")
    print("too slow: " + ", ".join(slow) if slow else "all within the limits")


if __name__ == "__main__":
    main()
