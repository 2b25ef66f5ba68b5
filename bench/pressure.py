"""Jobs under pressure on PostgreSQL, beside two other queues on the same server at the same time.

    make bench-pressure
    PYTHONPATH=.:var/queues python bench/pressure.py [--seconds 600] [--rate 2] [--only bloat]

PostgreSQL runs with autovacuum and waits for the disk. Each queue (bench/pressure_queues.py) has a
database of its own and two worker processes, which are started again when they end, and gets jobs
at the same rate. A calm phase is followed by one of each pressure:

- idle transactions: in each database ten, with a snapshot and a lock on a row of work that ended.
- long readers: in each database two that count the jobs again and again on one old snapshot.
- exhausted pool: every fifteen seconds, the connections of all workers and producers are cut, and
  for ten seconds other clients hold every connection that the server has.
- bloat: rows of open work are added and deleted all the time, 200,000 in each table in ten minutes,
  and a snapshot as old as the phase keeps autovacuum from removing them.

Completion is the share of the jobs of a phase that were done within it, beside the share in the
calm. Exits with 1 if Copydesk completes less than 95 % of the calm, or loses or doubles a job.
"""

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from subprocess import Popen
from threading import Event, Thread

import psycopg
from rich.console import Console
from rich.table import Table

from bench.pressure_queues import PRODUCER_ERRORS, QUEUES, JobQueue, dsn
from tests.support import postgres
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.service import ROOT
from tests.support.startup import wait_until

WORKERS = 2
DRAIN_SECONDS = 90.0
START_SECONDS = 180.0
SHARE = 0.95
IDLE, READERS = 10, 2
CUT_EVERY, HOLD = 15.0, 10.0
BLOAT_ROWS, BLOAT_BATCH = 200_000, 2_000
_BENCH = "application_name=bench"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="for each phase")
    parser.add_argument("--rate", type=float, default=2.0, help="jobs a second for each queue")
    parser.add_argument("--only", default="", help="pressures whose name has this in it")
    options = parser.parse_args()
    postgres.SETTINGS.update(
        fsync="on", full_page_writes="on", autovacuum="on", autovacuum_naptime="10s",
        max_connections="100",
    )  # fmt: skip
    numbers = itertools.count()
    phases = [name for name in PRESSURES if name == "calm" or options.only in name]
    with ProcessGroup() as group, ExitStack() as stack:
        server = PostgresServer(group)
        contenders = []
        for kind in QUEUES.values():
            queue = kind(server.create_database())
            queue.install()
            contender = Contender(group, queue, _name(numbers))
            stack.callback(contender.close)
            contenders.append(contender)
        wait_until(
            lambda: all(contender.attempts() for contender in contenders),
            START_SECONDS, "the first job of each queue is done",
        )  # fmt: skip
        for phase in phases:
            print(f"{phase}, load {os.getloadavg()[0]:.0f}", file=sys.stderr)
            with PRESSURES[phase]([contender.queue for contender in contenders]):
                producers = [
                    Thread(
                        target=each.produce, args=(phase, numbers, options.rate, options.seconds)
                    )
                    for each in contenders
                ]
                for producer in producers:
                    producer.start()
                for producer in producers:
                    producer.join()
            drained = time.monotonic() + DRAIN_SECONDS
            while any(each.open() for each in contenders) and time.monotonic() < drained:
                time.sleep(1)
            print(f"open: {[each.open() for each in contenders]}", file=sys.stderr)
        return _report(contenders, phases)


