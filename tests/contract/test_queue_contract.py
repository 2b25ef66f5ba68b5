"""What the services rely on in any queue, held against threads and against RQ on a real Redis."""

import time
from collections.abc import Callable, Iterator
from threading import Event, Lock

import pytest

from app.adapters import redis_connection
from app.adapters.rq_queue import GENERATION, QUEUES, URGENT, RqQueue
from app.adapters.thread_queue import ThreadQueue
from app.ports import QueueUnavailable, TaskQueue, Work, WorkKind
from tests.support.redis_fixtures import SECONDS, TIMEOUT_SECONDS, patient, redis, server
from tests.support.redis_server import RedisServer
from tests.support.startup import wait_until

__all__ = ["patient", "redis", "server"]

JOB, RUN = Work(WorkKind.JOB, "job_1"), Work(WorkKind.RUN, "run_1")
DELIVERY = Work(WorkKind.DELIVERY, "dlv_1")


@pytest.fixture(params=["threads", "RQ"])
def queue(request: pytest.FixtureRequest) -> TaskQueue:
    if request.param == "threads":
        return ThreadQueue()
    return RqQueue(request.getfixturevalue("redis").url)


@pytest.fixture
def rq(redis: RedisServer) -> RqQueue:
    return RqQueue(redis.url)


def took(operation: Callable[[], object]) -> float:
    """Seconds."""
    began = time.monotonic()
    operation()
    return time.monotonic() - began


def test_what_was_enqueued_is_not_missing(queue: TaskQueue) -> None:
    queue.enqueue(JOB, RUN, DELIVERY)
    assert queue.missing(JOB, RUN, DELIVERY) == []


def test_what_nobody_was_told_of_is_found_one_way_or_the_other(queue: TaskQueue) -> None:
    """Threads poll the database; RQ reports the work that it lacks."""
    queue.enqueue(JOB)
    second = Work(JOB.kind, JOB.id, 2)
    missing = queue.missing(JOB, second, RUN)
    assert missing == ([] if isinstance(queue, ThreadQueue) else [second, RUN])


def test_a_second_enqueue_of_the_same_harms_nobody(queue: TaskQueue) -> None:
    queue.enqueue(JOB)
    queue.enqueue(JOB, JOB)
    assert queue.missing(JOB) == []


# Threads


class Desk:
    """Work for threads: what is put here they find, as they would in the database."""

    def __init__(self) -> None:
        self._waiting: list[Work] = []
        self._lock = Lock()
        self.looks = 0
        self.done: list[Work] = []
        self.hold = Event()
        self.hold.set()

    def put(self, work: Work) -> None:
        with self._lock:
            self._waiting.append(work)

    def work(self) -> bool:
        with self._lock:
            self.looks += 1
            taken = self._waiting.pop() if self._waiting else None
        if taken is None:
            return False
        if taken.id == "fails":
            raise RuntimeError("that went wrong")
        assert self.hold.wait(SECONDS)
        self.done.append(taken)
        return True


@pytest.fixture
def threads() -> Iterator[Callable[..., ThreadQueue]]:
    started: list[ThreadQueue] = []

    def start(poll_seconds: float = SECONDS) -> ThreadQueue:
        started.append(ThreadQueue(poll_seconds))
        return started[-1]

    yield start
    for queue in started:
        queue.stop()
        queue.join(SECONDS)


def looked(desk: Desk, times: int) -> None:
    wait_until(lambda: desk.looks >= times, SECONDS, f"{times} looks")


def test_a_wake_up_reaches_the_threads_of_its_kind(threads: Callable[..., ThreadQueue]) -> None:
    """They look once as they begin, and would not look again for longer than this test waits."""
    queue, posts, webhooks = threads(SECONDS * 10), Desk(), Desk()
    queue.start(posts.work, 1, WorkKind.JOB, WorkKind.RUN)
    queue.start(webhooks.work, 1, WorkKind.DELIVERY)
    looked(posts, 1)
    looked(webhooks, 1)
    for desk, work in ((posts, JOB), (posts, RUN), (webhooks, DELIVERY)):
        desk.put(work)
        queue.enqueue(work)
        wait_until(lambda desk=desk, work=work: work in desk.done, SECONDS, f"{work.kind} is done")  # type: ignore[misc]
    assert (posts.done, webhooks.done) == ([JOB, RUN], [DELIVERY])


def test_webhooks_wait_for_no_post(threads: Callable[..., ThreadQueue]) -> None:
    queue, posts, webhooks = threads(), Desk(), Desk()
    posts.hold.clear()
    posts.put(JOB)
    webhooks.put(DELIVERY)
    queue.start(posts.work, 1, WorkKind.JOB, WorkKind.RUN)
    queue.start(webhooks.work, 1, WorkKind.DELIVERY)
    wait_until(lambda: webhooks.done == [DELIVERY], SECONDS, "the webhook is sent")
    assert posts.done == []
    posts.hold.set()


