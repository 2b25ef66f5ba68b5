"""What the service costs beside the work that it is for, each row a ratio taken in one run.

    python bench/api.py [--rounds 3] [--seconds 4] [--jobs 60]

The peer of the first rows is a Flask route with one SELECT (bench/bare_route.py) on the same web
server, database and settings; the rounds take turns, so that other work on the machine weighs on
both alike. Posts are written by the scripted model, which answers at once from a process of its
own. The peer of the last row is RQ's own worker with a job that does nothing.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import requests
from redis import Redis
from rich.console import Console
from rich.table import Table
from rq import Queue
from rq.job import Job
from sqlalchemy import func, select

from app.store import models
from bench.load import requests_per_second
from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.service import (
    ROOT,
    CopydeskService,
    ManyProcesses,
    ScriptedModel,
    many_processes,
    one_process,
)
from tests.support.startup import free_port, wait_until

KEY = {"Idempotency-Key": "bench", "Content-Type": "application/json"}
REQUEST = b'{"keywords":["cold brew"],"constraints":{"minWords":900,"maxWords":1100}}'
SHORT = {"keywords": ["tea"], "constraints": {"minWords": 50, "maxWords": 100}}
MANY = ("--monthly-words", "100000000", "--requests-per-minute", "100000")
CPU_LIMIT_MS = 20.0
# A worker prepares what it needs with its first jobs.
_FIRST_JOBS = 10
Row = tuple[str, str, str, float, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--jobs", type=int, default=60)
    options = parser.parse_args()
    table = Table("what", "here", "the peer or limit", "ratio", "aim")
    with ProcessGroup() as group:
        model = ScriptedModel(group)
        for row in (
            *answers(group, model, options.rounds, options.seconds),
            processor_per_post(group, model),
            jobs(group, model, options.jobs),
        ):
            name, here, peer, ratio, aim = row
            table.add_row(name, here, peer, f"{ratio:.2f}", aim)
    Console().print(table)


def customer_of(service: CopydeskService) -> Customer:
    service.cli("plan", "update", "scale", *MANY, "--requests-per-day", "1000000")
    return new_customer(service, "scale")


def answers(
    group: ProcessGroup, model: ScriptedModel, rounds: int, seconds: float
) -> Iterable[Row]:
    """Requests a second of two endpoints against those of the bare route."""
    service = one_process(group, model.url)
    customer = customer_of(service)
    assert customer.call("POST", "/v1/generate", data=REQUEST, headers=KEY).status_code == 200
    rates: dict[str, list[float]] = {"bare": [], "usage": [], "replay": []}
    with bare_route(group, str(service.engine.url)) as bare:
        for _ in range(rounds):
            rates["bare"].append(requests_per_second(bare, headers={}, seconds=seconds))
            rates["usage"].append(
                requests_per_second(
                    f"{service.url}/v1/usage", headers=customer.headers, seconds=seconds
                )
            )
            rates["replay"].append(
                requests_per_second(
                    f"{service.url}/v1/generate",
                    method="POST",
                    headers={**customer.headers, **KEY},
                    body=REQUEST,
                    seconds=seconds,
                )
            )
    service.kill()
    for name, what, aim in (
        ("usage", "GET /v1/usage", "≥ 0.45"),
        ("replay", "POST /v1/generate, a replay", "≥ 0.4"),
    ):
        ratios = [mine / peer for mine, peer in zip(rates[name], rates["bare"], strict=True)]
        here, peer = median(rates[name]), median(rates["bare"])
        yield what, f"{here:.0f}/s", f"{peer:.0f}/s, bare route", median(ratios), aim


@contextmanager
def bare_route(group: ProcessGroup, database_url: str) -> Iterator[str]:
    port = free_port()
    log = group.folder / "bare.log"
    process = group.spawn(
        [
            sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--port",
            str(port), "--blocking-threads", "64", "--log-level", "error", "bench.bare_route:bare",
        ],
        log=log, cwd=ROOT, env={"BENCH_DATABASE_URL": database_url, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}/one"
    wait_until(lambda: _answers(url), 30, "the bare route answers")
    yield url
    process.terminate()


def _answers(url: str) -> bool:
    try:
        return requests_per_second(url, headers={}, seconds=0.1) > 0
    except OSError:
        return False


def processor_per_post(group: ProcessGroup, model: ScriptedModel, posts: int = 20) -> Row:
    """Processor time of the service per post of about 1,000 words, its model's excluded."""
    service = CopydeskService(group, model.url, "posts")
    customer = customer_of(service)
    words = 0

    def write() -> None:
        answer = customer.call("POST", "/v1/generate", data=REQUEST, headers=_json())
        assert answer.status_code == 200, answer.text

    write()  # imports and caches
    before, used = customer.usage()["consumed"]["words"], _processor_seconds(service)
    for _ in range(posts):
        write()
    used = _processor_seconds(service) - used
    words = customer.usage()["consumed"]["words"] - before
    service.kill()
    per_thousand = used / words * 1_000 * 1_000
    limit = f"{CPU_LIMIT_MS:.0f} ms"
    name = "processor time per 1,000 words"
    return name, f"{per_thousand:.0f} ms", limit, per_thousand / CPU_LIMIT_MS, "≤ 1"


