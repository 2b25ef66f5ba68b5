"""Worker processes on a real Redis that comes and goes. Their work only writes down that it was
done: what it does to the database is tested elsewhere."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from rq import Queue
from rq.registry import FailedJobRegistry

from app import worker
from app.adapters import redis_connection
from app.adapters.rq_queue import GENERATION, QUEUES, RqQueue
from app.adapters.rq_worker import Pool
from app.ports import Work, WorkKind
from app.settings import Settings
from tests.support.process_group import ProcessGroup
from tests.support.redis_server import RedisServer
from tests.support.startup import is_running, wait_until

REDIS_SECONDS = 40.0
# A busy machine takes its time for a new process, and Redis may have been waited for before.
SECONDS = 180.0
PASSWORD = "hunter2hunter2"
ROOT = Path(__file__).parents[2]
numbers = count()


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """A busy machine can take longer than the service waits for Redis."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_connection, "_TIMEOUT_SECONDS", REDIS_SECONDS)
        yield


class Workers:
    """Processes that work for one Redis, and the queue that feeds them."""

    def __init__(
        self,
        group: ProcessGroup,
        redis: RedisServer,
        processes: int = 1,
        *,
        has_heart: bool = False,
    ) -> None:
        self.redis = redis
        self.queue = RqQueue(redis.url)
        self.folder = group.folder / f"workers-{next(numbers)}"
        self.folder.mkdir()
        self.log = self.folder / "log"
        script = str(ROOT / "tests/support/recording_worker.py")
        self.heartbeat = self.folder / "heartbeat"
        beats = {"COPYDESK_HEARTBEAT_FILE": str(self.heartbeat)} if has_heart else {}
        self.process = group.spawn(
            [sys.executable, script, str(self.folder), str(processes)],
            log=self.log,
            env={
                "PYTHONPATH": str(ROOT),
                "COPYDESK_DATA_DIR": str(self.folder),
                "COPYDESK_DRAIN_SECONDS": "1",
                "COPYDESK_REDIS_URL": redis.url,
                "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
                **beats,
            },
            cwd=self.folder,
        )

    def give(self, name: str, kind: WorkKind = WorkKind.JOB) -> str:
        """Queue a piece of work of a fresh id, which says what it does."""
        work_id = f"{name}_{next(numbers)}"
        self.queue.enqueue(Work(kind, work_id))
        return work_id

    def lines(self, work_id: str) -> list[list[str]]:
        """What it wrote: when it began, with its process, and when it ended."""
        file = self.folder / "done"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [line for line in lines if line[1] == work_id]

    def wait(self, work_id: str, words: list[str]) -> int:
        """Until it wrote that; the worker that it first began in."""

        def written() -> bool:
            return [line[0] for line in self.lines(work_id)] == words

        wait_until(written, SECONDS, f"{work_id} wrote {words}; it wrote {self.lines(work_id)}")
        return int(self.lines(work_id)[0][3])

    def do(self, name: str, kind: WorkKind = WorkKind.JOB) -> int:
        """Queue a piece of work and see it done."""
        return self.wait(self.give(name, kind), ["begin", "end"])

    def release(self, work_id: str) -> None:
        """Let slow work end."""
        (self.folder / work_id).touch()


@pytest.fixture(scope="module")
def shared(group: ProcessGroup, patient: None) -> Workers:
    """One process for everything and one for webhooks; they outlive every test that uses them."""
    workers = Workers(group, RedisServer(group))
    workers.do("first")
    return workers


@pytest.fixture
def redis(group: ProcessGroup) -> Iterator[RedisServer]:
    server = RedisServer(group, password=PASSWORD)
    yield server
    server.kill()


@pytest.fixture
def start(group: ProcessGroup, redis: RedisServer) -> Iterator[Callable[[], Workers]]:
    """Workers of its own for a test that ends them."""
    started: list[Workers] = []

    def begin(*, has_heart: bool = False) -> Workers:
        started.append(Workers(group, redis, has_heart=has_heart))
        return started[-1]

    yield begin
    for workers in started:
        workers.process.kill()
        workers.process.wait(SECONDS)


def test_each_piece_of_work_is_done_once_by_one_worker(shared: Workers) -> None:
    given = [shared.give("work") for _ in range(5)]
    workers = {shared.wait(work_id, ["begin", "end"]) for work_id in given}
    assert len(workers) == 1
    assert shared.queue.missing(*(Work(WorkKind.JOB, work_id) for work_id in given))


def test_a_webhook_waits_for_no_post(shared: Workers) -> None:
    slow = shared.give("slow")
    shared.wait(slow, ["begin"])
    shared.do("webhook", WorkKind.DELIVERY)
    assert [line[0] for line in shared.lines(slow)] == ["begin"]
    shared.release(slow)
    shared.wait(slow, ["begin", "end"])


def test_a_worker_that_crashes_is_replaced_and_its_work_is_found_to_be_missing(
    shared: Workers,
) -> None:
    crash = shared.give("crash")
    worker = shared.wait(crash, ["begin"])
    assert shared.do("work") != worker
    work = Work(WorkKind.JOB, crash)
    wait_until(lambda: shared.queue.missing(work) == [work], SECONDS, "it is found to be missing")
    shared.queue.enqueue(Work(WorkKind.JOB, crash, 2))
    shared.wait(crash, ["begin", "begin"])


