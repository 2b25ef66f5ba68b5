"""A database after years: 100,000 rows in each table that grows, in every state."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

import psycopg
from sqlalchemy import make_url

from app.core.feed.item import Status
from tests.support.integration import BEGIN, NEVER

N = 100_000
RULES_OF_A_TOKEN = 10
# One rule in this many is due; as many wait for a run, are paused, or belong to a paused token.
SHARE = 150
OLD = BEGIN - timedelta(days=500)
REQUEST = json.dumps({"keywords": ["tea"]})
EMPTY = zlib.compress(b"{}")
SECRET = f"whsec_{43 * 'A'}="
# A token whose rules all have a run that waits, the oldest of all.
LARGE_TOKEN, RULES_OF_THE_LARGE_TOKEN = "tkn_large", 10_000
Row = tuple[Any, ...]

_FIGURES = "calls prompt_tokens answer_tokens micros estimated unpriced"
FIGURES = (1, 100, 10, 1_000, 0, 0)


def fill(url: str, account_id: str, key_id: str, token_id: str) -> None:
    """Fill the database around an account, its key and its token, which has rules and items."""
    insert(url, _tables(account_id, key_id, token_id, time_in(url)))


Table = tuple[str, str, Iterable[Row]]


def time_in(url: str) -> Callable[[datetime], str]:
    """Return the function that writes a time as that database takes it."""
    return _sqlite_time if make_url(url).get_backend_name() == "sqlite" else str


def insert(url: str, tables: Sequence[Table]) -> None:
    """Insert rows as fast as the database can: each table with its columns and its rows."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        _fill_sqlite(str(address.database), tables)
    else:
        _fill_postgresql(address.set(drivername="postgresql").render_as_string(False), tables)


def _fill_sqlite(file: str, tables: Sequence[Table]) -> None:
    """Without references, which would be looked up one by one, and without waiting for the disk."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    connection.execute("BEGIN")
    for table, columns, rows in tables:
        marks = ", ".join("?" * len(columns.split()))
        names = ", ".join(columns.split())
        connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
    connection.execute("COMMIT")
    connection.close()


def _fill_postgresql(dsn: str, tables: Sequence[Table]) -> None:
    with psycopg.connect(dsn) as connection:
        # As for SQLite: no references.
        connection.execute("SET session_replication_role = replica")
        for table, columns, rows in tables:
            names = ", ".join(columns.split())
            with connection.cursor().copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)


def analyze(url: str) -> None:
    """Let the database look at what is in its tables, as PostgreSQL does automatically."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        sqlite = sqlite3.connect(str(address.database))
        sqlite.execute("ANALYZE")
        sqlite.close()
        return
    dsn = address.set(drivername="postgresql").render_as_string(False)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _sqlite_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")


