"""The programs of examples/batch and examples/worker, as processes before a stand-in."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job, JobStatus

from tests.support.canned_service import CannedService
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.startup import wait_until

EXAMPLES = Path(__file__).parents[2] / "examples"
ORDERS = EXAMPLES / "batch/orders.csv"
BATCHES = ["nightly.py", "async_batch.py"]
SECONDS = 60
HEADER = "id,keywords,topic,max_words\n"


@pytest.fixture
def canned() -> Iterator[CannedService]:
    service = CannedService()
    with service.serve():
        yield service


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    return tmp_path / "posts"


def environment(canned: CannedService, **more: str) -> dict[str, str]:
    service = {"COPYDESK_API_KEY": canned.api_key, "COPYDESK_BASE_URL": canned.url}
    return {**os.environ, **service, "PYTHONPATH": ":".join(filter(None, sys.path)), **more}


def start(
    canned: CannedService, program: str, orders: Path, posts: Path
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, EXAMPLES / "batch" / program, orders, posts],
        env=environment(canned),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(canned: CannedService, program: str, orders: Path, posts: Path) -> tuple[int, str, str]:
    process = start(canned, program, orders, posts)
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out, errors


@pytest.mark.parametrize("program", BATCHES)
def test_a_batch_writes_each_order_once(canned: CannedService, posts: Path, program: str) -> None:
    code, out, errors = run(canned, program, ORDERS, posts)
    assert (code, errors) == (0, "")
    assert len(out.splitlines()) == 3
    assert sorted(path.name for path in posts.iterdir()) == ["2041.md", "2042.md", "2043.md"]
    assert all(path.read_text() for path in posts.iterdir())
    assert run(canned, program, ORDERS, posts) == (0, "", "")
    assert canned.billed == 3


@pytest.mark.parametrize("program", BATCHES)
def test_an_order_that_fails_does_not_stop_the_others(
    canned: CannedService, posts: Path, tmp_path: Path, program: str
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text(f"{HEADER}1,test:CONTENT_QUALITY_FAILED,,600\n2,tea,,600\n")
    code, out, errors = run(canned, program, orders, posts)
    assert code == 1
    assert out.startswith("order 2: ")
    assert errors.startswith("order 1: ")
    assert "CONTENT_QUALITY_FAILED" in errors
    assert [path.name for path in posts.iterdir()] == ["2.md"]


def test_a_used_up_quota_stops_the_nightly_batch(canned: CannedService, posts: Path) -> None:
    canned.fail_next("QUOTA_EXCEEDED")
    code, out, errors = run(canned, "nightly.py", ORDERS, posts)
    assert (code, out) == (1, "")
    assert errors.startswith("stopped at order 2041: ")
    assert len(canned.bodies) == 1


@pytest.mark.parametrize("program", BATCHES)
def test_a_killed_batch_continues_and_nothing_is_billed_twice(
    canned: CannedService, posts: Path, program: str
) -> None:
    canned.holds = True
    process = start(canned, program, ORDERS, posts)
    assert canned.worked.wait(SECONDS)
    process.kill()
    process.communicate(timeout=SECONDS)
    canned.holds = False
    canned.released.set()
    assert canned.billed > 0
    assert list(posts.glob("*.md")) == []
    assert run(canned, program, ORDERS, posts)[0] == 0
    assert len(list(posts.iterdir())) == 3
    assert canned.billed == 3


# --- the background task


@pytest.fixture(scope="module")
def redis(group: ProcessGroup) -> RedisServer:
    return RedisServer(group)


class Worker:
    """The task of examples/worker, with its queue."""

    def __init__(self, redis: RedisServer, canned: CannedService, posts: Path) -> None:
        self._folder = EXAMPLES / "worker"
        self._env = environment(canned, REDIS_URL=redis.url, POSTS=str(posts))
        self._url = redis.url
        self.connection = Redis.from_url(redis.url)
        self.queue = Queue("posts", self.connection)

    def enqueue(self, *arguments: str) -> Job:
        command = [sys.executable, "enqueue.py", *arguments]
        said = subprocess.run(
            command, cwd=self._folder, env=self._env, capture_output=True, text=True, check=True
        )
        return Job.fetch(said.stdout.strip(), self.connection)

    def start(self) -> "subprocess.Popen[bytes]":
        command = ["-m", "rq.cli", "worker", "--burst", "--url", self._url, "posts"]
        return subprocess.Popen([sys.executable, *command], cwd=self._folder, env=self._env)

    def work(self) -> None:
        """Work until the queue is empty."""
        assert self.start().wait(SECONDS) == 0


@pytest.fixture
def worker(redis: RedisServer, canned: CannedService, posts: Path) -> Iterator[Worker]:
    made = Worker(redis, canned, posts)
    made.connection.flushall()
    yield made
    made.connection.close()


def test_an_order_that_is_queued_twice_is_written_once(
    worker: Worker, canned: CannedService, posts: Path
) -> None:
    jobs = [worker.enqueue("2041", "cold brew", "coffee grinder") for _ in range(2)]
    worker.work()
    assert [job.get_status() for job in jobs] == [JobStatus.FINISHED] * 2
    assert jobs[0].return_value() == jobs[1].return_value()
    assert (posts / "2041.md").read_text()
    assert canned.billed == 1
    bodies = {json.dumps(body) for body in canned.bodies}
    assert len(bodies) == 1


def test_only_an_error_that_can_pass_is_retried(worker: Worker, canned: CannedService) -> None:
    refused = worker.enqueue("1", "test:PROHIBITED_INPUT")
    worker.work()
    assert refused.get_status() == JobStatus.FAILED
    canned.fail_next("SERVICE_UNAVAILABLE", times=3)
    down = worker.enqueue("2", "tea")
    worker.work()
    assert down.get_status() == JobStatus.SCHEDULED


def test_a_killed_worker_loses_and_doubles_nothing(
    worker: Worker, canned: CannedService, posts: Path
) -> None:
    canned.holds = True
    worker.enqueue("2042", "cast iron pan")
    process = worker.start()
    assert canned.worked.wait(SECONDS)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in (process.pid, *map(int, children)):
        os.kill(pid, signal.SIGKILL)
    process.wait(SECONDS)
    canned.holds = False
    canned.released.set()
    worker.enqueue("2042", "cast iron pan")
    worker.work()
    wait_until((posts / "2042.md").exists, SECONDS, "the post is there")
    assert canned.billed == 1