def test_an_error_is_logged_as_the_service_logs_and_kept_nowhere_else(shared: Workers) -> None:
    work_id = shared.give("fail")
    shared.wait(work_id, ["begin"])
    shared.do("work")
    log = shared.log.read_text()
    assert f" ERROR app.worker job {work_id} met an error; it will be retried\n" in log
    assert log.count("RuntimeError: that went wrong") == 1
    with shared.redis.client() as client:
        for name in QUEUES:
            failed = FailedJobRegistry(name, connection=client).get_job_ids()
            assert f"job-{work_id}-1" not in failed


def test_a_task_that_is_not_ours_is_not_run(shared: Workers) -> None:
    file = shared.folder / "intruder"
    with shared.redis.client() as client:
        for serializer in ("json", "pickle"):
            queue = Queue(GENERATION, connection=client, serializer=serializer)
            queue.enqueue("os.mkdir", str(file))
    shared.do("work")
    assert not file.exists()
    assert "an unknown task was discarded" in shared.log.read_text()


@pytest.mark.parametrize("loss", [RedisServer.restart, RedisServer.flush])
def test_workers_with_and_without_work_survive_a_redis_that_loses_everything(
    shared: Workers, loss: Callable[[RedisServer], None]
) -> None:
    """One that was just speaking with Redis ends, and another takes its place."""
    shared.do("work")
    loss(shared.redis)
    shared.do("work")
    shared.do("webhook", WorkKind.DELIVERY)
    slow = shared.give("slow")
    shared.wait(slow, ["begin"])
    waiting = shared.give("waiting")
    loss(shared.redis)
    work = Work(WorkKind.JOB, waiting)
    assert shared.queue.missing(work) == [work]
    shared.queue.enqueue(work)
    shared.release(slow)
    shared.wait(slow, ["begin", "end"])
    shared.wait(waiting, ["begin", "end"])


def test_work_goes_on_and_ends_while_redis_is_away(shared: Workers) -> None:
    slow = shared.give("slow")
    shared.wait(slow, ["begin"])
    shared.redis.kill()
    shared.release(slow)
    shared.wait(slow, ["begin", "end"])
    shared.redis.start()
    shared.do("work")


def test_workers_wait_for_a_redis_that_is_not_there_yet(
    redis: RedisServer, start: Callable[[], Workers]
) -> None:
    redis.kill()
    workers = start()
    wait_until(
        lambda: "Redis does not answer (ConnectionError): workers wait" in workers.log.read_text(),
        SECONDS,
        "they say that they wait",
    )
    redis.start()
    workers.do("work")
    assert "Traceback" not in workers.log.read_text()
    assert PASSWORD not in workers.log.read_text()


@pytest.mark.long
def test_a_worker_that_hangs_stops_the_heartbeat(start: Callable[..., Workers]) -> None:
    workers = start(has_heart=True)
    pid = workers.do("first")
    file = workers.heartbeat

    def age() -> float:
        return time.time() - file.stat().st_mtime

    wait_until(lambda: age() < 2, SECONDS, "it beats")
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: age() > 4, SECONDS, "it has stopped")
    os.kill(pid, signal.SIGCONT)
    wait_until(lambda: age() < 2, SECONDS, "it beats again")


@pytest.mark.parametrize(("number", "name"), [(signal.SIGTERM, "slow"), (signal.SIGINT, "work")])
def test_workers_end_when_asked_also_if_their_work_does_not(
    start: Callable[[], Workers], number: signal.Signals, name: str
) -> None:
    """What neither ends nor hands itself back is left to its lease."""
    workers = start()
    work_id = workers.give(name)
    worker = workers.wait(work_id, ["begin"] if name == "slow" else ["begin", "end"])
    workers.process.send_signal(number)
    assert workers.process.wait(SECONDS) == 0
    assert not is_running(worker)
    assert "Traceback" not in workers.log.read_text()


class _Interrupted(Pool):
    """Gets a signal before its second process runs."""

    def get_worker_process(self, *_: Any, **__: Any) -> BaseProcess:
        if self.worker_dict:
            os.kill(os.getpid(), signal.SIGINT)
        return super().get_worker_process()


def test_a_signal_ends_workers_that_are_just_starting(redis: RedisServer) -> None:
    """Also while a busy machine has not let them begin."""

    def start() -> None:
        os.register_at_fork(after_in_child=partial(time.sleep, 1.5))
        nothing = partial(int, 0)
        _Interrupted(redis.url, [partial(time.sleep, 99)] * 2, 600, 600, nothing, nothing).start()

    process = get_context("fork").Process(target=start)
    process.start()
    process.join(SECONDS / 3)
    code = process.exitcode
    process.kill()
    assert code == 0


def test_workers_that_ended_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change of settings starts others."""
    fork = get_context("fork")
    monkeypatch.setattr(worker.multiprocessing, "get_context", lambda _: fork)
    monkeypatch.setattr(worker, "_beside_web", lambda _: signal.pause())
    beside = worker.WorkersBesideWeb()
    for _ in range(3):
        beside.start(Settings())
        for earlier in beside._processes[:-1]:
            earlier.join(SECONDS)
    assert len(beside._processes) == 2
    beside.stop()
    assert beside.join(SECONDS)


def test_nothing_outlives_a_kill_of_the_first_process(start: Callable[[], Workers]) -> None:
    workers = start()
    slow = workers.give("slow")
    worker = workers.wait(slow, ["begin"])
    workers.process.kill()
    wait_until(lambda: not is_running(worker), SECONDS, "the worker ends")
