"""The programs of examples/batch and examples/worker, as processes before the fake service."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job, JobStatus

from copydesk.testing import FakeService, serve
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.startup import wait_until

EXAMPLES = Path(__file__).parents[2] / "examples"
ORDERS = EXAMPLES / "batch/orders.csv"
BATCHES = ["nightly.py", "async_batch.py"]
SECONDS = 60
HEADER = "id,keywords,topic,max_words\n"


class HeldService(FakeService):
    """The fake service, which can do the work and hold the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.worked, self.released = threading.Event(), threading.Event()

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> Any:
        reply = super().respond(method, target, headers, content)
        if self.holds:
            self.worked.set()
            self.released.wait(SECONDS)
        return reply


@pytest.fixture
def fake() -> Iterator[HeldService]:
    service = HeldService()
    with serve(service):
        yield service
        service.released.set()


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    return tmp_path / "posts"


def environment(fake: FakeService, **more: str) -> dict[str, str]:
    service = {"COPYDESK_API_KEY": fake.api_key, "COPYDESK_BASE_URL": fake.base_url}
    return {**os.environ, **service, "PYTHONPATH": ":".join(filter(None, sys.path)), **more}


def start(fake: FakeService, program: str, orders: Path, posts: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, EXAMPLES / "batch" / program, orders, posts],
        env=environment(fake),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(fake: FakeService, program: str, orders: Path, posts: Path) -> tuple[int, str, str]:
    process = start(fake, program, orders, posts)
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out, errors


def billed(fake: FakeService) -> int:
    with fake.client() as client:
        return client.usage().consumed.posts or 0


@pytest.mark.parametrize("program", BATCHES)
def test_a_batch_writes_each_order_once(fake: FakeService, posts: Path, program: str) -> None:
    code, out, errors = run(fake, program, ORDERS, posts)
    assert (code, errors) == (0, "")
    assert len(out.splitlines()) == 3
    assert sorted(path.name for path in posts.iterdir()) == ["2041.md", "2042.md", "2043.md"]
    assert all(path.read_text() for path in posts.iterdir())
    assert run(fake, program, ORDERS, posts) == (0, "", "")
    assert billed(fake) == 3


@pytest.mark.parametrize("program", BATCHES)
def test_an_order_that_fails_does_not_stop_the_others(
    fake: FakeService, posts: Path, tmp_path: Path, program: str
) -> None:
    orders = tmp_path / "orders.csv"
    orders.write_text(f"{HEADER}1,test:CONTENT_QUALITY_FAILED,,600\n2,tea,,600\n")
    code, out, errors = run(fake, program, orders, posts)
    assert code == 1
    assert out.startswith("order 2: ")
    assert errors.startswith("order 1: ")
    assert "CONTENT_QUALITY_FAILED" in errors
    assert [path.name for path in posts.iterdir()] == ["2.md"]


def test_a_used_up_quota_stops_the_nightly_batch(fake: FakeService, posts: Path) -> None:
    fake.fail_next("QUOTA_EXCEEDED")
    code, out, errors = run(fake, "nightly.py", ORDERS, posts)
    assert (code, out) == (1, "")
    assert errors.startswith("stopped at order 2041: ")
    assert len(fake.requests) == 1


@pytest.mark.parametrize("program", BATCHES)
def test_a_killed_batch_continues_and_nothing_is_billed_twice(
    fake: HeldService, posts: Path, program: str
) -> None:
    fake.holds = True
    process = start(fake, program, ORDERS, posts)
    assert fake.worked.wait(SECONDS)
    process.kill()
    process.communicate(timeout=SECONDS)
    fake.holds = False
    fake.released.set()
    assert billed(fake) > 0
    assert list(posts.glob("*.md")) == []
    assert run(fake, program, ORDERS, posts)[0] == 0
    assert len(list(posts.iterdir())) == 3
    assert billed(fake) == 3


# --- the background task


@pytest.fixture(scope="module")
def group() -> Iterator[ProcessGroup]:
    with ProcessGroup() as running:
        yield running


@pytest.fixture(scope="module")
def redis(group: ProcessGroup) -> RedisServer:
    return RedisServer(group)


class Worker:
    """The task of examples/worker, with its queue."""

    def __init__(self, redis: RedisServer, fake: FakeService, posts: Path) -> None:
        self._folder = EXAMPLES / "worker"
        self._env = environment(fake, REDIS_URL=redis.url, POSTS=str(posts))
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
def worker(redis: RedisServer, fake: HeldService, posts: Path) -> Iterator[Worker]:
    made = Worker(redis, fake, posts)
    made.connection.flushall()
    yield made
    made.connection.close()


def test_an_order_that_is_queued_twice_is_written_once(
    worker: Worker, fake: FakeService, posts: Path
) -> None:
    jobs = [worker.enqueue("2041", "cold brew", "coffee grinder") for _ in range(2)]
    worker.work()
    assert [job.get_status() for job in jobs] == [JobStatus.FINISHED] * 2
    assert jobs[0].return_value() == jobs[1].return_value()
    assert (posts / "2041.md").read_text()
    assert billed(fake) == 1
    bodies = {json.dumps(request.body) for request in fake.requests if request.body}
    assert len(bodies) == 1


def test_only_an_error_that_can_pass_is_retried(worker: Worker, fake: FakeService) -> None:
    refused = worker.enqueue("1", "test:PROHIBITED_INPUT")
    worker.work()
    assert refused.get_status() == JobStatus.FAILED
    fake.fail_next("SERVICE_UNAVAILABLE", times=3)
    down = worker.enqueue("2", "tea")
    worker.work()
    assert down.get_status() == JobStatus.SCHEDULED


def test_a_killed_worker_loses_and_doubles_nothing(
    worker: Worker, fake: HeldService, posts: Path
) -> None:
    fake.holds = True
    worker.enqueue("2042", "cast iron pan")
    process = worker.start()
    assert fake.worked.wait(SECONDS)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in (process.pid, *map(int, children)):
        os.kill(pid, signal.SIGKILL)
    process.wait(SECONDS)
    fake.holds = False
    fake.released.set()
    worker.enqueue("2042", "cast iron pan")
    worker.work()
    wait_until((posts / "2042.md").exists, SECONDS, "the post is there")
    assert billed(fake) == 1
