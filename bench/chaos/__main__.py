"""Chaos: mixed load in the production set-up while everything that can break does.

    PYTHONPATH=. python bench/chaos [--minutes 15] [--calm 5] [--seed N] [--only KIND …]

Jobs with webhooks, calls of POST /v1/generate, and rules whose posts four connectors publish to a
real WordPress and a real Ghost. Meanwhile processes are killed or frozen, PostgreSQL and Redis die,
restart and are emptied, connections are cut, the disk of the database and of the connectors fills,
the clocks of single processes jump, and the model fails in its own ways. At the end an audit
compares what every client was told with the database, the sites and the model's bill. With --calm,
the same load runs before for that many minutes with the faults of the model alone, to compare the
tokens. Exits 1 if the audit finds anything.

The disk is filled as root only, because it takes a file system of its own. CHAOS_LOGS names a
folder for the logs. Needs the programs of `.ci/packages`, and a C compiler for the clocks.
"""

import argparse
import contextlib
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random, SystemRandom
from threading import Event

import psycopg
import redis as redis_client
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError

from app.store import models
from bench.chaos.audit import Books, audit, open_work
from bench.chaos.callers import GenerateCalls
from bench.chaos.production import Production
from tests.support.crashes.customers import Customers
from tests.support.crashes.programs import Program, new_key, supervised
from tests.support.crashes.verdict import BILL, DOUBLED, LOST, WEBHOOK, WRONG, Problems
from tests.support.webhook_receiver import Receiver

# A supervisor takes that long at most to start again what died.
ABSENCE_SECONDS = 3.0
# Beyond the lease: what comes back finds that its work is another's.
FREEZE_SECONDS = 35.0
FULL_SECONDS = 8.0
JUMPED_SECONDS = 20.0
JUMPS = (-40 * 86_400, -7_200, -90, 90, 7_200, 40 * 86_400)
"""How far clocks jump, in seconds: a wrong time zone, a battery that is empty."""
SETTLE_SECONDS = 600.0
MODEL_FAULTS = (
    "slow", "slow", "slow", "flaky_20:error_503", "flaky_20:error_429", "flaky_10:error_500",
    "flaky_10:reset", "flaky_10:web_page", "flaky_10:empty", "flaky_10:cut_off", "error_503",
)  # fmt: skip
KEYWORDS = (
    "cold brew", "sourdough", "fountain pens", "tomato plants", "trail running", "chess openings",
    "bike repair", "watercolour", "home insulation", "bird watching", "film cameras", "knitting",
)  # fmt: skip


class Load:
    """The clients of a production set-up, from ``start`` to ``settle``."""

    def __init__(self, production: Production, receiver: Receiver, seed: int) -> None:
        self.production, self.receiver = production, receiver
        url, key = production.url, new_key(production.database_url)
        self.customers = Customers(url, key, receiver, 20_000, seed, open_jobs=1)
        self.calls = GenerateCalls(url, new_key(production.database_url), seed)
        self._seed, self._over = seed, Event()
        self._pool = ThreadPoolExecutor(4)
        self._rules = [
            feed.add_rule(
                keyword,
                request={"keywords": [f"{keyword} {what}" for what in ("basics", "costs", "tips")],
                         "constraints": {"maxWords": 350}},
            )
            for number, feed in enumerate(production.feeds)
            for keyword in KEYWORDS[number % 2::2]
        ]  # fmt: skip

    def start(self) -> None:
        """Let all of them begin."""
        self._working = [
            self._pool.submit(work)
            for work in (self.customers.work, self.calls.work, self._let_rules_be_due, self._model)
        ]

    def settle(self) -> float:
        """Ask for nothing more; return the seconds until what was asked for had ended, or
        SETTLE_SECONDS."""
        began = time.monotonic()
        self._over.set()
        self.customers.close()
        self.calls.close()
        self.production.model.behave("good")
        *clients, rules, model = self._working
        rules.result()
        model.result()
        while time.monotonic() - began < SETTLE_SECONDS:
            with contextlib.suppress(SQLAlchemyError):
                left = open_work(self.production)
                if all(client.done() for client in clients) and not left:
                    break
                print(f"{time.monotonic() - began:5.0f} s  settling: {dict(left)}", flush=True)
            Event().wait(5.0)
        self.customers.give_up()
        self.calls.give_up()
        for client in clients:
            with contextlib.suppress(AssertionError):
                client.result()
        return time.monotonic() - began

    def _let_rules_be_due(self) -> None:
        """As if the time of a rule's next slot had come, every three seconds."""
        random, rule = Random(self._seed), models.Rule
        while not self._over.wait(random.uniform(1, 5)):
            due = update(rule).where(rule.id == random.choice(self._rules), rule.run_id.is_(None))
            with (
                contextlib.suppress(SQLAlchemyError),
                self.production.engine.begin() as connection,
            ):
                connection.execute(due.values(next_due_at=datetime.now(UTC)))

    def _model(self) -> None:
        """One fault of the model after the other, each for some seconds."""
        random = Random(self._seed)
        while not self._over.is_set():
            fault = random.choice(MODEL_FAULTS)
            self.production.model.behave(fault, delay=0.3)
            self._over.wait(random.uniform(1, 3) if fault == "error_503" else random.uniform(3, 9))


