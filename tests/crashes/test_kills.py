"""SIGKILL at random moments: nothing that was accepted is lost, doubled or billed twice.

The quick version, one for each way to run the service, lets everything die within a few seconds
over 40 jobs. ``CRASHES=full`` gives each part of the service 200 jobs of its own to die over, again
and again. The seed is printed; ``CRASH_SEED`` sets it.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event

import pytest
import requests

from tests.support.crashes import verdict
from tests.support.crashes.customers import CUSTOMERS, Customers
from tests.support.crashes.deployments import Deployment, many_processes, one_process
from tests.support.crashes.programs import new_key, supervised
from tests.support.process_group import ProcessGroup
from tests.support.service import ScriptedModel
from tests.support.webhook_receiver import Receiver

FULL = os.environ.get("CRASHES") == "full"
JOBS = 200 if FULL else 40
KILLS = 6
FREEZES = 2
DEPLOYMENTS: dict[str, Callable[[ProcessGroup, str, str], Deployment]] = {
    "one-process": one_process,
    "many-processes": many_processes,
}
ALL = {
    "one-process": ["service", "service-freeze"],
    "many-processes": [
        "worker", "worker-freeze", "web", "scheduler", "redis", "flushall", "postgres-kill",
        "postgres-restart",
    ],
}  # fmt: skip
RUNS = (
    [(name, (kind,)) for name, kinds in ALL.items() for kind in kinds]
    if FULL
    else [(name, tuple(k for k in kinds if "freeze" not in k)) for name, kinds in ALL.items()]
)


@pytest.fixture
def model(group: ProcessGroup) -> ScriptedModel:
    model = ScriptedModel(group)
    # A real model takes its time, in which its worker can die.
    model.behave("slow", delay=0.2)
    return model


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as listening:
        yield listening


@pytest.mark.parametrize(
    ("name", "kinds"), RUNS, ids=[f"{name}-{'+'.join(kinds)}" for name, kinds in RUNS]
)
def test_every_job_ends_is_billed_once_and_told_of(
    group: ProcessGroup,
    model: ScriptedModel,
    receiver: Receiver,
    name: str,
    kinds: tuple[str, ...],
) -> None:
    """ "Same key and body returns the original job without creating or billing a second"; a job
    that was accepted ends succeeded or failed; "job.succeeded sent if subscribed", "job.failed sent
    if subscribed"."""
    seed = int(os.environ.get("CRASH_SEED") or secrets.randbelow(10**6))
    print(f"CRASH_SEED={seed}")
    deployment = DEPLOYMENTS[name](group, f"{name}-{'-'.join(kinds)[:20]}", model.url)
    assert sorted(ALL[name]) == sorted(deployment.kinds)
    customers = Customers(deployment.url, new_key(deployment.database_url), receiver, JOBS, seed)
    began = time.monotonic()
    over = Event()
    with supervised(deployment.programs), ThreadPoolExecutor(1) as pool:
        killing = pool.submit(_kill_at_random, deployment, kinds, customers, Random(seed), over)
        killing.add_done_callback(lambda done: customers.give_up() if done.exception() else None)
        try:
            customers.work()
        finally:
            over.set()
        killing.result()
    verdict.wait_for_deliveries(deployment.database_url)
    seconds = time.monotonic() - began
    usage = requests.get(f"{deployment.url}/v1/usage", headers=customers.headers, timeout=30).json()
    figures = verdict.judge(customers, receiver, usage, deployment.database_url)
    print(f"{seconds:.0f} s, {figures}, {dict(customers.statuses)}, {customers.slowest:.1f} s")
    _judge_answers(deployment, kinds, customers)


def _kill_at_random(
    deployment: Deployment,
    kinds: tuple[str, ...],
    customers: Customers,
    random: Random,
    over: Event,
) -> None:
    """Let parts die at random moments: each after a random number of jobs was accepted or ended,
    and a bit, so that it does not always hit the same step."""
    deaths = [*kinds]
    if FULL:
        deaths *= FREEZES if "freeze" in kinds[0] else KILLS
    random.shuffle(deaths)
    # The quick version lets them die early: a lease has to lapse before it can end.
    last = 2 * len(customers.asked) * (0.8 if FULL else 0.2)
    moments = sorted(random.uniform(CUSTOMERS, last) for _ in deaths)
    for kind, moment in zip(deaths, moments, strict=True):
        while customers.progress < moment and not over.wait(0.01):
            pass
        Event().wait(random.uniform(0, 0.5))
        print(f"{kind} dies with {customers.accepted} jobs accepted and {customers.ended} ended")
        deployment.kinds[kind](random)


def _judge_answers(deployment: Deployment, kinds: tuple[str, ...], customers: Customers) -> None:
    """Who is told what while a part is away."""
    if deployment.silent.isdisjoint(kinds):
        assert set(customers.statuses) <= {"POST 202", "GET 200", "POST 503", "GET 503"}
        # What stayed has to outlive what is away.
        if kinds[0] not in {"worker", "scheduler"}:
            assert [program.ends for program in deployment.programs] == [[]] * len(
                deployment.programs
            )
    if deployment.patient.issuperset(kinds):
        assert set(customers.statuses) == {"POST 202", "GET 200"}