def _report(contenders: Sequence["Contender"], phases: Sequence[str]) -> int:
    table = Table("pressure", "queue", "jobs", "completed", "of calm", "p50 s", "p95 s", "p99 s",
                  "max s", "worked twice", "restarts")  # fmt: skip
    bad = False
    for phase in phases:
        for contender in contenders:
            done, one = contender.attempts(), contender.phases[phase]
            found = {name: done[name][0] for name in one.created if name in done}
            share = contender.completion(phase, done)
            calm_share = contender.completion("calm", done)
            took = sorted((at - one.created[name]).total_seconds() for name, at in found.items())
            cuts = (
                took[min(len(took) - 1, int(part * len(took)))] for part in (0.5, 0.95, 0.99, 1)
            )
            twice = sum(len(done[name]) > 1 for name in found)
            table.add_row(
                phase, contender.queue.name, f"{len(one.created)}", f"{share:.1%}",
                f"{share / calm_share:.1%}", *(f"{cut:.2f}" for cut in cuts), f"{twice}",
                f"{one.restarts}",
            )  # fmt: skip
            bad |= contender.queue.name == "copydesk" and share < SHARE * calm_share
    Console(width=130).print(table)
    for contender in contenders:
        created = sum(len(one.created) for one in contender.phases.values()) + 1
        done, ended = contender.attempts(), contender.ended()
        lost = contender.open()
        twice = sum(len(each) > 1 for each in done.values())
        print(
            f"{contender.queue.name}: {created} jobs, {lost} lost, {ended} ended,"
            f" {twice} worked on twice; {contender.queue.kept(created)}"
        )
        bad |= contender.queue.name == "copydesk" and (lost > 0 or ended != created)
    return int(bad)


@dataclass
class Phase:
    """The jobs of one queue in one phase, with the time at which each was first sent."""

    created: dict[str, datetime] = field(default_factory=dict)
    ended: datetime = field(default_factory=lambda: datetime.now(UTC))
    restarts: int = 0


class Contender:
    """A queue with its workers, and the jobs that it got."""

    def __init__(self, group: ProcessGroup, queue: JobQueue, first: str) -> None:
        self.queue = queue
        self.phases: dict[str, Phase] = {}
        self._group, self._workers = group, list[Popen[bytes]]()
        self._create = queue.producer()
        self._first, self._now = first, Phase()
        self._create(first)
        with psycopg.connect(dsn(queue.url), autocommit=True) as connection:
            connection.execute(f"CREATE TABLE bloat_template AS TABLE {queue.table}".encode())
        for _ in range(WORKERS):
            self._start()
        self._stop = Event()
        self._supervisor = Thread(target=self._supervise)
        self._supervisor.start()

    def produce(self, phase: str, numbers: Iterator[int], rate: float, seconds: float) -> None:
        """Add jobs at the rate; what is refused is sent again until it is accepted."""
        now = self._now = self.phases[phase] = Phase()
        began = time.monotonic()
        for number in range(int(rate * seconds)):
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
            name, at = _name(numbers), datetime.now(UTC)
            while True:
                try:
                    self._create(name)
                except Exception as error:  # noqa: BLE001 - of any queue
                    if not isinstance(error, PRODUCER_ERRORS):
                        print(f"{self.queue.name}: {error!r}", file=sys.stderr)
                    time.sleep(0.2)
                else:
                    break
            now.created[name] = at
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        now.ended = datetime.now(UTC)

    def completion(self, phase: str, done: Mapping[str, Sequence[datetime]]) -> float:
        """The share of the jobs of a phase that were done by its end."""
        one = self.phases[phase]
        in_time = sum(name in done and done[name][0] <= one.ended for name in one.created)
        return in_time / len(one.created)

    def attempts(self) -> dict[str, list[datetime]]:
        """When each job was done."""
        found: dict[str, list[datetime]] = {}
        with psycopg.connect(dsn(self.queue.url)) as connection:
            for job, at in connection.execute("SELECT job, at FROM done ORDER BY at"):
                found.setdefault(job, []).append(at)
        return found

    def open(self) -> int:
        """How many jobs were not done."""
        created = {name for one in self.phases.values() for name in one.created}
        return len((created | {self._first}) - self.attempts().keys())

    def ended(self) -> int:
        """How many jobs have ended, as the queue sees it."""
        with psycopg.connect(dsn(self.queue.url)) as connection:
            row = connection.execute(self.queue.ended.encode()).fetchone()
        assert row is not None
        return int(row[0])

    def close(self) -> None:
        """End its processes."""
        self._stop.set()
        self._supervisor.join()
        for worker in self._workers:
            worker.kill()

    def _start(self) -> None:
        command = [sys.executable, "bench/pressure_queues.py", self.queue.name, self.queue.url]
        log = self._group.folder / f"{self.queue.name}.log"
        self._workers.append(self._group.spawn(command, log=log, cwd=ROOT))

    def _supervise(self) -> None:
        while not self._stop.wait(1.0):
            for worker in [each for each in self._workers if each.poll() is not None]:
                self._workers.remove(worker)
                self._now.restarts += 1
                self._start()


