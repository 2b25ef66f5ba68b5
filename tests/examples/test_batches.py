"""The programs of examples/batch and examples/worker, as processes before the real service."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job, JobStatus

from copydesk_connectors.suite.fault_proxy import FOR_GOOD, Cut, FaultProxy, Rule
from tests.support.customers import Customer, new_customer
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.service import CopydeskService, ScriptedModel
from tests.support.startup import wait_until

EXAMPLES = Path(__file__).parents[2] / "examples"
ORDERS = EXAMPLES / "batch/orders.csv"
BATCHES = ["nightly.py", "async_batch.py"]
SECONDS = 60
HEADER = "id,keywords,topic,max_words\n"


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    return tmp_path / "posts"


def environment(customer: Customer, **more: str) -> dict[str, str]:
    service = {"COPYDESK_API_KEY": customer.api_key, "COPYDESK_BASE_URL": customer.service.url}
    return {**os.environ, **service, "PYTHONPATH": ":".join(filter(None, sys.path)), **more}


def start(
    customer: Customer, program: str, orders: Path, posts: Path, **more: str
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, EXAMPLES / "batch" / program, orders, posts],
        env=environment(customer, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(customer: Customer, program: str, orders: Path, posts: Path) -> tuple[int, str, str]:
    process = start(customer, program, orders, posts)
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out, errors


def billed(customer: Customer) -> int:
    """The number of posts that were written."""
    posts: int = customer.usage()["consumed"]["posts"]
    return posts


@contextmanager
def unheard(customer: Customer) -> Iterator[dict[str, str]]:
    """In the block, the settings of a program that the service answers and that hears nothing."""
    with FaultProxy(customer.service.url) as proxy:
        proxy.add(Rule(Cut.SILENCE, times=FOR_GOOD))
        yield {"COPYDESK_BASE_URL": proxy.url}


@pytest.mark.parametrize("program", BATCHES)
def test_a_batch_writes_each_order_once(customer: Customer, posts: Path, program: str) -> None:
    code, out, errors = run(customer, program, ORDERS, posts)
    assert (code, errors) == (0, "")
    assert len(out.splitlines()) == 3
    assert sorted(path.name for path in posts.iterdir()) == ["2041.md", "2042.md", "2043.md"]
    assert all(path.read_text() for path in posts.iterdir())
    assert run(customer, program, ORDERS, posts) == (0, "", "")
    assert billed(customer) == 3


@pytest.mark.parametrize("program", BATCHES)
def test_an_order_that_fails_does_not_stop_the_others(
    customer: Customer, posts: Path, tmp_path: Path, program: str
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text(f"{HEADER}1,milk,,9000\n2,tea,,600\n")
    code, out, errors = run(customer, program, orders, posts)
    assert code == 1
    assert out.startswith("order 2: ")
    assert errors.startswith("order 1: ")
    assert "VALIDATION_ERROR" in errors
    assert [path.name for path in posts.iterdir()] == ["2.md"]


def test_a_used_up_quota_stops_the_nightly_batch(service: CopydeskService, posts: Path) -> None:
    customer = new_customer(service, monthly_words=100)
    code, out, errors = run(customer, "nightly.py", ORDERS, posts)
    assert (code, out) == (1, "")
    assert errors.startswith("stopped at order 2041: ")
    assert "2042" not in errors


@pytest.mark.parametrize("program", BATCHES)
def test_a_killed_batch_continues_and_nothing_is_billed_twice(
    customer: Customer, posts: Path, program: str
) -> None:
    with unheard(customer) as settings:
        process = start(customer, program, ORDERS, posts, **settings)
        wait_until(lambda: billed(customer) > 0, SECONDS, "a post is written")
        process.kill()
        process.communicate(timeout=SECONDS)
    assert list(posts.glob("*.md")) == []
    assert run(customer, program, ORDERS, posts)[0] == 0
    assert len(list(posts.iterdir())) == 3
    assert billed(customer) == 3


# --- the background task


@pytest.fixture(scope="module")
def redis(group: ProcessGroup) -> RedisServer:
    return RedisServer(group)


class Worker:
    """The task of examples/worker, with its queue."""

    def __init__(self, redis: RedisServer, customer: Customer, posts: Path) -> None:
        self._folder = EXAMPLES / "worker"
        self._env = environment(customer, REDIS_URL=redis.url, POSTS=str(posts))
        self._url = redis.url
        self.connection = Redis.from_url(redis.url)
        self.queue = Queue("posts", self.connection)

    def enqueue(self, *arguments: str) -> Job:
        command = [sys.executable, "enqueue.py", *arguments]
        said = subprocess.run(
            command, cwd=self._folder, env=self._env, capture_output=True, text=True, check=True
        )
        return Job.fetch(said.stdout.strip(), self.connection)

    def start(self, **more: str) -> "subprocess.Popen[bytes]":
        command = ["-m", "rq.cli", "worker", "--burst", "--url", self._url, "posts"]
        return subprocess.Popen(
            [sys.executable, *command], cwd=self._folder, env={**self._env, **more}
        )

    def work(self) -> None:
        """Work until the queue is empty."""
        assert self.start().wait(SECONDS) == 0


@pytest.fixture
def worker(redis: RedisServer, customer: Customer, posts: Path) -> Iterator[Worker]:
    made = Worker(redis, customer, posts)
    made.connection.flushall()
    yield made
    made.connection.close()


def test_an_order_that_is_queued_twice_is_written_once(
    worker: Worker, customer: Customer, posts: Path
) -> None:
    jobs = [worker.enqueue("2041", "cold brew", "coffee grinder") for _ in range(2)]
    worker.work()
    assert [job.get_status() for job in jobs] == [JobStatus.FINISHED] * 2
    assert jobs[0].return_value() == jobs[1].return_value()
    assert (posts / "2041.md").read_text()
    assert billed(customer) == 1


def test_only_an_error_that_can_pass_is_retried(worker: Worker, model: ScriptedModel) -> None:
    refused = worker.enqueue("1", "milk")
    with model.behaving("refusal"):
        worker.work()
    assert refused.get_status() == JobStatus.FAILED
    down = worker.enqueue("2", "tea")
    with model.behaving("error_500"):
        worker.work()
    assert down.get_status() == JobStatus.SCHEDULED


def test_a_killed_worker_loses_and_doubles_nothing(
    worker: Worker, customer: Customer, posts: Path
) -> None:
    worker.enqueue("2042", "cast iron pan")
    with unheard(customer) as settings:
        process = worker.start(**settings)
        wait_until(lambda: billed(customer) > 0, SECONDS, "a post is written")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for pid in (process.pid, *map(int, children)):
            os.kill(pid, signal.SIGKILL)
        process.wait(SECONDS)
    worker.enqueue("2042", "cast iron pan")
    worker.work()
    wait_until((posts / "2042.md").exists, SECONDS, "the post is there")
    assert billed(customer) == 1