def _json() -> dict[str, str]:
    return {"Content-Type": "application/json"}


def _processor_seconds(service: CopydeskService) -> float:
    """User and system time of the service's processes, those that ended among them included."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            environ = stat.with_name("environ").read_text("utf-8", "replace")
            if f"COPYDESK_PUBLIC_URL={service.url}\0" in environ:
                ticks += sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def jobs(group: ProcessGroup, model: ScriptedModel, count: int) -> Row:
    """A job through two RQ workers without its writing, against RQ's no-ops."""
    service = many_processes(group, model.url)
    assert isinstance(service, ManyProcesses)
    customer = customer_of(service)
    workers = [name for name in service.commands() if name.startswith("worker")]
    service.kill(*workers)
    addresses = [f"127.0.0.1:{free_port()}" for _ in workers]
    for name, address in zip(workers, addresses, strict=True):
        service._env["COPYDESK_METRICS_ADDRESS"] = address
        service.start(name)
    _seconds_of_jobs(service, customer, "coffee", _FIRST_JOBS)
    before = sum(map(_seconds_of_writing, addresses))
    seconds = _seconds_of_jobs(service, customer, "tea", count)
    writing = (sum(map(_seconds_of_writing, addresses)) - before) / count
    redis_url = service._env["COPYDESK_REDIS_URL"]
    peer = _nothing_per_second(group, redis_url, 10 * count)
    service.kill()
    print(f"{count} jobs in {seconds:.1f} s", file=sys.stderr)
    # The first job of each worker was begun before the time.
    mine = (count - len(workers)) / seconds
    # Of a worker's time; there are two.
    rest, nothing = 2 / mine - writing, 2 / peer
    return (
        "a job through RQ without its writing",
        f"{1000 * rest:.0f} ms",
        f"{1000 * nothing:.0f} ms, a no-op",
        rest / nothing,
        "≤ 1.5",
    )


def _seconds_of_jobs(
    service: CopydeskService, customer: Customer, keyword: str, count: int
) -> float:
    """Return the seconds from the end of the first of some jobs to that of the last. The workers
    are stopped until all jobs wait in the queue."""
    workers = [name for name in service.commands() if name.startswith("worker")]
    forks = [pid for name in workers for pid in _children(service.process(name).pid)]
    for pid in forks:
        os.kill(pid, signal.SIGSTOP)
    jobs = []
    for number in range(count):
        request = {**SHORT, "keywords": [f"{keyword} no {number}"]}
        jobs.append(customer.create_job(generateRequest=request).json()["jobId"])
    for pid in forks:
        os.kill(pid, signal.SIGCONT)
    job = models.Job
    these = select(
        func.count().filter(job.status == "succeeded"),
        func.min(job.updated_at),
        func.max(job.updated_at),
    ).where(job.id.in_(jobs))
    with service.engine.connect() as database:

        def all_ended() -> bool:
            database.rollback()
            return database.execute(these).one()[0] == count

        wait_until(all_ended, 300, "the jobs have succeeded")
        _, first, last = database.execute(these).one()
    seconds: float = (last - first).total_seconds()
    return seconds


def _children(pid: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _seconds_of_writing(address: str) -> float:
    """Seconds that a worker has spent from a post's first step to its last."""
    lines = requests.get(f"http://{address}/metrics", timeout=10).text.splitlines()
    name = "copydesk_generation_seconds_sum"
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def _nothing_per_second(group: ProcessGroup, redis_url: str, count: int) -> float:
    connection = Redis.from_url(redis_url)
    queue = Queue("bench-nothing", connection=connection)
    tasks = [queue.enqueue("os.getpid", result_ttl=600) for _ in range(count)]
    rq = Path(sys.executable).with_name("rq")
    command = [str(rq), "worker", "--burst", "--quiet", "--url", redis_url, queue.name]
    workers = [group.spawn(command, log=group.folder / f"rq-{number}.log") for number in (1, 2)]
    for worker in workers:
        worker.wait(300)
    fetched = Job.fetch_many([task.id for task in tasks], connection=connection)
    ended = [job.ended_at for job in fetched if job is not None and job.ended_at is not None]
    return (count - 1) / (max(ended) - min(ended)).total_seconds()


if __name__ == "__main__":
    main()