@contextmanager
def calm(queues: Sequence[JobQueue]) -> Iterator[None]:
    yield


@contextmanager
def idle_transactions(queues: Sequence[JobQueue]) -> Iterator[None]:
    with ExitStack() as stack:
        for queue in queues:
            for _ in range(IDLE):
                idle = stack.enter_context(_snapshot(queue))
                idle.execute(b"SELECT 1 FROM done LIMIT 1 FOR SHARE")
        yield


@contextmanager
def long_readers(queues: Sequence[JobQueue]) -> Iterator[None]:
    over = Event()

    def read(queue: JobQueue) -> None:
        with _snapshot(queue) as reader:
            while not over.wait(1.0):
                reader.execute(f"SELECT count(*), max(t::text) FROM {queue.table} AS t".encode())

    with _threads(over, [lambda queue=queue: read(queue) for queue in queues] * READERS):
        yield


@contextmanager
def exhausted_pool(queues: Sequence[JobQueue]) -> Iterator[None]:
    over = Event()

    def hold() -> None:
        while True:
            held: list[psycopg.Connection] = []
            with psycopg.connect(f"{dsn(queues[0].url)}&{_BENCH}", autocommit=True) as killer:
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE backend_type = 'client backend' AND application_name <> 'bench'"
                )
                until = time.monotonic() + HOLD
                while time.monotonic() < until and not over.is_set():
                    try:
                        held.append(psycopg.connect(f"{dsn(queues[0].url)}&{_BENCH}"))
                    except psycopg.OperationalError:
                        over.wait(0.02)
            for each in held:
                each.close()
            if over.wait(CUT_EVERY - HOLD):
                return

    with _threads(over, [hold]):
        yield


@contextmanager
def bloat(queues: Sequence[JobQueue]) -> Iterator[None]:
    over = Event()
    numbers = itertools.count()
    pause = 600 * BLOAT_BATCH / BLOAT_ROWS

    def add_and_delete(queue: JobQueue) -> None:
        column, key = queue.id_column
        with psycopg.connect(f"{dsn(queue.url)}&{_BENCH}", autocommit=True) as connection:
            # Neither triggers nor foreign keys: only the rows.
            connection.execute("SET session_replication_role = replica")
            while not over.wait(pause):
                first = next(numbers) * BLOAT_BATCH
                series = f"generate_series({first}, {first + BLOAT_BATCH - 1}) AS n"
                added = (
                    f"INSERT INTO {queue.table} SELECT (jsonb_populate_record(NULL::{queue.table},"
                    f" to_jsonb(t.*) || jsonb_build_object({queue.other_row}))).*"
                    f" FROM bloat_template AS t, {series}"
                )
                deleted = (
                    f"DELETE FROM {queue.table} WHERE {column}::text IN"
                    f" (SELECT ({key})::text FROM {series})"
                )
                with connection.transaction():
                    connection.execute(added.encode())
                    connection.execute(deleted.encode())

    with ExitStack() as stack:
        for queue in queues:
            stack.enter_context(_snapshot(queue))
        with _threads(over, [lambda queue=queue: add_and_delete(queue) for queue in queues]):
            yield


PRESSURES: Mapping[str, Callable[[Sequence[JobQueue]], AbstractContextManager[None]]] = {
    "calm": calm,
    "idle transactions": idle_transactions,
    "long readers": long_readers,
    "exhausted pool": exhausted_pool,
    "bloat": bloat,
}


@contextmanager
def _snapshot(queue: JobQueue) -> Iterator[psycopg.Connection]:
    """A transaction that keeps one snapshot."""
    with psycopg.connect(f"{dsn(queue.url)}&{_BENCH}") as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("SELECT count(*) FROM done")
        yield connection
        connection.rollback()


@contextmanager
def _threads(over: Event, works: Sequence[Callable[[], None]]) -> Iterator[None]:
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _name(numbers: Iterator[int]) -> str:
    # A count may be shared by threads: its next number is one operation of the interpreter.
    return f"job-{next(numbers):08}"


if __name__ == "__main__":
    sys.exit(main())