class Faults:
    """What breaks, one thing after the other, in two series at once."""

    def __init__(self, production: Production, seed: int, only: Sequence[str]) -> None:
        self._production, self._random = production, Random(seed)
        self.count: Counter[str] = Counter()
        self.failed: list[str] = []
        self._began = time.monotonic()
        self._starters, self._starting = ThreadPoolExecutor(8), list[Future[None]]()
        service: dict[str, Callable[[], object]] = {
            "worker killed": lambda: self._kill(production.workers),
            "worker killed again": lambda: self._kill(production.workers),
            "worker frozen": lambda: self._random.choice(production.workers).freeze(FREEZE_SECONDS),
            "web killed": lambda: self._kill(production.webs),
            "scheduler killed": lambda: self._kill(production.schedulers),
            "redis killed": self._kill_redis,
            "redis emptied": production.redis.flush,
            "postgres killed": self._kill_postgres,
            "postgres restarted": self._restart_postgres,
            "disk full": self._fill_disk,
        }
        around: dict[str, Callable[[], object]] = {
            "connector killed": lambda: self._kill(production.connectors),
            "connector killed again": lambda: self._kill(production.connectors),
            "one clock jumped": self._jump_one,
            "all clocks jumped": self._jump_all,
            "connections to the database cut": self._cut_database,
            "connections to Redis cut": self._cut_redis,
            **{f"connections to {name} cut": wire.cut for name, wire in production.wires.items()},
        }  # fmt: skip
        if not production.disk.can_fill:
            del service["disk full"]
        self.series = [
            {name: fault for name, fault in series.items() if not only or name in only}
            for series in (service, around)
        ]

    def work(self, over: Event) -> None:
        """Break things until ``over``, and wait until everything works again."""
        with ThreadPoolExecutor(len(self.series)) as pool:
            for series in [pool.submit(self._work, faults, over) for faults in self.series]:
                series.result()
        for started in self._starting:
            # A busy machine may take longer; what does not work leaves work open.
            if error := started.exception():
                print(f"         {error}", flush=True)
        self._starters.shutdown()

    def _work(self, faults: dict[str, Callable[[], object]], over: Event) -> None:
        random = Random(self._random.random())
        while faults:
            deck = list(faults)
            random.shuffle(deck)
            for name in deck:
                if over.wait(random.uniform(2, 6)):
                    return
                print(f"{time.monotonic() - self._began:5.0f} s  {name}", flush=True)
                try:
                    faults[name]()
                except Exception as error:  # noqa: BLE001 - the audit has to come
                    self.failed.append(f"{name}: {type(error).__name__}: {error}")
                self.count[name.removesuffix(" again")] += 1

    def _kill(self, programs: Sequence[Program]) -> None:
        program = self._random.choice(programs)
        if self._random.random() < 0.4 and program.kill_one_process(self._random):
            return
        program.kill()
        self._absence()
        # The next fault does not wait until it works.
        self._starting.append(self._starters.submit(program.start))

    def _kill_redis(self) -> None:
        self._production.redis.kill()
        self._absence()
        self._production.redis.start()

    def _kill_postgres(self) -> None:
        self._production.postgres.kill()
        self._absence()
        self._production.postgres.start()

    def _restart_postgres(self) -> None:
        self._production.postgres.stop()
        self._absence()
        self._production.postgres.start()

    def _fill_disk(self) -> None:
        with self._production.disk.filled():
            Event().wait(FULL_SECONDS)
        self._production.postgres.recover()

    def _jump_one(self) -> None:
        clock = self._random.choice(list(self._production.clocks.values()))
        clock.jump(self._random.choice(JUMPS))
        Event().wait(self._random.uniform(5, JUMPED_SECONDS))
        clock.jump(0)

    def _jump_all(self) -> None:
        seconds = self._random.choice(JUMPS)
        for clock in self._production.clocks.values():
            clock.jump(seconds)
        Event().wait(self._random.uniform(5, JUMPED_SECONDS))
        for clock in self._production.clocks.values():
            clock.jump(0)

    def _cut_database(self) -> None:
        dsn = self._production.database_url.replace("+psycopg", "")
        with contextlib.suppress(psycopg.Error), psycopg.connect(dsn, autocommit=True) as session:
            session.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def _cut_redis(self) -> None:
        with (
            contextlib.suppress(redis_client.RedisError),
            self._production.redis.client() as client,
        ):
            client.client_kill_filter(_type="normal", skipme=True)

    def _absence(self) -> None:
        Event().wait(self._random.uniform(0, ABSENCE_SECONDS))


