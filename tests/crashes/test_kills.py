"""SIGKILL at random moments: nothing that was accepted is lost, doubled or billed twice.

The quick version lets every part die once within a few seconds over 40 jobs. ``CRASHES=full`` kills
each six times over 200 jobs; bench/chaos also freezes parts, cuts connections and more. The seed
is printed; ``CRASH_SEED`` sets it.
"""

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from threading import Event

import pytest
import requests

from tests.support.crashes import verdict
from tests.support.crashes.customers import CUSTOMERS, Customers
from tests.support.crashes.programs import Program, new_key, supervised
from tests.support.postgres import PostgresServer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import MODEL_KEY, ScriptedModel
from tests.support.startup import free_port
from tests.support.webhook_receiver import Receiver

FULL = os.environ.get("CRASHES") == "full"
JOBS, KILLS = (200, 6) if FULL else (40, 1)
# How long a part stays away at most, in seconds.
ABSENCE_SECONDS = 3.0


@dataclass
class Deployment:
    """A service that runs as soon as it is made. Each of ``deaths`` kills a part and brings it
    back."""

    url: str
    database_url: str
    programs: list[Program]
    deaths: Mapping[str, Callable[[Random], None]]

    def __post_init__(self) -> None:
        with ThreadPoolExecutor() as pool:
            for started in [pool.submit(program.start) for program in self.programs]:
                started.result()


def one_process(group: ProcessGroup, settings: dict[str, str], port: int) -> Deployment:
    """SQLite, with web, workers and scheduler as threads of one process."""
    url = f"sqlite:///{group.folder / 'copydesk.db'}"
    service = Program(group, "service", f"run --port {port}", settings, "listening on")
    deaths = {"service": lambda random: kill(service, random)}
    return Deployment(settings["COPYDESK_PUBLIC_URL"], url, [service], deaths)


def many_processes(group: ProcessGroup, settings: dict[str, str], port: int) -> Deployment:
    """PostgreSQL and Redis, with a web server, two worker programs and a scheduler."""
    postgres, redis = PostgresServer(group), RedisServer(group)
    url = postgres.create_database()
    settings |= {"COPYDESK_DATABASE_URL": url, "COPYDESK_REDIS_URL": redis.url}
    web = Program(group, "web", f"web --port {port}", settings, "listening on")
    workers = [
        Program(group, f"worker-{number}", "worker", settings, "waiting for work")
        for number in (1, 2)
    ]
    scheduler = Program(group, "scheduler", "scheduler", settings, "ticking")

    def without(stop: Callable[[], None], start: Callable[[], None]) -> Callable[[Random], None]:
        def die(random: Random) -> None:
            stop()
            Event().wait(random.uniform(0, ABSENCE_SECONDS))
            start()

        return die

    return Deployment(
        settings["COPYDESK_PUBLIC_URL"],
        url,
        [web, *workers, scheduler],
        {
            "worker": lambda random: kill(random.choice(workers), random),
            "web": lambda random: kill(web, random),
            "scheduler": lambda random: kill(scheduler, random),
            "redis": without(redis.kill, redis.start),
            "flushall": lambda _: redis.flush(),
            "postgres-kill": without(postgres.kill, postgres.start),
            "postgres-restart": without(postgres.stop, postgres.start),
        },
    )


def kill(program: Program, random: Random) -> None:
    """All of a program's processes at once, or one that the program replaces."""
    if random.random() < 0.5 and program.kill_one_process(random):
        return
    program.kill()
    Event().wait(random.uniform(0, ABSENCE_SECONDS))
    program.start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as listening:
        yield listening


@pytest.mark.parametrize("deploy", [one_process, many_processes])
def test_every_job_ends_is_billed_once_and_told_of(
    group: ProcessGroup,
    receiver: Receiver,
    deploy: Callable[[ProcessGroup, dict[str, str], int], Deployment],
) -> None:
    """ "Same key and body returns the original job without creating or billing a second"; a job
    that was accepted ends succeeded or failed; "job.succeeded sent if subscribed", "job.failed sent
    if subscribed"."""
    seed = int(os.environ.get("CRASH_SEED") or secrets.randbelow(10**6))
    print(f"CRASH_SEED={seed}")
    model, port = ScriptedModel(group), free_port()
    # A real model takes its time, in which its worker can die.
    model.behave("slow", delay=0.2)
    settings = {
        "COPYDESK_DATA_DIR": str(group.folder),
        "COPYDESK_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "COPYDESK_MODEL": "scripted",
        "COPYDESK_WEBHOOK_ALLOW_PRIVATE": "1",
        "COPYDESK_WORKERS": "3",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": MODEL_KEY,
    }
    deployment = deploy(group, settings, port)
    customers = Customers(deployment.url, new_key(deployment.database_url), receiver, JOBS, seed)
    over = Event()
    with supervised(deployment.programs), ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill_at_random, deployment, customers, Random(seed), over)
        killing.add_done_callback(lambda done: customers.give_up() if done.exception() else None)
        try:
            customers.work()
        finally:
            over.set()
        killing.result()
    verdict.wait_for_deliveries(deployment.database_url)
    usage = requests.get(f"{deployment.url}/v1/usage", headers=customers.headers, timeout=30).json()
    assert customers.surprises == []
    assert verdict.judge(customers, receiver, usage, deployment.database_url) == []


def kill_at_random(
    deployment: Deployment, customers: Customers, random: Random, over: Event
) -> None:
    """Let parts die at random moments: each after a random number of jobs was accepted or ended,
    and a bit, so that it does not always hit the same step."""
    deaths = [*deployment.deaths] * KILLS
    random.shuffle(deaths)
    # The quick version lets them die early: a lease has to lapse before it can end.
    last = 2 * len(customers.asked) * (0.8 if FULL else 0.2)
    moments = sorted(random.uniform(CUSTOMERS, last) for _ in deaths)
    for death, moment in zip(deaths, moments, strict=True):
        while customers.progress < moment and not over.wait(0.01):
            pass
        Event().wait(random.uniform(0, 0.5))
        print(f"{death} dies with {customers.accepted} jobs accepted and {customers.ended} ended")
        deployment.deaths[death](random)