def test_threads_find_what_another_process_queued(threads: Callable[..., ThreadQueue]) -> None:
    queue, desk = threads(0.02), Desk()
    queue.start(desk.work, 2, WorkKind.JOB)
    looked(desk, 4)
    desk.put(JOB)
    wait_until(lambda: desk.done == [JOB], SECONDS, "it is found")


def test_an_error_ends_no_thread(
    threads: Callable[..., ThreadQueue], caplog: pytest.LogCaptureFixture
) -> None:
    queue, desk = threads(0.02), Desk()
    desk.put(JOB)
    desk.put(Work(WorkKind.JOB, "fails"))
    queue.start(desk.work, 1, WorkKind.JOB)
    wait_until(lambda: desk.done == [JOB], SECONDS, "the thread goes on")
    assert "a worker met an error" in caplog.text


def test_stop_waits_for_what_is_being_done_but_not_for_long(
    threads: Callable[..., ThreadQueue],
) -> None:
    queue, desk = threads(), Desk()
    desk.hold.clear()
    desk.put(JOB)
    queue.start(desk.work, 1, WorkKind.JOB)
    looked(desk, 1)
    queue.stop()
    assert not queue.join(0.05)
    assert desk.done == []
    desk.hold.set()
    assert queue.join(SECONDS)
    assert desk.done == [JOB]


# RQ


def test_urgent_work_goes_before_other_work(rq: RqQueue, redis: RedisServer) -> None:
    urgent = Work(WorkKind.JOB, "job_2", urgent=True)
    rq.enqueue(JOB, urgent)
    with redis.client() as client:
        assert client.lrange(f"rq:queue:{URGENT}", 0, -1) == [b"job-job_2-1"]
        assert client.lrange(f"rq:queue:{GENERATION}", 0, -1) == [b"job-job_1-1"]
    assert QUEUES.index(URGENT) < QUEUES.index(GENERATION), "workers look into it first"
    assert rq.missing(JOB, urgent) == []


def test_what_redis_forgot_is_missing(rq: RqQueue, redis: RedisServer) -> None:
    """“A queue flushed at any moment loses nothing.”"""
    rq.enqueue(JOB, DELIVERY)
    redis.flush()
    assert rq.missing(JOB, DELIVERY) == [JOB, DELIVERY]
    rq.enqueue(JOB)
    assert rq.missing(JOB, DELIVERY) == [DELIVERY]


def test_a_restart_of_redis_is_not_noticed(rq: RqQueue, redis: RedisServer) -> None:
    """Its connections are dead, and it has what was on its disk."""
    rq.enqueue(JOB)
    redis.restart()
    assert rq.missing(JOB, RUN) == [RUN]
    redis.restart()
    rq.enqueue(RUN)
    assert rq.missing(JOB, RUN) == []


def test_a_backlog_is_not_queued_twice(rq: RqQueue, redis: RedisServer) -> None:
    backlog = [Work(WorkKind.JOB, f"job_{number}") for number in range(2_000)]
    rq.enqueue(*backlog)
    for _ in range(2):
        rq.enqueue(*rq.missing(*backlog))
    with redis.client() as client:
        assert client.llen(f"rq:queue:{GENERATION}") == 2_000


def test_without_redis_nobody_fails_or_waits_and_the_sweep_is_told(
    rq: RqQueue, redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    redis.kill()
    for _ in range(3):
        assert took(lambda: rq.enqueue(JOB)) < 2
    for ask in (rq.ping, lambda: rq.missing(JOB)):
        with pytest.raises(QueueUnavailable, match="Redis does not answer"):
            ask()
    assert caplog.text.count("work waits in the database") == 1


def test_a_redis_that_hangs_holds_a_caller_up_for_about_a_second(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TIMEOUT_SECONDS <= 1
    monkeypatch.setattr(redis_connection, "_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    rq = RqQueue(redis.url)
    redis.pause()
    try:
        assert took(lambda: rq.enqueue(RUN)) < 5
        with pytest.raises(QueueUnavailable):
            rq.missing(JOB)
    finally:
        redis.resume()


def test_a_password_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    queue = RqQueue("redis://someone:hunter2hunter2@127.0.0.1:9/0")
    queue.enqueue(JOB)
    with pytest.raises(QueueUnavailable) as unreachable:
        queue.ping()
    assert "hunter2" not in f"{unreachable.value!r} {caplog.text} {queue!r}"
    assert unreachable.value.__cause__ is None