@contextlib.contextmanager
def running(seed: int) -> Iterator[tuple[Production, Load]]:
    """A production set-up and its load, not begun yet."""
    with Production() as production, Receiver(refuse_every=20, strict=True) as receiver:
        yield production, Load(production, receiver, seed)


def run(
    minutes: float, seed: int, only: Sequence[str] | None
) -> tuple[Books, Problems, Counter[str]]:
    """Run the load for so long, with these faults (none if ``only`` is None), and audit it."""
    began = time.monotonic()
    with running(seed) as (production, load):
        print(f"set up in {time.monotonic() - began:.0f} s", flush=True)
        over = Event()
        faults = Faults(production, seed, only or ())
        with supervised(production.programs), ThreadPoolExecutor(1) as pool:
            load.start()
            breaking = pool.submit(faults.work, over) if only is not None else None
            until = time.monotonic() + minutes * 60
            while time.monotonic() < until and not (breaking and breaking.done()):
                Event().wait(1.0)
            over.set()
            if breaking:
                breaking.result()
            seconds = load.settle()
            books, problems = audit(production, load.customers, load.calls, load.receiver)
        for what in (*load.customers.surprises, *load.calls.surprises, *faults.failed):
            problems.expect(False, WRONG, what)
        print(f"settled after {seconds:.0f} s; {dict(load.customers.statuses)}", flush=True)
        if folder := os.environ.get("CHAOS_LOGS"):
            shutil.copytree(
                production.group.folder,
                folder,
                dirs_exist_ok=True,
                ignore=lambda _, names: [n for n in names if not n.endswith(".log")],
            )
        return books, problems, faults.count


def have_own_mounts() -> None:
    """Go on where the disk that is mounted disappears with the last process, however it ends."""
    if os.geteuid() == 0 and "CHAOS_MOUNTS" not in os.environ and shutil.which("unshare"):
        os.environ["CHAOS_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def main() -> int:
    """Print the audit; return 1 if something is not as it has to be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--calm", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    parser.add_argument(
        "--only", action="append", default=[], metavar="KIND", help="only faults of this kind"
    )
    args = parser.parse_args()
    have_own_mounts()
    print(f"seed {args.seed}", flush=True)
    found, calm = 0, None
    if args.calm:
        calm, problems, _ = run(args.calm, args.seed, None)
        report("calm", calm, problems)
        found += len(problems.found)
    if args.minutes:
        books, problems, faults = run(args.minutes, args.seed, args.only)
        report("chaos", books, problems)
        print(f"{faults.total()} faults: {dict(faults)}")
        if calm:
            ratio = books.paid_tokens / expected_tokens(books, calm)
            print(f"tokens paid beside those of as many calm posts of each sort: {ratio:.3f}")
        found += len(problems.found)
    return int(found > 0)


def expected_tokens(books: Books, calm: Books) -> float:
    """Return what the posts of a run would have cost in the calm, each sort by its own mean."""
    return sum(
        number * calm.tokens_of[kind] / calm.posts_of[kind]
        for kind, number in books.posts_of.items()
    )


def report(name: str, books: Books, problems: Problems) -> None:
    """Print a run."""
    print(f"{name}: {books}")
    print(
        f"posts {books.posts}, tokens per post {books.paid_tokens / max(1, books.posts):.0f},"
        f" repeated {books.repeated_tokens / max(1, books.paid_tokens):.2%},"
        f" counted/paid {books.counted_tokens / max(1, books.paid_tokens):.3f}"
    )
    for kind in (LOST, DOUBLED, BILL, WEBHOOK, WRONG):
        print(f"  {kind}: {problems.counts()[kind]}")
    for kind, text in problems.found[:40]:
        print(f"    {kind}: {text[:300]}")


if __name__ == "__main__":
    sys.exit(main())