def _tables(
    account_id: str, key_id: str, token_id: str, time: Callable[[datetime], str]
) -> Sequence[Table]:
    """Tables, their columns and rows, with each time as the database takes it: made once, it is
    written often."""
    begin, later, lapsed, before, never, old = map(
        time,
        (
            BEGIN, BEGIN + timedelta(hours=1), BEGIN - timedelta(minutes=1),
            BEGIN - timedelta(hours=1), NEVER, OLD,
        ),
    )  # fmt: skip
    seconds = [old] * 2_000 + [time(BEGIN - timedelta(seconds=N - n)) for n in range(2_000, N)]
    days = [str(BEGIN.date() - timedelta(days=back)) for back in range(500)]
    numbers, large = range(N), range(RULES_OF_THE_LARGE_TOKEN)
    tokens = [token_id, *(f"tkn_{number:06}" for number in range(1, N // RULES_OF_A_TOKEN))]
    rules = [f"rul_{number:06}" for number in numbers]

    # The first few are past their retention, the others younger and younger.
    ago = seconds.__getitem__

    def waiting(number: int) -> tuple[str, str]:
        """Mostly ended; some work waits, some waits for a later time, some was left behind."""
        if number % SHARE:
            return "ended", begin
        states = (("queued", begin), ("queued", later), ("held", begin))
        return states[number // SHARE % 3]

    def rule(number: int) -> Row:
        share = number % SHARE
        due = begin if share < 4 else never
        run = f"run_{number:06}" if share == 0 else None
        return (rules[number], tokens[number // RULES_OF_A_TOKEN], rules[number], rules[number],
                REQUEST, "[]", 3600, False, share == 1, share == 2, due, run, 0, old)  # fmt: skip

    def run(number: int) -> Row:
        state, at = waiting(number)
        status = {"ended": "succeeded", "held": "running"}.get(state, state)
        finished = ago(number) if state == "ended" else None
        return f"run_{number:06}", rules[number], old, status, at, 1, finished

    def rule_of_the_large_token(number: int) -> Row:
        name, run = f"rul_large_{number}", f"run_large_{number}"
        return (name, LARGE_TOKEN, name, name, REQUEST, "[]", 3600, False, False, False, never, run,
                0, old)  # fmt: skip

    def run_of_the_large_token(number: int) -> Row:
        return f"run_large_{number}", f"rul_large_{number}", before, "queued", before, 0, None

    states = (Status.USED, Status.REJECTED, Status.ABANDONED, Status.USED)

    def item(number: int) -> Row:
        """A tenth is of the one token, most of it emptied; every rule has one that is pending."""
        mine = number % 10 == 0
        state = states[number % len(states)]
        if number >= N * 9 // 10 and (not mine or number > N - 1_200):
            state = Status.RESERVED if number % 100 == 0 else Status.PENDING
        final = state in states
        owner = number // 10 % RULES_OF_A_TOKEN if mine else number
        emptied = old if final and 1_000 < number < N // 2 else None
        # A rule has 20 keywords at most, with 16 angles each; older items do not know theirs.
        keyword = f"tea {number % 20}" if number > N * 7 // 10 else None
        return (f"itm_{number:06}", tokens[0] if mine else tokens[number // RULES_OF_A_TOKEN],
                rules[owner], state.value, 1, "Tea", keyword, "costs", "{}", "", "", ago(number),
                ago(number), emptied)  # fmt: skip

    def job(number: int) -> Row:
        state, at = waiting(number)
        status = {"ended": "succeeded", "held": "processing"}.get(state, state)
        return (f"job_{number:06}", account_id, "req_1", status, at, 1, number % 2, REQUEST, "[]",
                "{}", days[0], ago(number), ago(number), "https://example.com/hook",
                SECRET)  # fmt: skip

    def delivery(number: int) -> Row:
        state, at = waiting(number)
        status = {"ended": "delivered", "held": "sending"}.get(state, state)
        return (f"msg_{number:06}", f"job_{number:06}", account_id, status, at, 1,
                "job.succeeded", "{}", 0, ago(number))  # fmt: skip

    def reservation(number: int) -> Row:
        lease = lapsed if number % 1_000 == 0 else None
        return f"rsv_{number:06}", account_id, days[0], 1, lease

    def usage_day(number: int) -> Row:
        """A thousand keys, a hundred days of each; some are of long ago."""
        key = key_id if number % 1_000 == 0 else f"key_{number % 1_000}"
        back = 450 if number < 1_000 else number // 1_000
        return key, days[back], 1

    month = days[0][:8] + "01"
    return (
        ("api_keys", "id account_id hash hint created_at",
         ((f"key_{n}", account_id, f"key_{n}", "", old) for n in range(N // 10))),
        ("usage_days", "key_id day used", map(usage_day, numbers)),
        ("source_pages", "hash url fetched_at",
         ((f"{n:064}", f"https://{n}.example/", ago(n)) for n in numbers)),
        ("evidence", "id post_id account_id created_at sources coverage",
         ((f"evd_{n:06}", f"job_{n:06}", account_id, ago(n), "[]", "[]") for n in numbers)),
        ("post_costs", f"work_id post_id account_id created_at {_FIGURES}",
         ((f"job_{n:06}", f"job_{n:06}", account_id, ago(n), *FIGURES) for n in numbers)),
        ("costs", f"scope period_start kind {_FIGURES}",
         ((rules[n], month, "rule", *FIGURES) for n in numbers)),
        ("journals", "work_id inputs ended created_at",
         ((f"job_{n:06}", EMPTY, True, ago(n)) for n in numbers)),
        ("journal_calls", "work_id stage answer",
         ((f"job_{n // 3:06}", f"1 draft {n % 3 + 1}", EMPTY) for n in numbers)),
        ("reservations", "id account_id period_start words lease_until",
         map(reservation, numbers)),
        ("tokens", "id account_id name hash hint paused created_at",
         ((token, account_id, token, token, "", False, old)
          for token in (*tokens[1:], LARGE_TOKEN))),
        ("old_feed_urls", "hash token_id until",
         ((f"{n:064}", token_id, old if n < 1_000 else never) for n in numbers)),
        ("webhook_receivers", "account_id site failures not_before updated_at",
         ((account_id, f"https://{n}.example", 1, ago(n), ago(n)) for n in numbers)),
        ("rules", "id token_id name name_key request offers every_seconds current_event paused"
         " token_paused next_due_at run_id failures created_at",
         chain(map(rule, numbers), map(rule_of_the_large_token, large))),
        ("rule_runs", "id rule_id slot status not_before attempts finished_at",
         chain(map(run, numbers), map(run_of_the_large_token, large))),
        ("feed_items", "id token_id rule_id status delivery_count title keyword angle post markdown"
         " html generated_at updated_at emptied_at", map(item, numbers)),
        ("jobs", "id account_id request_id status not_before attempts rank request response_types"
         " input_summary billing_period created_at updated_at webhook_url webhook_secret",
         map(job, numbers)),
        ("webhook_deliveries", "id job_id account_id status not_before attempts event body failures"
         " created_at", map(delivery, numbers)),
        ("idempotency_keys", "account_id endpoint key fingerprint status owner lease_until"
         " created_at",
         ((account_id, "jobs", f"key-{n}", "same", "done", "", old, ago(n)) for n in numbers)),
        ("post_signatures", "post_id scope signature",
         ((f"itm_{n:06}", tokens[n // RULES_OF_A_TOKEN], bytes(504)) for n in numbers)),
        ("post_bands", "scope band post_id",
         ((tokens[n // 500], n * 7_919 % 1_000_003, f"itm_{n // 21:06}") for n in numbers)),
    )  # fmt: skip
